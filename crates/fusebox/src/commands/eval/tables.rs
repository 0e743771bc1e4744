//! What `eval` found out, as tables.

use std::fmt::Write;

use fusebox_replay::{Group, IN_TIME, ROUNDS, Score, Share, Trial};

use super::Findings;

/// The width of a first column, and of the others.
const NAME: usize = 20;
const CELL: usize = 20;

pub(super) fn all(findings: &Findings) -> String {
    let mut text = sessions(findings);
    let mut rows = vec![
        ("warn", &findings.chosen.warn),
        ("trip", &findings.chosen.trip),
    ];
    if let Some(other) = &findings.other {
        rows.extend([("other warn", &other.warn), ("other trip", &other.trip)]);
    }
    groups(&rows, &mut text);
    if findings.supervised > 0 {
        let read = findings.supervised;
        let _ = writeln!(
            text,
            "\nbeside a careful supervisor ({read} sessions read):"
        );
        opinions(&rows, &mut text);
    }
    if !findings.swept.is_empty() {
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

fn groups(rows: &[(&str, &Score)], text: &mut String) {
    let mut columns: Vec<&str> = Group::JUDGED.iter().map(|group| group.name()).collect();
    columns.extend(["harmful", "limit: calls saved"]);
    header("share of sessions, %", &columns, text);
    for (name, score) in rows {
        let mut cells: Vec<String> = score.groups.iter().copied().map(cell).collect();
        cells.push(cell(score.harmful));
        cells.push(
            score
                .saved
                .map_or("-".to_owned(), |saved| format!("{saved:.0} %")),
        );
        row(name, &cells, text);
    }
}

fn opinions(rows: &[(&str, &Score)], text: &mut String) {
    header(
        "share of sessions, %",
        &["caught", "early", "late", "false"],
        text,
    );
    for (name, score) in rows {
        if let Some(opinion) = &score.opinion {
            let cells = [opinion.caught, opinion.early, opinion.late, opinion.wrong].map(cell);
            row(name, &cells, text);
        }
    }
}

fn frontier(findings: &Findings, text: &mut String) {
    text.push_str("\nthe frontier (* is beaten by no other):\n");
    header(
        "trips",
        &["caught", "harmed", "caught (labels)", "false (labels)"],
        text,
    );
    for trial in &findings.swept {
        let mark = if findings.is_on_the_frontier(trial) {
            "*"
        } else {
            " "
        };
        let opinion = trial.trip.opinion.unwrap_or_default();
        let cells = [
            trial.trip.caught(),
            trial.trip.harmed(),
            opinion.caught,
            opinion.wrong,
        ];
        row(
            &format!("{mark} {}", settings(trial)),
            &cells.map(cell),
            text,
        );
    }
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
    header("share of sessions, %", &columns, text);
    for (trouble, noticed) in &findings.troubles {
        let cells = [
            noticed.warned,
            noticed.warned_late,
            noticed.stopped,
            noticed.stopped_late,
        ];
        row(trouble.name(), &cells.map(cell), text);
    }
}

fn settings(trial: &Trial) -> String {
    let settings: Vec<String> = trial.settings.iter().map(ToString::to_string).collect();
    settings.join(" ")
}

fn header(name: &str, columns: &[&str], text: &mut String) {
    let columns: Vec<String> = columns.iter().map(|&column| column.to_owned()).collect();
    row(name, &columns, text);
}

fn row(name: &str, cells: &[String], text: &mut String) {
    let _ = write!(text, "{name:<NAME$}");
    for cell in cells {
        let _ = write!(text, " {cell:>CELL$}");
    }
    text.push('\n');
}

/// A percentage with its interval.
fn cell(share: Share) -> String {
    if share.of == 0 {
        return "-".to_owned();
    }
    let (low, high) = share.interval();
    format!("{:.1} ({low:.1}–{high:.1})", share.percent())
}
