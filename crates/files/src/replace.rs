//! Files that are replaced in one step.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Mode, RawMode, RenameFlags, fchmod, linkat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;

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
    let draft = draft_of(path);
    beside(&draft, permissions, content)?;
    let linked = linkat(CWD, &draft, CWD, path, AtFlags::empty());
    let made = match linked {
        // A file system without second names.
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => {
            let flags = RenameFlags::NOREPLACE;
            return renameat_with(CWD, &draft, CWD, path, flags).map_err(|error| {
                let _ = unlinkat(CWD, &draft, AtFlags::empty());
                error.into()
            });
        }
        linked => linked,
    };
    // Nothing more can be done about a draft that cannot be removed.
    let _ = unlinkat(CWD, &draft, AtFlags::empty());
    Ok(made?)
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
    let mut name = OsString::from(path);
    name.push(".draft");
    let mut draft = PathBuf::from(name);
    // A name that is known can be occupied, and a directory cannot be replaced.
    if draft.symlink_metadata().is_ok_and(|about| about.is_dir()) {
        draft = draft_of(path);
    }
    let permissions = Permissions::New(OWNER_ALONE);
    put_through(path, &draft, permissions, content).map(drop)
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
    beside(path, Permissions::New(OWNER_ALONE), content)
}

/// The same, for those whom `permissions` name.
///
/// # Errors
/// As [`replace`].
pub fn replace_for(path: &Path, permissions: Permissions, content: &[u8]) -> io::Result<()> {
    beside(path, permissions, content).map(drop)
}

/// The same for a name in a directory that is held open. Until it is whole the file is called
/// `draft`, and whatever had that name is removed.
///
/// # Errors
/// As [`replace`].
pub fn put_at(
    directory: impl AsFd,
    name: &OsStr,
    draft: &OsStr,
    permissions: Permissions,
    content: &[u8],
) -> io::Result<File> {
    let directory = directory.as_fd();
    let mode = match permissions {
        Permissions::New(mode) => mode,
        // Narrow until it is whole, and then as it was.
        Permissions::Kept(_) => OWNER_ALONE,
    };
    let file = regular::create_at(directory, draft, mode)?;
    let written = write(&file, permissions, |mut file| file.write_all(content))
        .and_then(|()| Ok(renameat(directory, draft, directory, name)?));
    if written.is_err() {
        // Nothing more can be done about a draft that cannot be removed either.
        let _ = unlinkat(directory, draft, AtFlags::empty());
    }
    written.map(|()| file)
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

fn beside(path: &Path, permissions: Permissions, content: &[u8]) -> io::Result<File> {
    put_through(path, &draft_of(path), permissions, content)
}

fn put_through(
    path: &Path,
    draft: &Path,
    permissions: Permissions,
    content: &[u8],
) -> io::Result<File> {
    let (name, draft) = (path.as_os_str(), draft.as_os_str());
    put_at(CWD, name, draft, permissions, content)
}

/// Another for each process: two that replace the same file must not write into one draft.
fn draft_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".draft-{}", std::process::id()));
    name.into()
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
        pipe(&draft_of(&at("file")));
        replace(&at("file"), b"ours").unwrap();
        assert_eq!(fs::read(at("file")).unwrap(), b"ours");
        assert_eq!(fs::read(at("other")).unwrap(), b"theirs");
        assert!(!at("file").is_symlink());
    }
}
