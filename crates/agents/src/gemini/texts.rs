//! What Gemini CLI tells people when it cannot go on.

use crate::class::EndClass::{
    self, Auth, Context, Crash, Network, Overloaded, OwnLoopGuard, RateLimited, Setup, Stopped,
    TurnCap, UsageLimit,
};
use crate::class::TextRow;

/// Texts of error results and of standard error.
pub(super) const TEXTS: &[TextRow] = &[
    (&["exhausted your daily quota"], UsageLimit),
    (&["exhausted your capacity"], UsageLimit),
    (&["quota will reset after"], UsageLimit),
    (&["resource has been exhausted"], RateLimited),
    (&["too many requests"], RateLimited),
    (&["api_key_invalid"], Auth),
    (&["api key not valid"], Auth),
    (&["set an auth method"], Auth),
    (&["input token count", "exceeds the maximum"], Context),
    (&["model is overloaded"], Overloaded),
    (&["max session turns"], TurnCap),
    (&["loop detected, stopping execution"], OwnLoopGuard),
    (&["fetch failed"], Network),
    (&["modelnotfounderror"], Setup),
    (&["unknown argument:"], Setup),
];

/// The types of `error` in results.
pub(super) fn of_error_type(kind: &str) -> Option<EndClass> {
    Some(match kind {
        "FatalTurnLimitedError" => TurnCap,
        "FatalAuthenticationError" => Auth,
        "FatalInputError" | "FatalConfigError" | "FatalSandboxError" => Setup,
        "FatalCancellationError" => Stopped,
        _ => return None,
    })
}

/// Exit codes that mean something: its own, and HTTP statuses of which the
/// system keeps eight bits.
pub(super) fn of_exit_code(code: i32) -> Option<EndClass> {
    Some(match code {
        41 => Auth,
        42 | 44 | 52 | 55 => Setup,
        53 => TurnCap,
        54 => Crash,
        130 => Stopped,
        173 => RateLimited,
        145 | 147 => Auth,
        244 | 246 | 247 => Overloaded,
        _ => return None,
    })
}

/// Why a tool call was not carried out: a tool that may not be used is not
/// offered at all.
pub(super) const DENIED: [&str; 2] = ["tool_not_registered", "policy_violation"];
