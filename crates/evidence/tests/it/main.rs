//! The crate from outside: recorded outputs of real tools, and noise.
#![expect(clippy::unwrap_used, reason = "tests stop at any surprise")]

mod failures;
mod findings;
mod formats;
mod noise;
mod problems;
mod small_outputs;
mod support;
