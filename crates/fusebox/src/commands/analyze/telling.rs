//! What an analysis found, in words and as data.

use std::fmt::Write as _;

use fusebox_core::patterns::{Cited, Finding, Group, Pattern};
use fusebox_view::escape;
use serde::Serialize;

use super::Found;

/// How many of those that are only shown are told one by one.
const LISTED: usize = 10;

/// What was found, line by line: every pattern with its largest count, also below
/// its threshold, and beside it what a person may judge differently.
pub(super) fn text(found: &Found<'_>) -> String {
    let analysis = found.analysis;
    let mut out = String::new();
    for finding in &analysis.findings {
        let largest = largest(finding);
        let count = largest.map_or(0, |group| group.count);
        let mark = if count >= finding.threshold {
            "●"
        } else {
            " "
        };
        let _ = writeln!(
            out,
            "{mark} {:<24} {count} of {}  {:<20} {}",
            finding.pattern.name(),
            finding.threshold,
            finding.pattern.severity().name(),
            finding.pattern.description()
        );
        for group in counted(finding) {
            let tasks: Vec<String> = group
                .tasks
                .iter()
                .take(LISTED)
                .map(|task| escape::line(task, 40))
                .collect();
            let factor = group.factor.map_or_else(String::new, |text| {
                format!("\"{}\" ", escape::line(text, 100))
            });
            let _ = writeln!(
                out,
                "      {} × {factor}({})",
                group.count,
                tasks.join(", ")
            );
            list(
                &mut out,
                "near miss, not counted",
                finding.pattern,
                &group.near_misses,
            );
        }
        list(
            &mut out,
            "related, not counted",
            finding.pattern,
            &finding.related,
        );
    }
    let aside = [
        (
            analysis.acknowledged.len(),
            "acknowledged by an earlier resolution",
        ),
        (analysis.before_window, "from before the sprint"),
        (analysis.left_out, "too many to look at, the oldest"),
        (
            analysis.findings.iter().map(|one| one.uncompared).sum(),
            "not compared with all others, which are too many",
        ),
    ];
    for (count, what) in aside.into_iter().filter(|(count, _)| *count > 0) {
        let _ = writeln!(out, "  {count} more: {what}");
    }
    for passed in found.passed.iter().take(LISTED) {
        let _ = writeln!(
            out,
            "  line {}: not counted, {}",
            passed.line,
            escape::line(&passed.why, 80)
        );
    }
    match analysis.primary() {
        None if !found.triggered => {
            out.push_str("Circuit breaker: OK — no patterns detected\n");
        }
        Some(primary) if !found.stands => {
            let _ = write!(
                out,
                "🚨 CIRCUIT BREAKER TRIGGERED\nPattern: {}\nSeverity: {}\n",
                primary.pattern.name(),
                primary.severity.name()
            );
        }
        _ => {
            let why = if found.waits_for_a_person {
                "and stays so until a person has resolved it"
            } else {
                "not because of a pattern"
            };
            let _ = writeln!(out, "Circuit breaker: {} — {why}", found.label);
            for one in analysis.matches() {
                let (pattern, severity) = (one.pattern.name(), one.severity.name());
                let _ = writeln!(out, "Found meanwhile: {pattern} ({severity})");
            }
        }
    }
    if let Some(report) = found.report {
        let _ = writeln!(out, "Report: {report}");
    }
    out
}

