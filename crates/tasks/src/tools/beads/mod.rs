//! Beads, through its command `bd`, in the dialects that go by this name.
//!
//! Its files are not its truth, so nothing is read or written but through the
//! command. What an answer means is in `issue`, what is said in `dialect`.

mod dialect;
mod issue;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::Path;

use super::program::{Answer, Program};
use crate::error::SourceError;
use crate::files::Place;
use crate::source::{Capabilities, Kept, Move, Source};
use crate::status::Status;
use crate::task::Task;
use dialect::{Dialect, Said};

/// What holds a task back that is open and that `bd` does not call ready.
const HELD_BACK: &str = "(what bd says blocks it)";

/// Beads.
pub(crate) struct Beads {
    program: Program,
    dialect: Dialect,
}

/// A door for the fuzzer: whatever `bd` answers, what it is told to do names a task of its own and
/// nothing more.
#[cfg(feature = "fuzzing")]
pub(super) fn read_answer(text: &str) {
    let tasks = issue::all(text).unwrap_or_default();
    assert!(tasks.is_empty() || issue::all(text).as_ref() == Some(&tasks));
    for task in tasks.iter().take(20) {
        for dialect in [Dialect::Go, Dialect::GoLeases, Dialect::Rust] {
            let (at_ms, actor) = (0, "me");
            for to in [
                Move::Claim { actor, at_ms },
                Move::Heartbeat { actor },
                Move::Open { note: "why" },
                Move::Block { reason: "why" },
                Move::Close {
                    evidence: "why",
                    at_ms,
                },
            ] {
                let (Said::Recorded(calls) | Said::BesideThePoint(calls)) = dialect.say(task, &to);
                for call in calls {
                    assert_eq!(call[1], task.id);
                    assert!(!task.id.starts_with('-'), "{call:?}");
                }
            }
        }
    }
}

/// Where `bd` writes what others are to take over.
const EXPORT: &str = ".beads/issues.jsonl";

impl Beads {
    /// What a repository has of it without keeping its tasks there: an export, which only `bd`
    /// makes a list of again.
    pub(crate) fn export_alone(root: &Path) -> Option<&'static str> {
        let is_there = root.join(EXPORT).symlink_metadata().is_ok();
        (is_there && !Self::is_used(root)).then_some(EXPORT)
    }

    /// Whether a repository keeps its tasks there.
    pub(crate) fn is_used(root: &Path) -> bool {
        let inside = |name: &str| root.join(".beads").join(name).symlink_metadata().is_ok();
        let store = "refs/heads/beads/store";
        let packed = || {
            Place::new(root, ".git/packed-refs")
                .read()
                .ok()
                .flatten()
                .unwrap_or_default()
        };
        [
            "metadata.json",
            "config.yaml",
            "embeddeddolt",
            "dolt",
            "beads.db",
            "redirect",
        ]
        .iter()
        .any(|name| inside(name))
            || root.join(".git").join(store).is_file()
            || packed().lines().any(|line| line.ends_with(store))
    }

    /// Asks which `bd` this is, once: its number says little, what it can do says
    /// enough.
    pub(crate) fn open(
        root: &Path,
        path: Option<&OsStr>,
        actor: &str,
    ) -> Result<Self, SourceError> {
        let program = Program::find("bd", path, root)?
            .with("BD_JSON_ENVELOPE", "1")
            .with("BEADS_ACTOR", actor)
            .with("BD_NO_AUTO_UPGRADE", "1");
        let leases = program.run(&["heartbeat", "--help"])?.is_success();
        let claims = program.run(&["claim", "--help"])?.is_success();
        let dialect = match (leases, claims) {
            (true, _) => Dialect::GoLeases,
            (false, true) => Dialect::Rust,
            (false, false) => Dialect::Go,
        };
        Ok(Self { program, dialect })
    }

    /// One call; its exit code 13 says that everything failed for a guard.
    fn tell(&self, seen: &Task, args: &[String]) -> Result<Answer, SourceError> {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let answer = self.program.run(&args)?;
        match answer.code {
            Some(13) => Err(SourceError::Lost {
                task: seen.id.clone(),
                why: answer.complaint(),
            }),
            _ => Ok(answer),
        }
    }

    fn issues(&self, args: &[&str]) -> Result<Vec<Task>, SourceError> {
        let text = self.program.ask(args)?;
        issue::all(&text).ok_or_else(|| {
            self.program.failed(&format!(
                "`bd {}` answered with something else than issues",
                args.join(" ")
            ))
        })
    }
}

impl Source for Beads {
    fn name(&self) -> &'static str {
        "beads"
    }

    fn capabilities(&self) -> Capabilities {
        self.dialect.capabilities()
    }

    fn list(&self) -> Result<Vec<Task>, SourceError> {
        let mut tasks = Vec::new();
        for args in self.dialect.lists() {
            tasks.extend(self.issues(args)?);
        }
        let ready = self.issues(self.dialect.ready())?;
        let ready: HashSet<&str> = ready.iter().map(|task| task.id.as_str()).collect();
        for task in &mut tasks {
            if task.status == Status::Open && !ready.contains(task.id.as_str()) {
                task.depends_on = vec![HELD_BACK.to_owned()];
            }
        }
        Ok(tasks)
    }

    fn find(&self, id: &str) -> Result<Task, SourceError> {
        let none = || SourceError::NoSuchTask {
            task: id.to_owned(),
            source_name: "beads".into(),
        };
        if issue::is_option(id) {
            return Err(none());
        }
        let found = self.program.run(&["show", id, "--json"])?;
        if !found.is_success() {
            // Whether it is the task or the tool that is missing, a list tells.
            self.program.ask(self.dialect.ready())?;
            return Err(none());
        }
        issue::all(&found.out)
            .and_then(|tasks| tasks.into_iter().find(|task| task.id == id))
            .ok_or_else(none)
    }

    fn apply(&self, seen: &Task, to: &Move<'_>) -> Result<Kept, SourceError> {
        let said = self.dialect.say(seen, to);
        let (Said::Recorded(calls) | Said::BesideThePoint(calls)) = &said;
        for call in calls {
            let answer = self.tell(seen, call)?;
            if !answer.is_success() && !self.has_happened(seen, to)? {
                let why = answer.complaint();
                return Err(match to {
                    Move::Claim { .. } => SourceError::Lost {
                        task: seen.id.clone(),
                        why,
                    },
                    _ => self.program.failed(&why),
                });
            }
        }
        Ok(match said {
            Said::Recorded(_) => Kept::Recorded,
            Said::BesideThePoint(_) => Kept::NotExpressible,
        })
    }
}

impl Beads {
    /// Whether a call that failed has done what it was to do all the same: a tool can
    /// change something and then run out of time.
    fn has_happened(&self, seen: &Task, to: &Move<'_>) -> Result<bool, SourceError> {
        let now = self.find(&seen.id)?;
        Ok(match to {
            Move::Claim { actor, .. } => {
                now.status == Status::InProgress && now.holder.name.as_deref() == Some(actor)
            }
            Move::Heartbeat { .. } => false,
            Move::Open { .. } => now.status == Status::Open,
            Move::Block { .. } => now.status == Status::Blocked,
            Move::Close { .. } => now.status == Status::Done,
        })
    }
}
