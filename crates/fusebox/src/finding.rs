//! Something that was looked at: one line, how it stands, and what to do about it.

use fusebox_view::escape;
use serde::Serialize;

use crate::exit;

/// The most that is shown of what was found, which may name two paths.
const WIDTH: usize = 480;
/// The most that is shown of what to do about it. It has room of its own: however long
/// the paths are, it is not what is cut off.
const FIX_WIDTH: usize = 240;

/// How a finding stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Fine,
    Doubtful,
    Broken,
}

/// One line.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    pub(crate) about: &'static str,
    pub(crate) what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fix: Option<String>,
    /// The exit code that it stands for, where it is broken.
    #[serde(skip)]
    pub(crate) code: u8,
}

impl Finding {
    pub(crate) fn fine(about: &'static str, what: impl Into<String>) -> Self {
        Self {
            level: Level::Fine,
            about,
            what: what.into(),
            fix: None,
            code: exit::GO,
        }
    }

    pub(crate) fn doubtful(
        about: &'static str,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Doubtful,
            fix: Some(fix.into()),
            ..Self::fine(about, what)
        }
    }

    pub(crate) fn broken(
        about: &'static str,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Broken,
            code: exit::MISSING,
            ..Self::doubtful(about, what, fix)
        }
    }

    /// The same, standing for another exit code than that something is missing.
    pub(crate) fn with_code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    pub(crate) fn line(&self) -> String {
        let mark = match self.level {
            Level::Fine => "✓",
            Level::Doubtful => "!",
            Level::Broken => "✗",
        };
        let fix = self.fix.as_ref();
        let fix = fix.map_or_else(String::new, |fix| {
            format!(" — {}", escape::line(fix, FIX_WIDTH))
        });
        let what = escape::line(&self.what, WIDTH);
        format!("{mark} {:<9} {what}{fix}", self.about)
    }
}
