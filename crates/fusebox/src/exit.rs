//! Exit codes, as scripts may rely on them.

use fusebox_core::Policy;
use fusebox_core::decision::{Decision, Denial, DeniedBy, Gate};
use fusebox_core::observation::Environment;

/// Go on; or the thing asked for is done.
pub(crate) const GO: u8 = 0;
/// Something inside fusebox went wrong, or its output could not be written.
pub(crate) const INTERNAL: u8 = 1;
/// The command line or its input makes no sense.
pub(crate) const USAGE: u8 = 2;
/// The configuration makes no sense.
pub(crate) const CONFIG: u8 = 3;
/// The state is unreadable, cannot be stored, or was tampered with: open.
pub(crate) const STATE: u8 = 4;
/// Refused: not allowed here, or not to this caller.
pub(crate) const REFUSED: u8 = 5;
/// Something needed is missing.
pub(crate) const MISSING: u8 = 6;
/// Nothing is left to do.
pub(crate) const COMPLETE: u8 = 40;
/// A person is needed, and there is nobody to ask.
pub(crate) const PAUSED: u8 = 43;
/// The call limit is reached.
pub(crate) const LIMIT: u8 = 44;
/// A budget is used up: iterations, tokens or money.
pub(crate) const BUDGET: u8 = 45;
/// The agent is there and could not be run, or kept failing for outside reasons.
pub(crate) const AGENT: u8 = 46;
/// A protected file was lost, and put back.
pub(crate) const PROTECTED: u8 = 47;
/// Where sessions are counted by features: there is no specification to begin with.
pub(crate) const NO_APP_SPEC: u8 = 1;
/// There: the list holds no features.
pub(crate) const NO_FEATURES: u8 = 3;
/// There: it is not a git repository.
pub(crate) const NO_GIT: u8 = 4;
/// There: the specification is not sound.
pub(crate) const APP_SPEC: u8 = 8;
/// There: the list of features is not sound.
pub(crate) const FEATURES: u8 = 10;
/// There: what is kept is not valid, and that was asked for.
pub(crate) const INVALID: u8 = 20;
/// Interrupted by Ctrl-C; the state is saved.
pub(crate) const INTERRUPTED: u8 = 130;
/// Terminated; the state is saved.
pub(crate) const TERMINATED: u8 = 143;

/// The table for `--help`.
pub(crate) const TABLE: &str = "\
Exit codes:
  0    proceed / done
  1    internal error, or the output could not be written
  2    usage error
  3    configuration error
  4    state unreadable, not storable or tampered with: treated as open
  5    refused: not allowed, or asked from inside the guarded process tree
  6    something needed is missing (git, the agent or command, a local file system)
  40   complete: nothing left to do
  42   breaker open (48 in preset liza)
  43   paused: a person is needed, and there is no terminal to prompt on
  44   call limit or usage limit reached; stderr says when to retry
  45   budget used up (iterations, time, tokens, money)
  46   the agent was found but could not be run, or its service failed (sign-in, overload)
  47   a protected file was lost and restored; halted
  130  interrupted, state saved
  143  terminated, state saved";

/// What a code means, as the table says it.
pub(crate) fn meaning(code: u8) -> Option<&'static str> {
    TABLE.lines().find_map(|row| {
        let (number, meaning) = row.trim_start().split_once(' ')?;
        (number.parse() == Ok(code)).then_some(meaning.trim_start())
    })
}

/// The code of a failure, moved out of the way where this way of working has
/// other uses for the first few numbers.
pub(crate) fn shifted(code: u8, policy: &Policy) -> u8 {
    if (INTERNAL..=MISSING).contains(&code) {
        code + policy.exits.shift
    } else {
        code
    }
}

/// The code that says what a decision says, in this way of working.
pub(crate) fn of(decision: &Decision, policy: &Policy) -> u8 {
    match &decision.gate {
        Gate::Allow | Gate::AllowOnce => GO,
        Gate::Deny(Denial { by, .. }) => match by {
            DeniedBy::CallLimit | DeniedBy::CallsScarce => LIMIT,
            DeniedBy::Outage(Environment::Limit) => LIMIT,
            DeniedBy::Outage(_) => AGENT,
            DeniedBy::Budget(_) | DeniedBy::BudgetScarce(_) => BUDGET,
            DeniedBy::Open { .. } | DeniedBy::ProbeUnderWay => policy.exits.open,
            DeniedBy::Complete => COMPLETE,
            // Nothing has tripped: where the code of a pause is that of a trip, this is not it.
            DeniedBy::RunPaused(_) => PAUSED,
        },
    }
}
