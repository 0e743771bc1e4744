//! The block that is given out after each phase action.

use std::fmt::Write as _;

use fusebox_core::circuit::State;
use fusebox_core::fact::Fact;
use fusebox_core::journal::{Event, Report};
use fusebox_core::observation::{PhaseMetrics, TestCounts, WorkPhase};
use fusebox_core::quiet_line as line;

use super::log::label;
use crate::Scene;
use crate::time;

/// How much of a name is shown.
const SHOWN_BYTES: usize = 40;
/// What is recommended when the breaker has opened.
const OPENED: &str = "Circuit breaker opened. Review and provide guidance.";

/// The block, if an action begins, is refused, has just been reported, or the state has changed.
pub(super) fn block(scene: &Scene<'_>) -> Option<String> {
    let told = |entry: &&fusebox_core::Entry| {
        matches!(
            entry.event,
            Event::Granted { .. }
                | Event::Reported(_)
                | Event::PhaseEntered { .. }
                | Event::PhaseSkipped { .. }
        ) || !entry.outcome.transitions.is_empty()
    };
    // Who asks and is refused finds out where the breaker stands as well.
    let refused = scene.entries.is_empty() && scene.circuit.core.phase.opening().is_some();
    if !refused && !scene.entries.iter().any(|entry| told(&entry)) {
        return None;
    }
    let report = scene
        .entries
        .iter()
        .rev()
        .find_map(|entry| match &entry.event {
            Event::Reported(report) => Some(&**report),
            _ => None,
        });
    Some(written(scene, report))
}

fn written(scene: &Scene<'_>, report: Option<&Report>) -> String {
    let core = &scene.circuit.core;
    let counters = &core.counters;
    let state = core.phase.state();
    let gates = Gates::of(scene, report);
    let tests = tests(&counters.last_metrics(WorkPhase::Green), report);
    // What was reported goes back to whoever vouched for it, as the tests do.
    let files = report.and_then(|report| match &report.facts.files {
        Fact::Measured(files) | Fact::Claimed(files) => Some(files),
        Fact::Unknown => None,
    });
    let mut text = String::from("---PRP_PHASE_STATUS---\n");
    let mut put = |line: &str| {
        let _ = writeln!(text, "{line}");
    };
    put(&format!("TIMESTAMP: {}", time::written(scene.now_ms)));
    let unheard_of = report.and_then(reported_phase);
    let phase = counters.phase.unwrap_or(WorkPhase::Red).name();
    put(&format!(
        "PHASE: {}",
        unheard_of.as_deref().unwrap_or(phase)
    ));
    put(&format!("STATUS: {}", gates.status(state)));
    put(&format!("ITERATION: {}", core.iterations));
    put(&format!("PROGRESS_PERCENT: {}", percent(&tests)));
    put(&format!(
        "\nTESTS:\n  TOTAL: {}\n  PASSING: {}\n  FAILING: {}\n  SKIPPED: {}",
        u64::from(tests.passed) + u64::from(tests.failed) + u64::from(tests.skipped),
        tests.passed,
        tests.failed,
        tests.skipped
    ));
    // Where they were not told apart, all of them stand in the middle.
    let all = files.map_or(0, |files| files.count);
    let created = files.and_then(|files| files.created).unwrap_or(0);
    let deleted = files.and_then(|files| files.deleted).unwrap_or(0);
    let modified = all.saturating_sub(created).saturating_sub(deleted);
    put(&format!(
        "\nFILES:\n  CREATED: {created}\n  MODIFIED: {modified}\n  DELETED: {deleted}"
    ));
    put(&format!(
        "\nCIRCUIT_BREAKER:\n  STATE: {}\n  NO_PROGRESS_COUNT: {}",
        label(scene, state),
        counters.no_progress
    ));
    put(&format!(
        "\nDUAL_GATE:\n  GATE_1: {}\n  GATE_2: {}\n  CAN_EXIT: {}",
        gates.evidence,
        gates.signal,
        gates.can_exit(state)
    ));
    let blocker = core
        .phase
        .opening()
        .map_or("none".to_owned(), |opening| line(&opening.reason));
    put(&format!("\nBLOCKERS:\n  - {blocker}"));
    put(&format!("\nEXIT_SIGNAL: {}", gates.can_exit(state)));
    put(&format!("RECOMMENDATION: {}", gates.recommendation(state)));
    text.push_str("---END_PRP_PHASE_STATUS---\n");
    text
}

