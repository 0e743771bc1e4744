//! Whether the breaker's numbers agree with one another. Looking changes nothing.

use super::progress::{Progress, Said, Status};
use super::words;

/// What a failed check may come from.
pub const MEANS: &str = "this points to a manual edit of the tracking files, a bug in the workflow, or an inconsistent state that needs correction (`fusebox edit`)";

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Pass,
    /// It holds, and something is worth a word.
    Warn,
    /// It does not hold.
    Fail,
}

impl Verdict {
    /// Its name in data.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Its name in data.
    pub name: &'static str,
    /// How it came out.
    pub verdict: Verdict,
    /// What was found.
    pub found: String,
}

/// The five checks, in their order. What the file leaves out has its usual value.
#[must_use]
pub fn validate(progress: &Progress) -> [Checked; 5] {
    let usual = |said: &Said<u32>, usual: u32| match said {
        Said::Nothing => Some(usual),
        said => said.this(),
    };
    let threshold = usual(&progress.threshold, 5);
    let failures = usual(&progress.failures, 0);
    let status = match &progress.status {
        Said::Nothing => Some(Status::Healthy),
        said => said.this(),
    };
    let due = threshold
        .zip(failures)
        .map(|(threshold, failures)| failures >= threshold);
    [
        threshold_range(&progress.threshold, threshold),
        failures_range(&progress.failures, failures),
        consistency(due, status),
        status_value(&progress.status),
        trigger_logic(due, status),
    ]
}

fn checked(name: &'static str, verdict: Verdict, found: impl Into<String>) -> Checked {
    Checked {
        name,
        verdict,
        found: found.into(),
    }
}

fn threshold_range(said: &Said<u32>, threshold: Option<u32>) -> Checked {
    let name = "threshold_range";
    match threshold {
        Some(threshold @ 1..=99) => match words::warning(threshold) {
            Some(warning) => checked(name, Verdict::Warn, warning),
            None => checked(
                name,
                Verdict::Pass,
                format!("circuit_breaker_threshold={threshold} is within 1-99"),
            ),
        },
        other => checked(
            name,
            Verdict::Fail,
            format!(
                "circuit_breaker_threshold={} is not within 1-99",
                told(said, other)
            ),
        ),
    }
}

fn failures_range(said: &Said<u32>, failures: Option<u32>) -> Checked {
    let name = "failures_range";
    match failures {
        Some(failures @ 0..=99) => checked(
            name,
            Verdict::Pass,
            format!("consecutive_failures={failures} is within 0-99"),
        ),
        other => checked(
            name,
            Verdict::Fail,
            format!(
                "consecutive_failures={} is not within 0-99",
                told(said, other)
            ),
        ),
    }
}

fn consistency(due: Option<bool>, status: Option<Status>) -> Checked {
    let name = "status_consistency";
    match (due, status) {
        (Some(true), Some(Status::Triggered)) => checked(
            name,
            Verdict::Pass,
            "failures are at the threshold, and the status is TRIGGERED",
        ),
        (Some(false), Some(status)) if status != Status::Triggered => checked(
            name,
            Verdict::Pass,
            format!(
                "failures are below the threshold, and the status is {}",
                status.word()
            ),
        ),
        (Some(true), status) => checked(
            name,
            Verdict::Fail,
            format!(
                "failures are at the threshold, but the status is {} and should be TRIGGERED",
                word(status)
            ),
        ),
        (Some(false), status) => checked(
            name,
            Verdict::Fail,
            format!(
                "failures are below the threshold, but the status is {} and should be HEALTHY or COMPLETE",
                word(status)
            ),
        ),
        (None, _) => checked(
            name,
            Verdict::Fail,
            "without both numbers the status cannot be told",
        ),
    }
}

