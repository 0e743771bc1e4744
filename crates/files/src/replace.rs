//! Files that are replaced in one step.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Mode, RawMode, RenameFlags, fchmod, linkat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;

use crate::drafts;
use crate::regular::{self, OWNER_ALONE};

/// Who may read and write what takes the place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permissions {
    /// Those of a new file: the user's mask takes away from them.
    New(Mode),
    /// Those of the file that is replaced, whatever the mask is now.
    Kept(Mode),
}

impl Permissions {
    /// Those that the system tells of a file.
    #[must_use]
    #[allow(
        clippy::useless_conversion,
        clippy::unnecessary_fallible_conversions,
        reason = "the widths of these numbers differ between systems"
    )]
    pub fn of(about: &Metadata) -> Self {
        let mode = about.permissions().mode() & 0o777;
        Self::Kept(Mode::from_raw_mode(RawMode::try_from(mode).unwrap_or(0)))
    }
}

/// Makes a file where none is, for those whom `permissions` name: all of it, or none. What is
/// there already stays.
///
/// # Errors
/// What the system says; `AlreadyExists` if there is something, whatever it is.
pub fn create_whole(path: &Path, permissions: Permissions, content: &[u8]) -> io::Result<()> {
    let fill = |mut file: &File| file.write_all(content);
    let (_file, draft) = drafted(CWD, path, permissions, fill)?;
    let made = match renameat_with(CWD, &draft, CWD, path, RenameFlags::NOREPLACE) {
        // A file system that cannot do both at once, but knows second names.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            linkat(CWD, &draft, CWD, path, AtFlags::empty()).and_then(|()| give_up(&draft))
        }
        Err(error) => give_up(&draft).and(Err(error)),
        Ok(()) => Ok(()),
    };
    Ok(made?)
}

fn give_up(draft: &Path) -> Result<(), Errno> {
    // Nothing more can be done about a draft that cannot be removed.
    let _ = unlinkat(CWD, draft, AtFlags::empty());
    Ok(())
}

/// Makes `content` what is at `path`, for its owner alone. Whoever reads meanwhile, and
/// whoever comes after a crash, finds what was there before or all of this.
///
/// # Errors
/// What the system says; what was there before is there then.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    put(path, content).map(drop)
}

/// The same, for whoever holds a lock that everybody else who replaces this file takes as well.
/// Its draft always has the same name, so that what an interrupted process leaves behind is
/// replaced by the next one, and does not pile up.
///
/// # Errors
/// As [`replace`].
pub fn replace_locked(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut draft = OsString::from(path);
    draft.push(".draft");
    let draft = PathBuf::from(draft);
    // A name that is known can be occupied, and a directory cannot be replaced.
    if draft.symlink_metadata().is_ok_and(|about| about.is_dir()) {
        return replace(path, content);
    }
    let file = regular::create(&draft)?;
    let permissions = Permissions::New(OWNER_ALONE);
    let fill = |mut file: &File| file.write_all(content);
    finish(CWD, &file, &draft, permissions, fill)?;
    take_place((CWD, &draft), (CWD, path))
}

/// The same, and nothing that is done afterwards outlasts a crash which this does not: for what
/// vouches for something else.
///
/// # Errors
/// As [`replace`]; if it is the directory that cannot be written out, the file is there already.
pub fn replace_locked_durably(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_locked(path, content)?;
    sync_directory_of(path)
}

