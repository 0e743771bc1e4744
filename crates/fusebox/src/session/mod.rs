//! One command's hold on one circuit: where it lives, its configuration and its
//! clock.

mod board;
mod decide;
mod drafts;
mod home;
mod kin;
pub(crate) mod measure;
mod news;
mod reread;
mod supervised;
mod verified;

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

use fusebox_core::{Circuit, Decision, Moment, Policy, Preset};
use fusebox_seeds::Scene;
use fusebox_store::{
    CircuitName, Error as StoreError, Homes, Located, Mark, Repair, Standing, Store, Tamper, View,
    locate,
};

use fusebox_view::answer::Telling;

pub(crate) use decide::Planned;
pub(crate) use home::homes;
pub(crate) use kin::{Kin, Shared};
pub(crate) use supervised::cookie_at;

use crate::blackboard::Blackboard;
use crate::cli::Global;
use crate::clock::Clock;
use crate::config::{InForce, Layers};
use crate::exit;
use crate::failure::Failure;
use crate::last_run::LastRun;
use crate::memory::Memory;
use crate::projection::Said;
use crate::speech::shown;

/// One command's hold on one circuit.
pub(crate) struct Session {
    pub(crate) homes: Homes,
    pub(crate) located: Located,
    pub(crate) circuit: CircuitName,
    pub(crate) store: Store<Memory>,
    pub(crate) clock: Clock,
    /// The way of working that was asked for, if one was.
    preset: Option<Preset>,
    /// What is configured, from the machine's file to the command line.
    pub(crate) layers: RefCell<Layers>,
    /// The user's file, if one was named.
    pub(crate) config: Option<PathBuf>,
    /// Whether the place of the memory was named.
    named_state: bool,
    /// What was last said of a configuration that had become wrong.
    complaint: RefCell<Option<String>>,
    /// Whether nothing may be done under a wrong configuration.
    pub(crate) strict: bool,
    /// Whether the files of other systems are left alone.
    pub(crate) aloof: bool,
    /// Whether an edit of such a file that wants something released stops nothing,
    /// because whoever asks may release.
    forgiving: Cell<bool>,
    /// Whether such a file stops nothing either if it makes no sense, because whoever asks is
    /// about to put that right.
    correcting: Cell<bool>,
    /// Whether the workspace is registered and its standing was mentioned.
    introduced: Cell<bool>,
    /// The last record this process has seen. Whoever deletes or puts back both
    /// copies of the memory while we run leaves nothing on the disk to tell it
    /// by, but we still know.
    seen: Cell<u64>,
    /// The blackboard as it was last read, where there is one.
    pub(crate) blackboard: RefCell<Option<Blackboard>>,
    /// Whether this process is the supervisor.
    pub(crate) supervises: Cell<bool>,
    /// That record's place and hash, where the caller asked to keep watch.
    witness: Cell<Option<Mark>>,
}

/// What was decided, durable by now, and what is worth mentioning beside it.
pub(crate) struct Outcome {
    pub(crate) decision: Decision,
    pub(crate) policy: Policy,
    pub(crate) circuit: Circuit,
    pub(crate) now: Moment,
    pub(crate) notes: Vec<String>,
    /// The same in the language of the system that the way of working is from.
    pub(crate) said: Said,
    /// What other work trees of the repository have used of the same limits.
    pub(crate) shared: Vec<Shared>,
}

impl Outcome {
    /// What it takes to tell it to a person.
    pub(crate) fn telling(&self) -> Telling<'_> {
        Telling {
            policy: &self.policy,
            circuit: &self.circuit,
            now_ms: self.now.wall_ms,
        }
    }

    /// The last run; `live` is whether a supervisor is alive.
    pub(crate) fn last_run(&self, live: bool) -> Option<LastRun<'_>> {
        LastRun::of(&self.circuit, live, &self.now)
    }
}

impl Session {
    pub(crate) fn open(global: &Global, clock: Clock) -> Result<Self, Failure> {
        let mut session = Self::open_in(global, clock, None)?;
        session.layers = Layers::load(global, &session.located.root)?.into();
        session.strict = true;
        Ok(session)
    }

    /// Opens for what must be possible whatever somebody wrote into a
    /// configuration: where it is wrong, the preset alone rules.
    pub(crate) fn open_despite_config(global: &Global, clock: Clock) -> Result<Self, Failure> {
        let session = Self::open_in(global, clock, None)?;
        let layers = Layers::load(global, &session.located.root);
        session.layers.replace(layers.unwrap_or_default());
        Ok(session)
    }

