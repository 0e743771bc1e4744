//! Whether anything could be written down, told without writing it.
//!
//! What cannot be remembered is not granted, so whoever only looks must not say yes where the
//! next step would be refused.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access, statvfs};
use rustix::process::geteuid;

use crate::exit;
use crate::failure::{Failure, NOT_OURS_TO_WRITE, TO_MAKE_ROOM, is_full};
use crate::session::Session;
use crate::speech::shown;

/// Why the next record of a circuit could not be written, if that can be told.
pub(crate) fn refused(session: &Session) -> Option<Failure> {
    let place = session.store.location();
    let directories = [
        Some(place.workspace_dir.as_path()),
        Some(place.dir.as_path()),
        place.head_file.parent(),
    ];
    let files = [place.dir.join("log"), place.dir.join("slots")];
    let files = files.iter().map(PathBuf::as_path);
    let files = files.chain([place.head_file.as_path()]);
    let files = files.filter(|path| path.exists());
    let directories = directories.into_iter().flatten();
    let mut wrong = directories
        .filter_map(|path| {
            let nearest = nearest(path)?;
            Some((nearest.to_owned(), room(nearest).err()?))
        })
        .chain(files.filter_map(|path| {
            let denied = access(path, Access::READ_OK | Access::WRITE_OK).err()?;
            Some((path.to_owned(), denied.into()))
        }));
    wrong.next().map(|(path, why)| unwritable(&path, &why))
}

/// The same for a directory that may not be there yet, by trying: what is made is removed
/// again.
pub(crate) fn tried(directory: &Path) -> Result<(), Failure> {
    let within = nearest(directory).unwrap_or(directory);
    let name = format!(".fusebox-try-{}", std::process::id());
    let path = within.join(name);
    let made = room(within).and_then(|()| {
        let mut new = OpenOptions::new();
        let mut file = new.write(true).create_new(true).open(&path)?;
        let written = file.write_all(&[0; 4096]).and_then(|()| file.sync_all());
        let removed = fs::remove_file(&path);
        written.and(removed)
    });
    made.map_err(|why| unwritable(within, &why))
}

/// What is not there yet is made in the nearest directory that is.
fn nearest(path: &Path) -> Option<&Path> {
    path.ancestors().find(|path| path.exists())
}

/// Whether a file could be made in a directory.
fn room(directory: &Path) -> io::Result<()> {
    if !directory.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    access(directory, Access::WRITE_OK | Access::EXEC_OK)?;
    let left = statvfs(directory)?;
    // A part is put aside for root.
    let (blocks, names) = match geteuid().is_root() {
        true => (left.f_bfree, left.f_ffree),
        false => (left.f_bavail, left.f_favail),
    };
    // Some file systems do not count, and say so by having none at all.
    let no_blocks = left.f_blocks > 0 && blocks == 0;
    let no_names = left.f_files > 0 && names == 0;
    match no_blocks || no_names {
        true => Err(io::ErrorKind::StorageFull.into()),
        false => Ok(()),
    }
}

fn unwritable(path: &Path, why: &io::Error) -> Failure {
    let what = format!("nothing can be written down: {}: {why}", shown(path));
    Failure::new(exit::STATE, what).hint(match is_full(why) {
        true => TO_MAKE_ROOM,
        false => NOT_OURS_TO_WRITE,
    })
}
