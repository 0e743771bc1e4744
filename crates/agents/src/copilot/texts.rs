//! What Copilot CLI tells people when it cannot go on.

use crate::class::EndClass::{self, Auth, Billing, Context, RateLimited, Setup, UsageLimit};
use crate::class::TextRow;

/// Texts of `session.error` and of standard error. Looked at first, because
/// money, limits and haste all come as `rate_limit` with status 429.
pub(super) const TEXTS: &[TextRow] = &[
    (&["exceeded your current quota"], Billing),
    (&["you have no quota"], UsageLimit),
    (&["maximum context length"], Context),
    (&["no authentication information found"], Auth),
    (&["5 hour session limit"], UsageLimit),
    (&["premium request allowance"], UsageLimit),
    (&["error: unknown option"], Setup),
];

/// The codes and the types of `session.error`.
/// Behind a colon stands the plan that somebody is on.
pub(super) fn of_error_code(code: &str) -> Option<EndClass> {
    Some(match code.split(':').next().unwrap_or(code) {
        "user_weekly_rate_limited" | "user_global_rate_limited" => UsageLimit,
        "quota" | "quota_exceeded" | "session_quota_exceeded" => UsageLimit,
        "billing_not_configured" => Billing,
        "authentication" | "authorization" => Auth,
        "rate_limit" => RateLimited,
        "context_limit" | "model_max_prompt_tokens_exceeded" => Context,
        "model_not_supported" => Setup,
        _ => return None,
    })
}
