//! Notifications of the desktop, by the program that the desktop brings.
//!
//! A client of the session bus would cost seventy crates; `notify-send` and
//! `osascript` cost a process. They are started directly with a list of
//! arguments. No shell ever sees a text that an agent may have written.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use fusebox_view::html::without_tags;

use crate::failure::{Failure, Unavailable};
use crate::message::Message;
use crate::notice::Severity;
use crate::process;

/// A notification that takes longer than this waits for a desktop that is not
/// there.
const PATIENCE: Duration = Duration::from_secs(3);

/// The texts are arguments of the script, never part of it.
const APPLE_SCRIPT: [&str; 6] = [
    "-e",
    "on run argv",
    "-e",
    "display notification (item 2 of argv) with title (item 1 of argv)",
    "-e",
    "end run",
];

/// The desktop of whoever started fusebox.
#[derive(Clone, Debug)]
pub struct Desktop {
    program: Program,
    patience: Duration,
}

#[derive(Clone, Debug)]
enum Program {
    NotifySend(PathBuf),
    OsaScript(PathBuf),
}

impl Desktop {
    /// Looks for this system's program in `search_path`, the value of `PATH`, outside of the
    /// agent's `workspace`.
    ///
    /// # Errors
    ///
    /// When the program is not there, and so there is likely no desktop.
    pub fn find(search_path: Option<&OsStr>, workspace: &Path) -> Result<Self, Unavailable> {
        let (name, program): (_, fn(PathBuf) -> Program) = if cfg!(target_os = "macos") {
            ("osascript", Program::OsaScript)
        } else {
            ("notify-send", Program::NotifySend)
        };
        let path = process::find(name, search_path, workspace).ok_or_else(|| Unavailable {
            sink: "desktop notifications",
            why: format!("`{name}` is not in PATH"),
        })?;
        Ok(Self {
            program: program(path),
            patience: PATIENCE,
        })
    }

    pub(crate) fn deliver(&self, message: &Message) -> Result<(), Failure> {
        let child = self
            .command(message)
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Failure::lasting(format!("cannot start it: {error}")))?;
        process::succeed(child, self.patience)
    }

    fn command(&self, message: &Message) -> Command {
        let title = message.headline();
        let body = message.lines().join("\n");
        match &self.program {
            Program::NotifySend(path) => {
                let mut command = Command::new(path);
                command
                    .arg("--app-name=fusebox")
                    .arg(format!("--urgency={}", urgency(message.notice.severity)))
                    .arg("--")
                    // Notification servers understand a little HTML in the body.
                    .args([title, without_tags(&body)]);
                command
            }
            Program::OsaScript(path) => {
                let mut command = Command::new(path);
                command.args(APPLE_SCRIPT).args([title, body]);
                command
            }
        }
    }
}

fn urgency(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "low",
        Severity::Warning => "normal",
        Severity::Critical => "critical",
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Instant;

    use super::*;
    use crate::notice::{Kind, Notice};

    /// A workspace that nothing lies in.
    const NOWHERE: &str = "/nonexistent";

    /// A `notify-send` that does what `script` says.
    fn desktop(dir: &Path, script: &str) -> Desktop {
        let text = dir.join("text");
        fs::write(&text, format!("#!/bin/sh\n{script}\n")).unwrap();
        // Written by a process of its own: a child that another test starts just then would
        // keep ours open for writing, and what is being written cannot be started.
        let mut install = Command::new("install");
        let installed = install.arg("-m755").arg(text).arg(dir.join("notify-send"));
        assert!(installed.status().unwrap().success());
        Desktop::find(Some(dir.as_os_str()), NOWHERE.as_ref()).unwrap()
    }

    fn message(title: &str, body: &str) -> Message {
        let mut notice = Notice::new(Kind::Tripped, title, 0);
        notice.body = body.into();
        Message::new("msg_1".into(), &notice)
    }

    #[test]
    fn req_000_103_a_notice_reaches_the_desktop_as_arguments() {
        let dir = tempfile::tempdir().unwrap();
        let seen = dir.path().join("seen");
        let script = format!("printf '%s|' \"$@\" > '{}'", seen.display());
        let hostile = message("-x $(touch /tmp/no) `id`", "<b>--help; rm -rf</b>\n'\"");
        desktop(dir.path(), &script).deliver(&hostile).unwrap();
        assert_eq!(
            fs::read_to_string(seen).unwrap(),
            "--app-name=fusebox|--urgency=critical|--|fusebox: -x $(touch /tmp/no) `id`|\
             &lt;b&gt;--help; rm -rf&lt;/b&gt;\n'\"|"
        );
    }

    #[test]
    fn a_program_that_fails_or_hangs_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let failing = desktop(dir.path(), "exit 1").deliver(&message("a", ""));
        assert!(matches!(failing, Err(Failure::Final { why }) if why.contains("exit status: 1")));

        let mut hanging = desktop(dir.path(), "exec sleep 60");
        hanging.patience = Duration::from_millis(200);
        let start = Instant::now();
        let ended = hanging.deliver(&message("a", ""));
        assert!(matches!(ended, Err(Failure::Final { why }) if why.contains("did not answer")));
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_program_in_the_workspace_is_the_agents() {
        let dir = tempfile::tempdir().unwrap();
        desktop(dir.path(), "exit 0");
        let found = Desktop::find(Some(dir.path().as_os_str()), dir.path());
        assert!(found.is_err(), "{found:?}");
        // Nor is one that is only led to from elsewhere.
        let elsewhere = tempfile::tempdir().unwrap();
        let link = elsewhere.path().join("notify-send");
        std::os::unix::fs::symlink(dir.path().join("notify-send"), link).unwrap();
        let found = Desktop::find(Some(elsewhere.path().as_os_str()), dir.path());
        assert!(found.is_err(), "{found:?}");
    }

    #[test]
    fn a_missing_program_is_not_available() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("notify-send"), "not executable").unwrap();
        for search in [None, Some(dir.path().as_os_str()), Some(OsStr::new("."))] {
            let error = Desktop::find(search, NOWHERE.as_ref())
                .unwrap_err()
                .to_string();
            assert!(
                error.starts_with("desktop notifications not available: `"),
                "{error}"
            );
        }
    }
}
