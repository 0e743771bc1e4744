//! What Claude Code tells people when it cannot go on.

use crate::class::EndClass::{
    self, Auth, Billing, Context, Network, OutputCap, Overloaded, RateLimited, Setup, Timeout,
    UsageLimit,
};
use crate::class::TextRow;

/// Texts of error results, of synthetic messages and of standard error.
pub(super) const TEXTS: &[TextRow] = &[
    (&["monthly spend limit"], Billing),
    (&["credit balance is too low"], Billing),
    (&["you've hit your", "limit"], UsageLimit),
    (&["limit reached", "reset"], UsageLimit),
    (&["usage limit reached"], UsageLimit),
    (&["out of extra usage"], UsageLimit),
    (&["request rejected (429)"], RateLimited),
    (&["not logged in"], Auth),
    (&["please run /login"], Auth),
    (&["invalid api key"], Auth),
    (&["disabled claude subscription access"], Auth),
    (&["prompt is too long"], Context),
    (&["autocompact is thrashing"], Context),
    (&["output token maximum"], OutputCap),
    (&["request timed out"], Timeout),
    (&["overloaded"], Overloaded),
    (&["unable to connect"], Network),
    (&["connection error"], Network),
    (&["econnrefused"], Network),
    (&["enotfound"], Network),
    (&["no conversation found with session id"], Setup),
    (&["issue with the selected model"], Setup),
    (&["cannot be used with root"], Setup),
    (&["error: unknown option"], Setup),
];

/// The codes of `assistant.error`.
pub(super) fn of_error_code(code: &str) -> Option<EndClass> {
    Some(match code {
        "authentication_failed"
        | "oauth_org_not_allowed"
        | "account_on_hold"
        | "verification_required"
        | "cloud_credential_error" => Auth,
        "billing_error" => Billing,
        "usage_limit_reached" => UsageLimit,
        "rate_limit" => RateLimited,
        "overloaded" | "server_error" => Overloaded,
        "model_not_found" => Setup,
        "max_output_tokens" => OutputCap,
        _ => return None,
    })
}

/// The words of `result.subtype` and `result.terminal_reason` that say why,
/// whatever else the result says.
pub(super) fn of_ending(word: &str) -> Option<EndClass> {
    Some(match word {
        "error_max_turns" | "max_turns" => EndClass::TurnCap,
        "error_max_budget_usd" | "budget_exhausted" => EndClass::BudgetCap,
        "prompt_too_long" | "rapid_refill_breaker" | "blocking_limit" => Context,
        "aborted_streaming" | "aborted_tools" | "hook_stopped" | "stop_hook_prevented" => {
            EndClass::Stopped
        }
        "turn_setup_failed" => Setup,
        _ => return None,
    })
}
