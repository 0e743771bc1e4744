//! A command of the user's own: whatever carries notices to where they look.
//!
//! It gets the notice as one JSON object on standard input, the same that a webhook
//! gets, and nothing of it on its command line, where a shell or an option could take
//! it for something else. It runs in the root directory, not in the agent's.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::Duration;

use crate::failure::{Failure, Unavailable};
use crate::message::Message;
use crate::process::{find, is_executable, succeed};
use crate::webhook;

/// A command that takes longer than this is ended.
const PATIENCE: Duration = Duration::from_secs(10);

/// A command of the user's own.
#[derive(Clone, Debug)]
pub struct Command {
    program: PathBuf,
    arguments: Vec<String>,
}

impl Command {
    /// A program by its absolute path, or by its name in `search_path`, the value of
    /// `PATH`, outside of the agent's `workspace`; the rest are its arguments.
    ///
    /// # Errors
    /// When there is no such program.
    pub fn find(
        words: &[String],
        search_path: Option<&OsStr>,
        workspace: &Path,
    ) -> Result<Self, Unavailable> {
        let unavailable = |why: String| Unavailable {
            sink: "the command for notifications",
            why,
        };
        let Some((name, arguments)) = words.split_first() else {
            return Err(unavailable("it is empty".into()));
        };
        let path = Path::new(name);
        let program = match path.is_absolute() {
            true => Some(path.to_owned()).filter(|path| is_executable(path)),
            false if name.contains('/') => None,
            false => find(name, search_path, workspace),
        };
        let program = program.ok_or_else(|| {
            unavailable(format!(
                "`{name}` is neither an absolute path of a program nor a name in PATH"
            ))
        })?;
        Ok(Self {
            program,
            arguments: arguments.to_vec(),
        })
    }

    /// The program's name, for people.
    pub(crate) fn name(&self) -> String {
        let name = self.program.file_name().unwrap_or_default();
        format!("command {}", name.to_string_lossy())
    }

    pub(crate) fn deliver(&self, message: &Message) -> Result<(), Failure> {
        let mut child = process::Command::new(&self.program)
            .args(&self.arguments)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| Failure::lasting(format!("cannot start it: {error}")))?;
        // A command that does not care what happened may well not read it. A notice is
        // shorter than what a pipe holds, so nobody is waited for here.
        if let Some(mut input) = child.stdin.take() {
            let _ = input.write_all(webhook::body(message).as_bytes());
        }
        succeed(child, PATIENCE)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::notice::{Kind, Notice};

    /// A workspace that nothing lies in.
    const NOWHERE: &str = "/nonexistent";

    /// A script in a file of its own may be open for writing in a child that another test
    /// starts just then, and is busy; so the shell gets it as a word.
    fn shell(script: &str, words: &[&str]) -> Vec<String> {
        let mut all = vec!["/bin/sh", "-c", script, "tell"];
        all.extend(words);
        all.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn a_notice_is_data_on_standard_input_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let seen = dir.path().join("seen");
        let text = format!(
            "{{ pwd; printf '%s|' \"$@\"; cat; }} > '{}'",
            seen.display()
        );
        let words = shell(&text, &["--to", "$(id)"]);
        let mut notice = Notice::new(Kind::Tripped, "-x $(touch /tmp/no)", 0);
        notice.reason = Some("`rm -rf /`".into());
        let message = Message::new("msg_1".into(), &notice);
        let command = Command::find(&words, None, NOWHERE.as_ref()).unwrap();
        command.deliver(&message).unwrap();
        let seen = fs::read_to_string(seen).unwrap();
        let (place, object) = seen.split_once("\n--to|$(id)|").unwrap();
        let object: serde_json::Value = serde_json::from_str(object).unwrap();
        assert_eq!(place, "/");
        assert_eq!(
            (&object["type"], &object["title"], &object["reason"]),
            (
                &"circuit.opened".into(),
                &"-x $(touch /tmp/no)".into(),
                &"`rm -rf /`".into()
            )
        );
    }

    #[test]
    fn what_is_no_program_or_fails_is_reported() {
        for words in [&[][..], &["/nonexistent"], &["./tell"], &["nonexistent"]] {
            let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
            assert!(
                Command::find(&words, Some(OsStr::new("/bin")), NOWHERE.as_ref()).is_err(),
                "{words:?}"
            );
        }
        let command = Command::find(&shell("exit 7", &[]), None, NOWHERE.as_ref()).unwrap();
        let message = Message::new("msg_1".into(), &Notice::new(Kind::Test, "a", 0));
        let failed = command.deliver(&message);
        assert!(matches!(failed, Err(Failure::Final { why }) if why.contains("exit status: 7")));
    }
}
