//! What `eval` found out, as tables.

use std::fmt::Write;

use fusebox_replay::{Folds, Group, IN_TIME, Opinion, ROUNDS, Score, Setting, Share};

use super::Findings;

/// The least width of a first column.
const NAME: usize = 20;
/// What shares are of, where nothing else is said.
const SHARES: &str = "share of sessions, %";

/// A row: what it is about, and its cells.
type Row = (String, Vec<String>);

pub(super) fn all(findings: &Findings) -> String {
    let mut text = sessions(findings);
    let mut rows = vec![
        ("warn", &findings.chosen.warn),
        ("trip", &findings.chosen.trip),
    ];
    if let Some(other) = &findings.other {
        rows.extend([("other warn", &other.warn), ("other trip", &other.trip)]);
    }
    rows.extend(
        findings
            .peers
            .iter()
            .map(|(peer, score)| (peer.name(), score)),
    );
    groups(&rows, &mut text);
    if findings.supervised > 0 {
        let read = findings.supervised;
        let _ = writeln!(
            text,
            "\nbeside a careful supervisor ({read} sessions read):"
        );
        opinions(&rows, &mut text);
    }
    // Where there are parts, what is swept is only what can be chosen.
    if let Some(folds) = &findings.folds {
        parts(folds, &mut text);
    } else if !findings.swept.is_empty() {
        frontier(findings, &mut text);
    }
    if !findings.troubles.is_empty() {
        troubles(findings, &mut text);
    }
    text
}

fn sessions(findings: &Findings) -> String {
    let count = |group| {
        findings
            .cases
            .iter()
            .filter(|case| case.group == group)
            .count()
    };
    let groups = Group::JUDGED.map(|group| format!("{} {}", group.name(), count(group)));
    format!("sessions: {}\n\n", groups.join(", "))
}

fn groups(scores: &[(&str, &Score)], text: &mut String) {
    let mut columns: Vec<&str> = Group::JUDGED.iter().map(|group| group.name()).collect();
    columns.extend(["harmful", "limit: calls saved"]);
    let row = |(name, score): &(&str, &Score)| {
        let mut cells: Vec<String> = score.groups.iter().copied().map(cell).collect();
        cells.extend([cell(score.harmful), saved(score)]);
        ((*name).to_owned(), cells)
    };
    let rows: Vec<Row> = scores.iter().map(row).collect();
    table(SHARES, &columns, &rows, text);
}

fn opinions(scores: &[(&str, &Score)], text: &mut String) {
    let row = |(name, score): &(&str, &Score)| {
        let Opinion {
            caught,
            early,
            late,
            wrong,
        } = score.opinion?;
        let cells = [caught, early, late, wrong].map(cell).to_vec();
        Some(((*name).to_owned(), cells))
    };
    let rows: Vec<Row> = scores.iter().filter_map(row).collect();
    table(SHARES, &["caught", "early", "late", "false"], &rows, text);
}

/// The columns in which policies are compared, and their cells.
const COMPARED: [&str; 7] = [
    "tripped: caught",
    "tripped: harmed",
    "limit: calls saved",
    "warned: healthy",
    "warned: caught",
    "warned: early",
    "warned: false",
];

fn compared(warn: &Score, trip: &Score) -> Vec<String> {
    let Opinion {
        caught,
        early,
        wrong,
        ..
    } = warn.opinion.unwrap_or_default();
    let healthy = warn.of(Group::Supervised).plus(warn.of(Group::Unattended));
    let mut cells = vec![cell(trip.caught()), cell(trip.harmed()), saved(trip)];
    cells.extend([healthy, caught, early, wrong].map(cell));
    cells
}

fn frontier(findings: &Findings, text: &mut String) {
    text.push_str("\nthe frontier of trips (* is beaten by no other):\n");
    let rows = findings.swept.iter().map(|trial| {
        let mark = if findings.is_on_the_frontier(trial) {
            "*"
        } else {
            " "
        };
        let name = format!("{mark} {}", settings(&trial.settings));
        (name, compared(&trial.warn, &trial.trip))
    });
    table(SHARES, &COMPARED, &rows.collect::<Vec<Row>>(), text);
}

fn parts(folds: &Folds, text: &mut String) {
    let count = folds.parts.len();
    let _ = writeln!(
        text,
        "\nchosen on {} of {count} parts, scored on the one left out:",
        count.saturating_sub(1)
    );
    let parts = folds.parts.iter().enumerate().map(|(number, part)| {
        let name = format!("{} {}", number + 1, settings(&part.settings));
        (name, compared(&part.warn, &part.trip))
    });
    let mut rows: Vec<Row> = parts.collect();
    rows.push(("all".into(), compared(&folds.warn, &folds.trip)));
    table(SHARES, &COMPARED, &rows, text);
}

fn troubles(findings: &Findings, text: &mut String) {
    text.push_str("\ntrouble put into healthy sessions:\n");
    let columns = [
        format!("warned within {IN_TIME}"),
        format!("warned within {ROUNDS}"),
        format!("stopped within {IN_TIME}"),
        format!("stopped within {ROUNDS}"),
    ];
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let rows = findings.troubles.iter().map(|(trouble, noticed)| {
        let cells = [
            noticed.warned,
            noticed.warned_late,
            noticed.stopped,
            noticed.stopped_late,
        ];
        (trouble.name().to_owned(), cells.map(cell).to_vec())
    });
    table(SHARES, &columns, &rows.collect::<Vec<Row>>(), text);
}

fn settings(settings: &[Setting]) -> String {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    settings.join(" ")
}

/// A table whose columns are as wide as what stands in them.
fn table(about: &str, columns: &[&str], rows: &[Row], text: &mut String) {
    let width = |text: &str| text.chars().count();
    let names = rows.iter().map(|(name, _)| width(name));
    let first = names.chain([width(about), NAME]).max().unwrap_or(NAME);
    let widths: Vec<usize> = (0..columns.len())
        .map(|at| {
            let cells = rows.iter().filter_map(|(_, cells)| cells.get(at));
            let cells = cells.map(|cell| width(cell));
            cells.chain([width(columns[at])]).max().unwrap_or(0)
        })
        .collect();
    let mut line = |name: &str, cells: &mut dyn Iterator<Item = &str>| {
        let _ = write!(text, "{name:<first$}");
        for (cell, width) in cells.zip(&widths) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    };
    line(about, &mut columns.iter().copied());
    for (name, cells) in rows {
        line(name, &mut cells.iter().map(String::as_str));
    }
}

/// The share of calls that a limit run would not have made.
fn saved(score: &Score) -> String {
    let saved = score.saved.map(|saved| format!("{saved:.0} %"));
    saved.unwrap_or_else(|| "-".to_owned())
}

/// A percentage with its interval.
fn cell(share: Share) -> String {
    if share.of == 0 {
        return "-".to_owned();
    }
    let (low, high) = share.interval();
    format!("{:.1} ({low:.1}–{high:.1})", share.percent())
}
