//! One incident in words: what opened the breaker, on which evidence, and what
//! closed it again.

use fusebox_core::circuit::Release;
use fusebox_view::document::{Block, Text};
use fusebox_view::phrase;

use crate::look::incidents::{ClosedBy, Incident};

/// `by_persons` is whether the way of working leaves a release to persons at all.
pub(super) fn blocks(index: usize, incident: &Incident, by_persons: bool) -> Vec<Block> {
    let opening = &incident.opening;
    let heading = format!("Incident {}: ", index + 1);
    let heading = Text::ours(heading).then(Text::theirs(opening.reason.as_str()));
    let mut facts = vec![
        ("opened", Text::ours(phrase::time(opening.since.wall_ms))),
        (
            "after iteration",
            Text::ours(incident.iteration.to_string()),
        ),
        ("rule", Text::theirs(opening.rule.to_string())),
        (
            "released by",
            Text::ours(match opening.release {
                Release::Person => "a person alone".to_owned(),
                Release::Cooldown(wait) => {
                    let or = if by_persons { "a person, or " } else { "" };
                    format!("{or}a probe after {}", phrase::duration(wait))
                }
            }),
        ),
    ];
    if opening.advisory {
        facts.push(("effect", Text::ours("announced; the loop went on")));
    }
    if incident.failed_probes > 0 {
        facts.push((
            "failed probes",
            Text::ours(incident.failed_probes.to_string()),
        ));
    }
    facts.push(("closed", closing(incident)));
    let mut blocks = vec![Block::Heading(heading), Block::Facts(facts)];
    if !opening.evidence.is_empty() {
        let evidence = opening.evidence.iter().map(|row| {
            Text::theirs(row.place.to_string())
                .then(Text::ours(": "))
                .then(Text::theirs(row.found.as_str()))
        });
        blocks.push(Block::Paragraph(Text::ours("Evidence:")));
        blocks.push(Block::List(evidence.collect()));
    }
    blocks
}

fn closing(incident: &Incident) -> Text {
    let Some(closed) = &incident.closed else {
        return Text::ours("not yet");
    };
    let time = phrase::time(closed.at_ms);
    let open_for = closed.at_ms.saturating_sub(incident.opening.since.wall_ms);
    let open_for = phrase::duration(u64::try_from(open_for).unwrap_or(0));
    let when = format!("{time}, after {open_for}, by ");
    let by = match &closed.by {
        ClosedBy::Iteration(number) => {
            Text::ours(format!("iteration {number}, which made progress"))
        }
        ClosedBy::Person { user, reason } => Text::theirs(user.as_str())
            .then(Text::ours(": "))
            .then(Text::theirs(reason.as_str())),
        ClosedBy::Other(word) => Text::ours(*word),
    };
    Text::ours(when).then(by)
}
