//! What opened breakers, and what else was odd.

use fusebox_core::patterns::Anomaly;
use fusebox_view::document::{Block, Document, Text};
use fusebox_view::phrase;

use super::named;
use crate::anomalies;
use crate::look::incidents::{ClosedBy, Incident};
use crate::look::machine::Place;

pub(super) fn page(incidents: &[(Place, Incident)], anomalies: &[(Place, Anomaly)]) -> Document {
    let opened = match incidents {
        [] => Block::Paragraph(Text::ours("No breaker has opened lately.")),
        _ => Block::Table {
            name: "Incidents, the latest first",
            head: vec!["opened", "loop", "why", "evidence", "rule", "closed"],
            rows: incidents.iter().map(incident).collect(),
        },
    };
    let odd = match anomalies {
        [] => Block::Paragraph(Text::ours("Nothing odd was reported or found lately.")),
        _ => Block::Table {
            name: "Anomalies, the latest first",
            head: vec!["time", "loop", "kind", "task", "reported by", "details"],
            rows: anomalies.iter().map(anomaly).collect(),
        },
    };
    let heading = Block::Heading(Text::ours("Anomalies"));
    Document {
        title: Text::ours("Incidents"),
        blocks: vec![opened, heading, odd],
    }
}

fn incident((place, incident): &(Place, Incident)) -> Vec<Text> {
    let opening = &incident.opening;
    let rows = opening.evidence.iter();
    let found: Vec<String> = rows
        .map(|row| format!("{}: {}", row.place, row.found))
        .collect();
    vec![
        Text::time(opening.since.wall_ms),
        named(place),
        Text::theirs(opening.reason.as_str()),
        match found.is_empty() {
            true => Text::unknown(),
            false => Text::theirs(found.join("; ")),
        },
        Text::theirs(opening.rule.to_string()),
        closed(incident),
    ]
}

fn closed(incident: &Incident) -> Text {
    let Some(closing) = &incident.closed else {
        return Text::ours("not yet");
    };
    let time = phrase::time(closing.at_ms);
    match &closing.by {
        ClosedBy::Iteration(number) => Text::ours(format!("{time} by iteration {number}")),
        ClosedBy::Person { user, reason } => Text::ours(format!("{time} by "))
            .then(Text::theirs(user.as_str()))
            .then(Text::ours(": "))
            .then(Text::theirs(reason.as_str())),
        ClosedBy::Other(word) => Text::ours(format!("{time}, {word}")),
    }
}

fn anomaly((place, anomaly): &(Place, Anomaly)) -> Vec<Text> {
    vec![
        Text::time(anomaly.at_ms),
        named(place),
        Text::ours(anomaly.kind.name().replace('_', " ")),
        Text::theirs(anomaly.task.as_str()),
        Text::theirs(anomaly.reporter.as_str()),
        Text::theirs(
            anomalies::words(&anomaly.details)
                .collect::<Vec<_>>()
                .join("; "),
        ),
    ]
}
