//! What a look found, what was done about it, and what could not be.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// How something protected was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// It is not there.
    Missing,
    /// It is not there, but the same file has another name now, below the root.
    Renamed(PathBuf),
    /// It was a file with content and has none.
    Emptied,
    /// Something else is there: other content where none was allowed, a link, a directory,
    /// or a file that cannot be read.
    Replaced,
    /// It was updated by somebody who may, to something that cannot be copied. No plan and no
    /// specification is that large; what is there now is moved aside.
    Outgrown(Why),
    /// What reads it cannot read it any more, for this reason.
    Broken(String),
}

impl How {
    /// Whether it is gone from its place, which halts at once; anything else is counted.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing | Self::Renamed(_))
    }
}

impl fmt::Display for How {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => formatter.write_str("was deleted"),
            Self::Renamed(to) => write!(formatter, "was renamed to {}", to.display()),
            Self::Emptied => formatter.write_str("was emptied"),
            Self::Replaced => formatter.write_str("was replaced"),
            Self::Outgrown(why) => write!(
                formatter,
                "was replaced by something that cannot be kept ({why})"
            ),
            Self::Broken(why) => write!(formatter, "was broken: {why}"),
        }
    }
}

/// Something protected that was lost. Paths are relative to the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// What.
    pub path: PathBuf,
    /// How.
    pub how: How,
    /// Whether it is back; if not, why not. `None` where nobody tried.
    pub restored: Option<Result<(), String>>,
}

/// What became of something protected without its being lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It holds something else.
    Updated,
    /// It was not there before.
    Appeared,
    /// A person took it away.
    Removed,
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Updated => "was updated",
            Self::Appeared => "is new",
            Self::Removed => "was removed",
        })
    }
}

/// Something protected that was changed, as it may be. Paths are relative to the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// What.
    pub path: PathBuf,
    /// How.
    pub change: Change,
}

/// Why something protected is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It is larger than what is copied of one file.
    TooLarge,
    /// All copies together would be more than is kept.
    NoRoom,
    /// There are more files than are kept.
    TooMany,
    /// It cannot be read.
    Unreadable,
    /// It is no file, link or directory.
    Special,
}

impl fmt::Display for Why {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::TooLarge => "it is too large",
            Self::NoRoom => "there is no room for more",
            Self::TooMany => "there are too many",
            Self::Unreadable => "it cannot be read",
            Self::Special => "it is no file, link or directory",
        })
    }
}

/// Something protected of which there is no copy, so that it cannot be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What, relative to the root.
    pub path: PathBuf,
    /// Why.
    pub why: Why,
}

/// What came of taking copies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How many files, links and directories are kept now.
    pub kept: usize,
    /// How many bytes their content has.
    pub bytes: u64,
    /// What is different from the copies that were there before.
    pub changed: Vec<Changed>,
    /// What is not kept.
    pub left_out: Vec<LeftOut>,
}

/// What came of a look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What was lost, directories before what lies beneath them.
    pub lost: Vec<Lost>,
    /// What was changed, as it may be.
    pub changed: Vec<Changed>,
    /// What is newly there and not kept.
    pub left_out: Vec<LeftOut>,
}

impl Report {
    /// What two looks have found, one after the other.
    #[must_use]
    pub fn and(mut self, later: Self) -> Self {
        self.lost.extend(later.lost);
        self.changed.extend(later.changed);
        self.left_out.extend(later.left_out);
        self
    }

    /// How many are gone from their places.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.lost
            .iter()
            .filter(|lost| lost.how.is_missing())
            .count()
    }

    /// How many were emptied or replaced.
    #[must_use]
    pub fn replaced(&self) -> usize {
        self.lost.len() - self.missing()
    }

    /// Whether everything that was lost is back.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.lost.iter().all(|lost| lost.restored == Some(Ok(())))
    }
}

/// Why there was no look at all.
#[derive(Debug, Error)]
pub enum KeepError {
    /// The protected files cannot be reached.
    #[error("cannot enter {path}: {error}", path = path.display())]
    Root {
        /// The root.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The copies cannot be written or read.
    #[error("cannot keep copies in {path}: {error}", path = path.display())]
    Vault {
        /// The directory or file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The list of the copies is not as it was written, or gone.
    #[error("{path} is damaged: it is gone, or not as it was written", path = path.display())]
    Damaged {
        /// The list.
        path: PathBuf,
    },
}