/// Sees that the name of a file outlasts a crash: that it was made, replaced or removed.
///
/// # Errors
/// What the system says.
pub fn sync_directory_of(path: &Path) -> io::Result<()> {
    let directory = path.parent().filter(|path| !path.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

/// The same, with the file itself: as long as that is open, no other can be taken for it.
///
/// # Errors
/// As [`replace`].
pub fn put(path: &Path, content: &[u8]) -> io::Result<File> {
    put_at(CWD, path, Permissions::New(OWNER_ALONE), content)
}

/// The same, for those whom `permissions` name.
///
/// # Errors
/// As [`replace`].
pub fn replace_for(path: &Path, permissions: Permissions, content: &[u8]) -> io::Result<()> {
    put_at(CWD, path, permissions, content).map(drop)
}

/// The same for a path in a directory that is held open.
///
/// # Errors
/// As [`replace`].
pub fn put_at(
    directory: impl AsFd,
    path: impl AsRef<Path>,
    permissions: Permissions,
    content: &[u8],
) -> io::Result<File> {
    let directory = directory.as_fd();
    fill_through(directory, directory, path, permissions, |mut file| {
        file.write_all(content)
    })
}

/// The same with what `fill` writes, and with the draft in another directory of the same file
/// system: where files are written once, each in a directory of its own, nobody would ever come
/// back for what a killed process left there.
///
/// # Errors
/// As [`replace`], and what `fill` says.
pub fn fill_through(
    drafts: impl AsFd,
    directory: impl AsFd,
    name: impl AsRef<Path>,
    permissions: Permissions,
    fill: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<File> {
    let (drafts, name) = (drafts.as_fd(), name.as_ref());
    let (file, draft) = drafted(drafts, name, permissions, fill)?;
    take_place((drafts, &draft), (directory.as_fd(), name))?;
    // It is no draft any more, and whoever locks such files has to find it free. Where it
    // cannot be unlocked it was never locked.
    let _ = file.unlock();
    Ok(file)
}

/// A draft of a file with all that is to be in it.
fn drafted(
    directory: impl AsFd,
    path: &Path,
    permissions: Permissions,
    fill: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<(File, PathBuf)> {
    let mode = match permissions {
        Permissions::New(mode) => mode,
        // Narrow until it is whole, and then as it was.
        Permissions::Kept(_) => OWNER_ALONE,
    };
    let directory = directory.as_fd();
    let (file, draft) = drafts::begin(directory, path, mode)?;
    finish(directory, &file, &draft, permissions, fill)?;
    Ok((file, draft))
}

/// Writes all of a draft, or removes it.
fn finish(
    directory: impl AsFd,
    file: &File,
    draft: &Path,
    permissions: Permissions,
    fill: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let written = write(file, permissions, fill);
    if written.is_err() {
        // Nothing more can be done about a draft that cannot be removed either.
        let _ = unlinkat(directory, draft, AtFlags::empty());
    }
    written
}

fn take_place(
    (drafts, draft): (BorrowedFd<'_>, &Path),
    (directory, path): (BorrowedFd<'_>, &Path),
) -> io::Result<()> {
    renameat(drafts, draft, directory, path).map_err(|error| {
        let _ = unlinkat(drafts, draft, AtFlags::empty());
        error.into()
    })
}

fn write(
    file: &File,
    permissions: Permissions,
    fill: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    fill(file)?;
    if let Permissions::Kept(mode) = permissions {
        fchmod(file, mode)?;
    }
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::pipe;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn mode_of(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_file_is_replaced_for_its_owner_alone_and_no_draft_is_left() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("plan.json");
        fs::write(&path, "old, and longer than what comes").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(mode_of(&path), 0o600);
        let kept = Mode::RWXU | Mode::RWXG | Mode::RWXO;
        replace_for(&path, Permissions::Kept(kept), b"newer").unwrap();
        assert_eq!(mode_of(&path), 0o777, "no mask takes away from it");
        let kept = Permissions::of(&path.metadata().unwrap());
        replace_for(&path, kept, b"newest").unwrap();
        assert_eq!(mode_of(&path), 0o777);
        let occupied = top.path().join("occupied");
        fs::create_dir_all(occupied.join("by-something")).unwrap();
        replace(&occupied, b"new").unwrap_err();
        let left = fs::read_dir(top.path()).unwrap().count();
        assert_eq!(left, 2, "a draft was left behind");
    }

    #[test]
    fn a_file_is_made_whole_or_not_at_all_and_replaces_nothing() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("plan.toml");
        let permissions = Permissions::New(Mode::RUSR | Mode::WUSR);
        create_whole(&path, permissions, b"first").unwrap();
        assert_eq!(mode_of(&path), 0o600);
        let refused = create_whole(&path, permissions, b"second").unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        symlink("nowhere", top.path().join("link")).unwrap();
        create_whole(&top.path().join("link"), permissions, b"x").unwrap_err();
        assert_eq!(
            fs::read_dir(top.path()).unwrap().count(),
            2,
            "a draft is left"
        );
    }

    #[test]
    fn nobody_else_reads_a_file_before_it_is_whole() {
        let top = tempfile::tempdir().unwrap();
        let path = top.path().join("draft");
        let file = regular::create(&path).unwrap();
        let kept = Permissions::Kept(Mode::RWXU | Mode::ROTH);
        let fill = |mut file: &File| {
            assert_eq!(mode_of(&path), 0o600);
            file.write_all(b"whole")
        };
        write(&file, kept, fill).unwrap();
        assert_eq!(mode_of(&path), 0o704);
    }

    #[test]
    fn what_an_interrupted_process_left_behind_is_replaced_under_a_lock() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        for left in ["half of it", "more than half of it"] {
            fs::write(at("list.draft"), left).unwrap();
            replace_locked(&at("list"), b"whole").unwrap();
            assert_eq!(fs::read(at("list")).unwrap(), b"whole");
            assert_eq!(mode_of(&at("list")), 0o600);
            assert_eq!(fs::read_dir(top.path()).unwrap().count(), 1, "{left}");
        }
        fs::create_dir_all(at("list.draft/in-the-way")).unwrap();
        replace_locked(&at("list"), b"another").unwrap();
        assert_eq!(fs::read(at("list")).unwrap(), b"another");
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 2);
    }

    #[test]
    fn neither_the_file_nor_its_draft_is_written_through() {
        let top = tempfile::tempdir().unwrap();
        let at = |name: &str| top.path().join(name);
        fs::write(at("other"), "theirs").unwrap();
        symlink("other", at("file")).unwrap();
        pipe(&at(".file.fusebox-new"));
        replace(&at("file"), b"ours").unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"ours");
        assert_eq!(fs::read(at("other")).unwrap(), b"theirs");
        assert!(!at("file").is_symlink());
    }
}
