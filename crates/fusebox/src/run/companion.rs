//! The artifacts of an iteration inside the work tree, where the tools of some
//! ways of working look for them.
//!
//! The work tree is the agent's: no link in it is followed.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use fusebox_core::circuit::Row;
use fusebox_files::beneath::{self, Missing};
use fusebox_files::regular::{self, Links};
use fusebox_files::replace::{Permissions, fill_through};
use fusebox_seeds::cub::error_history;
use rustix::fs::Mode;

use crate::text_file::read_beneath;

const HISTORY: &str = "error_history.json";
/// A longer history of errors was not written here.
const HISTORY_BYTES: u64 = 4 << 20;

const EVERYBODYS: Permissions = Permissions::New(Mode::from_bits_retain(0o644));

/// What is handed on.
const FILES: [&str; 4] = [
    "changes.patch",
    "errors.json",
    "metrics.json",
    "completion_signals.json",
];

/// Copies the artifacts in `from` to `<root>/<place>/<session>/iterations/<n>/`.
pub(super) fn publish(
    root: &Path,
    place: &str,
    session: &str,
    iteration: u64,
    from: &Path,
) -> io::Result<()> {
    let root = beneath::root(root)?;
    let drafts = beneath::directory(&root, Path::new(place), Missing::IsMade)?;
    let below = Path::new(session).join("iterations");
    let below = below.join(iteration.to_string());
    let directory = beneath::directory(&drafts, &below, Missing::IsMade)?;
    for name in FILES {
        let Ok(mut source) = regular::open(&from.join(name), Links::Refuse) else {
            continue;
        };
        // Whole or not at all: somebody else's tools read it.
        let copy = |mut target: &File| io::copy(&mut source, &mut target).map(drop);
        fill_through(&drafts, &directory, name, EVERYBODYS, copy)?;
    }
    Ok(())
}

/// Adds the errors of an iteration to `<root>/<place>/<session>/error_history.json`.
pub(super) fn keep_errors(root: &Path, place: &str, session: &str, row: &Row) -> io::Result<()> {
    let path = Path::new(place).join(session).join(HISTORY);
    let found = read_beneath(root, &path, HISTORY_BYTES).map_err(io::Error::other)?;
    match error_history(found.as_deref(), row) {
        Some(text) => {
            let drafts =
                beneath::directory(beneath::root(root)?, Path::new(place), Missing::IsMade)?;
            let directory = beneath::directory(&drafts, Path::new(session), Missing::IsMade)?;
            let fill = |mut file: &File| file.write_all(text.as_bytes());
            fill_through(&drafts, &directory, HISTORY, EVERYBODYS, fill).map(drop)
        }
        None => Ok(()),
    }
}
