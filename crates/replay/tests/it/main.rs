//! Session files as they are found on disks, read and judged.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "all of this is tests, also where it is not marked as one"
)]

mod bad_input;
mod corpus;
mod fixtures;
mod formats;
mod identity;
mod injected;
