//! What Gemini CLI tells people when it cannot go on.

use crate::class::EndClass::{
    self, Auth, Context, Crash, Overloaded, OwnLoopGuard, RateLimited, Refusal, Setup, Stopped,
    TurnCap, UsageLimit,
};
use crate::class::TextRow;

/// Texts of error results and of standard error.
pub(super) const TEXTS: &[TextRow] = &[
    (&["exhausted your daily quota"], UsageLimit),
    (&["exhausted your capacity"], UsageLimit),
    (&["quota will reset after"], UsageLimit),
    (&["daily", "quota limit"], UsageLimit),
    (&["requests per day"], UsageLimit),
    (&["resource has been exhausted"], RateLimited),
    (&["too many requests"], RateLimited),
    (&["api_key_invalid"], Auth),
    (&["set an auth method"], Auth),
    (&["input token count", "exceeds the maximum"], Context),
    (&["model is overloaded"], Overloaded),
    (&["max session turns"], TurnCap),
    (&["maximum session turns"], TurnCap),
    (&["loop detected, stopping execution"], OwnLoopGuard),
    (&["response stopped due to safety"], Refusal),
    (&["modelnotfounderror"], Setup),
    (&["unknown argument:"], Setup),
    (&["invalid session identifier"], Setup),
    (&["quota exceeded"], RateLimited),
    (&["exceeded your current quota"], RateLimited),
];

/// The types of `error` in results.
pub(super) fn of_error_type(kind: &str) -> Option<EndClass> {
    Some(match kind {
        "FatalTurnLimitedError" => TurnCap,
        "FatalAuthenticationError" => Auth,
        "FatalInputError" | "FatalConfigError" | "FatalSandboxError" => Setup,
        "FatalCancellationError" => Stopped,
        "ModelNotFoundError" => Setup,
        _ => return None,
    })
}

/// Exit codes that mean something: its own, and HTTP statuses of which the
/// system keeps eight bits. Above 511 these bits are those of its own codes.
pub(super) fn of_exit_code(code: i32) -> Option<EndClass> {
    const CUT_OFF: u64 = 256;
    Some(match code {
        41 => Auth,
        42 | 44 | 52 | 55 => Setup,
        53 => TurnCap,
        54 => Crash,
        130 => Stopped,
        _ => return EndClass::of_status(u64::try_from(code).ok()? + CUT_OFF),
    })
}

/// Why a tool call was not carried out: a tool that may not be used is not
/// offered at all.
pub(super) const DENIED: [&str; 2] = ["tool_not_registered", "policy_violation"];
