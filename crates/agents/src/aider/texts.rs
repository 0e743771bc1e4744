//! What Aider tells people when it cannot go on.

use crate::class::EndClass::{
    Auth, Billing, Context, Network, Overloaded, RateLimited, Refusal, Setup, Timeout,
};
use crate::class::TextRow;

/// Texts that follow [`ERROR`] or [`TOKEN_LIMIT`], and of standard error.
pub(super) const TEXTS: &[TextRow] = &[
    (&["exceeded your current quota"], Billing),
    (&["insufficient balance"], Billing),
    (&["insufficient credits"], Billing),
    (&["prompt is too long"], Context),
    (&["litellm.authenticationerror"], Auth),
    (&["litellm.ratelimiterror"], RateLimited),
    (&["litellm.contextwindowexceedederror"], Context),
    (&["has hit a token limit"], Context),
    (&["litellm.contentpolicyviolationerror"], Refusal),
    (&["litellm.permissiondeniederror"], Auth),
    (&["litellm.notfounderror"], Setup),
    (&["litellm.timeout"], Timeout),
    (&["litellm.apiconnectionerror"], Network),
    (&["litellm.internalservererror"], Overloaded),
    (&["litellm.serviceunavailableerror"], Overloaded),
    (&["error: unrecognized arguments"], Setup),
];

/// How a line begins that tells of a failed request.
pub(super) const ERROR: &str = "litellm.";
/// How a line ends that tells of a full context.
pub(super) const TOKEN_LIMIT: &str = " has hit a token limit!";
/// How a line begins that tells what an answer used.
pub(super) const TOKENS: &str = "Tokens: ";
/// How a line begins that announces another attempt.
pub(super) const RETRYING: &str = "Retrying in ";
