//! The patterns that are counted across tasks and workers, as the database has them.

use crate::terms::PatternChange;
use crate::views::PatternView;

/// When a pattern is there, and how grave it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) threshold: u32,
    pub(crate) span_ms: u64,
    pub(crate) severity: &'static str,
    pub(crate) about: &'static str,
}

const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

/// All of them.
pub(crate) const RULES: [Rule; 8] = [
    rule(
        "error_cluster",
        3,
        DAY,
        "ARCHITECTURE_FLAW",
        "Same error on several tasks",
    ),
    rule(
        "service_down",
        3,
        HOUR,
        "EXTERNAL_DEPENDENCY",
        "Same outside trouble on several workers",
    ),
    rule(
        "retry_cluster",
        3,
        7 * DAY,
        "ARCHITECTURE_FLAW",
        "Same error type recurring across tasks",
    ),
    rule(
        "debt_accumulation",
        3,
        7 * DAY,
        "SCOPE_FLAW",
        "Multiple trade-offs creating debt",
    ),
    rule(
        "assumption_cascade",
        2,
        7 * DAY,
        "SPEC_FLAW",
        "Same assumption failing across tasks",
    ),
    rule(
        "workaround_pattern",
        2,
        7 * DAY,
        "ARCHITECTURE_FLAW",
        "Multiple workarounds for similar issues",
    ),
    rule(
        "spec_gap_cluster",
        2,
        7 * DAY,
        "SPEC_FLAW",
        "Multiple tasks hitting spec ambiguity",
    ),
    rule(
        "external_service_outage",
        2,
        7 * DAY,
        "EXTERNAL_DEPENDENCY",
        "Same external service blocking multiple tasks",
    ),
];

const fn rule(
    name: &'static str,
    threshold: u32,
    span_ms: u64,
    severity: &'static str,
    about: &'static str,
) -> Rule {
    Rule {
        name,
        threshold,
        span_ms,
        severity,
        about,
    }
}

impl Rule {
    /// The rule as it is after somebody changed it.
    pub(super) fn changed(&self, change: PatternChange) -> PatternView {
        PatternView {
            name: self.name.to_owned(),
            threshold: change.threshold.unwrap_or(self.threshold),
            span_ms: change.span_ms.unwrap_or(self.span_ms),
            severity: self.severity.to_owned(),
            halts: change.halts.unwrap_or(true),
            about: self.about.to_owned(),
        }
    }
}

/// The one of that name.
pub(super) fn rule_of(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The database has its own copy, which an operator may change there.
    #[test]
    fn both_coordinators_begin_with_the_same_rules() {
        let sql = include_str!("../../migrations/0004_patterns.sql");
        let rows = sql
            .split("values\n")
            .nth(1)
            .unwrap()
            .split(';')
            .next()
            .unwrap();
        assert_eq!(rows.lines().count(), RULES.len());
        for (row, rule) in rows.lines().zip(RULES) {
            let cells: Vec<&str> = row
                .split(['(', ',', ')'])
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect();
            let span = match rule.span_ms / HOUR {
                1 => "'1 hour'",
                24 => "'1 day'",
                _ => "'7 days'",
            };
            let quoted = |text: &str| format!("'{text}'");
            let expected = [
                quoted(rule.name),
                rule.threshold.to_string(),
                span.to_owned(),
                quoted(rule.severity),
                quoted(rule.about),
            ];
            assert_eq!(cells, expected);
        }
    }
}
