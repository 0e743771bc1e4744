//! Every touch of the disk that the believed files depend on.
//!
//! Nothing else in the crate opens, writes, flushes, renames or removes a file
//! of a circuit. That makes the rules checkable in one place (never follow a
//! symbolic link, never block on a pipe, never trust a file that others may
//! write), and it lets a test record each effect and rebuild every state in
//! which a crash could have left the disk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fusebox_files::Busy;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::Error;
use crate::birth::device;
use crate::ownership::{not_a_file, refuse_exposed, refuse_exposed_directory};
#[cfg(test)]
use crate::trace::{self, Effect};

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// An open regular file that belongs to us.
#[derive(Debug)]
pub(crate) struct DiskFile {
    file: File,
    path: PathBuf,
    len: u64,
    modified_ms: u64,
    identity: Identity,
}

/// Device and inode: which file a path leads to at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    dev: u64,
    ino: u64,
}

impl Identity {
    fn of(stat: &Stat) -> Self {
        Self {
            dev: device(stat),
            ino: stat.st_ino,
        }
    }
}

impl DiskFile {
    /// Opens a file that should exist; `None` when nothing is there.
    pub(crate) fn open(path: &Path, access: Access) -> Result<Option<Self>, Error> {
        match descriptor(path, access)? {
            Some(file) => Self::admit(file, path).map(Some),
            None => Ok(None),
        }
    }

    /// Opens a file that should exist and locks it, waiting at most
    /// `patience`. It is examined only once the lock is held, so that its
    /// length is the one that stays.
    pub(crate) fn open_locked(
        path: &Path,
        access: Access,
        patience: Duration,
    ) -> Result<Option<Self>, Error> {
        let Some(file) = descriptor(path, access)? else {
            return Ok(None);
        };
        lock(&file, path, access, patience)?;
        Self::admit(file, path).map(Some)
    }

    fn admit(file: File, path: &Path) -> Result<Self, Error> {
        let stat =
            rustix::fs::fstat(&file).map_err(|errno| Error::io("examine", path)(errno.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(not_a_file(path));
        }
        refuse_exposed(path, &stat)?;
        Ok(Self {
            file,
            path: path.to_owned(),
            // A regular file's size is never negative.
            len: u64::try_from(stat.st_size).unwrap_or(0),
            modified_ms: u64::try_from(stat.st_mtime)
                .unwrap_or(0)
                .saturating_mul(1_000),
            identity: Identity::of(&stat),
        })
    }

    /// Creates a file under a name that only we use, replacing what an earlier
    /// crash may have left there.
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        remove_if_present(path)?;
        Self::create_new(path)?
            .ok_or_else(|| Error::io("create", path)(io::ErrorKind::AlreadyExists.into()))
    }

    /// Creates a file; `None` when the name is taken.
    pub(crate) fn create_new(path: &Path) -> Result<Option<Self>, Error> {
        let flags =
            OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
            Ok(descriptor) => File::from(descriptor),
            Err(Errno::EXIST) => return Ok(None),
            Err(errno) => return Err(Error::writing("create", path, errno.into())),
        };
        #[cfg(test)]
        trace::note(Effect::Create(path.into()));
        Self::admit(file, path).map(Some)
    }

    /// Moves the file to another name of the same file system.
    pub(crate) fn rename_to(&mut self, path: &Path) -> Result<(), Error> {
        rename(&self.path, path)?;
        self.path = path.to_owned();
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The length when the file was opened.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// When the file was last written to, by the file system's clock.
    pub(crate) fn modified_ms(&self) -> u64 {
        self.modified_ms
    }

    pub(crate) fn identity(&self) -> Identity {
        self.identity
    }

    /// Fills `buffer` as far as the file goes and returns how far that was.
    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, Error> {
        let mut filled = 0;
        while filled < buffer.len() {
            let at = offset + filled as u64;
            match self.file.read_at(&mut buffer[filled..], at) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io("read", &self.path)(error)),
            }
        }
        #[cfg(test)]
        trace::note_read(filled);
        Ok(filled)
    }

    /// Writes everything, with one system call unless the disk runs full.
    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        #[cfg(test)]
        trace::fail_if_asked(trace::Operation::Write, &self.path)?;
        self.file.write_all_at(bytes, offset)?;
        #[cfg(test)]
        trace::note(Effect::Write {
            path: self.path.clone(),
            offset,
            bytes: bytes.to_vec(),
        });
        Ok(())
    }

    /// Flushes data, and of the metadata only what finding the data needs.
    pub(crate) fn sync_data(&self) -> io::Result<()> {
        #[cfg(test)]
        trace::fail_if_asked(trace::Operation::Sync, &self.path)?;
        self.file.sync_data()?;
        #[cfg(test)]
        trace::note(Effect::Sync(self.path.clone()));
        Ok(())
    }

    pub(crate) fn set_len(&self, len: u64) -> Result<(), Error> {
        self.file
            .set_len(len)
            .map_err(Error::io("resize", &self.path))?;
        #[cfg(test)]
        trace::note(Effect::SetLen {
            path: self.path.clone(),
            len,
        });
        Ok(())
    }

    /// Takes the exclusive lock of a file that nobody else can know yet.
    pub(crate) fn lock_new(&self) -> Result<(), Error> {
        lock(&self.file, &self.path, Access::Write, Duration::ZERO)
    }

    /// Gives the lock back and keeps the file open.
    pub(crate) fn unlock(&self) -> Result<(), Error> {
        self.file.unlock().map_err(Error::io("unlock", &self.path))
    }
}

