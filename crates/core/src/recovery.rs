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
        Cause::Signal(_) | Cause::Asked | Cause::Supervisor => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_004_041_to_004_045_the_fourth_strategy_is_always_to_escalate() {
        let rows = [
            Signal::NoProgress,
            Signal::RepeatedError,
            Signal::TestsOnly,
            Signal::Circular,
        ];
        for signal in Signal::ALL {
            let row = strategies(Cause::Signal(signal));
            assert_eq!(row.is_some(), rows.contains(&signal), "{signal:?}");
            assert!(row.is_none_or(|row| row[3].starts_with("Escalate")));
        }
        assert_eq!(strategies(Cause::Asked), None);
    }
}