    /// Opens with no configuration, and with the second copy of the head in
    /// `data` instead of the usual place.
    pub(crate) fn open_in(
        global: &Global,
        clock: Clock,
        data: Option<&Path>,
    ) -> Result<Self, Failure> {
        let cwd = directory(global)?;
        let homes = homes(global, data)?;
        let located = locate(&named(global, &cwd), &homes)?;
        let circuit: CircuitName = global.circuit.parse()?;
        let boot = fusebox_store::BootId::of(&clock.boot_text());
        let mut location = located.circuit(&circuit, boot);
        if let Some(bytes) = clock.set_by_test("FUSEBOX_SEGMENT_BYTES") {
            location.segment_bytes = bytes;
        }
        let store = Store::open(location)?;
        Ok(Self {
            homes,
            located,
            circuit,
            store,
            clock,
            preset: global.preset,
            layers: RefCell::default(),
            config: global.config.clone(),
            named_state: global.state_dir.is_some(),
            complaint: RefCell::default(),
            strict: false,
            aloof: false,
            forgiving: Cell::new(false),
            correcting: Cell::new(false),
            introduced: Cell::new(false),
            seen: Cell::new(0),
            witness: Cell::new(None),
            supervises: Cell::new(false),
            blackboard: RefCell::default(),
        })
    }

    /// The same session for a way of working, unless another was asked for, that
    /// touches no file of another system.
    pub(crate) fn aloof(mut self, preset: Preset) -> Self {
        self.aloof = true;
        self.preset = self.preset.or(Some(preset));
        self
    }

    /// The way of working of the circuit, if it was begun, or else the one that
    /// was asked for.
    pub(crate) fn preset(&self) -> Result<Option<Preset>, Failure> {
        let begun = self.store.peek()?.state.0.core.preset;
        Ok(begun.or(self.preset))
    }

    /// The policy that rules `circuit`.
    pub(crate) fn policy(&self, circuit: &Circuit) -> Result<Policy, Failure> {
        Ok(self.in_force(circuit)?.policy)
    }

    /// What is in force for `circuit`. A circuit keeps the way of working it was
    /// begun with.
    pub(crate) fn in_force(&self, circuit: &Circuit) -> Result<InForce, Failure> {
        let begun = circuit.core.preset;
        if let (Some(begun), Some(asked)) = (begun, self.preset)
            && begun != asked
        {
            let what = format!(
                "circuit `{}` was begun with preset `{begun}`, not `{asked}`",
                self.circuit
            );
            return Err(Failure::new(exit::CONFIG, what).hint(
                "a circuit keeps its way of working; `fusebox presets use` changes it, `--circuit` names another",
            ));
        }
        let preset = begun.or(self.preset);
        let resolved = match self.layers.borrow().resolve_for(preset, &circuit.imported) {
            Err(_) if !self.strict => Layers::default().resolve(preset),
            resolved => resolved,
        };
        Ok(match circuit.core.threshold {
            Some(threshold) => resolved?.with_own_threshold(threshold),
            None => resolved?,
        })
    }

    /// Whether this process has let an agent run.
    pub(crate) fn let_something_run(&self) -> bool {
        self.witness.get().is_some()
    }

    /// Looks without writing anything.
    pub(crate) fn look(
        &self,
        decide: impl FnOnce(&Circuit, &Policy, &Moment) -> Decision,
    ) -> Result<Outcome, Failure> {
        self.try_look(|circuit, policy, now| Ok(decide(circuit, policy, now)))
    }

    /// The same for what can be refused.
    pub(crate) fn try_look(
        &self,
        decide: impl FnOnce(&Circuit, &Policy, &Moment) -> Result<Decision, Failure>,
    ) -> Result<Outcome, Failure> {
        let view = self.store.peek()?;
        self.refuse_forgotten(&view)?;
        self.seen.set(view.seq);
        let is_first = view.is_first_use();
        let now = self.clock.now();
        let in_force = self.in_force(&view.state.0)?;
        let mut circuit = view.state.0;
        if self.has_blackboard(&in_force.policy) {
            circuit = self.peek_at_the_board(&circuit, &in_force.policy, &now)?;
        } else {
            circuit = match self.peek_beside(&circuit, &in_force.policy, &now) {
                Err(failure) if self.heeds_files() => return Err(failure),
                Err(_) => circuit,
                Ok(seen) => seen,
            };
        }
        let mut kin = Kin::see(self.located.repository(), &self.circuit, self.clock);
        if self.strict {
            kin.known()?;
        }
        let seen = kin.seen(&circuit, &in_force.policy, &now);
        let decision = decide(&seen, &in_force.policy, &now)?;
        let shared = kin.shared(&in_force.policy, &now);
        let said = Said::of(&Scene {
            policy: &in_force.policy,
            circuit: &circuit,
            entries: &[],
            now_ms: now.wall_ms,
            beside: &[],
        });
        Ok(Outcome {
            decision,
            now,
            said,
            notes: self.notes(is_first, &view.repairs, in_force.warnings),
            policy: in_force.policy,
            circuit,
            shared,
        })
    }

