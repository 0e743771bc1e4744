//! Lists that are kept behind a command.
//!
//! The command is a named tool, found on `PATH` outside of the repository and run by
//! its absolute path: a program that somebody put into the repository is never run.
//! A tool that fails is a list that is not available, which is something else than a
//! list without tasks.

mod beads;
mod github;
mod program;
mod scratch;

pub(crate) use beads::Beads;
pub(crate) use github::GitHub;

/// A door for the fuzzer: what a tool answers.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_answer(text: &str) {
    beads::read_answer(text);
    github::read_answer(text);
}