/// Opens without examining; `None` when nothing is there.
fn descriptor(path: &Path, access: Access) -> Result<Option<File>, Error> {
    let mode = match access {
        Access::Read => OFlags::RDONLY,
        Access::Write => OFlags::RDWR,
    };
    // O_NONBLOCK: opening a pipe that somebody put here must not hang.
    let flags = mode | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(descriptor) => Ok(Some(descriptor.into())),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(Errno::LOOP | Errno::ISDIR | Errno::NXIO) => Err(not_a_file(path)),
        Err(errno) => Err(Error::io("open", path)(errno.into())),
    }
}

fn lock(file: &File, path: &Path, access: Access, patience: Duration) -> Result<(), Error> {
    let locked = match access {
        Access::Read => fusebox_files::lock::share(file, patience),
        Access::Write => fusebox_files::lock(file, patience),
    };
    locked.map_err(|busy| match busy {
        Busy::Unusable(error) => Error::io("lock", path)(error),
        Busy::Held { waited } => Error::Busy {
            path: path.to_owned(),
            waited,
        },
    })
}

/// Locks a directory, which serialises what changes its names.
pub(crate) fn lock_directory(path: &Path, patience: Duration) -> Result<File, Error> {
    let directory = File::open(path).map_err(Error::io("open", path))?;
    lock(&directory, path, Access::Write, patience)?;
    Ok(directory)
}

/// Whether an open file or directory is still the one that has this name.
pub(crate) fn is_at(open: &File, path: &Path) -> Result<bool, Error> {
    let stat = rustix::fs::fstat(open).map_err(|e| Error::io("examine", path)(e.into()))?;
    Ok(identity_at(path)? == Some(Identity::of(&stat)))
}

/// Which file a path leads to now; `None` when nothing is there.
pub(crate) fn identity_at(path: &Path) -> Result<Option<Identity>, Error> {
    Ok(stat_at(path)?.map(|stat| Identity::of(&stat)))
}

/// Whether anything at all has this name.
pub(crate) fn exists(path: &Path) -> Result<bool, Error> {
    Ok(stat_at(path)?.is_some())
}

/// The status of a name itself, not of what a link may lead to.
pub(crate) fn stat_at(path: &Path) -> Result<Option<Stat>, Error> {
    match rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(Error::io("examine", path)(errno.into())),
    }
}

/// Gives a file a second name, taking that name away from whatever has it.
pub(crate) fn link(from: &Path, to: &Path) -> Result<(), Error> {
    remove_if_present(to)?;
    std::fs::hard_link(from, to).map_err(Error::io("link", from))?;
    #[cfg(test)]
    trace::note(Effect::Link {
        from: from.into(),
        to: to.into(),
    });
    Ok(())
}

/// The names in a directory; none when it does not exist.
pub(crate) fn names_in(path: &Path) -> Result<Vec<std::ffi::OsString>, Error> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io("list", path)(error)),
    };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name()));
    names
        .collect::<io::Result<_>>()
        .map_err(Error::io("list", path))
}

/// Moves a name; both have to be on one file system.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::rename(from, to).map_err(Error::io("rename", from))?;
    #[cfg(test)]
    trace::note(Effect::Rename {
        from: from.into(),
        to: to.into(),
    });
    Ok(())
}

/// Removes a name that is not a directory, if it is there.
pub(crate) fn remove_if_present(path: &Path) -> Result<(), Error> {
    match std::fs::remove_file(path) {
        Ok(()) => {
            #[cfg(test)]
            trace::note(Effect::Remove(path.into()));
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Error::io("remove", path)(error)),
    }
}

/// Makes the names in a directory durable.
pub(crate) fn sync_directory(path: &Path) -> Result<(), Error> {
    File::open(path)
        .and_then(|directory| directory.sync_all())
        .map_err(Error::io("flush", path))?;
    #[cfg(test)]
    trace::note(Effect::SyncDirectory(path.into()));
    Ok(())
}

/// Creates a directory and whatever is missing above it, for us alone and
/// durably.
pub(crate) fn ensure_directory(path: &Path) -> Result<(), Error> {
    if exists(path)? {
        return refuse_exposed_directory(path);
    }
    let parent = parent_of(path);
    if !parent.as_os_str().is_empty() && !parent.is_dir() {
        ensure_directory(parent)?;
    }
    match rustix::fs::mkdir(path, Mode::RWXU) {
        Ok(()) => {
            #[cfg(test)]
            trace::note(Effect::CreateDirectory(path.into()));
        }
        // Another process was faster, which comes to the same.
        Err(Errno::EXIST) => {}
        Err(errno) => return Err(Error::io("create", path)(errno.into())),
    }
    sync_directory(parent)
}

/// The directory a file is in. Every path in this crate has one.
pub(crate) fn parent_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}
