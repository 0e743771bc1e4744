//! Notices on their real way, against a receiver on this machine.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "all of this is tests, also where it is not marked as one"
)]

mod delivery;
mod device;
mod dialects;
mod encryption;
mod patience;
mod server;
