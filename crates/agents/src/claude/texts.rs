//! What Claude Code tells people when it cannot go on.

use crate::class::EndClass::{
    self, Auth, Billing, Context, Network, OutputCap, Overloaded, RateLimited, Setup, Timeout,
    TurnCap, UsageLimit,
};
use crate::class::TextRow;

/// Texts of error results, of synthetic messages and of standard error, also of the
/// agents that print the same events.
pub(super) const TEXTS: &[TextRow] = &[
    (&["monthly spend limit"], Billing),
    (&["monthly usage limit"], Billing),
    (&["usage limit", "monthly cycle"], Billing),
    (&["credit balance is too low"], Billing),
    (&["you've hit your", "limit"], UsageLimit),
    (&["limit reached", "reset"], UsageLimit),
    (&["usage limit reached"], UsageLimit),
    (&["used all your", "limit"], UsageLimit),
    (&["out of extra usage"], UsageLimit),
    (&["request rejected (429)"], RateLimited),
    (&["not logged in"], Auth),
    (&["please run /login"], Auth),
    (&["invalid api key"], Auth),
    (&["no api key found"], Auth),
    (&["disabled claude subscription access"], Auth),
    (&["prompt is too long"], Context),
    (&["autocompact is thrashing"], Context),
    (&["output token maximum"], OutputCap),
    (&["reached max turns"], TurnCap),
    (&["request timed out"], Timeout),
    (&["overloaded"], Overloaded),
    (&["unable to connect"], Network),
    (&["no conversation found with session id"], Setup),
    (&["issue with the selected model"], Setup),
    (&["cannot be used with root"], Setup),
    (&["error: unknown option"], Setup),
];

/// The codes of `assistant.error`, and the types that the service gives its errors.
pub(super) fn of_error_code(code: &str) -> Option<EndClass> {
    Some(match code {
        "authentication_failed"
        | "oauth_org_not_allowed"
        | "account_on_hold"
        | "verification_required"
        | "cloud_credential_error"
        | "authentication_error"
        | "permission_error" => Auth,
        "billing_error" => Billing,
        "usage_limit_reached" => UsageLimit,
        "rate_limit" | "rate_limit_error" => RateLimited,
        "overloaded" | "overloaded_error" | "server_error" | "api_error" => Overloaded,
        "timeout_error" => Timeout,
        "request_too_large" => Context,
        "model_not_found" | "not_found_error" => Setup,
        "max_output_tokens" => OutputCap,
        _ => return None,
    })
}

/// The words of `result.subtype` and `result.terminal_reason` that say why,
/// whatever else the result says.
pub(super) fn of_ending(word: &str) -> Option<EndClass> {
    Some(match word {
        "error_max_turns" | "max_turns" => TurnCap,
        "error_max_budget_usd" | "budget_exhausted" => EndClass::BudgetCap,
        "prompt_too_long" | "rapid_refill_breaker" | "blocking_limit" => Context,
        "aborted_streaming" | "aborted_tools" | "hook_stopped" | "stop_hook_prevented" => {
            EndClass::Stopped
        }
        "turn_setup_failed" => Setup,
        _ => return None,
    })
}

/// How Claude Code begins when it asks the model for the rest of an answer.
pub(super) const RESUMED: &[&str] = &[
    "Your response above was cut off mid-stream.",
    "Output token limit hit.",
];