    /// Makes sure that the log still holds the last record this process saw, and
    /// from now on watches the one that is last now.
    ///
    /// A number alone could be reached again by somebody who put back an older
    /// log and added records of their own; the hash could not.
    pub(crate) fn confirm_history(&self) -> Result<(), Failure> {
        let log = self.store.log()?;
        let held = match (self.witness.get(), &log) {
            (None, _) => true,
            (Some(mark), Some(log)) => log.contains(&mark)?,
            (Some(_), None) => false,
        };
        if !held {
            return self.latch_loss(self.seen.get());
        }
        self.witness.set(log.map(|log| log.end()));
        Ok(())
    }

    /// Latches the loss of records that this process has seen.
    fn refuse_forgotten(&self, view: &View<Memory>) -> Result<(), Failure> {
        match self.seen.get() {
            seen if view.seq < seen => self.latch_loss(seen),
            _ => Ok(()),
        }
    }

    fn latch_loss(&self, seq: u64) -> Result<(), Failure> {
        let path = self.store.location().dir.join("log");
        let tamper = Tamper::LogCut { path, seq };
        self.store.quarantine(&tamper, self.stamp())?;
        Err(StoreError::Tampered(tamper).into())
    }

    /// The wall clock.
    pub(crate) fn stamp_ms(&self) -> i64 {
        self.clock.now().wall_ms
    }

    /// The wall clock for the store, which only ever writes it down.
    pub(crate) fn stamp(&self) -> u64 {
        u64::try_from(self.clock.now().wall_ms).unwrap_or(0)
    }

    /// What is worth mentioning; what does not change is mentioned once.
    fn notes(&self, is_first: bool, repairs: &[Repair], warnings: Vec<String>) -> Vec<String> {
        let mut notes = Vec::new();
        let introduced = self.introduced.replace(true);
        if !introduced {
            notes.extend(warnings);
        }
        match &self.located.standing {
            _ if introduced => {}
            Standing::FirstUse => notes.push(format!(
                "new workspace {}; state is stored in {}",
                shown(&self.located.root),
                shown(&self.located.workspace_dir())
            )),
            Standing::Moved { from } => {
                notes.push(format!(
                    "this workspace was moved from {}; its state moved along",
                    shown(from)
                ));
            }
            Standing::Known if is_first => notes.push(format!(
                "first use of circuit `{}` in {}",
                self.circuit,
                shown(&self.located.root)
            )),
            Standing::Known => {}
        }
        if !introduced && self.located.project != self.located.root {
            notes.push(self.within());
        }
        let warnings = repairs.iter().filter(|repair| repair.is_warning());
        notes.extend(warnings.map(ToString::to_string));
        notes
    }

    /// That this project has no breaker of its own, and what to do if that was never meant.
    pub(crate) fn within(&self) -> String {
        let root = shown(&self.located.root);
        format!(
            "{} is inside the workspace {root}, which was registered first: both share one breaker \
             (if {root} was a mistake: `fusebox prune --forget -C {root}`)",
            shown(&self.located.project),
        )
    }
}

/// The same directory by the name that it goes by for whoever asks: they may have come
/// through a link that stands where the work was.
fn named(global: &Global, cwd: &Path) -> PathBuf {
    let given = global.directory.as_deref().unwrap_or(Path::new(""));
    let shell = std::env::var_os("PWD").map(PathBuf::from);
    let named = shell.filter(|at| at.is_absolute()).map(|at| at.join(given));
    let leads_here =
        |named: &PathBuf| named == cwd || named.canonicalize().is_ok_and(|real| real == cwd);
    // The shell's word counts only where it is true.
    match named.filter(leads_here) {
        Some(named) => named,
        None if given.as_os_str().is_empty() => cwd.to_owned(),
        None => given.to_owned(),
    }
}

/// The directory the command is about.
pub(crate) fn directory(global: &Global) -> Result<PathBuf, Failure> {
    let named = global.directory.as_deref().unwrap_or(Path::new("."));
    let entered = std::fs::canonicalize(named).and_then(|real| match real.is_dir() {
        true => Ok(real),
        false => Err(std::io::ErrorKind::NotADirectory.into()),
    });
    entered.map_err(|error| {
        let is_gone = error.kind() == std::io::ErrorKind::NotFound;
        if is_gone && global.directory.is_none() {
            return Failure::new(exit::USAGE, "the directory that you are in is gone")
                .hint("go to one that there is, or name one with `-C`");
        }
        Failure::new(
            exit::USAGE,
            format!("cannot enter {}: {error}", named.display()),
        )
        .hint("`-C` sets the working directory (default: the current one)")
    })
}
