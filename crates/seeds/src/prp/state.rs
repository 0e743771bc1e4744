//! `circuit-breaker.json`, read as somebody may have edited it.

use fusebox_core::circuit::State;
use fusebox_core::machine::Adoption;
use fusebox_core::observation::{PhaseMetrics, WorkPhase};
use fusebox_core::signature::Signature;
use serde::{Deserialize, Deserializer};
use sha2::{Digest as _, Sha256};

use crate::json::{Wrong, without_mark, wrong};
use crate::time;
use crate::{Edit, Scene};

/// What the file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    state: State,
    no_progress: u32,
    same_error: u32,
    metrics: Vec<(WorkPhase, PhaseMetrics)>,
    error: Option<Signature>,
    opened_ms: Option<i64>,
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with the state of the breaker")]
struct File {
    state: Label,
    #[serde(default, deserialize_with = "or_default")]
    no_progress_count: u32,
    #[serde(default, deserialize_with = "or_default")]
    same_error_count: u32,
    #[serde(default, deserialize_with = "or_default")]
    last_progress_metric: Phases,
    last_error_hash: Option<String>,
    opened_at: Option<String>,
    open_reason: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    history: Vec<Event>,
}

/// `null` says as little as a key that is not there.
fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Label {
    Closed,
    HalfOpen,
    Open,
}

#[derive(Default, Deserialize)]
#[serde(
    default,
    rename_all = "UPPERCASE",
    expecting = "an object with the phases"
)]
struct Phases {
    #[serde(deserialize_with = "or_default")]
    red: Numbers,
    #[serde(deserialize_with = "or_default")]
    green: Numbers,
    #[serde(deserialize_with = "or_default")]
    refactor: Numbers,
    #[serde(deserialize_with = "or_default")]
    document: Numbers,
}

#[derive(Default, Deserialize)]
#[serde(default, expecting = "an object with the numbers of a phase")]
struct Numbers {
    tests_generated: Option<u64>,
    criteria_covered: Option<u64>,
    tests_passing: Option<u64>,
    tests_failing: Option<u64>,
    tests_total: Option<u64>,
    patterns_applied: Option<u64>,
    complexity_score: Option<f64>,
    docs_generated: Option<u64>,
    diagrams_valid: Option<u64>,
}

/// An event of the past: it must have this shape, and nothing hangs on it.
#[derive(Deserialize)]
#[serde(expecting = "an event of the history")]
struct Event {
    #[serde(rename = "timestamp")]
    _timestamp: String,
    #[serde(rename = "event")]
    _event: String,
}

/// Reads the file.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(text: &str) -> Result<Said, Wrong> {
    let file: File =
        serde_json::from_str(without_mark(text)).map_err(|error| wrong(text, &error))?;
    let opened_ms = file.opened_at.as_deref().map(time::read);
    if let (Some(at), Some(None)) = (&file.opened_at, opened_ms) {
        let start = text.find(at.as_str()).unwrap_or_default();
        return Err(Wrong {
            what: "`opened_at` is no time".to_owned(),
            span: start..start + at.len(),
        });
    }
    let _ = file.history;
    Ok(Said {
        state: match file.state {
            Label::Closed => State::Closed,
            Label::HalfOpen => State::Watching,
            Label::Open => State::Open,
        },
        no_progress: file.no_progress_count,
        same_error: file.same_error_count,
        metrics: file.last_progress_metric.known(),
        error: (file.same_error_count > 0).then(|| identity(file.last_error_hash.as_deref())),
        opened_ms: opened_ms.flatten(),
        reason: file.open_reason,
    })
}

impl Said {
    /// When it opened there, where it is open.
    pub(super) fn opened_ms(&self) -> Option<i64> {
        self.opened_ms.filter(|_| self.state == State::Open)
    }

    /// What it would change if it were believed.
    pub(super) fn against(&self, scene: &Scene<'_>) -> Edit {
        let core = &scene.circuit.core;
        let counters = &core.counters;
        let adoption = self.adoption();
        let mut less = Vec::new();
        let mut more = Vec::new();
        let (said, known) = (rank(self.state), rank(core.phase.state()));
        let names = ["CLOSED", "HALF_OPEN", "OPEN"];
        let mut compare = |what: &str, said: u32, known: u32| match said.cmp(&known) {
            std::cmp::Ordering::Less => less.push(format!("{what} {said} instead of {known}")),
            std::cmp::Ordering::Greater => more.push(format!("{what} {said}")),
            std::cmp::Ordering::Equal => {}
        };
        compare("no_progress_count", self.no_progress, counters.no_progress);
        compare(
            "same_error_count",
            self.same_error,
            counters.errors.longest(scene.policy.streaks),
        );
        if said < known {
            less.push(format!("{} instead of {}", names[said], names[known]));
        } else if said > known {
            more.push(names[said].to_owned());
        }
        for (phase, metrics) in &self.metrics {
            let known = counters.last_metrics(*phase);
            let said = metrics.over(&known);
            let said = if known == PhaseMetrics::default() {
                reached(&said)
            } else {
                said
            };
            if known.harder(&said) != said {
                less.push(format!("other last values of {}", phase.name()));
            } else if said.harder(&known) != known {
                more.push(format!("higher last values of {}", phase.name()));
            }
        }
        let words = |list: Vec<String>| (!list.is_empty()).then(|| list.join(", "));
        Edit {
            tightens: words(more).map(|words| (adoption, words)),
            relaxes: words(less),
        }
    }

