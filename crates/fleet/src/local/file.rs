//! The one file, and the lock before it.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fusebox_files::{Busy, regular};

use super::state::State;
use super::witness::Witness;
use crate::address::Directory;
use crate::error::FleetError;
use crate::identity::Id;
use crate::platform::boot_name;

/// Longer than many workers take that change it one after the other.
const PATIENCE: Duration = Duration::from_secs(10);
/// A longer state is neither read nor written.
const MOST_BYTES: u64 = 256 << 20;

/// A directory that holds a [`State`].
#[derive(Debug)]
pub(super) struct Place {
    directory: PathBuf,
    /// What we remember of it.
    witness: Option<Witness>,
    boot: String,
    most_bytes: u64,
}

impl Place {
    /// One that holds a state already. A name that was mistyped must not be a fleet without
    /// halts, and with budgets that nobody has used.
    pub(super) fn open(named: &Directory) -> Result<Self, FleetError> {
        let place = Self::named(named)?;
        match place.path().try_exists() {
            Ok(true) => Ok(place),
            Ok(false) => {
                place.refuse_forgotten(None)?;
                Err(FleetError::NotFounded {
                    path: place.directory,
                })
            }
            Err(source) => Err(failed(&place.path(), source)),
        }
    }

    /// One that may have to be made.
    pub(super) fn found(named: &Directory) -> Result<Self, FleetError> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&named.path)
            .map_err(|source| failed(&named.path, source))?;
        Self::named(named)
    }

    fn named(named: &Directory) -> Result<Self, FleetError> {
        let directory = &named.path;
        let boot = boot_name().map_err(|source| failed(directory, source))?;
        let witnesses = named.witnesses.as_deref();
        Ok(Self {
            directory: directory.clone(),
            witness: witnesses.map(|all| Witness::of(directory, all)),
            boot: boot.trim().to_owned(),
            most_bytes: MOST_BYTES,
        })
    }

    /// Changes the state, with nobody else doing so at the same time. What `change` says
    /// is said only once the state is on the disk.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> Result<T, FleetError> {
        let _held = self.lock()?;
        let mut state = self.read()?;
        let answer = change(&mut state);
        self.keep(state)?;
        Ok(answer)
    }

    /// Looks at the state and leaves it as it is.
    pub(super) fn look<T>(&self, look: impl FnOnce(&mut State) -> T) -> Result<T, FleetError> {
        let _held = self.lock()?;
        Ok(look(&mut self.read()?))
    }

    /// Takes the state as it is, and a new one in place of what cannot be read. What could
    /// not is kept beside it.
    pub(super) fn accept(&self) -> Result<(), FleetError> {
        let _held = self.lock()?;
        let state = match self.read_as_it_is() {
            Ok(state) => state.unwrap_or_default(),
            Err(_) => {
                let path = self.path();
                fs::rename(&path, self.directory.join("state.json.unreadable"))
                    .map_err(|source| failed(&path, source))?;
                State::default()
            }
        };
        self.keep(state)
    }

    /// Writes the state down, and after it how far it has come: a crash in between leaves
    /// the witness behind, and never ahead.
    fn keep(&self, mut state: State) -> Result<(), FleetError> {
        let path = self.path();
        let fleet = state.fleet.get_or_insert_with(Id::random).clone();
        state.changes = state.changes.saturating_add(1);
        self.write(&path, &state)
            .map_err(|source| failed(&path, source))?;
        match &self.witness {
            Some(witness) => witness.set(&fleet, state.changes),
            None => Ok(()),
        }
    }

    fn path(&self) -> PathBuf {
        self.directory.join("state.json")
    }

    /// The state, if it is what it was when we last saw it or what others made of that.
    fn read(&self) -> Result<State, FleetError> {
        let state = self.read_as_it_is()?;
        self.refuse_forgotten(state.as_ref())?;
        let mut state = state.unwrap_or_default();
        state.settle_into(&self.boot);
        Ok(state)
    }

    /// Refuses a state that is not what we remember of it.
    fn refuse_forgotten(&self, state: Option<&State>) -> Result<(), FleetError> {
        let Some(witness) = &self.witness else {
            return Ok(());
        };
        let found = state.map(|state| (&state.fleet, state.changes));
        witness.refuse_forgotten(&self.path(), found)
    }

    fn read_as_it_is(&self) -> Result<Option<State>, FleetError> {
        let path = self.path();
        match regular::read(&path, self.most_bytes) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|error| failed(&path, io::Error::new(io::ErrorKind::InvalidData, error))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&path, error)),
        }
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
        // Others rely on what was granted as soon as it was said.
        fusebox_files::replace_locked_durably(path, &text)
    }
}

