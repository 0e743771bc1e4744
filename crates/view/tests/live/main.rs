//! The live view: what it says at every width, and how it stays in its place.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "all of this is tests, also where it is not marked as one"
)]

mod area;
mod lines;
mod sample;
mod terminal;
