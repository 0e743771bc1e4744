//! All loops of this machine, and how each of them stands.

use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Duration;

use fusebox_core::machine;
use fusebox_store::{
    BootId, CircuitName, Error as StoreError, Homes, Kept, Log, Store, View, survey,
};
use fusebox_supervise::RunLock;
use serde::{Serialize, Serializer};

use crate::cli::Global;
use crate::clock::Clock;
use crate::config::Layers;
use crate::failure::Failure;
use crate::memory::Memory;
use crate::projection::Said;
use crate::session::{self, Kin, Outcome, Session};

/// How long to wait for a writer. Whoever looks at many loops looks again soon.
const PATIENCE: Duration = Duration::from_millis(250);

/// What all loops of this machine are found with.
pub(crate) struct Machine<'a> {
    global: &'a Global,
    clock: Clock,
    homes: Homes,
}

/// A loop: one circuit of one workspace.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) id: LoopId,
    /// Where the workspace was when it was last used.
    pub(crate) root: PathBuf,
    /// What is kept of the workspace.
    kept: Kept,
}

/// The name of a loop among all of this machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LoopId {
    pub(crate) workspace: String,
    pub(crate) circuit: CircuitName,
}

/// How a loop stands.
pub(crate) enum Standing {
    Known(Box<Outcome>),
    /// Somebody was writing for longer than we cared to wait.
    Busy,
    /// The memory cannot be read or believed, which means open.
    Unreadable(String),
}

impl fmt::Display for LoopId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}-{}", self.workspace, self.circuit)
    }
}

impl Serialize for LoopId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The same where all of it is kept there.
pub(crate) fn places_in(homes: &Homes) -> Result<Vec<Place>, Failure> {
    let workspaces = survey(homes)?;
    let places = workspaces.into_iter().flat_map(|kept| {
        let circuits = kept.circuits.clone();
        circuits.into_iter().map(move |circuit| Place {
            id: LoopId {
                workspace: kept.id.clone(),
                circuit,
            },
            root: kept.root.clone(),
            kept: kept.clone(),
        })
    });
    Ok(places.collect())
}

impl<'a> Machine<'a> {
    pub(crate) fn open(global: &'a Global, clock: Clock) -> Result<Self, Failure> {
        let homes = session::homes(global, None)?;
        Ok(Self {
            global,
            clock,
            homes,
        })
    }

    /// Every loop that has a memory here, in the order in which the workspaces
    /// were first used.
    pub(crate) fn places(&self) -> Result<Vec<Place>, Failure> {
        places_in(&self.homes)
    }

    /// How a loop stands now.
    pub(crate) fn standing(&self, place: &Place) -> Standing {
        match self.store(place).and_then(|store| store.peek()) {
            Ok(view) => self.judge(place, view),
            Err(StoreError::Busy { .. }) => Standing::Busy,
            Err(error) => Standing::Unreadable(error.to_string()),
        }
    }

    /// All loops, each with how it stands now.
    pub(crate) fn loops(&self) -> Result<Vec<(Place, Standing)>, Failure> {
        let places = self.places()?.into_iter();
        let loops = places.map(|place| {
            let standing = self.standing(&place);
            (place, standing)
        });
        Ok(loops.collect())
    }

    /// A hold on a loop's workspace, as a command started there would have it.
    pub(crate) fn session(&self, place: &Place) -> Result<Session, Failure> {
        let global = self.global.in_directory(place.root.clone());
        Session::open_despite_config(&global, self.clock)
    }

    /// Where everything is kept.
    pub(crate) fn state(&self) -> &std::path::Path {
        &self.homes.state
    }

    /// The options that all loops are looked at with.
    pub(crate) fn global(&self) -> &Global {
        self.global
    }

    /// The log of a loop; `None` while it is empty.
    pub(crate) fn log(&self, place: &Place) -> Result<Option<Log>, StoreError> {
        self.store(place)?.log()
    }

    fn store(&self, place: &Place) -> Result<Store<Memory>, StoreError> {
        let boot = BootId::of(&self.clock.boot_text());
        let mut location = place.kept.circuit(&place.id.circuit, boot);
        location.patience = PATIENCE;
        Store::open(location)
    }

    /// A repository's configuration that is wrong must not hide its loop.
    fn judge(&self, place: &Place, view: View<Memory>) -> Standing {
        let circuit = view.state.0;
        let preset = circuit.core.preset;
        let layers = Layers::load(self.global, &place.root).unwrap_or_default();
        let resolved = layers.resolve(preset);
        let policy = match resolved.or_else(|_| Layers::default().resolve(preset)) {
            Ok(in_force) => in_force.policy,
            Err(failure) => return Standing::Unreadable(failure.what),
        };
        let now = self.clock.now();
        let kin = Kin::see(place.kept.repository(), &place.id.circuit, self.clock);
        let seen = kin.seen(&circuit, &policy, &now);
        Standing::Known(Box::new(Outcome {
            decision: machine::status(&seen, &policy, &now),
            shared: kin.shared(&policy, &now),
            policy,
            circuit,
            now,
            notes: Vec::new(),
            said: Said::default(),
        }))
    }
}

impl Place {
    /// Whether a supervisor is at work, or what it started.
    pub(crate) fn is_live(&self) -> bool {
        RunLock::is_held(
            &self
                .workspace_dir()
                .join(format!("run-{}.lock", self.id.circuit)),
        )
    }

    pub(crate) fn workspace_dir(&self) -> PathBuf {
        self.kept.workspace_dir()
    }

    /// Something that changes with every record: the log's file and its length.
    /// Cheap enough to be asked of every loop several times a second.
    pub(crate) fn stamp(&self) -> Option<(u64, u64)> {
        let circuits = self.workspace_dir().join("circuits");
        let log = circuits.join(self.id.circuit.as_str()).join("log");
        let metadata = std::fs::symlink_metadata(log).ok()?;
        Some((metadata.ino(), metadata.len()))
    }
}
