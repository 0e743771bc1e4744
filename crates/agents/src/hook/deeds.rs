//! What a tool would do, as far as that concerns files.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::{emptying, tool_names};

/// How many paths of one call are looked at. Whoever names more in one call is judged by the
/// first of them, and by what is left of the files afterwards.
const MOST_DEEDS: usize = 256;

/// Something that a tool would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Run a command.
    Shell {
        /// As the shell would get it.
        command: String,
        /// Where, if the call says so.
        directory: Option<PathBuf>,
    },
    /// Touch a file.
    Write {
        /// As the call names it.
        path: PathBuf,
        /// In which way.
        touch: Touch,
    },
    /// Apply a patch in the format of `apply_patch`.
    Patch {
        /// The whole of it.
        text: String,
        /// Where its paths begin, if the call says so.
        directory: Option<PathBuf>,
    },
}

/// In which way a file is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// What it holds is changed or replaced.
    Update,
    /// Everything is taken out of it, if it holds at most so many bytes.
    Empty(u64),
    /// It is removed.
    Delete,
    /// It gets another name.
    Rename,
    /// The name of the tool does not tell.
    Unknown,
}

/// What is known of a tool by its name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tool {
    /// It runs the command in `command`.
    Shell,
    /// It touches the file that one of the usual keys names.
    File(Touch),
    /// Its argument is a patch, in one of these keys, or is one itself.
    Patch,
    /// It changes no file.
    Harmless,
}

/// The tools of an agent.
pub(crate) type Known = &'static [(&'static str, Tool)];

pub(super) const COMMANDS: [&str; 3] = ["command", "cmd", "script"];
const DIRECTORIES: [&str; 6] = [
    "workdir",
    "directory",
    "dir_path",
    "cwd",
    "working_directory",
    "dir",
];
const PATHS: [&str; 7] = [
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "target_file",
    "absolute_path",
    "target_notebook",
];
const PATCHES: [&str; 5] = ["command", "input", "patchText", "patch", "diff"];

/// What a call would do. A tool that an agent does not have of its own was added by somebody,
/// and is judged by what its name and its arguments look like.
pub(crate) fn of(known: Known, tool: &str, arguments: &Value) -> Vec<Deed> {
    let kind = known.iter().find(|(name, _)| *name == tool);
    let empty = Map::new();
    let named = arguments.as_object().unwrap_or(&empty);
    let mut deeds = match kind {
        Some((_, Tool::Harmless)) => Vec::new(),
        Some((_, Tool::Shell)) => shell(named).into_iter().collect(),
        Some((_, Tool::File(touch))) => {
            let path = first_of(named, &PATHS);
            let touch = emptying::touch(*touch, emptying::of(named, true));
            let write = |path: String| Deed::Write {
                path: path.into(),
                touch,
            };
            path.map(write).into_iter().collect()
        }
        Some((_, Tool::Patch)) => patch(arguments, named).into_iter().collect(),
        None => tool_names::deeds(tool, named),
    };
    deeds.truncate(MOST_DEEDS);
    deeds
}

/// Whether the agent has a tool of that name which can change files.
pub(crate) fn can_change_files(known: Known, tool: &str) -> bool {
    let kind = known.iter().find(|(name, _)| *name == tool);
    kind.is_some_and(|(_, kind)| !matches!(kind, Tool::Harmless))
}

/// Whether the agent has a tool of that name which changes no file, whatever it is given.
pub(crate) fn is_harmless(known: Known, tool: &str) -> bool {
    let kind = known.iter().find(|(name, _)| *name == tool);
    kind.is_some_and(|(_, kind)| matches!(kind, Tool::Harmless))
}

/// The command of a call, which some agents hand over as a list of words.
fn shell(named: &Map<String, Value>) -> Option<Deed> {
    let command = COMMANDS.iter().find_map(|key| match named.get(*key)? {
        Value::String(command) => Some(command.clone()),
        Value::Array(words) => Some(joined(words)),
        _ => None,
    })?;
    Some(command_in(command, named))
}

/// A command that is run where its call says.
pub(super) fn command_in(command: String, named: &Map<String, Value>) -> Deed {
    let directory = first_of(named, &DIRECTORIES).map(PathBuf::from);
    Deed::Shell { command, directory }
}

/// A list of words as a shell reads it back.
pub(super) fn joined(words: &[Value]) -> String {
    let words = words.iter().filter_map(Value::as_str);
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

fn patch(arguments: &Value, named: &Map<String, Value>) -> Option<Deed> {
    let text = arguments.as_str().map(str::to_owned);
    let text = text.or_else(|| first_of(named, &PATCHES))?;
    Some(patch_in(text, named))
}

/// A patch whose paths begin where its call says.
pub(super) fn patch_in(text: String, named: &Map<String, Value>) -> Deed {
    let directory = first_of(named, &DIRECTORIES).map(PathBuf::from);
    Deed::Patch { text, directory }
}

fn first_of(named: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    let text = |key: &&str| named.get(*key)?.as_str().map(str::to_owned);
    keys.iter().find_map(text)
}

/// A word as a shell reads it back.
pub(super) fn quoted(word: &str) -> String {
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words of a line that was put together with `quoted`. Any other line may be more to a
/// shell than one program and its arguments, and has none.
pub(super) fn unquoted(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut is_inside = false;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => is_inside = !is_inside,
            _ if is_inside => word.push(letter),
            ' ' => words.push(std::mem::take(&mut word)),
            '\\' => word.push(letters.next().filter(|&next| next == '\'')?),
            _ if is_plain(letter) => word.push(letter),
            _ => return None,
        }
    }
    words.push(word);
    (!is_inside).then_some(words)
}

/// Whether a shell takes it for itself, wherever it stands.
fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "/._-+=:,@%".contains(letter)
}