    /// All of it, to be taken over as far as it is stricter.
    #[must_use]
    pub fn adoption(&self) -> Adoption {
        let open = (self.state == State::Open).then(|| {
            let reason = self.reason.clone();
            reason.unwrap_or_else(|| "Opened by another tool".to_owned())
        });
        Adoption {
            open,
            placeholder: false,
            opened_ms: self.opened_ms,
            no_progress: self.no_progress,
            error: self.error.map(|error| (error, self.same_error)),
            phase: None,
            metrics: self.reached(),
            threshold: None,
        }
    }

    /// The last values of the phases in which anything was reached.
    fn reached(&self) -> Vec<(WorkPhase, PhaseMetrics)> {
        let all = self.metrics.iter();
        let reached = all.map(|(phase, metrics)| (*phase, reached(metrics)));
        reached
            .filter(|(_, metrics)| *metrics != PhaseMetrics::default())
            .collect()
    }

    /// What it says, for a person.
    #[must_use]
    pub fn words(&self) -> String {
        let state = ["CLOSED", "HALF_OPEN", "OPEN"][rank(self.state)];
        let reached = self.reached();
        let phases: Vec<&str> = reached.iter().map(|(phase, _)| phase.name()).collect();
        let reason = self
            .reason
            .as_ref()
            .map_or_else(String::new, |reason| format!(" ({reason})"));
        let known = match phases.as_slice() {
            [] => String::new(),
            phases => format!("; last values of {}", phases.join(", ")),
        };
        format!(
            "{state}{reason}, no progress {} times, same error {} times{known}",
            self.no_progress, self.same_error
        )
    }
}

impl Phases {
    /// The phases of which anything is known.
    fn known(self) -> Vec<(WorkPhase, PhaseMetrics)> {
        let all = [self.red, self.green, self.refactor, self.document];
        let read = WorkPhase::ALL
            .into_iter()
            .zip(all.map(Numbers::into_metrics));
        read.filter(|(_, metrics)| *metrics != PhaseMetrics::default())
            .collect()
    }
}

impl Numbers {
    fn into_metrics(self) -> PhaseMetrics {
        PhaseMetrics {
            tests_generated: self.tests_generated,
            criteria_covered: self.criteria_covered,
            tests_passing: self.tests_passing,
            tests_failing: self.tests_failing,
            tests_total: self.tests_total,
            patterns_applied: self.patterns_applied,
            complexity_milli: self.complexity_score.and_then(milli),
            docs_generated: self.docs_generated,
            diagrams_valid: self.diagrams_valid,
            ..PhaseMetrics::default()
        }
    }
}

/// The numbers without zeros where more is better: a file that nothing has
/// happened to says zero, and that is nothing known.
fn reached(metrics: &PhaseMetrics) -> PhaseMetrics {
    let some = |value: Option<u64>| value.filter(|value| *value > 0);
    PhaseMetrics {
        tests_generated: some(metrics.tests_generated),
        criteria_covered: some(metrics.criteria_covered),
        tests_passing: some(metrics.tests_passing),
        tests_total: some(metrics.tests_total),
        patterns_applied: some(metrics.patterns_applied),
        docs_generated: some(metrics.docs_generated),
        diagrams_valid: some(metrics.diagrams_valid),
        ..*metrics
    }
}

fn milli(score: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was checked"
    )]
    let whole = (score * 1e3).round() as u64;
    (0.0..=1e9).contains(&score).then_some(whole)
}

/// The identity of the error that was counted. One of which nothing is known that we could go by
/// has one of its own: its count stands until the next action says which error there is now.
fn identity(hash: Option<&str>) -> Signature {
    let known = hash.and_then(signature);
    known.unwrap_or_else(|| Signature::of_digest(&Sha256::digest(hash.unwrap_or_default()).into()))
}

/// The identity of an error of which only the hash is known.
fn signature(hash: &str) -> Option<Signature> {
    let hash = hash.strip_prefix("sha256:").unwrap_or(hash);
    let mut digest = [0; 32];
    if hash.len() != 64 || !hash.is_ascii() {
        return None;
    }
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hash[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(Signature::of_digest(&digest))
}

/// How far it is from closed.
pub(super) fn rank(state: State) -> usize {
    match state {
        State::Closed | State::Complete => 0,
        State::Watching => 1,
        State::Open | State::Probing => 2,
    }
}
