//! From whom does this process descend?
//!
//! Only a person may reset the breaker, so `reset` must know whether an agent
//! is asking. An agent can empty the environment of what it starts, but not
//! change where it comes from: where orphans are adopted by the keeper, the line
//! of every process in a guarded tree leads through one. Where they are not
//! ([`Orphans::Searched`](crate::Orphans::Searched)), a process that has left
//! its parents *and* its environment behind has a line like anybody's.

use std::env;
use std::io;
use std::path::Path;

use rustix::process::getpid;

use crate::cookie::COOKIE_VARIABLE;
use crate::process::{self, Process, command_words, environment, shows_everybody};
use crate::run_lock::RunLock;
use crate::stage_args::KEEPER_WORD;

/// A line longer than this is taken for one that does not end.
const LONGEST_LINE: usize = 1024;

/// The environment variable that carries the [`nesting_depth`].
pub const DEPTH_VARIABLE: &str = "FUSEBOX_DEPTH";

/// Whether a process carries a cookie, as far as one can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieSight {
    /// It carries one, of whatever step.
    Present,
    /// It carries none.
    Absent,
    /// Its environment may not be read: it belongs to another user, as login
    /// services do, or the system hides it, as macOS does that of its own
    /// programs.
    Unreadable,
}

/// One process of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// Its process id.
    pub pid: i32,
    /// Its short name.
    pub name: String,
    /// The first words of its command line.
    pub words: Vec<String>,
    /// Whether it carries a cookie.
    pub cookie: CookieSight,
    /// Whether it was started as a keeper.
    pub is_keeper: bool,
    /// Whether it runs a loop. What a keeper leaves behind that was killed falls to its
    /// supervisor.
    pub is_supervisor: bool,
}

/// The line of this process, itself first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ancestry {
    /// As far as it could be followed.
    pub line: Vec<Ancestor>,
    /// Whether it could be followed to its end. If not, an ancestor ended
    /// meanwhile or the process table is not to be had, and nothing may be concluded
    /// from what is missing.
    pub complete: bool,
}

impl Ancestry {
    /// Whether this process is known to stand inside a guarded tree.
    #[must_use]
    pub fn is_guarded(&self) -> bool {
        let marked = |one: &Ancestor| one.is_keeper || one.cookie == CookieSight::Present;
        // A supervisor may well ask about itself.
        self.line.iter().any(marked) || self.line.iter().skip(1).any(|one| one.is_supervisor)
    }
}

/// Follows the line of the calling process up to the first process.
#[must_use]
pub fn ancestry() -> Ancestry {
    ancestry_of(getpid().as_raw_pid())
}

/// Follows the line of any process up to the first one.
#[must_use]
pub fn ancestry_of(pid: i32) -> Ancestry {
    let mut line = Vec::new();
    let mut pid = pid;
    while pid > 0 && line.len() < LONGEST_LINE {
        let Some(process) = Process::read(pid) else {
            return Ancestry {
                line,
                complete: false,
            };
        };
        pid = process.parent;
        line.push(describe(process));
    }
    Ancestry {
        line,
        complete: pid == 0 && shows_everybody(),
    }
}

/// From where this process sees others, for [`is_overlooked_from_here`]; nothing where all see
/// the same. In a container it is another place than outside.
///
/// # Errors
/// The system does not tell, or somebody mounted another answer over its own.
pub fn standpoint() -> io::Result<Option<String>> {
    process::standpoint()
}

/// Whether all who stand at `other`, and whom they start, are seen from here. Where they are
/// not, a line that ends well shows nothing: in namespaces of its own a process of theirs has
/// no ancestors but those it has in there.
#[must_use]
pub fn is_overlooked_from_here(other: &str) -> bool {
    let own = process::standpoint().ok().flatten();
    own.is_some_and(|own| process::overlooks(&own, other))
}

/// Whether everybody is seen from here, wherever they stand.
#[must_use]
pub fn overlooks_all() -> bool {
    process::standpoint().is_ok_and(|own| own.is_none_or(|own| process::is_outside_of_all(&own)))
}

/// Which of these variables a process was started with, and not empty. None where its
/// environment may not be read.
#[must_use]
pub fn variable_of<'n>(pid: i32, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let environ = environment(pid).ok()?;
    let is_set = |name: &&str| {
        let mut variables = environ.split(|byte| *byte == 0);
        variables.any(|variable| {
            let value = variable.strip_prefix(name.as_bytes());
            value.is_some_and(|value| value.len() > 1 && value[0] == b'=')
        })
    };
    names.into_iter().find(is_set)
}

