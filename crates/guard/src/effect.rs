//! What a command would do to a path.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::text::OTHER_FILE;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It is gone afterwards.
    Delete,
    /// Its content is replaced.
    Overwrite,
    /// It is emptied or cut.
    Truncate,
    /// It has another name afterwards.
    Rename,
    /// Something is added at its end.
    Append,
    /// It is edited in place by a tool made for that.
    Edit,
    /// Its permissions or owner change.
    ChangeMode,
    /// Something that was not understood, and that could be any of these.
    Unknown,
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Delete => "delete",
            Self::Overwrite => "overwrite",
            Self::Truncate => "truncate",
            Self::Rename => "rename",
            Self::Append => "append to",
            Self::Edit => "edit",
            Self::ChangeMode => "change the mode of",
            Self::Unknown => "do something unknown to",
        })
    }
}

/// What it is done to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// One path, resolved.
    Path(PathBuf),
    /// A path and everything beneath it.
    Tree(PathBuf),
    /// Any path that fits: parts of the name are not known.
    Like(Pattern),
}

impl Target {
    /// The path itself, where it is known and does not only stand for files that were not
    /// looked at.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) | Self::Tree(path) => {
                Some(&**path).filter(|path| path.as_os_str() != OTHER_FILE)
            }
            Self::Like(_) => None,
        }
    }

    /// Whether it may be this path, or everything beneath one above it.
    pub(crate) fn reaches(&self, path: &Path) -> bool {
        match self {
            Self::Path(own) => own == path,
            Self::Tree(above) => path.starts_with(above),
            Self::Like(pattern) => pattern.could_be(&path.to_string_lossy()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) | Self::Tree(path) if path.as_os_str() == OTHER_FILE => {
                formatter.write_str("other files")
            }
            Self::Path(path) => write!(formatter, "{}", path.display()),
            Self::Tree(path) => write!(formatter, "{} and all beneath", path.display()),
            Self::Like(pattern) => write!(formatter, "{pattern}"),
        }
    }
}

/// An absolute path of which parts are unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern(Vec<Option<String>>);

impl Pattern {
    /// Any path at all.
    #[must_use]
    pub fn anything() -> Self {
        Self(vec![None])
    }

    pub(crate) fn push_known(&mut self, text: &str) {
        match self.0.last_mut() {
            Some(Some(last)) => last.push_str(text),
            _ => self.0.push(Some(text.to_owned())),
        }
    }

    pub(crate) fn push_unknown(&mut self) {
        if self.0.last() != Some(&None) {
            self.0.push(None);
        }
    }

    /// Whether the path could be meant, or, with everything beneath, a directory above it.
    pub(crate) fn could_be(&self, path: &str) -> bool {
        let glob: String = self
            .0
            .iter()
            .map(|part| match part {
                None => "*".to_owned(),
                Some(text) => text
                    .chars()
                    .flat_map(|c| [Some('\\').filter(|_| "*?[\\".contains(c)), Some(c)])
                    .flatten()
                    .collect(),
            })
            .collect();
        let glob = without_dots(&glob);
        crate::glob::matches(glob.trim_end_matches('/'), path)
    }
}

/// The wildcard without `.` and `..`. What is above something unknown is unknown as well.
fn without_dots(glob: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in glob.split('/') {
        match name {
            "." => {}
            ".." => go_up(&mut names),
            name => names.push(name.to_owned()),
        }
    }
    names.join("/")
}

fn go_up(names: &mut Vec<String>) {
    let is_top = matches!(names.as_slice(), [root] if root.is_empty());
    let left = if is_top { None } else { names.pop() };
    if left.is_some_and(|left| left.contains('*')) {
        // It may have been several names, or one that leads elsewhere.
        match names.last_mut() {
            Some(above) => above.push('*'),
            None => names.push("*".to_owned()),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in &self.0 {
            formatter.write_str(part.as_deref().unwrap_or("…"))?;
        }
        Ok(())
    }
}

/// One thing that a command would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What is done.
    pub action: Action,
    /// To what.
    pub target: Target,
    /// By which command, as far as it is known.
    pub by: String,
    /// Whether the path may be the beginning or a part of the one that is meant, as strings in
    /// code often are.
    pub is_guess: bool,
}
