//! Steps with real processes, from the first signal to the last survivor.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "all of this is tests, also where it is not marked as one"
)]

mod callers;
mod crowds;
mod ends;
mod lost;
mod nesting;
mod output;
mod searched;
mod storms;
mod support;
mod suspend;
mod takedown;
mod terminal;
mod timing;
mod wishes;
