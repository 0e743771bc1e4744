//! What can really be enforced here: tried, not guessed.

use std::fmt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{WALLS_WORD, Walls};
use crate::process::own_program;

/// What walls there can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Level {
    /// Walls that the command cannot take down.
    Walls,
    /// None, and why.
    Nothing(String),
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Walls => formatter.write_str(
                "mount namespace: frozen paths are read-only, protected files cannot be deleted, fusebox state is hidden",
            ),
            Self::Nothing(why) => {
                write!(formatter, "none; losses are only detected and undone: {why}")
            }
        }
    }
}

/// What walls a command of this user can have. Tries it on this program's own file,
/// in a process of its own.
#[must_use]
pub fn level() -> Level {
    let own = std::env::current_exe().ok();
    level_of(&Walls {
        frozen: own.clone().into_iter().collect(),
        kept: own
            .and_then(|own| own.parent().map(PathBuf::from))
            .into_iter()
            .collect(),
        hidden: Vec::new(),
    })
}

/// Whether exactly these walls can be raised.
fn level_of(walls: &Walls) -> Level {
    let tried = Command::new(own_program())
        .arg(WALLS_WORD)
        .args(walls.to_args())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output();
    match tried {
        Ok(output) if output.status.success() => Level::Walls,
        Ok(output) => Level::Nothing(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        Err(error) => Level::Nothing(error.to_string()),
    }
}