/// How many supervised steps this process stands in: 0 for a person's shell, 1
/// for an agent under `fusebox run`, 2 for one that such an agent started with
/// a `fusebox run` of its own.
///
/// Each step counts itself in the environment of its command, which that can
/// change, and has a keeper in its line, which it cannot. The larger counts.
#[must_use]
pub fn nesting_depth() -> u32 {
    let told = env::var(DEPTH_VARIABLE).ok();
    let told = told.and_then(|depth| depth.parse().ok()).unwrap_or(0);
    let keepers = ancestry().line.iter().filter(|one| one.is_keeper).count();
    told.max(u32::try_from(keepers).unwrap_or(u32::MAX))
}

/// The process that holds the [`RunLock`] at `lock` and supervises a step that this process
/// stands in: the parent of one of the keepers in its line.
///
/// Anybody can start something that is called as a keeper is, and have themselves taken for
/// its supervisor; they are passed over, because the lock is another's or nobody's.
#[must_use]
pub fn supervisor(lock: &Path) -> Option<i32> {
    let mut pid = getpid().as_raw_pid();
    for _ in 0..LONGEST_LINE {
        let parent = Process::read(pid)?.parent;
        if is_keeper(&command_words(pid)) && RunLock::is_held_by(lock, parent) {
            return Some(parent);
        }
        pid = parent;
    }
    None
}

fn is_keeper(words: &[String]) -> bool {
    words.get(1).is_some_and(|word| word == KEEPER_WORD)
}

/// By the name of the program and its command, wherever options stand.
fn is_supervisor(name: &str, words: &[String]) -> bool {
    let mut words = words.iter().skip(1);
    name.starts_with("fusebox") && words.any(|word| word == "run" || word == "demo")
}

fn describe(process: Process) -> Ancestor {
    let words = command_words(process.id.pid);
    Ancestor {
        pid: process.id.pid,
        is_keeper: is_keeper(&words),
        is_supervisor: is_supervisor(&process.name, &words),
        name: process.name,
        words,
        cookie: sight(environment(process.id.pid)),
    }
}

fn sight(environ: io::Result<Vec<u8>>) -> CookieSight {
    let prefix = format!("{COOKIE_VARIABLE}=");
    let Ok(environ) = environ else {
        return CookieSight::Unreadable;
    };
    let mut variables = environ.split(|byte| *byte == 0);
    if variables.any(|variable| variable.starts_with(prefix.as_bytes())) {
        CookieSight::Present
    } else {
        CookieSight::Absent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_begins_here_and_reaches_the_first_process() {
        let ancestry = ancestry();
        assert!(ancestry.complete);
        assert_eq!(ancestry.line[0].pid, getpid().as_raw_pid());
        assert!(ancestry.line.len() > 1);
        assert!(!ancestry.line[0].is_keeper);
    }

    #[test]
    fn here_is_seen_from_here_and_another_place_only_from_outside_of_all() {
        let Some(here) = standpoint().unwrap() else {
            return;
        };
        assert!(is_overlooked_from_here(&here));
        for (own, other, expected) in [
            (
                "pid:[4026531836] user:[4026531837]",
                "pid:[7] user:[8]",
                true,
            ),
            (
                "pid:[7] user:[8]",
                "pid:[4026531836] user:[4026531837]",
                false,
            ),
            (
                "pid:[4026531836] user:[8]",
                "pid:[4026531836] user:[4026531837]",
                false,
            ),
            ("pid:[7] user:[8]", "pid:[7] user:[8]", true),
            ("pid:[7] user:[8]", "pid:[7] user:[9]", false),
        ] {
            assert_eq!(process::overlooks(own, other), expected, "{own} {other}");
        }
    }

    #[test]
    fn whoever_runs_a_loop_is_known_by_its_command() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        for (name, line, expected) in [
            ("fusebox", "/usr/bin/fusebox run -- claude", true),
            ("fusebox", "fusebox -C x --circuit y run", true),
            ("fusebox", "fusebox serve", false),
            ("run", "run run", false),
        ] {
            assert_eq!(is_supervisor(name, &words(line)), expected, "{line}");
        }
    }

    #[test]
    fn an_environment_that_cannot_be_read_is_not_an_absent_cookie() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        for (environ, expected) in [
            (Err(denied), CookieSight::Unreadable),
            (
                Ok(b"A=1\0FUSEBOX_COOKIE=x\0".to_vec()),
                CookieSight::Present,
            ),
            (Ok(b"MY_FUSEBOX_COOKIE=x\0".to_vec()), CookieSight::Absent),
            (Ok(Vec::new()), CookieSight::Absent),
        ] {
            assert_eq!(sight(environ), expected);
        }
    }
}