/// The name of a phase that there are no rules for, as whoever worked in it reported it.
fn reported_phase(report: &Report) -> Option<String> {
    let mut kept = report.facts.extra.iter();
    let phase = kept.find(|field| field.name == "phase")?;
    let name: String = serde_json::from_str(&phase.value).ok()?;
    let name = line(fusebox_core::clip(name.trim(), SHOWN_BYTES));
    (!name.is_empty()).then_some(name)
}

/// What must both hold in one action before a phase may be left.
struct Gates {
    /// The numbers say that the phase has reached its end.
    evidence: bool,
    /// The one who works on it says so.
    signal: bool,
    /// A person took it for complete, and none follows.
    skipped: bool,
}

impl Gates {
    fn of(scene: &Scene<'_>, report: Option<&Report>) -> Self {
        let phase = scene.circuit.core.counters.phase;
        let metrics = report.map_or_else(PhaseMetrics::default, |report| report.facts.metrics);
        let (passing, failing) = (metrics.tests_passing.unwrap_or(0), metrics.tests_failing);
        let evidence = match phase {
            Some(WorkPhase::Red) => {
                metrics.tests_generated.is_some_and(|count| count > 0) && passing == 0
            }
            Some(WorkPhase::Green | WorkPhase::Refactor) => passing > 0 && failing == Some(0),
            Some(WorkPhase::Document) => metrics.docs_generated.is_some_and(|count| count > 0),
            None => false,
        };
        let signal = report.is_some_and(|report| report.facts.claimed.exit_signal == Some(true));
        let core = &scene.circuit.core;
        let skipped = phase.is_some_and(|phase| core.has_skipped(phase));
        Self {
            evidence,
            signal,
            skipped,
        }
    }

    fn can_exit(&self, state: State) -> bool {
        self.evidence && self.signal && state != State::Open
    }

    fn status(&self, state: State) -> &'static str {
        match state {
            State::Open | State::Probing => "BLOCKED",
            _ if self.skipped || self.can_exit(state) => "COMPLETE",
            State::Closed | State::Watching | State::Complete => "IN_PROGRESS",
        }
    }

    fn recommendation(&self, state: State) -> &'static str {
        match state {
            State::Open | State::Probing => OPENED,
            _ if self.skipped => "Phase complete, and no other follows.",
            State::Watching => "No progress lately. Try something else before the circuit opens.",
            _ if self.can_exit(state) => "Phase complete. Go on with the next one.",
            State::Closed | State::Complete => "Continue with the current phase.",
        }
    }
}

/// The tests as they were reported last. Parts and total always add up.
fn tests(last: &PhaseMetrics, report: Option<&Report>) -> TestCounts {
    let counted = report.and_then(|report| report.facts.tests.seen());
    if let Some(tests) = counted {
        return *tests;
    }
    let small = |count: Option<u64>| u32::try_from(count.unwrap_or(0)).unwrap_or(u32::MAX);
    let passed = small(last.tests_passing);
    let failed = small(last.tests_failing);
    let skipped = small(last.tests_total).saturating_sub(passed.saturating_add(failed));
    TestCounts {
        passed,
        failed,
        skipped,
    }
}

fn percent(tests: &TestCounts) -> u64 {
    let total = u64::from(tests.passed) + u64::from(tests.failed);
    (u64::from(tests.passed) * 100)
        .checked_div(total)
        .unwrap_or(0)
}
