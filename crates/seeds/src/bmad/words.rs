//! What people read, word for word.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// The width of the banner's lines.
const WIDTH: usize = 55;

/// The thresholds that are recommended.
pub const RECOMMENDED: RangeInclusive<u32> = 3..=10;

/// What is shown when the breaker triggers.
#[must_use]
pub fn banner(failures: u32, threshold: u32) -> String {
    let line = "═".repeat(WIDTH);
    format!(
        "{line}\n  CIRCUIT BREAKER TRIGGERED\n  Human Intervention Required\n{line}\n\n\
         Consecutive Failures: {failures}\nThreshold: {threshold}\n\n\
         Review {} for details.\n",
        super::REPORT
    )
}

/// What is shown when one more failure would trigger the breaker.
pub const NEXT_TRIGGERS: &str = "warning: NEXT FAILURE TRIGGERS CIRCUIT BREAKER!";

/// What is shown when it had triggered before anything began.
pub const ALREADY: [&str; 2] = [
    "Circuit breaker already TRIGGERED",
    "Reset via EDIT mode before resuming",
];

/// What a threshold means, and whom it is for.
#[must_use]
pub fn guidance(threshold: u32) -> (&'static str, &'static str) {
    match threshold {
        0..=2 => (
            "Very sensitive, triggers quickly",
            "High-risk environments, expensive operations",
        ),
        3..=5 => (
            "Balanced, allows reasonable retries",
            "Most implementations (recommended)",
        ),
        6..=10 => (
            "More tolerant, allows many retries",
            "Complex features with expected failures",
        ),
        _ => ("Too high, defeats purpose", "Not recommended"),
    }
}

/// What is worth a warning about a threshold.
#[must_use]
pub fn warning(threshold: u32) -> Option<String> {
    let (what, whom) = guidance(threshold);
    match threshold {
        ..=2 => Some(format!(
            "threshold {threshold}: {what}. For: {whom}. 3-10 is recommended"
        )),
        3..=10 => None,
        _ => Some(format!(
            "threshold {threshold}: {what}. {}",
            whom.to_uppercase()
        )),
    }
}

/// What whoever raises the threshold is told.
pub const CAUTION: &str = "Caution: Don't just increase threshold without fixing root causes. The circuit breaker is a symptom, not the problem.";

/// When to reset.
pub const RESET_WHEN: [&str; 3] = [
    "After fixing root cause of failures",
    "After addressing blocked features manually",
    "When ready to retry implementation",
];

/// When to change the threshold.
pub const THRESHOLD_WHEN: [&str; 3] = [
    "Threshold too aggressive for feature complexity (simple features: 3-5, complex features: 5-10)",
    "Expected failure rate higher than threshold allows",
    "Need more attempts before intervention",
];

/// What is behind most failures, and what to do about it.
pub const CAUSES: [(&str, &[&str]); 4] = [
    (
        "Missing external dependencies (APIs, credentials, tools)",
        &[
            "Install missing tools",
            "Configure API access",
            "Set up credentials",
            "Fix permissions",
        ],
    ),
    (
        "Incorrect app_spec.txt (unrealistic features)",
        &[
            "Review feature specifications",
            "Simplify complex features",
            "Remove unrealistic features",
            "Use EDIT mode to mark features as blocked manually (`fusebox edit`)",
        ],
    ),
    (
        "Environmental issues (permissions, network)",
        &[
            "Fix network connectivity",
            "Correct file permissions",
            "Install required software",
        ],
    ),
    (
        "Implementation agent limitations",
        &["Simplify the feature", "Try another model or prompt"],
    ),
];

/// The causes with their actions, as a list in Markdown.
#[must_use]
pub fn causes() -> String {
    let mut out = String::new();
    for (cause, actions) in CAUSES {
        let _ = writeln!(out, "- {cause}");
        for action in actions {
            let _ = writeln!(out, "  - {action}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_003_039_to_042_the_banner_is_the_printed_one() {
        let expected = "\
═══════════════════════════════════════════════════════
  CIRCUIT BREAKER TRIGGERED
  Human Intervention Required
═══════════════════════════════════════════════════════

Consecutive Failures: 5
Threshold: 4

Review autonomous_summary_report.md for details.
";
        assert_eq!(banner(5, 4), expected);
    }

    #[test]
    fn req_003_013_to_017_and_097_every_threshold_has_its_guidance() {
        for (threshold, what, warns) in [
            (1, "Very sensitive, triggers quickly", true),
            (2, "Very sensitive, triggers quickly", true),
            (3, "Balanced", false),
            (5, "Balanced", false),
            (6, "More tolerant", false),
            (10, "More tolerant", false),
            (11, "Too high, defeats purpose", true),
            (99, "Too high, defeats purpose", true),
        ] {
            assert!(guidance(threshold).0.starts_with(what), "{threshold}");
            assert_eq!(warning(threshold).is_some(), warns, "{threshold}");
            assert_eq!(RECOMMENDED.contains(&threshold), !warns, "{threshold}");
        }
        assert!(warning(99).unwrap().contains("NOT RECOMMENDED"));
        assert!(
            warning(1)
                .unwrap()
                .contains("High-risk environments, expensive operations")
        );
    }
}
