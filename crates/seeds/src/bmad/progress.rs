//! `claude-progress.txt`: the breaker's numbers, one to a line, above a log that
//! only ever grows.

use fusebox_core::observation::FeatureCounts;
use fusebox_edit::key_value::{Double, Lines};

/// What a new file begins with.
const HEADER: &str = "\
# METADATA (Structured - for circuit breaker parsing)
# Each line: key=value (no spaces around =)
# DO NOT modify manually - use EDIT mode
";
/// What stands above its log.
const LOGS: &str = "
# SESSION LOGS (Human-readable - append-only)
# NEVER modify entries below
# Format: ## Session N: Type (Date Time)
";

/// The word for where the breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Sessions go on.
    Healthy,
    /// Too many of them failed.
    Triggered,
    /// Nothing is left to do.
    Complete,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Healthy, Self::Triggered, Self::Complete];

    /// The word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Healthy => "HEALTHY",
            Self::Triggered => "TRIGGERED",
            Self::Complete => "COMPLETE",
        }
    }

    /// The word as it is displayed.
    #[must_use]
    pub fn display(self) -> &'static str {
        match self {
            Self::Healthy => "✓ HEALTHY",
            Self::Triggered => "🔴 TRIGGERED",
            Self::Complete => "✓ COMPLETE",
        }
    }
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said<T> {
    /// There is no such line.
    Nothing,
    /// This.
    This(T),
    /// Something that does not belong there.
    Nonsense(String),
}

impl<T: Copy> Said<T> {
    /// What it says, if that makes sense.
    #[must_use]
    pub fn this(&self) -> Option<T> {
        match self {
            Self::This(value) => Some(*value),
            Self::Nothing | Self::Nonsense(_) => None,
        }
    }
}

/// The breaker's numbers as the file has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How many sessions there were.
    pub sessions: Said<u64>,
    /// How many in a row let no feature pass.
    pub failures: Said<u32>,
    /// At how many the breaker triggers.
    pub threshold: Said<u32>,
    /// Where it stands.
    pub status: Said<Status>,
}

/// What the file is to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// The session that has just ended, if one has: whether it let a feature pass.
    pub session: Option<bool>,
    /// How many sessions there were before, for a file that does not say.
    pub past: u64,
    /// How many sessions in a row let no feature pass.
    pub failures: u32,
    /// At how many the breaker triggers.
    pub threshold: u32,
    /// Where it stands.
    pub status: Status,
    /// What is known of the features.
    pub features: Option<FeatureCounts>,
}

/// A line that the breaker stands or falls with, and that says nothing it could go by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unclear {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

/// The names that the breaker stands or falls with, and what each of them can say.
const DECISIVE: [(&str, &str); 3] = [
    ("consecutive_failures", "a whole number"),
    ("circuit_breaker_threshold", "a whole number"),
    ("circuit_breaker_status", "HEALTHY, TRIGGERED or COMPLETE"),
];

/// Whether the log begins at this line. What stands below is nobody's to change.
fn ends(line: &str) -> bool {
    line.starts_with("## ") || line.starts_with("# SESSION LOGS")
}

impl Progress {
    /// Reads the file.
    ///
    /// # Errors
    /// [`Double`] where a name is there twice.
    pub fn read(text: &str) -> Result<Self, Double> {
        let lines = Lines::parse(text, ends)?;
        let status = match lines.get("circuit_breaker_status").map(|entry| entry.value) {
            None => Said::Nothing,
            Some(word) => Status::ALL
                .into_iter()
                .find(|status| status.word() == word)
                .map_or_else(|| Said::Nonsense(word.to_owned()), Said::This),
        };
        Ok(Self {
            sessions: number(&lines, "session_count"),
            failures: number(&lines, "consecutive_failures"),
            threshold: number(&lines, "circuit_breaker_threshold"),
            status,
        })
    }

    /// The first line that the breaker stands or falls with and that makes no sense.
    #[must_use]
    pub fn unclear(&self, text: &str) -> Option<Unclear> {
        let lines = Lines::parse(text, ends).ok()?;
        let makes_sense = [
            !matches!(self.failures, Said::Nonsense(_)),
            !matches!(self.threshold, Said::Nonsense(_)),
            !matches!(self.status, Said::Nonsense(_)),
        ];
        let unclear = DECISIVE.iter().zip(makes_sense).find(|(_, sense)| !sense);
        let ((key, belongs), _) = unclear?;
        let line = lines.get(key)?.line;
        let what = format!("line {line}: `{key}` is not {belongs}");
        Some(Unclear { line, what })
    }

