//! A short name for a place with a long one.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// An address has 104 bytes, the last of which is a zero.
const LONGEST: usize = 103;
/// Names that are tried before it is given up.
const TRIES: u32 = 100;

static MADE: AtomicU32 = AtomicU32::new(0);

/// A way to a path that fits into an address. If it had to be made, it goes when this does.
pub(super) struct ShortWay {
    path: PathBuf,
    made: Option<PathBuf>,
}

impl ShortWay {
    /// The path itself, or one through a link to its directory, in a directory of our own that
    /// nobody else can write to.
    pub(super) fn to(path: &Path) -> io::Result<Self> {
        if path.as_os_str().as_bytes().len() <= LONGEST {
            return Ok(Self {
                path: path.to_owned(),
                made: None,
            });
        }
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let made = private_directory()?;
        let link = made.join("d");
        let way = Self {
            path: link.join(name),
            made: Some(made),
        };
        symlink(directory, link)?;
        Ok(way)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ShortWay {
    fn drop(&mut self) {
        if let Some(made) = &self.made {
            let _ = fs::remove_file(made.join("d"));
            let _ = fs::remove_dir(made);
        }
    }
}

fn private_directory() -> io::Result<PathBuf> {
    let (above, process) = (std::env::temp_dir(), std::process::id());
    for _ in 0..TRIES {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = above.join(format!("fusebox-{process}-{number}"));
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn a_place_with_a_long_name_is_reached_and_nothing_is_left_behind() {
        let top = tempfile::tempdir().unwrap();
        let deep = top.path().join("a".repeat(60)).join("b".repeat(60));
        fs::create_dir_all(&deep).unwrap();
        let place = deep.join("run.sock");
        let way = ShortWay::to(&place).unwrap();
        assert!(way.path().as_os_str().len() <= LONGEST);
        let made = way.made.clone().unwrap();
        let _listener = UnixListener::bind(way.path()).unwrap();
        drop(way);
        assert!(place.exists(), "the socket is where it was to be");
        assert!(!made.exists(), "the way to it is gone");
        UnixStream::connect(ShortWay::to(&place).unwrap().path()).unwrap();
    }

    #[test]
    fn a_short_name_is_used_as_it_is() {
        for (length, itself) in [(LONGEST, true), (LONGEST + 1, false)] {
            let path = PathBuf::from(format!("/{}", "x".repeat(length - 1)));
            let way = ShortWay::to(&path).unwrap();
            assert_eq!(way.path() == path, itself, "{length}");
        }
    }
}
