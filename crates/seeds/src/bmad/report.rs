//! `autonomous_summary_report.md`: what a person needs to find out why nothing
//! passes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fusebox_core::circuit::Row;
use fusebox_core::is_hostile;
use fusebox_core::signals::Progress;

use super::features::{ATTEMPTS, Feature, FeatureList, FeatureStatus};
use super::words;

/// How many sessions are told of.
const SESSIONS: usize = 5;
/// How many features of a kind are listed; a person will not read more.
const LISTED: usize = 200;
/// How much of a text is shown.
const SHOWN_CHARS: usize = 200;

/// What a report is made from.
#[derive(Clone, Copy, Debug)]
pub struct Material<'a> {
    /// When the breaker triggered, in UTC.
    pub triggered: &'a str,
    /// Why, in a sentence.
    pub reason: &'a str,
    /// How many sessions in a row let no feature pass.
    pub failures: u32,
    /// At how many it triggers.
    pub threshold: u32,
    /// The last sessions, oldest first, with when each ended.
    pub sessions: &'a [Row],
    /// How many there were before the first of ours.
    pub before: u64,
    /// What the workflow's own log tells of, oldest first, each with its number.
    pub logged: &'a [(u64, &'a str)],
    /// The features, where there is a list that can be read.
    pub features: Option<&'a FeatureList>,
    /// Writes a moment in UTC.
    pub moment: fn(i64) -> String,
}

/// The report, as Markdown.
#[must_use]
pub fn report(material: &Material<'_>) -> String {
    let Material {
        triggered,
        failures,
        threshold,
        ..
    } = *material;
    let mut out = format!(
        "# Circuit Breaker Report - Human Intervention Required\n\n\
         **Triggered:** {triggered}\n**Consecutive Failures:** {failures}\n**Threshold:** {threshold}\n\n\
         ## Summary\n\n{}. No session may begin until a person has looked.\n\n",
        told(material.reason)
    );
    statistics(&mut out, material.features);
    sessions(&mut out, material);
    patterns(&mut out, material);
    let all = material.features.map_or(&[][..], |list| &list.features);
    listed(
        &mut out,
        "Blocked Features",
        all,
        |f| f.status == FeatureStatus::Blocked,
        blocked,
    );
    listed(
        &mut out,
        "Failed Features (Retry Eligible)",
        all,
        |f| f.status == FeatureStatus::Fail && f.is_actionable(),
        failed,
    );
    listed(
        &mut out,
        "Failed Features (Attempts Used Up)",
        all,
        |f| f.status == FeatureStatus::Fail && !f.is_actionable(),
        failed,
    );
    actions(&mut out);
    out
}

fn statistics(out: &mut String, features: Option<&FeatureList>) {
    out.push_str("## Current State\n\n");
    let Some(list) = features else {
        let _ = write!(out, "{} could not be read.\n\n", super::FEATURES);
        return;
    };
    let counts = list.counts();
    let total = list.features.len();
    let percent = if total == 0 {
        0
    } else {
        u64::from(counts.pass) * 100 / total as u64
    };
    let actionable = list
        .features
        .iter()
        .filter(|feature| feature.is_actionable())
        .count();
    let _ = write!(
        out,
        "| Total | Pass | Pending | Fail | Blocked | Actionable |\n|---|---|---|---|---|---|\n\
         | {total} | {} ({percent}%) | {} | {} | {} | {actionable} |\n\n",
        counts.pass, counts.pending, counts.fail, counts.blocked
    );
}

