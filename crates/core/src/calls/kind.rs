//! What kinds of calls there are, from the names that agents give their tools.

use serde::{Deserialize, Serialize};

/// What a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// Looks at one file or directory.
    Read,
    /// Looks for something.
    Search,
    /// Changes a file.
    Edit,
    /// Runs a command.
    Shell,
    /// Waits for something that is under way, or asks how far it is.
    Wait,
    /// Keeps a list of what there is to do.
    Plan,
    /// Says that the work is done.
    Finish,
    /// Anything else.
    Other,
}

/// Names of tools, in lower case without `_` and `-`.
const TOOLS: [(CallKind, &[&str]); 7] = [
    (
        CallKind::Shell,
        &[
            "bash",
            "executebash",
            "shell",
            "localshell",
            "runshellcommand",
            "execcommand",
            "commandexecution",
            "terminal",
            "runterminalcmd",
            "exec",
        ],
    ),
    (
        CallKind::Read,
        &[
            "read",
            "readfile",
            "readmanyfiles",
            "view",
            "open",
            "ls",
            "listdirectory",
            "list",
            "notebookread",
        ],
    ),
    (
        CallKind::Search,
        &[
            "grep",
            "glob",
            "search",
            "searchfilecontent",
            "codebasesearch",
            "websearch",
            "webfetch",
            "findfile",
            "searchdir",
            "searchfile",
        ],
    ),
    (
        CallKind::Edit,
        &[
            "edit",
            "multiedit",
            "write",
            "writefile",
            "create",
            "replace",
            "applypatch",
            "patch",
            "filechange",
            "strreplace",
            "insert",
            "undoedit",
            "notebookedit",
            "editfile",
        ],
    ),
    (
        CallKind::Wait,
        &[
            "bashoutput",
            "taskoutput",
            "wait",
            "readoutput",
            "writestdin",
            "killshell",
        ],
    ),
    (
        CallKind::Plan,
        &[
            "todowrite",
            "todoread",
            "updateplan",
            "writetodos",
            "taskcreate",
            "taskupdate",
            "tasklist",
            "taskget",
        ],
    ),
    (
        CallKind::Finish,
        &["finish", "submit", "attemptcompletion", "complete"],
    ),
];

/// Editors that have one tool for everything, and a command for what to do.
const EDITORS: [&str; 3] = ["strreplaceeditor", "strreplacebasededittool", "texteditor"];

impl CallKind {
    /// Whether it only looks, waits or keeps lists: repeating it costs little and
    /// says little.
    #[must_use]
    pub fn is_look(self) -> bool {
        !matches!(self, Self::Edit | Self::Shell | Self::Other)
    }

    /// Its place in a set of kinds.
    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }

    /// What a call of `tool` is for. `command` is the argument of that name.
    #[must_use]
    pub fn of(tool: &str, command: Option<&str>) -> Self {
        let name = plain(tool);
        if EDITORS.contains(&name.as_str()) {
            return Self::named(&plain(command.unwrap_or_default()));
        }
        match Self::named(&name) {
            Self::Shell if command.is_some_and(only_waits) => Self::Wait,
            kind => kind,
        }
    }

    fn named(name: &str) -> Self {
        let known = TOOLS.iter().find(|(_, names)| names.contains(&name));
        known.map_or(Self::Other, |(kind, _)| *kind)
    }
}

/// Whether a command does nothing but let time pass.
fn only_waits(command: &str) -> bool {
    let mut words = command.split_whitespace();
    words.next() == Some("sleep") && words.next().is_some() && words.next().is_none()
}

/// Commands that write files, as they stand in a line of a shell.
const WRITERS: [&str; 7] = [
    "sed -i",
    "tee ",
    "apply_patch",
    "patch -p",
    "git apply",
    "git commit",
    "git am",
];

/// Whether a command writes to a file, as far as can be told from its words. It
/// need not be exact: it says whether a session has something to lose.
pub(super) fn writes(command: &str) -> bool {
    WRITERS.iter().any(|writer| command.contains(writer)) || redirects(command)
}

/// Whether output goes to a file: `> file` or `>> file`, not `2>&1`, not
/// `> /dev/null`, and not the arrow or comparison of a program.
fn redirects(command: &str) -> bool {
    command.match_indices('>').any(|(at, _)| {
        let before = command[..at].chars().next_back();
        let after = command[at + 1..].trim_start_matches('>').trim_start();
        let opens = before.is_none_or(char::is_whitespace);
        let file = after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_'));
        opens && file && !after.starts_with("/dev/")
    })
}

fn plain(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '_' | '-'));
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_write() {
        for (command, expected) in [
            ("cat > a.py <<'EOF'\nx\nEOF", true),
            ("echo x >> notes.md", true),
            ("sed -i s/a/b/ f", true),
            ("git commit -am x", true),
            ("make 2>&1 | tail", false),
            ("make > /dev/null", false),
            ("grep -n '=>' a.js", false),
            ("python -c 'print(3 >2)'", true),
            ("ls", false),
        ] {
            assert_eq!(writes(command), expected, "{command}");
        }
    }

    #[test]
    fn tools_are_known_by_many_names() {
        for (tool, command, kind) in [
            ("Bash", Some("make"), CallKind::Shell),
            ("execute_bash", None, CallKind::Shell),
            ("Bash", Some("sleep 5"), CallKind::Wait),
            ("Bash", Some("sleep 5 && make"), CallKind::Shell),
            ("str_replace_editor", Some("view"), CallKind::Read),
            ("str_replace_editor", Some("undo_edit"), CallKind::Edit),
            ("str_replace_editor", None, CallKind::Other),
            ("apply_patch", None, CallKind::Edit),
            ("TodoWrite", None, CallKind::Plan),
            ("mcp__linear__list_issues", None, CallKind::Other),
            ("finish", None, CallKind::Finish),
        ] {
            assert_eq!(CallKind::of(tool, command), kind, "{tool} {command:?}");
        }
    }
}
