//! What to try when the loop has stopped: four strategies for each kind of
//! trouble, in order, the last of which is to ask a person.

use serde::Serialize;

use crate::circuit::{Cause, Circuit, Core, Release, Row};
use crate::decision::{Evidence, Place};
use crate::observation::WorkType;
use crate::policy::Policy;
use crate::signals::Signal;

/// How many strategies there are for each kind of trouble.
pub const STRATEGIES: u32 = 4;

/// The strategies for a breaker that was opened by `cause`, in the order they
/// are to be taken. Trouble without a row goes to a person at once.
#[must_use]
pub fn strategies(cause: Cause) -> Option<[&'static str; STRATEGIES as usize]> {
    match cause {
        Cause::Signal(Signal::NoProgress) => Some([
            "Regenerate plan with fresh analysis",
            "Break stuck task into 3+ subtasks",
            "Skip to next task, return later",
            "Escalate to user",
        ]),
        Cause::Signal(Signal::RepeatedError) => Some([
            "Change approach entirely",
            "Check if error is environmental",
            "Search for known issue/workaround",
            "Escalate with error log",
        ]),
        Cause::Signal(Signal::TestsOnly) => Some([
            "Review test assumptions",
            "Check if implementation approach is flawed",
            "Simplify implementation scope",
            "Escalate with test analysis",
        ]),
        Cause::Signal(Signal::Circular) => Some([
            "Step back and re-analyze root cause",
            "Try approach NOT yet attempted",
            "Reduce scope to minimal working version",
            "Escalate with approach history",
        ]),
        Cause::Signal(_) | Cause::Pattern { .. } | Cause::Asked | Cause::Supervisor => None,
    }
}

/// The words of the strategy that was taken last, if that was one for the agent: the last one
/// is not a thing it can do.
#[must_use]
pub fn strategy_for_the_agent(core: &Core) -> Option<&'static str> {
    let row = strategies(core.phase.opening()?.cause)?;
    let taken = core.strategies.checked_sub(1)? as usize;
    row[..row.len() - 1].get(taken).copied()
}

/// Why a person is called to an open breaker that a clock alone closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Escalation {
    /// It opened again right after a recovery.
    Relapse,
    /// The strategies have come to their last, which is to ask a person.
    LastStrategy,
    /// There is no strategy for what opened it.
    NoStrategy,
}

impl Escalation {
    /// The same in a few words.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Relapse => "it opened again right after a recovery",
            Self::LastStrategy => "all strategies of recovery have been taken",
            Self::NoStrategy => "there is no strategy of recovery for this",
        }
    }
}

/// Why a person is called, if one is. Where persons may release, every way out names them
/// already, and what nothing but a correction ends is corrected by one.
#[must_use]
pub fn escalation(core: &Core, policy: &Policy) -> Option<Escalation> {
    let opening = core.phase.opening()?;
    if policy.release.person || opening.release == Release::Person {
        return None;
    }
    let by_signal = matches!(opening.cause, Cause::Signal(_));
    if opening.escalate {
        Some(Escalation::Relapse)
    } else if core.strategies >= STRATEGIES {
        Some(Escalation::LastStrategy)
    } else if by_signal && strategies(opening.cause).is_none() {
        Some(Escalation::NoStrategy)
    } else {
        None
    }
}

/// What a person is handed with the last strategy: the log of errors, the analysis of tests,
/// the history of approaches, or what opened the breaker.
#[must_use]
pub fn case(circuit: &Circuit) -> Vec<Evidence> {
    let Some(opening) = circuit.core.phase.opening() else {
        return Vec::new();
    };
    let seen: fn(&Row) -> Vec<String> = match opening.cause {
        Cause::Signal(Signal::RepeatedError) => errors,
        Cause::Signal(Signal::TestsOnly) => tests,
        Cause::Signal(Signal::Circular) => approach,
        _ => return opening.evidence.clone(),
    };
    let rows = circuit.counted_rows().iter();
    rows.flat_map(|row| {
        seen(row).into_iter().map(|found| Evidence {
            place: Place::Iteration(row.iteration),
            found,
        })
    })
    .collect()
}

fn errors(row: &Row) -> Vec<String> {
    row.errors.iter().map(|error| error.told()).collect()
}

fn tests(row: &Row) -> Vec<String> {
    let work = row.work_type.map(|work| match work {
        WorkType::Testing => "worked on tests alone",
        _ => "worked on more than tests",
    });
    let counts = row.tests.map(|tests| {
        format!(
            "{} passed, {} failed, {} skipped",
            tests.passed, tests.failed, tests.skipped
        )
    });
    work.map(str::to_owned).into_iter().chain(counts).collect()
}

fn approach(row: &Row) -> Vec<String> {
    let tried = row.approach.as_ref();
    tried
        .map(|approach| format!("tried: {}", approach.shown))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_004_041_to_045_each_kind_of_trouble_has_its_four_strategies_in_order() {
        let rows = [
            (
                Signal::NoProgress,
                ["Regenerate plan", "3+ subtasks", "next task", "user"],
            ),
            (
                Signal::RepeatedError,
                ["entirely", "environmental", "workaround", "error log"],
            ),
            (
                Signal::TestsOnly,
                ["assumptions", "flawed", "Simplify", "test analysis"],
            ),
            (
                Signal::Circular,
                ["root cause", "NOT yet", "minimal", "approach history"],
            ),
        ];
        for signal in Signal::ALL {
            let expected = rows.iter().find(|(row, _)| *row == signal);
            let found = strategies(Cause::Signal(signal));
            assert_eq!(found.is_some(), expected.is_some(), "{signal:?}");
            let words = expected.into_iter().flat_map(|(_, words)| words);
            for (strategy, word) in found.into_iter().flatten().zip(words) {
                assert!(strategy.contains(word), "{strategy:?} without {word:?}");
            }
            assert!(found.is_none_or(|row| row[3].starts_with("Escalate")));
        }
        assert_eq!(strategies(Cause::Asked), None);
    }
}
