//! Files that are not whole yet.
//!
//! What is to take the place of a file is first written beside it. Whoever is killed meanwhile
//! leaves that behind, often in a work tree, which is not ours to litter. So all drafts of a file
//! have one name, by which anybody can tell what they are, and whoever writes one holds its lock:
//! the next one who writes the same file removes what nobody holds any more.
//!
//! Only that is taken for an abandoned draft. A name proves nothing: [`discard`] removes a
//! regular file of our own user's, and never a directory, a link, or what has a second name.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, statat, unlinkat};
use rustix::io::Errno;

/// How the name of every draft ends.
const END: &str = ".fusebox-new";
/// The longest part of a name that is repeated: names can have 255 bytes.
const MOST_BYTES: usize = 200;
/// How often somebody else may be faster.
const TRIES: u32 = 10;

/// What a draft of the file `name` is called.
#[must_use]
pub fn name_of(name: &OsStr) -> OsString {
    let mut draft = vec![b'.'];
    draft.extend(beginning(name.as_bytes()));
    draft.extend(END.as_bytes());
    OsString::from_vec(draft)
}

/// Whether a file of this name may be a draft of ours.
#[must_use]
pub fn is_named_so(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.starts_with(b".") && name.ends_with(END.as_bytes())
}

/// Removes what was left of a draft of `path`, if anything was: its writer is gone, and it is
/// nothing that merely has the same name.
///
/// # Errors
/// What the system says.
pub fn discard(directory: impl AsFd, path: &Path) -> io::Result<()> {
    let (directory, draft) = (directory.as_fd(), beside(path)?);
    match statat(directory, &draft, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(()),
        Ok(found) if is_ours(&found) => clear(directory, &draft).map(drop),
        Ok(_) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// A new and empty draft of the file `path`, and its name. As long as it is open, nobody else
/// takes it for abandoned.
pub(crate) fn begin(
    directory: BorrowedFd<'_>,
    path: &Path,
    mode: Mode,
) -> io::Result<(File, PathBuf)> {
    for _ in 0..TRIES {
        let draft = free(directory, path)?;
        let file = match create(directory, &draft, mode) {
            Err(Errno::EXIST) => continue,
            created => created?,
        };
        // Where there are no locks, nobody else finds it locked either.
        let is_taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
        // Somebody may have found it while nobody held it.
        if !is_taken && is_at(directory, &draft, &file) {
            return Ok((file, draft));
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A name for a draft of `path` that nothing has: the usual one, unless a directory is in the
/// way or another process is writing the same file.
///
/// # Errors
/// What the system says.
pub fn free(directory: impl AsFd, path: &Path) -> io::Result<PathBuf> {
    let (directory, usual) = (directory.as_fd(), beside(path)?);
    if clear(directory, &usual)? {
        return Ok(usual);
    }
    let name = path.file_name().unwrap_or_default().as_bytes();
    for number in 0..TRIES {
        let mut own = vec![b'.'];
        own.extend(beginning(name));
        // Nobody can have occupied what nobody can guess. Each of these begins with other keys.
        let random = RandomState::new().hash_one(number);
        own.extend(format!(".{random:016x}{END}").into_bytes());
        let own = path.with_file_name(OsString::from_vec(own));
        if clear(directory, &own)? {
            return Ok(own);
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn beside(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    Ok(path.with_file_name(name_of(name)))
}

/// No more of a name than leaves room for what is added. A letter is not cut in two: some file
/// systems refuse that.
fn beginning(name: &[u8]) -> &[u8] {
    let is_inside = |end: &usize| name.get(*end).is_some_and(|byte| byte & 0xC0 == 0x80);
    let most = name.len().min(MOST_BYTES);
    let end = (most.saturating_sub(3)..=most)
        .rev()
        .find(|end| !is_inside(end));
    &name[..end.unwrap_or(most)]
}

/// Whether nothing has that name now. A link, a pipe or a file that nobody writes is removed.
fn clear(directory: BorrowedFd<'_>, draft: &Path) -> io::Result<bool> {
    let found = match statat(directory, draft, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => FileType::from_raw_mode(found.st_mode),
        Err(Errno::NOENT) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    let held = match found {
        FileType::Directory => return Ok(false),
        FileType::RegularFile => hold(directory, draft),
        _ => Hold::Impossible,
    };
    match &held {
        Hold::Elsewhere => return Ok(false),
        // The lock is kept until the name is gone, so that it is the name of this file.
        Hold::Here(file) if !is_at(directory, draft, file) => return Ok(false),
        Hold::Here(_) | Hold::Impossible => {}
    }
    match unlinkat(directory, draft, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Who holds a file.
enum Hold {
    Here(File),
    /// Another process, which is writing it.
    Elsewhere,
    /// It cannot be opened or locked, as no draft of ours could be either.
    Impossible,
}

fn hold(directory: BorrowedFd<'_>, draft: &Path) -> Hold {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::openat(directory, draft, flags, Mode::empty()) else {
        return Hold::Impossible;
    };
    let file = File::from(file);
    match file.try_lock() {
        Ok(()) => Hold::Here(file),
        Err(TryLockError::WouldBlock) => Hold::Elsewhere,
        Err(TryLockError::Error(_)) => Hold::Impossible,
    }
}

fn create(directory: BorrowedFd<'_>, draft: &Path, mode: Mode) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(directory, draft, flags, mode).map(File::from)
}

fn is_at(directory: BorrowedFd<'_>, draft: &Path, file: &File) -> bool {
    let named = statat(directory, draft, AtFlags::SYMLINK_NOFOLLOW);
    let (Ok(named), Ok(held)) = (named, fstat(file)) else {
        return false;
    };
    (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)
}

fn is_ours(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::RegularFile
        && found.st_nlink == 1
        && found.st_uid == rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::pipe;
    use rustix::fs::CWD;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_draft_can_be_told_by_its_name_however_long_that_of_the_file_is() {
        for name in ["a", "CLAUDE.md", &"x".repeat(255), &"ß".repeat(127)] {
            let draft = name_of(OsStr::new(name));
            assert!(is_named_so(&draft) && draft.len() < 240, "{draft:?}");
            assert!(draft.to_str().is_some(), "{draft:?}");
        }
        for name in [".fusebox-new-x", "a.fusebox-new", "CLAUDE.md", ".env"] {
            assert!(!is_named_so(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn only_what_is_surely_an_abandoned_draft_is_discarded() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        let (file, draft) = (at("list"), at(".list.fusebox-new"));
        let discard = || discard(CWD, &file).unwrap();
        discard();
        fs::write(&draft, "half").unwrap();
        discard();
        assert!(!draft.exists());
        fs::create_dir(&draft).unwrap();
        discard();
        assert!(draft.is_dir());
        fs::remove_dir(&draft).unwrap();
        symlink("elsewhere", &draft).unwrap();
        discard();
        assert!(draft.is_symlink());
        fs::remove_file(&draft).unwrap();
        pipe(&draft);
        discard();
        assert!(draft.symlink_metadata().is_ok());
        fs::remove_file(&draft).unwrap();
        fs::write(at("theirs"), "theirs").unwrap();
        fs::hard_link(at("theirs"), &draft).unwrap();
        discard();
        assert!(draft.exists(), "it has another name");
        fs::remove_file(&draft).unwrap();
        let (written, name) = begin(CWD.as_fd(), &file, Mode::RWXU).unwrap();
        discard();
        assert_eq!(name, draft);
        assert!(draft.exists(), "it is being written");
        drop(written);
        discard();
        assert!(!draft.exists());
    }

    #[test]
    fn nobody_writes_into_the_draft_of_another_or_takes_it_away() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("list");
        let (first, one) = begin(CWD.as_fd(), &file, Mode::RWXU).unwrap();
        let (second, other) = begin(CWD.as_fd(), &file, Mode::RWXU).unwrap();
        assert_ne!(one, other);
        assert!(is_at(CWD.as_fd(), &one, &first) && is_at(CWD.as_fd(), &other, &second));
        assert!(is_named_so(other.file_name().unwrap()));
    }
}
