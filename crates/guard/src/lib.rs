//! Commands judged by what they would do to files that must not be lost.
//!
//! An agent that works on its own has deleted its own plan before, with a command that
//! looked like cleaning up. Lists of dangerous words neither find `D=.cla; rm -rf ${D}ude`
//! nor leave `git commit -m 'rm -rf specs'` alone. So nothing is searched for here: a
//! command is *followed* as a shell would follow it, without running anything, and answered
//! with its effects on paths. Those are held against the protected set.
//!
//! * [`Protected`] is the set: rules on names below a root, each with a mode.
//! * [`Guard`] judges commands, and writes by tools, within limits of its own.
//! * [`Verdict`] is the checklist: what is affected, what of it is protected, why, and what
//!   to do instead.
//!
//! Three rules decide what is uncertain. What could be one of several things is taken to be
//! each of them. What cannot be understood is denied only where it could reach something
//! protected. And when there is no answer at all, be it for length, depth or time, it is no.
//!
//! This room knows nothing of breakers or memory, and of agents only the names of their programs
//! and of files that are theirs by custom; which tools they have it is told.

mod alternative;
pub mod batch;
mod commands;
mod effect;
mod glob;
mod guard;
pub mod keep;
mod patch;
mod paths;
mod prescan;
mod protected;
mod regex;
mod rule;
mod shell;
mod stop;
mod text;
mod tree;
mod verdict;

pub use effect::{Action, Effect, Pattern, Target};
pub use guard::{Guard, Write};
pub use protected::{DEFAULT, Protected, TASK_LISTS};
pub use rule::{Authority, Mode, Rule};
pub use stop::{Limits, Stop};
pub use tree::{Disk, Kind, LONGEST_SCRIPT, Tree};
pub use verdict::{Decision, Finding, Verdict};

/// A door for the fuzzer: reads a regular expression and looks for it in a line.
#[cfg(feature = "fuzzing")]
pub fn read_expression(pattern: &str, line: &str) {
    regex::read_expression(pattern, line);
}