    /// The line that says at how many failures the breaker triggers, counted from 1.
    #[must_use]
    pub fn threshold_line(text: &str) -> usize {
        let lines = Lines::parse(text, ends).ok();
        let line = lines.and_then(|lines| Some(lines.get("circuit_breaker_threshold")?.line));
        line.unwrap_or(1)
    }
}

/// How many sessions there were by now, going by the file as it was found.
#[must_use]
pub fn sessions(found: &Progress, ledger: &Ledger) -> u64 {
    let past = found.sessions.this().unwrap_or(ledger.past);
    past.saturating_add(ledger.session.is_some().into())
}

/// The sessions that the log in the file tells of, oldest first, each with its number.
pub fn logged(text: &str) -> impl Iterator<Item = (u64, &str)> {
    text.lines().filter_map(|line| {
        let rest = line.strip_prefix("## Session ")?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        Some((rest[..digits].parse().ok()?, rest))
    })
}

fn number<T: std::str::FromStr>(lines: &Lines<'_>, key: &str) -> Said<T> {
    match lines.get(key).map(|entry| entry.value) {
        None => Said::Nothing,
        Some(text) => text
            .parse()
            .map_or_else(|_| Said::Nonsense(text.to_owned()), Said::This),
    }
}

/// The file with the numbers of `ledger`. Every other line stays as it was, and
/// `now` (a moment in UTC) is noted only if something changed.
///
/// # Errors
/// [`Double`] where a name is there twice in the file as it was found.
pub fn written(found: Option<&str>, ledger: &Ledger, now: &str) -> Result<String, Double> {
    let fresh = [HEADER, LOGS].concat();
    let before = found.unwrap_or(&fresh);
    let known = Progress::read(before)?;
    let mut lines = Lines::parse(before, ends)?;
    lines.set("session_count", &sessions(&known, ledger).to_string());
    lines.set("consecutive_failures", &ledger.failures.to_string());
    if let Some(success) = ledger.session {
        lines.set("last_session_date", now.get(..10).unwrap_or(now));
        lines.set("last_session_success", &success.to_string());
    }
    if let Some(features) = ledger.features {
        lines.set("features_completed", &features.pass.to_string());
        lines.set("features_pending", &features.pending.to_string());
        lines.set("features_fail", &features.fail.to_string());
        lines.set("features_blocked", &features.blocked.to_string());
    }
    lines.set("circuit_breaker_threshold", &ledger.threshold.to_string());
    lines.set("circuit_breaker_status", ledger.status.word());
    let after = lines.clone().finish();
    if found == Some(after.as_str()) {
        return Ok(after);
    }
    lines.set("last_updated", now);
    let text = lines.finish();
    // Where nothing held them yet, the numbers stand right below the header.
    Ok(match found {
        Some(_) => text,
        None => match text.strip_suffix(&fresh) {
            Some(numbers) => [HEADER, numbers, LOGS].concat(),
            None => text,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the workflow writes it.
    const FOUND: &str = "\
# METADATA (Structured - for circuit breaker parsing)
# Each line: key=value (no spaces around =)
# DO NOT modify manually - use EDIT mode
session_count=1
consecutive_failures=0
last_session_date=2026-02-26
last_session_success=true
features_completed=53
features_pending=0
features_fail=0
features_blocked=0
circuit_breaker_threshold=5
circuit_breaker_status=HEALTHY
last_updated=2026-02-26T04:20:43Z

# SESSION LOGS (Human-readable - append-only)
# NEVER modify entries below
# Format: ## Session N: Type (Date Time)

## Session 1: Initializer (2026-02-26 02:27:06)
- Generated feature_list.json with 53 features
consecutive_failures=77 in the log is nobody's number
";

    fn ledger() -> Ledger {
        Ledger {
            session: Some(false),
            past: 4,
            failures: 5,
            threshold: 5,
            status: Status::Triggered,
            features: Some(FeatureCounts {
                pass: 50,
                pending: 1,
                fail: 2,
                blocked: 0,
            }),
        }
    }

    #[test]
    fn req_003_018_and_031_and_077_the_numbers_change_and_every_other_byte_stays() {
        let expected = FOUND
            .replace("session_count=1", "session_count=2")
            .replace("consecutive_failures=0", "consecutive_failures=5")
            .replace(
                "last_session_date=2026-02-26",
                "last_session_date=2026-02-27",
            )
            .replace("last_session_success=true", "last_session_success=false")
            .replace("features_completed=53", "features_completed=50")
            .replace("features_pending=0", "features_pending=1")
            .replace("features_fail=0", "features_fail=2")
            .replace(
                "circuit_breaker_status=HEALTHY",
                "circuit_breaker_status=TRIGGERED",
            )
            .replace("2026-02-26T04:20:43Z", "2026-02-27T01:00:00Z");
        assert_eq!(
            written(Some(FOUND), &ledger(), "2026-02-27T01:00:00Z").unwrap(),
            expected
        );
        let same = Ledger {
            session: None,
            failures: 0,
            status: Status::Healthy,
            features: None,
            ..ledger()
        };
        assert_eq!(
            written(Some(FOUND), &same, "2026-02-27T01:00:00Z").unwrap(),
            FOUND
        );
    }

    #[test]
    fn other_orders_ends_of_lines_and_missing_names_are_met() {
        let odd = "circuit_breaker_status=HEALTHY\r\n# mine\r\n\r\nconsecutive_failures=4\r\n## Session 9: x\r\n";
        let text = written(Some(odd), &ledger(), "2026-02-27T01:00:00Z").unwrap();
        assert!(
            text.starts_with(
                "circuit_breaker_status=TRIGGERED\r\n# mine\r\n\r\nconsecutive_failures=5\r\n"
            ),
            "{text:?}"
        );
        assert!(text.contains("circuit_breaker_threshold=5\r\n"));
        assert!(text.ends_with("\r\n## Session 9: x\r\n"));
        let known = Progress::read(odd).unwrap();
        assert_eq!(
            (known.failures, known.threshold),
            (Said::This(4), Said::Nothing)
        );
    }

    #[test]
    fn a_new_file_reads_as_the_workflow_s_own_does() {
        // Of one that was lost the memory knows how many sessions there were.
        let again = written(None, &ledger(), "2026-02-27T01:00:00Z").unwrap();
        assert!(again.contains("\nsession_count=5\n"), "{again}");
        let first = Ledger {
            past: 0,
            ..ledger()
        };
        let text = written(None, &first, "2026-02-27T01:00:00Z").unwrap();
        assert!(
            text.starts_with(&format!(
                "{HEADER}session_count=1\nconsecutive_failures=5\n"
            )),
            "{text}"
        );
        assert!(
            text.ends_with(&format!("last_updated=2026-02-27T01:00:00Z\n{LOGS}")),
            "{text}"
        );
        assert_eq!(
            Progress::read(&text).unwrap().status,
            Said::This(Status::Triggered)
        );
    }

    #[test]
    fn nonsense_is_told_from_nothing() {
        let text = "consecutive_failures=-1\ncircuit_breaker_threshold=five\ncircuit_breaker_status=UNKNOWN\n";
        let known = Progress::read(text).unwrap();
        assert_eq!(known.failures, Said::Nonsense("-1".into()));
        assert_eq!(known.threshold, Said::Nonsense("five".into()));
        assert_eq!(known.status, Said::Nonsense("UNKNOWN".into()));
        assert_eq!(known.sessions, Said::Nothing);
        assert!(Progress::read("consecutive_failures=0\nconsecutive_failures=9\n").is_err());
        for (text, what) in [
            (
                text,
                Some("line 1: `consecutive_failures` is not a whole number"),
            ),
            (
                "session_count=x\ncircuit_breaker_threshold=five\n",
                Some("line 2: `circuit_breaker_threshold` is not a whole number"),
            ),
            (
                "\ncircuit_breaker_status=triggered\n",
                Some("line 2: `circuit_breaker_status` is not HEALTHY, TRIGGERED or COMPLETE"),
            ),
            ("session_count=x\nconsecutive_failures=3\n", None),
        ] {
            let unclear = Progress::read(text).unwrap().unclear(text);
            assert_eq!(unclear.map(|unclear| unclear.what).as_deref(), what);
        }
    }
}
