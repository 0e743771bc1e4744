//! The artifacts of an iteration inside the work tree, where the tools of some
//! ways of working look for them.
//!
//! The work tree is the agent's: no link in it is followed.

use std::io;
use std::path::Path;

use fusebox_core::circuit::Row;
use fusebox_files::beneath::{self, Missing};
use fusebox_files::regular::{self, Links};
use fusebox_files::replace::{Permissions, fill_at};
use fusebox_seeds::cub::error_history;
use rustix::fs::Mode;

use crate::projection::place::replace;
use crate::text_file::read_beneath;

/// A longer history of errors was not written here.
const HISTORY_BYTES: u64 = 4 << 20;

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
    let path = Path::new(place)
        .join(session)
        .join("iterations")
        .join(iteration.to_string());
    let directory = beneath::directory(beneath::root(root)?, &path, Missing::IsMade)?;
    for name in FILES {
        let Ok(mut source) = regular::open(&from.join(name), Links::Refuse) else {
            continue;
        };
        // Whole or not at all: somebody else's tools read it.
        fill_at(
            &directory,
            name,
            Permissions::New(Mode::from(0o644)),
            |mut target| io::copy(&mut source, &mut target).map(drop),
        )?;
    }
    Ok(())
}

/// Adds the errors of an iteration to `<root>/<place>/<session>/error_history.json`.
pub(super) fn keep_errors(root: &Path, place: &str, session: &str, row: &Row) -> io::Result<()> {
    let path = Path::new(place).join(session).join("error_history.json");
    let found = read_beneath(root, &path, HISTORY_BYTES).map_err(io::Error::other)?;
    match error_history(found.as_deref(), row) {
        Some(text) => replace(root, &path, text.as_bytes()),
        None => Ok(()),
    }
}