fn list(out: &mut String, what: &str, pattern: Pattern, cited: &[Cited<'_>]) {
    for one in cited.iter().take(LISTED) {
        let anomaly = one.anomaly;
        let words = pattern
            .words(anomaly)
            .or(anomaly.details.what.as_deref())
            .unwrap_or("-");
        let _ = writeln!(
            out,
            "      {what}: {} {} \"{}\"",
            escape::line(&anomaly.task, 40),
            anomaly.kind.name(),
            escape::line(words, 100)
        );
    }
    if cited.len() > LISTED {
        let _ = writeln!(out, "      {what}: {} more", cited.len() - LISTED);
    }
}

fn largest<'a, 'f>(finding: &'f Finding<'a>) -> Option<&'f Group<'a>> {
    // Of equals the first: that is the order of the anomalies.
    finding.groups.iter().rev().max_by_key(|group| group.count)
}

/// The groups worth a line: those that are enough, and those on the way there.
fn counted<'a, 'f>(finding: &'f Finding<'a>) -> Vec<&'f Group<'a>> {
    let mut groups: Vec<&Group<'a>> = finding.groups.iter().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.count));
    groups.truncate(LISTED);
    groups
}

#[derive(Serialize)]
struct Answer<'a> {
    schema: u32,
    state: &'static str,
    status: &'static str,
    matched: Vec<Match<'a>>,
    patterns: Vec<PatternAnswer<'a>>,
    acknowledged: usize,
    before_sprint: usize,
    left_out: usize,
    passed_over: Vec<PassedAnswer<'a>>,
    report: Option<&'static str>,
}

#[derive(Serialize)]
struct Match<'a> {
    pattern: &'static str,
    severity: &'static str,
    count: u32,
    factor: Option<&'a str>,
}

#[derive(Serialize)]
struct PatternAnswer<'a> {
    name: &'static str,
    description: &'static str,
    severity: &'static str,
    threshold: u32,
    condition: String,
    count: u32,
    uncompared: usize,
    groups: Vec<GroupAnswer<'a>>,
    related: Vec<CitedAnswer<'a>>,
}

#[derive(Serialize)]
struct GroupAnswer<'a> {
    factor: Option<&'a str>,
    count: u32,
    tasks: Vec<&'a str>,
    near_misses: Vec<CitedAnswer<'a>>,
}

#[derive(Serialize)]
struct CitedAnswer<'a> {
    task: &'a str,
    r#type: &'static str,
    words: Option<&'a str>,
}

#[derive(Serialize)]
struct PassedAnswer<'a> {
    line: usize,
    why: &'a str,
}

/// The same as one JSON document on a line.
pub(super) fn json(found: &Found<'_>) -> String {
    let analysis = found.analysis;
    let matches = analysis.matches();
    let answer = Answer {
        schema: 1,
        state: found.state.name(),
        status: found.label,
        matched: matches
            .iter()
            .map(|one| Match {
                pattern: one.pattern.name(),
                severity: one.severity.name(),
                count: one.group.count,
                factor: one.group.factor,
            })
            .collect(),
        patterns: analysis.findings.iter().map(pattern_answer).collect(),
        acknowledged: analysis.acknowledged.len(),
        before_sprint: analysis.before_window,
        left_out: analysis.left_out,
        passed_over: found
            .passed
            .iter()
            .map(|one| PassedAnswer {
                line: one.line,
                why: &one.why,
            })
            .collect(),
        report: found.report,
    };
    serde_json::to_string(&answer).map_or_else(
        |_| String::new(),
        |line| format!("{}\n", escape::json(&line)),
    )
}

fn pattern_answer<'a>(finding: &Finding<'a>) -> PatternAnswer<'a> {
    let cited = |all: &[Cited<'a>]| {
        let one = |cited: &Cited<'a>| CitedAnswer {
            task: &cited.anomaly.task,
            r#type: cited.anomaly.kind.name(),
            words: finding.pattern.words(cited.anomaly),
        };
        all.iter().map(one).collect()
    };
    PatternAnswer {
        name: finding.pattern.name(),
        description: finding.pattern.description(),
        severity: finding.pattern.severity().name(),
        threshold: finding.threshold,
        condition: finding.pattern.condition(finding.threshold),
        uncompared: finding.uncompared,
        count: largest(finding).map_or(0, |group| group.count),
        groups: counted(finding)
            .into_iter()
            .map(|group| GroupAnswer {
                factor: group.factor,
                count: group.count,
                tasks: group.tasks.iter().copied().collect(),
                near_misses: cited(&group.near_misses),
            })
            .collect(),
        related: cited(&finding.related),
    }
}
