//! Files that a person asked for by name: `--output`, `--plot`, `--html`. One rule for all of
//! them, which is that of [`fusebox_files::deliver`](mod@fusebox_files::deliver).

use std::path::Path;

use fusebox_files::deliver;
use rustix::fs::Mode;

use crate::exit;
use crate::failure::{Failure, TO_MAKE_ROOM, is_full};
use crate::speech::shown;

/// Who may read a file that was not there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Whoever runs this, alone.
    Owner,
    /// Everybody, as far as the mask of whoever runs this lets them.
    All,
}

impl Readers {
    fn mode(self) -> Mode {
        match self {
            Self::Owner => Mode::from(0o600),
            Self::All => Mode::from(0o644),
        }
    }
}

/// Writes `text` there, whole or not at all.
pub(crate) fn write(path: &Path, readers: Readers, text: &str) -> Result<(), Failure> {
    deliver(path, readers.mode(), text.as_bytes()).map_err(|error| {
        let what = format!("cannot write {}: {error}", shown(path));
        let failure = Failure::new(exit::MISSING, what);
        match is_full(&error) {
            true => failure.hint(TO_MAKE_ROOM),
            false => failure,
        }
    })
}
