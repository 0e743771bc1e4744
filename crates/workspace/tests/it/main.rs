//! The crate from outside: real directories, the real git, and a hostile agent.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests stop at any surprise and say aloud when they are skipped"
)]

mod changes;
mod faults;
mod hostile;
mod ignores;
mod kinds;
mod limits;
mod repositories;
mod rollback;
mod states;
mod support;
