//! Issues on GitHub, through its command `gh`.
//!
//! It has no word for work in progress, so two labels say it. It needs the network,
//! so it is used where somebody asked for it and never because a repository could
//! have issues.

use std::ffi::OsStr;
use std::path::Path;

use serde::Deserialize;

use super::program::Program;
use crate::error::SourceError;
use crate::source::{Capabilities, Kept, Move, Source};
use crate::status::Status;
use crate::task::{Holder, Task};
use crate::time;

/// The label of what somebody works on.
const IN_PROGRESS: &str = "in-progress";
/// The label of what was given up.
const BLOCKED: &str = "blocked";
/// As many as it ever lists.
const MOST: &str = "1000";
/// Of so many issues in progress the start is asked for; each is a call.
const STARTS_ASKED: usize = 20;

/// Issues of the repository's `origin`.
pub(crate) struct GitHub {
    program: Program,
}

#[derive(Deserialize)]
struct Issue {
    number: u64,
    title: String,
    #[serde(default)]
    body: String,
    state: String,
    labels: Vec<Label>,
    assignees: Vec<User>,
}

#[derive(Deserialize)]
struct Label {
    name: String,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

/// What happened to an issue; most of it is not about labels.
#[derive(Deserialize)]
struct Happening {
    event: Option<String>,
    label: Option<Label>,
    created_at: Option<String>,
}

impl GitHub {
    pub(crate) fn open(root: &Path, path: Option<&OsStr>) -> Result<Self, SourceError> {
        let program = Program::find("gh", path, root)?
            .with("GH_PROMPT_DISABLED", "1")
            .with("NO_COLOR", "1");
        Ok(Self { program })
    }

    fn parse<'a, T: Deserialize<'a>>(&self, text: &'a str) -> Result<T, SourceError> {
        serde_json::from_str(text).map_err(|error| {
            self.program
                .failed(&format!("its answer cannot be read: {error}"))
        })
    }

    /// When it was last labelled as in progress.
    fn since(&self, id: &str) -> Result<Option<i64>, SourceError> {
        let path = format!("repos/{{owner}}/{{repo}}/issues/{id}/timeline");
        let text = self.program.ask(&["api", "--paginate", &path])?;
        Ok(labelled_at(self.parse(&text)?))
    }

    /// Changes the labels; a label that is not there yet is made.
    fn label(&self, id: &str, change: &[&str]) -> Result<(), SourceError> {
        let args: Vec<&str> = ["issue", "edit", id]
            .iter()
            .chain(change)
            .copied()
            .collect();
        if self.program.run(&args)?.is_success() {
            return Ok(());
        }
        for name in [IN_PROGRESS, BLOCKED] {
            self.program.run(&["label", "create", name])?;
        }
        self.program.ask(&args).map(drop)
    }
}

/// When an issue to which all this happened was last labelled as in progress.
fn labelled_at(all: Vec<Happening>) -> Option<i64> {
    let labelled = all.into_iter().rev().find(|one| {
        let label = one.label.as_ref();
        one.event.as_deref() == Some("labeled")
            && label.is_some_and(|label| label.name == IN_PROGRESS)
    });
    time::parse(&labelled?.created_at?)
}

/// A door for the fuzzer: whatever `gh` answers, a task is called by its number alone.
#[cfg(feature = "fuzzing")]
pub(super) fn read_answer(text: &str) {
    let listed = serde_json::from_str::<Vec<Issue>>(text).unwrap_or_default();
    let alone = serde_json::from_str::<Issue>(text).ok();
    for task in listed.into_iter().chain(alone).map(Issue::task) {
        assert!(task.id.parse::<u64>().is_ok(), "{}", task.id);
    }
    let _ = serde_json::from_str(text).map(labelled_at);
}

impl Issue {
    fn task(self) -> Task {
        let has = |name: &str| self.labels.iter().any(|label| label.name == name);
        let status = match () {
            () if self.state.eq_ignore_ascii_case("closed") => Status::Done,
            () if has(BLOCKED) => Status::Blocked,
            () if has(IN_PROGRESS) => Status::InProgress,
            () => Status::Open,
        };
        let kind = self
            .labels
            .iter()
            .map(|label| label.name.clone())
            .find(|name| name != IN_PROGRESS && name != BLOCKED);
        Task {
            kind,
            description: self.body,
            holder: Holder {
                name: self.assignees.into_iter().next().map(|user| user.login),
                ..Holder::default()
            },
            ..Task::new(self.number.to_string(), self.title, status)
        }
    }
}

const FIELDS: &str = "number,title,body,state,labels,assignees";

impl Source for GitHub {
    fn name(&self) -> &'static str {
        "github"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            claim: true,
            start_time: true,
            block: true,
            close: true,
            shared: true,
            ..Capabilities::default()
        }
    }

    fn list(&self) -> Result<Vec<Task>, SourceError> {
        let text = self.program.ask(&[
            "issue", "list", "--state", "open", "--limit", MOST, "--json", FIELDS,
        ])?;
        let mut issues: Vec<Issue> = self.parse(&text)?;
        issues.sort_by_key(|issue| issue.number);
        let mut tasks: Vec<Task> = issues.into_iter().map(Issue::task).collect();
        for task in tasks
            .iter_mut()
            .filter(|task| task.status == Status::InProgress)
            .take(STARTS_ASKED)
        {
            task.holder.since_ms = self.since(&task.id)?;
        }
        Ok(tasks)
    }

    fn find(&self, id: &str) -> Result<Task, SourceError> {
        // Anything else is an option to `gh`, or an issue of another repository.
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(SourceError::NoSuchTask {
                task: id.to_owned(),
                source_name: "github".into(),
            });
        }
        let text = self.program.ask(&["issue", "view", id, "--json", FIELDS])?;
        Ok(self.parse::<Issue>(&text)?.task())
    }

    fn apply(&self, seen: &Task, to: &Move<'_>) -> Result<Kept, SourceError> {
        let id = seen.id.as_str();
        match to {
            Move::Claim { .. } => {
                let now = self.find(id)?;
                if now.status != seen.status {
                    let why = format!("it is {} now", now.status.name());
                    return Err(SourceError::Lost {
                        task: id.to_owned(),
                        why,
                    });
                }
                self.label(
                    id,
                    &[
                        "--add-label",
                        IN_PROGRESS,
                        "--remove-label",
                        BLOCKED,
                        "--add-assignee",
                        "@me",
                    ],
                )?;
            }
            // A comment a minute helps nobody.
            Move::Heartbeat { .. } => return Ok(Kept::NotExpressible),
            Move::Open { note } => {
                if seen.status == Status::Done {
                    self.program
                        .ask(&["issue", "reopen", id, "--comment", note])?;
                }
                self.label(
                    id,
                    &["--remove-label", IN_PROGRESS, "--remove-label", BLOCKED],
                )?;
            }
            Move::Block { reason } => {
                self.label(id, &["--add-label", BLOCKED, "--remove-label", IN_PROGRESS])?;
                self.program
                    .ask(&["issue", "comment", id, "--body", reason])?;
            }
            Move::Close { evidence, .. } => {
                self.program
                    .ask(&["issue", "close", id, "--comment", evidence])?;
            }
        }
        Ok(Kept::Recorded)
    }
}
