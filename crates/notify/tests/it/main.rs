//! Notices on their real way, against a receiver on this machine.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on may end where it stands"
)]

mod delivery;
mod dialects;
mod patience;
mod server;