pub(super) fn failed(path: &Path, source: io::Error) -> FleetError {
    FleetError::Directory {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::{Coordinator as _, Worker};
    use crate::local::Local;
    use crate::terms::{Amounts, Scope, Take, Unit, Used};

    fn place_in(path: &Path) -> Place {
        let path = path.to_owned();
        let witnesses = None;
        Place::found(&Directory { path, witnesses }).expect("a place")
    }

    #[test]
    fn a_state_that_could_not_be_read_back_is_not_written() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut place = place_in(directory.path());
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

    /// Whoever can write into the directory can write any number there.
    #[test]
    fn no_number_in_a_state_ends_whoever_reads_it() {
        let directory = tempfile::tempdir().expect("a directory");
        let named = Directory {
            path: directory.path().to_owned(),
            witnesses: None,
        };
        let mut fleet = Local::found(&named).expect("a fleet");
        let worker = Worker {
            id: Id::random(),
            host: "h".into(),
            version: "0".into(),
            repository: "r".into(),
            agent: None,
        };
        let take = || Take {
            name: Id::random(),
            worker: worker.id.clone(),
            scopes: vec![Scope::Fleet],
            amounts: Amounts {
                calls: 1,
                tokens: 1,
                micro_usd: 0,
            },
            lease: None,
        };
        let day = Duration::from_secs(86_400);
        let story = |fleet: &mut Local, first: &Take| {
            fleet.enrol(&worker).expect("enrolled");
            let _ = fleet.take(first).expect("an answer");
            let _ = fleet.take(&take()).expect("an answer");
            let used = Used {
                tokens: Some(u64::MAX),
                micro_usd: None,
            };
            fleet.settle(&first.name, &used).expect("settled");
            let claimed = fleet.claim(&worker, Some("t"), day);
            let _ = claimed.expect("an answer");
            fleet.reopen("r", "t").expect("reopened");
            fleet.deliver(&worker, 1, &[]).expect("delivered");
            fleet.halt(&Scope::Fleet, "why", "me").expect("halted");
            fleet.resume(&Scope::Fleet, "", "me").expect("resumed");
            fleet.tend().expect("tended");
            fleet.overview().expect("an overview");
            fleet.workers().expect("the workers");
            fleet.leases().expect("the leases");
        };
        for unit in [Unit::Calls, Unit::Tokens] {
            let set = fleet.set_budget(&Scope::Fleet, unit, Some(9), day);
            set.expect("a budget");
        }
        let first = take();
        fleet.enrol(&worker).expect("enrolled");
        let other = Worker {
            id: Id::random(),
            ..worker.clone()
        };
        fleet.enrol(&other).expect("enrolled");
        fleet.take(&first).expect("an answer");
        fleet.take(&take()).expect("an answer");
        fleet.claim(&worker, Some("t"), day).expect("an answer");
        let path = fleet.place.path();
        let text = fs::read_to_string(&path).expect("the state");
        // Each of its numbers in turn, and then all of them.
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let numbers: Vec<(usize, usize)> = text
            .match_indices(':')
            .map(|(at, _)| (at + 1, digits(&text[at + 1..])))
            .filter(|(_, length)| *length > 0)
            .collect();
        assert!(numbers.len() > 20, "{text}");
        let with = |chosen: &[(usize, usize)]| {
            let mut hostile = text.clone();
            for (at, length) in chosen.iter().rev() {
                let narrow = text[..*at].ends_with("\"attempt\":");
                let largest = if narrow { u32::MAX.into() } else { u64::MAX };
                hostile.replace_range(*at..at + length, &largest.to_string());
            }
            hostile
        };
        let mut states: Vec<String> = numbers.chunks(1).map(with).collect();
        states.push(with(&numbers));
        for state in states {
            fs::write(&path, &state).expect("written");
            story(&mut fleet, &first);
        }
    }

    #[test]
    fn what_an_interrupted_worker_left_behind_does_not_pile_up() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = place_in(directory.path());
        let draft = directory.path().join("state.json.draft");
        fs::write(&draft, "{").expect("half a state");
        place.change(|_| ()).expect("kept");
        assert!(!draft.exists());
    }
}
