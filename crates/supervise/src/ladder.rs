//! In which order, and how patiently, a tree is asked to end.

use std::time::Duration;

use rustix::process::Signal;

use crate::step::FirstSignal;

/// For what is left when the leader has ended or the supervisor is gone:
/// nobody waits for it any more, so it gets no more than a moment.
pub(crate) const SHORT_GRACE: Duration = Duration::from_millis(500);

/// Why a tree is taken down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The command is done; only what it left behind remains.
    LeaderEnded,
    /// The supervisor asked politely.
    Asked,
    /// The overall limit passed and the supervisor did not react.
    Overdue,
    /// The supervisor asked for the end at once.
    Killed,
    /// The supervisor is gone.
    Orphaned,
}

/// One polite request and the time to follow it. Below the last rung there is
/// always SIGKILL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rung {
    pub(crate) signal: Signal,
    pub(crate) reach: Reach,
    pub(crate) patience: Duration,
}

/// Whom a rung addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The command's own process group, as a terminal would.
    LeaderGroup,
    /// The whole tree.
    Everyone,
}

/// The rungs above SIGKILL. They share one grace: whoever sets a limit reckons with what
/// comes on top of it, and a tree that ignores every request must not take it twice.
pub(crate) fn rungs(cause: Cause, first: FirstSignal, grace: Duration) -> Vec<Rung> {
    let opening = Rung {
        signal: first.signal(),
        reach: Reach::LeaderGroup,
        patience: grace / 2,
    };
    let terminate = Rung {
        signal: Signal::TERM,
        reach: Reach::Everyone,
        patience: grace / 2,
    };
    let brief = Rung {
        patience: grace.min(SHORT_GRACE),
        ..terminate
    };
    match cause {
        Cause::LeaderEnded | Cause::Orphaned => vec![brief],
        Cause::Asked | Cause::Overdue => vec![opening, terminate],
        Cause::Killed => vec![],
    }
}

/// The longest that [`rungs`] can take, whatever the cause.
pub(crate) fn longest(grace: Duration) -> Duration {
    grace.max(SHORT_GRACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_ladder_is_longer_than_announced_and_an_orphan_gets_half_a_second() {
        for grace in [
            Duration::ZERO,
            Duration::from_millis(300),
            Duration::from_secs(10),
        ] {
            for cause in [
                Cause::LeaderEnded,
                Cause::Asked,
                Cause::Overdue,
                Cause::Killed,
                Cause::Orphaned,
            ] {
                let rungs = rungs(cause, FirstSignal::Interrupt, grace);
                let total: Duration = rungs.iter().map(|rung| rung.patience).sum();
                assert!(total <= longest(grace), "{cause:?} with {grace:?}");
                assert!(total <= grace, "{cause:?} takes {total:?} of {grace:?}");
                assert!(cause != Cause::Orphaned || total <= SHORT_GRACE);
            }
        }
    }

    #[test]
    fn a_request_begins_with_the_signal_of_choice_at_the_leaders_group() {
        for (first, signal) in [
            (FirstSignal::Interrupt, Signal::INT),
            (FirstSignal::Terminate, Signal::TERM),
        ] {
            let rungs = rungs(Cause::Asked, first, Duration::from_secs(1));
            assert_eq!(
                (rungs[0].signal, rungs[0].reach),
                (signal, Reach::LeaderGroup)
            );
            assert_eq!(
                (rungs[1].signal, rungs[1].reach),
                (Signal::TERM, Reach::Everyone)
            );
        }
    }
}
