//! The one file, and the lock before it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fusebox_files::{Busy, regular};

use super::state::State;
use crate::error::FleetError;
use crate::platform::boot_name;

/// Longer than many workers take that change it one after the other.
const PATIENCE: Duration = Duration::from_secs(10);
/// A longer state is neither read nor written.
const MOST_BYTES: u64 = 256 << 20;

/// A directory that holds a [`State`].
#[derive(Debug)]
pub(super) struct Place {
    directory: PathBuf,
    boot: String,
    most_bytes: u64,
}

impl Place {
    pub(super) fn open(directory: &Path) -> Result<Self, FleetError> {
        let make = || {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(directory)?;
            boot_name()
        };
        let boot = make().map_err(|source| failed(directory, source))?;
        Ok(Self {
            directory: directory.to_owned(),
            boot: boot.trim().to_owned(),
            most_bytes: MOST_BYTES,
        })
    }

    /// Changes the state, with nobody else doing so at the same time. What `change` says
    /// is said only once the state is on the disk.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> Result<T, FleetError> {
        let _held = self.lock()?;
        let path = self.path();
        let mut state = self.read(&path)?;
        let answer = change(&mut state);
        self.write(&path, &state)
            .map_err(|source| failed(&path, source))?;
        Ok(answer)
    }

    /// Looks at the state and leaves it as it is.
    pub(super) fn look<T>(&self, look: impl FnOnce(&mut State) -> T) -> Result<T, FleetError> {
        let _held = self.lock()?;
        Ok(look(&mut self.read(&self.path())?))
    }

    fn path(&self) -> PathBuf {
        self.directory.join("state.json")
    }

    fn read(&self, path: &Path) -> Result<State, FleetError> {
        let mut state: State = match regular::read(path, self.most_bytes) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| failed(path, io::Error::new(io::ErrorKind::InvalidData, error)))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => State::default(),
            Err(error) => return Err(failed(path, error)),
        };
        state.settle_into(&self.boot);
        Ok(state)
    }

    fn lock(&self) -> Result<File, FleetError> {
        let path = self.directory.join("lock");
        let since = SystemTime::now();
        // A peer that was stopped holds it for as long as it is. To wait with it
        // would stop every loop of the fleet, and nothing could interrupt that.
        fusebox_files::lock_file(&path, PATIENCE).map_err(|busy| match busy {
            Busy::Unusable(source) => failed(&path, source),
            Busy::Held { .. } => FleetError::Unreachable {
                since,
                why: format!("{} is locked by another worker", path.display()),
            },
        })
    }

    fn write(&self, path: &Path, state: &State) -> io::Result<()> {
        let text = serde_json::to_vec(state)?;
        if text.len() as u64 > self.most_bytes {
            // Nobody could read it back: what was there before stays, and whoever asked hears it.
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        fusebox_files::replace_locked(path, &text)?;
        // Others rely on what was granted as soon as it was said.
        File::open(&self.directory)?.sync_all()
    }
}

fn failed(path: &Path, source: io::Error) -> FleetError {
    FleetError::Directory {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_could_not_be_read_back_is_not_written() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut place = Place::open(directory.path()).expect("a place");
        let halt = |state: &mut State, words: &str| state.halt("fleet", words, "me", 0);
        place.change(|state| halt(state, "first")).expect("kept");
        place.most_bytes = 1_000;
        let long = "x".repeat(1_000);
        let refused = place.change(|state| {
            state.resume("fleet");
            halt(state, &long);
        });
        refused.expect_err("too long");
        let kept = place.look(|state| state.halts["fleet"].reason.clone());
        assert_eq!(kept.expect("as it was"), "first");
    }

    #[test]
    fn what_an_interrupted_worker_left_behind_does_not_pile_up() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = Place::open(directory.path()).expect("a place");
        let draft = directory.path().join("state.json.draft");
        fs::write(&draft, "{").expect("half a state");
        place.change(|_| ()).expect("kept");
        assert!(!draft.exists());
    }
}
