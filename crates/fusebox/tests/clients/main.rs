//! The real clients, against a model that follows a script.
//!
//! These tests need the clients themselves, which are a gigabyte and not
//! ours to ship: `cargo xtask clients --install` fetches them and runs this.
//! Without `FUSEBOX_CLIENTS`, the directory they were installed into, every
//! test says that it is skipped. What the clients printed when they were
//! recorded drives the tests that always run.

#![expect(
    clippy::unwrap_used,
    reason = "all of this is tests, also where it is not marked as one"
)]

mod client;
mod desk;
mod isolation;
mod loops;
mod processes;
mod stops;
mod turns;
