//! What the work trees of one repository may use together.
//!
//! Every circuit counts its own calls, tokens and money. Where several work trees of a
//! repository have a circuit of the same name, the limits hold for all of them: whoever
//! decides holds the repository, adds up what the others remember, and decides on the
//! sum. So there is no second account, and a crash leaves nothing to be put right.
//!
//! What one of the others has used may be unknown, because its memory cannot be read.
//! Then nothing is granted; what is only reported is taken down all the same.

use std::borrow::Cow;
use std::path::PathBuf;

use fusebox_core::budget::Resource;
use fusebox_core::policy::Preset;
use fusebox_core::{Circuit, Entry, Event, Moment, Policy};
use fusebox_store::{
    BootId, CircuitName, Error as StoreError, HeldRepository, Kept, Repository, Store,
};

use super::{Planned, Session};
use crate::clock::Clock;
use crate::exit;
use crate::failure::Failure;
use crate::memory::Memory;
use crate::speech::shown;

/// The circuits of the same name in other work trees.
#[derive(Default)]
pub(crate) struct Kin {
    others: Vec<(PathBuf, Circuit)>,
    /// Why what they used is not known.
    unknown: Option<Failure>,
}

/// What another work tree has used of what all share, in the window that ends now.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) root: PathBuf,
    pub(crate) calls: u32,
    pub(crate) budgets: Vec<(Resource, u64)>,
}

impl Session {
    /// The others, none of whom decides anything for as long as the second part of the
    /// answer is kept. What must be possible at any time does not wait for that.
    pub(super) fn hold_kin(&self) -> Result<(Kin, Option<HeldRepository>), Failure> {
        let found = self
            .located
            .join_repository(fusebox_workspace::common_dir, |gone| {
                self.counts_no_more(gone)
            })
            .and_then(|repository| repository.map(|one| one.hold()).transpose());
        let held = match found {
            Ok(held) => held,
            Err(_) if !self.strict => None,
            Err(error) => {
                // A fresh start of this circuit is how a person says that they have looked. That it
                // could not be noted must not hide what was found.
                if let StoreError::Tampered(tamper) = &error {
                    let _ = self.store.quarantine(tamper, self.stamp());
                }
                return Err(error.into());
            }
        };
        let mut kin = match held.as_ref().map(|held| &held.others) {
            None => Kin::default(),
            Some(Ok(others)) => Kin::read(others, &self.circuit, self.clock),
            Some(Err(error)) => Kin::unknown(Failure::new(exit::STATE, error.to_string())),
        };
        if !self.strict {
            kin.unknown = None;
        }
        Ok((kin, held))
    }
}

impl Session {
    /// Whether nothing that a work tree used is in any window that could be in force for a
    /// circuit that shares its limits. By its own memory, and by the clock that limits go by.
    fn counts_no_more(&self, other: &Kept) -> bool {
        let now = self.clock.now();
        let boot = BootId::of(&self.clock.boot_text());
        let layers = self.layers.borrow();
        let policies = Preset::ALL.map(|preset| layers.resolve(Some(preset)));
        let Ok(policies) = policies.into_iter().collect::<Result<Vec<_>, _>>() else {
            return false;
        };
        let circuits = other.circuits.iter().chain([&self.circuit]);
        circuits.map(|name| other.circuit(name, boot)).all(|place| {
            let view = Store::<Memory>::open(place).and_then(|store| store.peek());
            view.is_ok_and(|view| {
                let mut all = policies.iter().map(|in_force| &in_force.policy);
                all.all(|policy| {
                    let (calls, budgets) = used_of(&view.state.0, policy, &now);
                    calls == 0 && budgets.iter().all(|(_, used)| *used == 0)
                })
            })
        })
    }
}

impl Kin {
    /// The others as they are now, for whoever only looks.
    pub(crate) fn see(repository: Option<Repository>, circuit: &CircuitName, clock: Clock) -> Self {
        match repository.map(|repository| repository.others()) {
            None => Self::default(),
            Some(Ok(others)) => Self::read(&others, circuit, clock),
            Some(Err(error)) => Self::unknown(error.into()),
        }
    }

    fn read(others: &[Kept], circuit: &CircuitName, clock: Clock) -> Self {
        let boot = BootId::of(&clock.boot_text());
        let read = others.iter().map(|other| {
            let location = other.circuit(circuit, boot);
            let view = Store::<Memory>::open(location).and_then(|store| store.peek());
            match view {
                Ok(view) => Ok((other.root.clone(), view.state.0)),
                Err(error) => Err(unreadable(other, &error.into())),
            }
        });
        match read.collect() {
            Ok(others) => Self {
                others,
                unknown: None,
            },
            Err(failure) => Self::unknown(failure),
        }
    }

    fn unknown(failure: Failure) -> Self {
        Self {
            unknown: Some(failure),
            ..Self::default()
        }
    }

    /// The circuit as it has to be seen, with what the others used.
    pub(crate) fn seen<'a>(
        &self,
        circuit: &'a Circuit,
        policy: &Policy,
        now: &Moment,
    ) -> Cow<'a, Circuit> {
        if self.others.is_empty() {
            return Cow::Borrowed(circuit);
        }
        let others = self.others.iter().map(|(_, other)| other);
        Cow::Owned(circuit.together_with(others, policy, now))
    }

    /// What each of them has used.
    pub(crate) fn shared(&self, policy: &Policy, now: &Moment) -> Vec<Shared> {
        let used = self.others.iter().map(|(root, other)| {
            let (calls, budgets) = used_of(other, policy, now);
            Shared {
                root: root.clone(),
                calls,
                budgets,
            }
        });
        used.collect()
    }

    /// Refuses what would take from limits that somebody else may have used up.
    pub(super) fn admit(&mut self, planned: Planned) -> Result<Planned, Failure> {
        match self.unknown.take() {
            Some(failure) if planned.entries.iter().any(takes) => Err(failure),
            Some(failure) => Ok(Planned {
                answer: planned.answer.and(Err(failure)),
                ..planned
            }),
            None => Ok(planned),
        }
    }

    /// The same for whoever only looks.
    pub(super) fn known(&mut self) -> Result<(), Failure> {
        self.unknown.take().map_or(Ok(()), Err)
    }
}

/// The calls and the amounts of a circuit that still count under a policy.
fn used_of(circuit: &Circuit, policy: &Policy, now: &Moment) -> (u32, Vec<(Resource, u64)>) {
    let alone = Circuit::default().together_with([circuit], policy, now);
    let budgets = policy.budgets().map(|(resource, rule)| {
        let used = alone.budgets.of(resource).left(&rule, now).used;
        (resource, used)
    });
    (alone.calls.left(&policy.calls, now).used, budgets.collect())
}

/// Whether an entry takes something that was free to be taken.
fn takes(entry: &Entry) -> bool {
    matches!(
        entry.event,
        Event::Granted { .. } | Event::Taken { .. } | Event::ReservedMore { .. }
    )
}

fn unreadable(other: &Kept, failure: &Failure) -> Failure {
    let root = shown(&other.root);
    let what = format!(
        "what the work tree {root} has used of the limits that it shares with this one is unknown: {}",
        failure.what
    );
    Failure::new(failure.code, what).hint(format!(
        "`fusebox -C {root} doctor` says what was found; until a person has looked at it there, nothing is granted here either"
    ))
}
