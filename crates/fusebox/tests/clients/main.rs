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

/// Turns rows into tests. Each runs in isolation, so each needs a name of its
/// own, by which it is started again.
macro_rules! for_clients {
    ($scenario:ident: $(fn $name:ident($client:ident $(, $argument:expr)*);)+) => {
        $(
            #[test]
            fn $name() {
                $scenario(crate::client::Client::$client $(, $argument)*);
            }
        )+
    };
}

mod client;
mod denials;
mod desk;
mod hooks;
mod isolation;
mod ladder;
mod loops;
mod processes;
mod sessions;
mod stops;
mod telemetry;
mod troubles;
mod turns;