fn status_value(said: &Said<Status>) -> Checked {
    let name = "status_value";
    match said {
        Said::Nothing => checked(
            name,
            Verdict::Warn,
            "circuit_breaker_status is not set; HEALTHY is assumed",
        ),
        Said::This(status) => checked(
            name,
            Verdict::Pass,
            format!(
                "circuit_breaker_status={} is one of HEALTHY, TRIGGERED, COMPLETE",
                status.word()
            ),
        ),
        Said::Nonsense(text) => checked(
            name,
            Verdict::Fail,
            format!("circuit_breaker_status={text} is none of HEALTHY, TRIGGERED, COMPLETE"),
        ),
    }
}

fn trigger_logic(due: Option<bool>, status: Option<Status>) -> Checked {
    let name = "trigger_logic";
    let is = status.map(|status| status == Status::Triggered);
    match (due, is) {
        (Some(due), Some(is)) if due == is => {
            let found = if due {
                "it has triggered, as it should have"
            } else {
                "it has not triggered, as it should not have"
            };
            checked(name, Verdict::Pass, found)
        }
        (Some(true), _) => checked(name, Verdict::Fail, "it should have triggered and has not"),
        (Some(false), _) => checked(
            name,
            Verdict::Fail,
            "it has triggered although nothing called for it",
        ),
        (None, _) => checked(
            name,
            Verdict::Fail,
            "whether it should have triggered cannot be told",
        ),
    }
}

fn told(said: &Said<u32>, number: Option<u32>) -> String {
    match (said, number) {
        (Said::Nonsense(text), _) => text.clone(),
        (_, Some(number)) => number.to_string(),
        (_, None) => String::new(),
    }
}

fn word(status: Option<Status>) -> &'static str {
    status.map_or("UNKNOWN", Status::word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Fail, Pass, Warn};

    fn verdicts(text: &str) -> [Verdict; 5] {
        validate(&Progress::read(text).unwrap()).map(|checked| checked.verdict)
    }

    #[test]
    fn req_003_069_to_074_and_096_and_d_032_all_five_checks() {
        let file = |threshold: &str, failures: &str, status: &str| {
            format!(
                "circuit_breaker_threshold={threshold}\nconsecutive_failures={failures}\ncircuit_breaker_status={status}\n"
            )
        };
        for (threshold, failures, status, expected) in [
            ("5", "0", "HEALTHY", [Pass; 5]),
            ("5", "5", "TRIGGERED", [Pass; 5]),
            ("5", "4", "COMPLETE", [Pass; 5]),
            ("99", "0", "HEALTHY", [Warn, Pass, Pass, Pass, Pass]),
            ("2", "0", "HEALTHY", [Warn, Pass, Pass, Pass, Pass]),
            ("3", "0", "HEALTHY", [Pass; 5]),
            ("10", "0", "HEALTHY", [Pass; 5]),
            ("11", "0", "HEALTHY", [Warn, Pass, Pass, Pass, Pass]),
            ("0", "0", "TRIGGERED", [Fail, Pass, Pass, Pass, Pass]),
            ("100", "0", "HEALTHY", [Fail, Pass, Pass, Pass, Pass]),
            ("5", "100", "TRIGGERED", [Pass, Fail, Pass, Pass, Pass]),
            ("5", "-1", "HEALTHY", [Pass, Fail, Fail, Pass, Fail]),
            ("five", "0", "HEALTHY", [Fail, Pass, Fail, Pass, Fail]),
            ("5", "5", "HEALTHY", [Pass, Pass, Fail, Pass, Fail]),
            ("5", "5", "COMPLETE", [Pass, Pass, Fail, Pass, Fail]),
            ("5", "1", "TRIGGERED", [Pass, Pass, Fail, Pass, Fail]),
            ("5", "0", "UNKNOWN", [Pass, Pass, Fail, Fail, Fail]),
            ("5", "0", "healthy", [Pass, Pass, Fail, Fail, Fail]),
        ] {
            let found = verdicts(&file(threshold, failures, status));
            assert_eq!(found, expected, "{threshold} {failures} {status}");
        }
        assert_eq!(verdicts(""), [Pass, Pass, Pass, Warn, Pass]);
    }
}
