//! What can go wrong at a vendor, independent of how each one says it.

use serde::Deserialize;

/// A failure that every vendor has, each in words of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Failure {
    /// The subscription's allowance is used up until a stated time.
    UsageLimit {
        /// How far that time is away when the answer is given. Relative, so
        /// that a script does not go stale.
        resets_in_s: u64,
    },
    /// Too many requests just now; trying again soon is expected.
    RateLimited,
    /// The vendor has no capacity for anybody.
    Overloaded,
    /// The key is not accepted.
    Unauthorized,
}
