//! What to try when the loop has stopped: four strategies for each kind of
//! trouble, in order, the last of which is to ask a person.

use crate::circuit::Cause;
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
