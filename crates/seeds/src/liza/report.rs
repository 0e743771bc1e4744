//! The report of a trigger.
//!
//! It proposes nothing: what it lists stands on the blackboard, and what is to be
//! done follows from the severity by a fixed table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use fusebox_core::is_hostile;
use fusebox_core::patterns::{Anomaly, Pattern, PatternMatch, Severity};

use super::section::Trigger;
use super::{moment, pattern_name};

/// How much of a text is shown in a cell.
const SHOWN_CHARS: usize = 200;

/// What a trigger rests on.
#[derive(Clone, Debug)]
pub struct Finding<'a> {
    /// The matches, the one that triggered first; none where a person did.
    pub matches: Vec<PatternMatch<'a>>,
    /// What a person said who triggered by hand.
    pub judgement: Option<&'a str>,
}

/// The report, as Markdown.
#[must_use]
pub fn report(trigger: &Trigger, finding: &Finding<'_>) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "# Circuit Breaker Report\n\n**Triggered:** {}\n**Pattern:** {}\n**Severity:** {}\n\n",
        moment::written(trigger.at_ms),
        pattern_name(trigger.pattern),
        trigger.severity.map_or("not assessed", Severity::name),
    );
    let factor = common_factor(finding);
    evidence(&mut out, finding);
    let _ = write!(out, "\n**Common factor:** {factor}\n\n");
    others(&mut out, finding);
    let artifacts = artifacts(finding);
    affected(&mut out, &artifacts);
    let spec = artifacts
        .keys()
        .next()
        .map_or_else(|| "the affected specs".to_owned(), |name| cell(name));
    let _ = write!(
        out,
        "\n## Recommended Actions\n\
         1. HALT current sprint (done)\n\
         2. CREATE ADR for {factor}\n\
         3. UPDATE {spec}\n\
         4. REASSESS affected tasks\n\
         5. RESUME after artifacts updated\n\n",
    );
    if let Some(severity) = trigger.severity {
        let (layer, scope) = (severity.layer(), severity.scope());
        let _ = write!(
            out,
            "Layer affected: {layer}. Remediation scope: {scope}.\n\n"
        );
    }
    out.push_str(
        "## Human Decision Required\n\
         - [ ] Acknowledge report\n\
         - [ ] Confirm severity assessment\n\
         - [ ] Assign ADR creation\n\
         - [ ] Release checkpoint with decision logged\n",
    );
    out
}

fn common_factor(finding: &Finding<'_>) -> String {
    let Some(primary) = finding.matches.first() else {
        return cell(finding.judgement.unwrap_or("named by a person"));
    };
    match primary.group.factor {
        Some(factor) => cell(factor),
        None => cell(primary.pattern.description()),
    }
}

fn evidence(out: &mut String, finding: &Finding<'_>) {
    out.push_str("## Trigger Evidence\n| Task | Anomaly | Error Pattern |\n|-------|---------|---------------|\n");
    if let Some(found) = finding.matches.first() {
        for cited in &found.group.rows {
            let anomaly = cited.anomaly;
            let words = words(found.pattern, anomaly);
            let _ = writeln!(
                out,
                "| {} | {} | {} |",
                cell(&anomaly.task),
                anomaly.kind.name(),
                cell(words)
            );
        }
    }
    if finding.matches.is_empty() {
        let said = cell(finding.judgement.unwrap_or_default());
        let _ = writeln!(out, "| - | triggered by a person | {said} |");
    }
}

/// The patterns beside the one that triggered.
fn others(out: &mut String, finding: &Finding<'_>) {
    let Some(rest) = finding.matches.get(1..).filter(|rest| !rest.is_empty()) else {
        return;
    };
    out.push_str("## Further Patterns\n| Pattern | Severity | Count | Common factor |\n|---------|----------|-------|---------------|\n");
    for found in rest {
        let factor = found.group.factor.map_or_else(|| "-".to_owned(), cell);
        let _ = writeln!(
            out,
            "| {} | {} | {} | {factor} |",
            found.pattern.name(),
            found.severity.name(),
            found.group.count
        );
    }
    out.push('\n');
}

/// What the anomalies say of the artifacts that they name, in their own words.
fn artifacts<'a>(finding: &Finding<'a>) -> BTreeMap<&'a str, &'a str> {
    let rows = finding.matches.iter().flat_map(|found| {
        found
            .group
            .rows
            .iter()
            .map(|cited| (found.pattern, cited.anomaly))
    });
    let mut artifacts = BTreeMap::new();
    for (pattern, anomaly) in rows {
        if let Some(spec) = anomaly.details.spec_ref.as_deref() {
            artifacts
                .entry(spec)
                .or_insert_with(|| issue(pattern, anomaly));
        }
    }
    artifacts
}

fn affected(out: &mut String, artifacts: &BTreeMap<&str, &str>) {
    out.push_str("## Affected Artifacts\n| Artifact | Issue |\n|----------|-------|\n");
    for (artifact, issue) in artifacts {
        let _ = writeln!(out, "| `{}` | {} |", cell(artifact), cell(issue));
    }
    if artifacts.is_empty() {
        out.push_str("| - | No anomaly names an artifact |\n");
    }
}

fn words(pattern: Pattern, anomaly: &Anomaly) -> &str {
    let details = &anomaly.details;
    pattern
        .words(anomaly)
        .or(details.what.as_deref())
        .unwrap_or("-")
}

fn issue(pattern: Pattern, anomaly: &Anomaly) -> &str {
    let details = &anomaly.details;
    let said = details
        .reality
        .as_deref()
        .or(details.root_cause_hypothesis.as_deref());
    said.unwrap_or_else(|| words(pattern, anomaly))
}

/// A text that stays within its cell, whatever somebody wrote into it.
fn cell(text: &str) -> String {
    let shown = text.chars().take(SHOWN_CHARS);
    let mut out = String::new();
    for c in shown {
        match c {
            '|' => out.push_str("\\|"),
            // Before a bar it would take away what keeps that from ending the cell.
            '\\' => out.push_str("\\\\"),
            '`' => out.push('\''),
            '<' => out.push_str("&lt;"),
            c if is_hostile(c) => out.push(' '),
            c => out.push(c),
        }
    }
    if text.chars().nth(SHOWN_CHARS).is_some() {
        out.push('…');
    }
    out
}
