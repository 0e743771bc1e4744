//! There are no walls here: macOS gives a user's programs no namespaces.

use std::io;

use thiserror::Error;

use super::Walls;

/// What it would take to have walls where there are none.
pub const NEEDED: &str = "walls are made of namespaces, which Linux has; here losses are undone";

/// A wall that could not be raised.
#[derive(Debug, Error)]
#[error("{error}")]
pub(crate) struct Unraised {
    pub(crate) error: io::Error,
}

/// Refuses: whoever asks for walls must not run without them.
pub(crate) fn enter(_: &Walls) -> Result<(), Unraised> {
    let why = "macOS has no mount namespaces";
    Err(Unraised {
        error: io::Error::new(io::ErrorKind::Unsupported, why),
    })
}
