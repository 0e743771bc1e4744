//! Steps with real processes, from the first signal to the last survivor.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "all of this is tests, also where it is not marked as one"
)]

mod ends;
mod lost;
mod output;
mod storms;
mod support;
mod takedown;
mod timing;
