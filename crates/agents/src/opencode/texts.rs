//! What opencode tells people when it cannot go on.

use crate::class::EndClass::{
    self, Auth, Billing, Context, Network, OutputCap, Overloaded, RateLimited, Refusal, Setup,
    Stopped, UsageLimit,
};
use crate::class::TextRow;

/// Texts of error events and of standard error. An HTTP status says too
/// little where it is listed here: money and limits both come as 429.
pub(super) const TEXTS: &[TextRow] = &[
    (&["exceeded your current quota"], Billing),
    (&["insufficient_quota"], Billing),
    (&["credit balance is too low"], Billing),
    (&["usage limit reached"], UsageLimit),
    (&["rate limit"], RateLimited),
    (&["too many requests"], RateLimited),
    (&["overloaded"], Overloaded),
    (&["service unavailable"], Overloaded),
    (&["internal server error"], Overloaded),
    (&["maximum context length"], Context),
    (&["unable to connect"], Network),
    (&["model not found"], Setup),
    (&["session not found"], Setup),
];

/// The names of errors.
pub(super) fn of_error_name(name: &str) -> Option<EndClass> {
    Some(match name {
        "ProviderAuthError" => Auth,
        "ContextOverflowError" => Context,
        "MessageOutputLengthError" => OutputCap,
        "MessageAbortedError" => Stopped,
        "ProviderModelNotFoundError" => Setup,
        _ => return None,
    })
}

/// The reasons for which a last step ends.
pub(super) fn of_reason(reason: &str) -> Option<EndClass> {
    Some(match reason {
        "stop" => EndClass::Finished,
        "length" => OutputCap,
        "content-filter" => Refusal,
        _ => return None,
    })
}

/// The error of a tool call that was not permitted: nobody sat there to be
/// asked, so it says that the user did it.
pub(super) const REJECTED: &str = "the user rejected permission";
/// The error of a call of a tool that is switched off.
pub(super) const UNAVAILABLE: &str = "unavailable tool";
