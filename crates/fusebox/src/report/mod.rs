//! What happened, why it stopped, on which evidence, at which cost, and what to
//! do next: for somebody who was not there.
//!
//! [`past`] collects from the log what belongs to the scope; this module puts it
//! into words, [`figures`] into tables and pictures. How it is written down is
//! the business of `fusebox_view::document`.

mod data;
mod figures;
mod incidents;
pub(crate) mod past;

use std::path::{Path, PathBuf};

use fusebox_view::document::{Block, Document, Text};
use fusebox_view::phrase;

use crate::session::Outcome;
use crate::speech::shown;
pub(crate) use data::ReportData;
use past::Past;

/// The longest output of an agent that is shown.
const OUTPUT_BYTES: u64 = 16 * 1024;

/// What a report is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    Run,
    Span {
        from_ms: i64,
        until_ms: i64,
    },
    Incident,
    /// The latest of everything before a record, or of all, for whoever looks while
    /// it goes on.
    Latest {
        before: Option<u64>,
    },
}

/// Whose past it is.
#[derive(Clone, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) root: &'a Path,
    pub(crate) circuit: &'a str,
    pub(crate) workspace_dir: PathBuf,
    /// Where the page of this loop is, if it has one.
    pub(crate) link: Option<String>,
    /// Whether a supervisor is at work.
    pub(crate) live: bool,
}

/// Puts everything into one page.
pub(crate) fn document(
    subject: &Subject<'_>,
    outcome: &Outcome,
    about: About,
    past: &Past,
) -> Document {
    let what = match about {
        About::Run => "fusebox report: the last run in ",
        About::Span { .. } => "fusebox report: a day in ",
        About::Incident => "fusebox report: an incident in ",
        About::Latest { .. } => "Loop in ",
    };
    let mut blocks = vec![Block::Facts(in_short(subject, outcome, about, past))];
    blocks.push(Block::Heading(Text::ours("What to do next")));
    blocks.push(Block::List(next(outcome)));
    blocks.extend(figures::signals(&outcome.decision));
    for (index, incident) in past.incidents.iter().enumerate() {
        blocks.extend(incidents::blocks(
            index,
            incident,
            outcome.policy.release.person,
        ));
    }
    if about == About::Incident {
        blocks.extend(last_output(subject, past));
    }
    blocks.extend(figures::charts(past));
    blocks.extend(figures::iterations(past, subject.link.as_deref()));
    Document {
        title: Text::ours(what).then(Text::theirs(shown(subject.root))),
        blocks,
    }
}

fn in_short(
    subject: &Subject<'_>,
    outcome: &Outcome,
    about: About,
    past: &Past,
) -> Vec<(&'static str, Text)> {
    let decision = &outcome.decision;
    let label = fusebox_view::answer::label(&outcome.policy.labels, decision.state);
    let mut facts = vec![
        (
            "state now",
            Text::state(decision.state, label)
                .then(Text::ours(format!(", risk {}", decision.risk.word()))),
        ),
        ("why", Text::theirs(decision.reason.as_str())),
        ("circuit", Text::theirs(subject.circuit)),
        ("preset", Text::ours(outcome.policy.preset.name())),
        ("written", Text::time(outcome.now.wall_ms)),
    ];
    if let Some(run) = outcome.last_run(subject.live) {
        let name = if run.is_past() { "last run" } else { "run" };
        facts.push((name, Text::theirs(run.line())));
    }
    let ends = (past.iterations.first(), past.iterations.last());
    let span = match (about, ends) {
        (About::Span { from_ms, until_ms }, _) => Some((from_ms, until_ms)),
        (_, (Some(first), Some(last))) => Some((first.at_ms, last.at_ms)),
        _ => None,
    };
    if let Some((from, until)) = span {
        let span = Text::time(from)
            .then(Text::ours(" to "))
            .then(Text::time(until));
        facts.push(("time", span));
    }
    if let Some((iteration, against)) = outcome.circuit.refuted() {
        let told = Text::ours(format!("but after iteration {iteration}: "));
        let told = told.then(Text::theirs(against.join("; ")));
        facts.push(("completion claimed", told));
    }
    let sums = past.sums();
    facts.push((
        "iterations",
        Text::ours(match sums.unreported {
            0 => format!("{}, {} with progress", sums.iterations, sums.progress),
            silent => format!(
                "{} reported, {silent} never reported, {} with progress",
                sums.iterations - silent,
                sums.progress
            ),
        }),
    ));
    let trips = phrase::count(past.incidents.len() as u64, "time");
    facts.push(("opened", Text::ours(trips)));
    facts.push(("worked for", Text::ours(phrase::duration(sums.duration_ms))));
    if sums.tokens > 0 {
        facts.push(("tokens", Text::ours(sums.tokens.to_string())));
    }
    if sums.micro_usd > 0 {
        facts.push(("cost", Text::ours(phrase::dollars(sums.micro_usd))));
    }
    facts.push((
        "calls",
        Text::ours(fusebox_view::answer::calls(&decision.calls)),
    ));
    let alerts = decision.alerts.iter();
    facts.extend(alerts.map(|alert| ("alert", Text::ours(alert.sentence()))));
    facts
}

fn next(outcome: &Outcome) -> Vec<Text> {
    let ways = outcome.telling().way_out(&outcome.decision);
    match ways.is_empty() {
        true => vec![Text::ours(
            "nothing stands in the way: the next iteration may run",
        )],
        false => ways.into_iter().map(Text::ours).collect(),
    }
}

/// The end of what the agent printed in the iteration that opened the breaker.
fn last_output(subject: &Subject<'_>, past: &Past) -> Vec<Block> {
    use crate::look::files::{self, Artifact, End};
    let opened = past
        .iterations
        .iter()
        .rev()
        .find(|one| one.opened.is_some());
    let output = opened.and_then(|one| {
        let iteration = files::Iteration {
            circuit: subject.circuit,
            number: one.row.iteration,
            reported_ms: one.at_ms,
        };
        files::read(
            &subject.workspace_dir,
            &iteration,
            Artifact::Output,
            End::Last(OUTPUT_BYTES),
        )
    });
    output.map_or_else(Vec::new, |output| {
        vec![
            Block::Heading(Text::ours("The end of the agent's output")),
            Block::Verbatim(output),
        ]
    })
}
