//! The whole program under faults: killed at every system call, refused by the
//! disk, damaged, raced and overrun.
//!
//! Each test prints how much it tried. The long versions run with
//! `FUSEBOX_DEEP=1`; without it the points are sampled, evenly and always the
//! same ones, and with `FUSEBOX_QUICK=1` a quarter of them. `cargo xtask test`
//! sets that, so that it ends in time on a slow machine too; `cargo xtask
//! prove` is where faults have their time.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "all of this is tests, also where it is not marked as one"
)]

mod agents;
mod asking;
mod contenders;
mod damage;
mod forgetting;
mod insiders;
mod kills;
mod openings;
mod output;
mod place;
mod reading;
mod receiving;
mod sampling;
mod soak;
mod storage;
mod strace;
mod supervisors;
mod sweeps;
mod tampering;
mod trees;
