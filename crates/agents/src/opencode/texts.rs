//! What opencode tells people when it cannot go on.

use crate::class::EndClass::{
    self, Auth, Billing, Context, OutputCap, Refusal, Setup, Stopped, UsageLimit,
};
use crate::class::{self, TextRow};

/// Texts of error events and of standard error, as far as no other agent's service says
/// the same.
pub(super) const TEXTS: &[TextRow] = &[
    (&["exceeded your current quota"], Billing),
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

/// The types that opencode's own service gives its errors, which say more than the
/// words and the status beside them.
pub(super) fn of_body(body: &str) -> Option<EndClass> {
    const TYPES: &[TextRow] = &[
        (&["creditserror"], Billing),
        (&["monthlylimiterror"], Billing),
        (&["usagelimiterror"], UsageLimit),
        (&["usage_limit_reached"], UsageLimit),
    ];
    class::of_text(TYPES, body)
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

/// How errors of tool calls begin that were not permitted. Nobody sat there to be
/// asked, and still they say that the user did it.
pub(super) const REJECTED: [&str; 2] = [
    "the user rejected permission",
    "the user has specified a rule which prevents you",
];
/// The error of a call of a tool that is switched off.
pub(super) const UNAVAILABLE: &str = "unavailable tool";
