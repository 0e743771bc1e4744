//! A file that somebody else may have put there.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use fusebox_edit::splice::without_mark;
use fusebox_files::beneath::{self, Missing};
use fusebox_files::replace::{Permissions, put_at};
use fusebox_files::{Busy, Links, regular};
use rustix::fs::{AtFlags, Mode, fstat, statat};
use rustix::io::Errno;

use crate::error::SourceError;

/// No list that people work with is longer.
const MOST_BYTES: u64 = 32 << 20;
/// How long another tool may hold the lock.
const PATIENCE: Duration = Duration::from_secs(10);

/// A path beneath a root.
pub(crate) struct Place {
    root: PathBuf,
    directory: PathBuf,
    name: String,
}

impl Place {
    pub(crate) fn new(root: &Path, path: &str) -> Self {
        // Of `./a` and `a//b` too, people are told the path as they would write it.
        let path: PathBuf = Path::new(path)
            .components()
            .filter(|part| *part != Component::CurDir)
            .collect();
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        Self {
            root: root.to_owned(),
            directory: directory.unwrap_or(Path::new(".")).to_owned(),
            name: path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default(),
        }
    }

    pub(crate) fn shown(&self) -> String {
        self.root.join(self.below_root()).display().to_string()
    }

    /// Its path below the root.
    pub(crate) fn below_root(&self) -> PathBuf {
        match self.directory.as_path() {
            here if here == Path::new(".") => PathBuf::from(&self.name),
            directory => directory.join(&self.name),
        }
    }

    /// The text, or `None` if there is no such file. A mark of the order of bytes at its
    /// beginning says nothing about tasks, and stays where it is.
    pub(crate) fn read(&self) -> Result<Option<String>, SourceError> {
        let Some(directory) = self.directory()? else {
            return Ok(None);
        };
        match self.open(&directory)? {
            Some(file) => Ok(Some(without_mark(&self.text(&file)?).to_owned())),
            None => Ok(None),
        }
    }

    /// All of it, a mark at its beginning included.
    pub(crate) fn raw(&self) -> Result<String, SourceError> {
        let gone = || self.wrong("it is not there");
        let directory = self.directory()?.ok_or_else(gone)?;
        self.text(&self.open(&directory)?.ok_or_else(gone)?)
    }

    /// Replaces whatever is there by a text, under the lock.
    pub(crate) fn put_back(&self, text: &str) -> Result<(), SourceError> {
        let directory = self
            .directory()?
            .ok_or_else(|| self.wrong("the directory is gone"))?;
        let file = self.locked(&directory)?;
        self.replace(&directory, &file, text)
    }

    /// Replaces the text by what `change` makes of it, under the lock; `None`
    /// leaves it as it is.
    pub(crate) fn update(
        &self,
        change: impl FnOnce(&str) -> Result<Option<String>, SourceError>,
    ) -> Result<(), SourceError> {
        let directory = self
            .directory()?
            .ok_or_else(|| self.wrong("the directory is gone"))?;
        let file = self.locked(&directory)?;
        let text = self.text(&file)?;
        let unmarked = without_mark(&text);
        let mark = &text[..text.len() - unmarked.len()];
        match change(unmarked)? {
            Some(changed) => self.replace(&directory, &file, &format!("{mark}{changed}")),
            None => Ok(()),
        }
    }

    fn directory(&self) -> Result<Option<OwnedFd>, SourceError> {
        let opened = beneath::root(&self.root)
            .and_then(|root| beneath::directory(root, &self.directory, Missing::Fails));
        match opened {
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(Errno::LOOP | Errno::XDEV) => {
                Err(self.wrong("it lies behind a link, which is not followed"))
            }
            opened => opened.map(Some).map_err(|error| self.wrong(error)),
        }
    }

    fn open(&self, directory: &OwnedFd) -> Result<Option<File>, SourceError> {
        match regular::open_at(directory, &self.name, Links::Refuse) {
            Ok(file) => Ok(Some(file)),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::NOENT) => Ok(None),
                Some(Errno::LOOP) => Err(self.wrong("it is a link, which is not followed")),
                _ => Err(self.wrong(error)),
            },
        }
    }

    fn text(&self, file: &File) -> Result<String, SourceError> {
        let mut bytes = Vec::new();
        file.take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| self.wrong(error))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(self.wrong("it is longer than 32 MB"));
        }
        String::from_utf8(bytes).map_err(|_| self.wrong("it is not UTF-8"))
    }

    /// The file under an exclusive lock, created if need be. Whoever replaced it
    /// while we waited has left us with the lock of a file that is gone.
    fn locked(&self, directory: &OwnedFd) -> Result<File, SourceError> {
        let began = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(began.elapsed());
            let file = match self.open(directory)? {
                Some(file) => file,
                None => self.create(directory)?,
            };
            match fusebox_files::lock(&file, left) {
                Ok(()) if self.is_current(directory, &file) => return Ok(file),
                Ok(()) if !left.is_zero() => {}
                Err(Busy::Unusable(error)) => return Err(self.wrong(error)),
                Ok(()) | Err(Busy::Held { .. }) => {
                    return Err(SourceError::Unavailable {
                        source_name: self.shown(),
                        why: "another tool keeps it locked".into(),
                    });
                }
            }
        }
    }

    fn create(&self, directory: &OwnedFd) -> Result<File, SourceError> {
        // Lists in a repository are there already; what is made is the built-in one, in our
        // memory.
        let mode = Mode::from_raw_mode(0o600);
        regular::update_at(directory, &self.name, mode).map_err(|error| self.wrong(error))
    }

    fn is_current(&self, directory: &OwnedFd, file: &File) -> bool {
        let now = statat(directory, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        let (Ok(now), Ok(held)) = (now, fstat(file)) else {
            return false;
        };
        (now.st_dev, now.st_ino) == (held.st_dev, held.st_ino)
    }

    fn replace(&self, directory: &OwnedFd, old: &File, text: &str) -> Result<(), SourceError> {
        let written = old.metadata().and_then(|about| {
            put_at(
                directory,
                &self.name,
                Permissions::of(&about),
                text.as_bytes(),
            )
        });
        written.map(drop).map_err(|error| self.wrong(error))
    }

    fn wrong(&self, why: impl std::fmt::Display) -> SourceError {
        SourceError::Malformed {
            path: self.shown(),
            why: why.to_string(),
        }
    }
}
