//! Task lists and claims from outside, on real files and real processes.

#![expect(
    clippy::unwrap_used,
    reason = "all of this is tests, also where it is not marked as one"
)]

mod beads;
mod claims;
mod damaged;
mod doubts;
mod durable;
mod files;
mod github;
mod hostile;
mod recovery;
mod support;
