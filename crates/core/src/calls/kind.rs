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

fn plain(name: &str) -> String {
    let kept = name.chars().filter(|c| !matches!(c, '_' | '-'));
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