fn sessions(out: &mut String, material: &Material<'_>) {
    let _ = write!(out, "## Last {SESSIONS} Sessions\n\n");
    let ours = last(material.sessions);
    let first = ours
        .first()
        .map(|row| material.before.saturating_add(row.iteration));
    let is_older = |(number, _): &&(u64, &str)| first.is_none_or(|first| *number < first);
    let older: Vec<_> = material.logged.iter().filter(is_older).collect();
    let room = SESSIONS - ours.len();
    for (_, heading) in &older[older.len().saturating_sub(room)..] {
        let _ = writeln!(out, "- Session {}", told(heading));
    }
    for row in ours {
        let went = match row.progress {
            Progress::Made => "✅ at least one feature passed",
            _ => "❌ no feature passed",
        };
        let _ = write!(
            out,
            "- Session {} ({}): {went}",
            material.before.saturating_add(row.iteration),
            (material.moment)(row.at_ms)
        );
        if let Some(files) = row.files {
            let _ = write!(out, " · {files} files changed");
        }
        if let Some(error) = row.errors.first() {
            let _ = write!(out, " · {}", told(&error.shown));
        }
        out.push('\n');
    }
    if ours.is_empty() && older.is_empty() {
        out.push_str("None.\n");
    }
    out.push('\n');
}

/// Errors that the last sessions have in common.
fn patterns(out: &mut String, material: &Material<'_>) {
    let mut met: BTreeMap<&str, u32> = BTreeMap::new();
    for row in last(material.sessions) {
        for error in &row.errors {
            *met.entry(&error.shown).or_default() += 1;
        }
    }
    let mut met: Vec<_> = met.into_iter().collect();
    met.sort_by_key(|(text, count)| (std::cmp::Reverse(*count), *text));
    out.push_str("## Failure Patterns\n\n");
    for (text, count) in met.iter().take(SESSIONS) {
        let _ = writeln!(out, "- {count} × {}", told(text));
    }
    if met.is_empty() {
        out.push_str("No error was reported; nothing came to pass without one.\n");
    }
    out.push('\n');
}

fn last(rows: &[Row]) -> &[Row] {
    &rows[rows.len().saturating_sub(SESSIONS)..]
}

fn listed(
    out: &mut String,
    title: &str,
    all: &[Feature],
    belongs: fn(&Feature) -> bool,
    tell: fn(&Feature) -> String,
) {
    let _ = write!(out, "## {title}\n\n");
    let these: Vec<&Feature> = all.iter().filter(|feature| belongs(feature)).collect();
    for feature in these.iter().take(LISTED) {
        let _ = writeln!(
            out,
            "- **{}**: {} | {}",
            told(&feature.id),
            told(&feature.name),
            tell(feature)
        );
    }
    match these.len() {
        0 => out.push_str("None.\n"),
        count if count > LISTED => {
            let _ = writeln!(out, "- and {} more", count - LISTED);
        }
        _ => {}
    }
    out.push('\n');
}

fn blocked(feature: &Feature) -> String {
    let reason = feature.blocked_reason.as_deref().unwrap_or("not given");
    format!("Reason: {} | Attempts: {}", told(reason), feature.attempts)
}

fn failed(feature: &Feature) -> String {
    let error = feature.notes.as_deref().unwrap_or("not noted");
    format!(
        "Attempts: {}/{ATTEMPTS} | Error: {}",
        feature.attempts,
        told(error)
    )
}

fn actions(out: &mut String) {
    let _ = write!(
        out,
        "## Recommended Actions\n\n\
         1. Review the failure patterns, blocked and failed features above\n\
         2. Identify root causes\n\
         3. Take corrective action\n\
         4. Reset the circuit breaker: `fusebox edit`, then [C] and [F] or [A]\n\
         5. Resume with the plain command: `fusebox run`\n\n\
         ### Common causes and corrective actions\n\n{}\n\
         DO NOT restart without addressing issues.\n",
        words::causes()
    );
}

/// A text on one line, whatever somebody wrote into it.
fn told(text: &str) -> String {
    let mut out: String = text
        .chars()
        .take(SHOWN_CHARS)
        .map(|c| match c {
            c if is_hostile(c) => ' ',
            '<' => '‹',
            '|' => '¦',
            c => c,
        })
        .collect();
    if text.chars().nth(SHOWN_CHARS).is_some() {
        out.push('…');
    }
    out
}
