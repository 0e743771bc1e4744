//! What Codex tells people when it cannot go on.

use crate::class::EndClass::{
    Auth, Billing, BudgetCap, Context, Network, Overloaded, RateLimited, Setup, Timeout, UsageLimit,
};
use crate::class::TextRow;

/// Texts of `error`, `turn.failed` and of standard error.
pub(super) const TEXTS: &[TextRow] = &[
    (&["you've hit your usage limit"], UsageLimit),
    (&["out of credits"], Billing),
    (&["spend cap"], Billing),
    (&["check your plan and billing details"], Billing),
    (&["token budget exhausted"], BudgetCap),
    (&["ran out of room", "context window"], Context),
    (&["401 unauthorized"], Auth),
    (&["not logged in"], Auth),
    (&["log out and sign in again"], Auth),
    (&["model is at capacity"], Overloaded),
    (&["experiencing high demand"], Overloaded),
    (&["last status: 429"], RateLimited),
    (&["rate limit exceeded"], RateLimited),
    (&["rate limit reached"], RateLimited),
    (&["idle timeout waiting"], Timeout),
    (&["stream disconnected before completion"], Network),
    (&["error sending request"], Network),
    (&["the requested model", "does not exist"], Setup),
    (&["no saved session found"], Setup),
    (&["no rollout found"], Setup),
    (&["error: unexpected argument"], Setup),
    (&["error: unrecognized subcommand"], Setup),
    (&["error: invalid value"], Setup),
];

/// What standard error says of a command that was not permitted; the events
/// do not mention it at all.
pub(super) const REJECTED: &str = "approval policy is never; reject command";
