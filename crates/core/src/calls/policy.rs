//! The numbers that call-level detection works with.

use serde::{Deserialize, Serialize};

use super::verdict::{CallSignal, Level};
use crate::policy::{Enforcement, Policy};

/// A reading that is never reached.
pub const NEVER: u32 = u32::MAX;

/// When a session is taken for a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallPolicy {
    /// The gravest thing that may follow; `None` switches all of it off.
    pub highest: Option<Level>,
    /// What the outcome of a call is worth.
    pub points: Points,
    /// The shortest prompt that is taken for a machine's when it comes again.
    pub prompt_bytes: u64,
    /// The readings at which each signal is followed by something.
    pub rungs: [Rungs; CallSignal::ALL.len()],
}

/// What the outcome of a call is worth on the way to "nothing new".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Points {
    /// Added for an outcome that was known.
    pub known: u32,
    /// Added instead if the call only looked, or answered nothing.
    pub look: u32,
    /// Taken away for an outcome that is new.
    pub fresh: u32,
    /// Taken away instead if it changed a file.
    pub gain: u32,
}

/// The readings of one signal from which something follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rungs {
    /// It is written down.
    pub observe: u32,
    /// The agent is told.
    pub steer: u32,
    /// The call is not carried out.
    pub block: u32,
    /// The iteration ends.
    pub trip: u32,
    /// The iteration ends while the session has not changed a file. As long as
    /// there is nothing to lose, patience buys nothing.
    pub untouched: u32,
}

impl Rungs {
    /// Nothing ever follows.
    pub const OFF: Self = Self {
        observe: NEVER,
        steer: NEVER,
        block: NEVER,
        trip: NEVER,
        untouched: NEVER,
    };

    /// What follows from a reading, and the number from which it does.
    #[must_use]
    pub fn level(&self, value: u32, touched: bool) -> Option<(Level, u32)> {
        let trip = if touched {
            self.trip
        } else {
            self.trip.min(self.untouched)
        };
        [
            (Level::Trip, trip),
            (Level::Block, self.block),
            (Level::Steer, self.steer),
            (Level::Observe, self.observe),
        ]
        .into_iter()
        .find(|(_, rung)| value >= *rung)
    }
}

/// A reading from which more follows than that it is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rung {
    /// [`Rungs::steer`]
    Steer,
    /// [`Rungs::block`]
    Block,
    /// [`Rungs::trip`]
    Trip,
    /// [`Rungs::untouched`]
    Untouched,
}

impl Rung {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Steer, Self::Block, Self::Trip, Self::Untouched];

    /// Its name in data.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Steer => "steer",
            Self::Block => "block",
            Self::Trip => "trip",
            Self::Untouched => "untouched",
        }
    }
}

impl Rungs {
    /// The reading of one rung; `None` if it is never reached.
    #[must_use]
    pub fn get(&self, rung: Rung) -> Option<u32> {
        let value = match rung {
            Rung::Steer => self.steer,
            Rung::Block => self.block,
            Rung::Trip => self.trip,
            Rung::Untouched => self.untouched,
        };
        (value != NEVER).then_some(value)
    }

    /// Another reading for one rung.
    pub fn set(&mut self, rung: Rung, value: u32) {
        *match rung {
            Rung::Steer => &mut self.steer,
            Rung::Block => &mut self.block,
            Rung::Trip => &mut self.trip,
            Rung::Untouched => &mut self.untouched,
        } = value;
    }
}

impl Policy {
    /// How loops inside a session are judged now: where an opening is only announced,
    /// no call is blocked and no iteration ended either.
    #[must_use]
    pub fn calls_in_force(&self) -> CallPolicy {
        let rules = self.in_session;
        match self.enforcement {
            Enforcement::Halt => rules,
            Enforcement::Announce | Enforcement::Observe => CallPolicy {
                highest: rules.highest.map(|highest| highest.min(Level::Steer)),
                ..rules
            },
        }
    }
}

impl CallPolicy {
    /// The numbers that came out of real sessions.
    #[must_use]
    pub fn native() -> Self {
        let mut policy = Self {
            highest: Some(Level::Trip),
            points: Points {
                known: 2,
                look: 1,
                fresh: 1,
                gain: 2,
            },
            prompt_bytes: 100,
            rungs: [Rungs::OFF; CallSignal::ALL.len()],
        };
        let rungs = |observe, steer, block, trip, untouched| Rungs {
            observe,
            steer,
            block,
            trip,
            untouched,
        };
        for (signal, rungs) in [
            (CallSignal::NothingNew, rungs(6, 11, 13, 50, 17)),
            (CallSignal::Repeat, rungs(3, 4, 4, 4, 4)),
            (CallSignal::Cycle, rungs(2, 3, 3, 3, 3)),
            (CallSignal::IdleTurns, rungs(2, 3, NEVER, 3, 2)),
            (CallSignal::RecurringError, rungs(5, 10, NEVER, NEVER, 10)),
            (CallSignal::FutileEdits, rungs(3, 5, NEVER, 6, NEVER)),
            (CallSignal::Failures, rungs(5, 10, NEVER, NEVER, 9)),
            (CallSignal::Oscillation, rungs(2, 3, NEVER, NEVER, NEVER)),
            (CallSignal::Paging, rungs(8, 12, NEVER, NEVER, NEVER)),
            (CallSignal::Claims, rungs(3, 4, NEVER, NEVER, NEVER)),
            (CallSignal::Denials, rungs(2, 3, NEVER, NEVER, NEVER)),
            (CallSignal::Compaction, rungs(2, 3, NEVER, NEVER, NEVER)),
            (CallSignal::Spending, rungs(2000, 8000, NEVER, NEVER, NEVER)),
        ] {
            policy.rungs[signal.index()] = rungs;
        }
        policy
    }

    /// Nothing is looked at.
    #[must_use]
    pub fn off() -> Self {
        Self {
            highest: None,
            ..Self::native()
        }
    }

    /// Everything is written down, and nothing follows.
    #[must_use]
    pub fn observing() -> Self {
        Self {
            highest: Some(Level::Observe),
            ..Self::native()
        }
    }

    /// The rungs of one signal.
    #[must_use]
    pub fn rungs_of(&self, signal: CallSignal) -> &Rungs {
        &self.rungs[signal.index()]
    }

    /// The rungs of one signal, to change them.
    pub fn rungs_of_mut(&mut self, signal: CallSignal) -> &mut Rungs {
        &mut self.rungs[signal.index()]
    }

    /// Whether anything follows from what is seen, but that it is written down.
    #[must_use]
    pub fn acts(&self) -> bool {
        self.highest > Some(Level::Observe)
    }
}
