//! The latch: once found tampered, tampered until a person says otherwise.
//!
//! Bytes that were changed can be changed back, and then nothing would be left
//! to find. So the first finding is written to a marker file, durably and
//! before anything else, and the marker alone makes every later look answer
//! *tampered*. A second marker stands among the heads, so that deleting one is
//! not enough. A copy of what was found is kept for the person who comes to
//! see; the copies are bounded in size and number.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::disk::{self, Access, DiskFile};
use crate::frame::Hash;
use crate::store::Location;
use crate::{Error, Tamper, hex, sealed};

/// How much of a file's end is kept in a copy.
const KEPT_TAIL: u64 = 8 * 1024 * 1024;
/// How many copies are kept; the oldest goes first.
const KEPT_COPIES: u64 = 8;
/// A marker is a few lines; anything longer is not ours and is not read.
const MARKER_READ: usize = 4096;
const INTRODUCTION: &str = "fusebox-tampered 1";

/// Notes the finding and keeps a copy of the files, unless one is noted.
pub(crate) fn latch(location: &Location, tamper: &Tamper, at_ms: u64) -> Result<(), Error> {
    if mark(location, tamper, at_ms)? {
        let copy = next_copy(location)?;
        for path in [
            location.log_path(),
            location.slots_path(),
            location.head_file.clone(),
        ] {
            copy_tail(&path, &copy)?;
        }
    }
    Ok(())
}

/// Writes the markers and says whether the first is new. That one exists is
/// what counts, from the very first system call: one that is still empty, because
/// it is being written or because of a crash, latches all the same, only without
/// saying why.
pub(crate) fn mark(location: &Location, tamper: &Tamper, at_ms: u64) -> Result<bool, Error> {
    let [first, second] = markers(location);
    let is_new = mark_at(&first, tamper, at_ms);
    // One is enough, so the second is not worth an error.
    let _ = mark_at(&second, tamper, at_ms);
    is_new
}

fn mark_at(path: &Path, tamper: &Tamper, at_ms: u64) -> Result<bool, Error> {
    disk::ensure_directory(disk::parent_of(path))?;
    let Some(file) = DiskFile::create_new(path)? else {
        return Ok(false);
    };
    // The sentence may quote a path, and a path may hold a line break.
    let sentence = tamper.to_string().replace(char::is_control, " ");
    let text = format!("{INTRODUCTION}\n{}\n{at_ms}\n{sentence}\n", tamper.code());
    let written = file
        .write_at(text.as_bytes(), 0)
        .and_then(|()| file.sync_data());
    written.map_err(|error| Error::writing("write", path, error))?;
    disk::sync_directory(disk::parent_of(path))?;
    Ok(true)
}

/// Takes the markers away: the last step of a fresh start.
pub(crate) fn unmark(location: &Location) -> Result<(), Error> {
    for marker in markers(location).iter().rev() {
        disk::remove_if_present(marker)?;
        disk::sync_directory(disk::parent_of(marker))?;
    }
    Ok(())
}

/// Answers with the noted finding, if there is one.
pub(crate) fn refuse_latched(location: &Location) -> Result<(), Error> {
    markers(location).into_iter().try_for_each(refuse_marker)
}

fn refuse_marker(path: PathBuf) -> Result<(), Error> {
    if !disk::exists(&path)? {
        return Ok(());
    }
    // Whatever stands there latches; only what it says may be unreadable.
    let mut bytes = [0; MARKER_READ];
    let len = match DiskFile::open(&path, Access::Read) {
        Ok(Some(file)) => file.read_at(&mut bytes, 0).unwrap_or(0),
        // A fresh start was just finished.
        Ok(None) => return Ok(()),
        Err(_) => 0,
    };
    let text = String::from_utf8_lossy(&bytes[..len]);
    let mut lines = text.lines().skip(1);
    let code = lines.next().unwrap_or("unknown").to_owned();
    let since_ms = lines.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let found = lines.next().unwrap_or("tampering was found").to_owned();
    Err(Tamper::Latched {
        path,
        code,
        found,
        since_ms,
    }
    .into())
}

/// Moves logs and slots, whatever they are by now, out of the way, and copies
/// the head, which may be on another file system.
pub(crate) fn set_aside(location: &Location) -> Result<(), Error> {
    let copy = next_copy(location)?;
    let sealed = sealed::numbers(location)?.into_iter();
    let mut paths = vec![location.log_path(), location.slots_path()];
    paths.extend(sealed.map(|number| sealed::path(location, number)));
    for path in paths {
        if let (true, Some(name)) = (disk::exists(&path)?, path.file_name()) {
            disk::rename(&path, &copy.join(name))?;
        }
    }
    disk::sync_directory(&location.dir)?;
    copy_tail(&location.head_file, &copy)?;
    // A new head can take the place of anything but a directory.
    if fs::symlink_metadata(&location.head_file).is_ok_and(|metadata| metadata.is_dir()) {
        fs::remove_dir_all(&location.head_file)
            .map_err(Error::io("remove", &location.head_file))?;
    }
    Ok(())
}

/// Where a finding is noted. The second name says which state is meant: whoever
/// looks from an environment with another state directory finds their own state
/// missing, and that is not the finding of everybody who shares the heads.
fn markers(location: &Location) -> [PathBuf; 2] {
    let digest: Hash = Sha256::digest(location.dir.as_os_str().as_bytes()).into();
    let name = format!(".tampered-{}", hex::encode(&digest[..16]));
    [
        location.dir.join("tampered"),
        location.heads_dir().join(name),
    ]
}

/// Makes the directory for the next copy and removes those that are too old.
/// Nothing that lies there keeps a person from starting afresh.
fn next_copy(location: &Location) -> Result<PathBuf, Error> {
    let shelf = location.dir.join("quarantine");
    disk::ensure_directory(&shelf)?;
    let entries = fs::read_dir(&shelf).map_err(Error::io("list", &shelf))?;
    let numbers: BTreeSet<u64> = entries
        .filter_map(|entry| number(&entry.ok()?.file_name()))
        .collect();
    let newest = numbers.last().copied().unwrap_or(0);
    let mut unused = (1..).filter(|number| !numbers.contains(number));
    // Nobody has made as many copies as there are numbers: the last one was put there.
    let next = newest.checked_add(1).or_else(|| unused.next()).unwrap_or(1);
    for number in numbers {
        if number.saturating_add(KEPT_COPIES) <= next {
            // What cannot be removed as one is no copy of ours.
            let _ = fs::remove_dir_all(shelf.join(number.to_string()));
        }
    }
    let copy = shelf.join(next.to_string());
    disk::ensure_directory(&copy)?;
    Ok(copy)
}

fn number(name: &OsStr) -> Option<u64> {
    let digits = name.to_str()?;
    let number: u64 = digits.parse().ok()?;
    // One spelling only: `01` is not ours.
    (number.to_string() == digits).then_some(number)
}

/// Copies the end of a regular file; what is not one has nothing to keep.
fn copy_tail(path: &Path, into: &Path) -> Result<(), Error> {
    let (Ok(Some(_)), Some(name)) = (DiskFile::open(path, Access::Read), path.file_name()) else {
        return Ok(());
    };
    let target = into.join(name);
    let copy = || -> io::Result<()> {
        let mut source = File::open(path)?;
        let skipped = source.metadata()?.len().saturating_sub(KEPT_TAIL);
        source.seek(SeekFrom::Start(skipped))?;
        let mut kept = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&target)?;
        io::copy(&mut source.take(KEPT_TAIL), &mut kept)?;
        kept.sync_data()
    };
    copy().map_err(Error::io("copy", path))
}
