//! What Codex tells people when it cannot go on.

use crate::class::EndClass::{
    Auth, Billing, BudgetCap, Context, Network, Overloaded, RateLimited, Refusal, Setup, Stopped,
    Timeout, UsageLimit,
};
use crate::class::TextRow;

/// Texts of `error`, `turn.failed` and of standard error.
pub(super) const TEXTS: &[TextRow] = &[
    (&["you've hit your usage limit"], UsageLimit),
    (&["out of credits"], Billing),
    (&["spend cap"], Billing),
    (&["check your plan and billing details"], Billing),
    (&["to use codex", "upgrade to plus"], Billing),
    (&["token budget exhausted"], BudgetCap),
    (&["token budget exceeded"], BudgetCap),
    (&["session budget exceeded"], BudgetCap),
    (&["ran out of room", "context window"], Context),
    (&["401 unauthorized"], Auth),
    (&["not logged in"], Auth),
    (&["log out and sign in again"], Auth),
    (&["missing environment variable"], Auth),
    (&["model is at capacity"], Overloaded),
    (&["experiencing high demand"], Overloaded),
    (&["last status: 429"], RateLimited),
    (&["rate limit exceeded"], RateLimited),
    (&["rate limit reached"], RateLimited),
    (&["idle timeout waiting"], Timeout),
    (&["timeout waiting for"], Timeout),
    (&["stream disconnected before completion"], Network),
    (&["error while reading the server response"], Network),
    (&["error sending request"], Network),
    (&["the requested model", "does not exist"], Setup),
    (&["no saved session found"], Setup),
    (&["no rollout found"], Setup),
    (&["no thread with id"], Setup),
    (&["not inside a trusted directory"], Setup),
    (&["no prompt provided"], Setup),
    (&["error: unexpected argument"], Setup),
    (&["error: unrecognized subcommand"], Setup),
    (&["error: invalid value"], Setup),
    (&["was flagged"], Refusal),
    (&["flagged for possible cybersecurity"], Refusal),
    (&["interrupted (ctrl-c)"], Stopped),
    (&["turn aborted"], Stopped),
];

/// What stands before the reason for which an answer broke off.
pub(super) const DISCONNECTED: &str = "stream disconnected before completion: ";

/// What standard error says of a command that was not permitted; the events
/// do not mention it at all.
pub(super) const REJECTED: &str = "approval policy is never; reject command";
