//! What is done with the events of a session: they are judged at once, or kept
//! to be judged several times.

use fusebox_core::calls::{self, CallEvent, CallPolicy, CallState, CallVerdict, Level};

use crate::strip::Strip;
use crate::tally::Tally;

/// Follows one session.
pub trait Follower {
    /// What remains of it when the session has ended.
    type Outcome: Send;

    /// Takes in one event. The tally holds it already.
    fn event(&mut self, event: CallEvent, tally: &Tally);

    /// The session has ended.
    fn finish(self) -> Self::Outcome;
}

/// The verdicts on a session that are remembered.
const VERDICTS_KEPT: usize = 32;

/// A verdict, and how far the session had come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// What was said.
    pub verdict: CallVerdict,
    /// What the session had used by then.
    pub tally: Tally,
}

/// What a policy says of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdicts {
    /// The first verdicts, in order; the first warning and the first trip are
    /// always among them. Nothing follows a trip.
    pub points: Vec<Point>,
    /// What the session looked like.
    pub strip: Strip,
}

impl Verdicts {
    /// Where the agent would first have been told.
    #[must_use]
    pub fn warned(&self) -> Option<&Point> {
        self.first(Level::Steer)
    }

    /// Where the session would have ended.
    #[must_use]
    pub fn tripped(&self) -> Option<&Point> {
        self.first(Level::Trip)
    }

    fn first(&self, level: Level) -> Option<&Point> {
        self.points
            .iter()
            .find(|point| point.verdict.level >= level)
    }
}

/// Judges a session while it is read, in constant memory.
#[derive(Clone, Debug)]
pub struct Judging {
    policy: CallPolicy,
    state: CallState,
    verdicts: Verdicts,
}

impl Judging {
    /// By these numbers.
    #[must_use]
    pub fn by(policy: CallPolicy) -> Self {
        Self {
            policy,
            state: CallState::default(),
            verdicts: Verdicts::default(),
        }
    }
}

impl Follower for Judging {
    type Outcome = Verdicts;

    fn event(&mut self, event: CallEvent, tally: &Tally) {
        self.verdicts.strip.event(&event);
        if self.verdicts.tripped().is_some() {
            return;
        }
        let Some(verdict) = calls::step(&mut self.state, &self.policy, &event) else {
            return;
        };
        let room = self.verdicts.points.len() < VERDICTS_KEPT;
        if room || verdict.level == Level::Trip {
            let tally = *tally;
            self.verdicts.points.push(Point { verdict, tally });
        }
    }

    fn finish(mut self) -> Verdicts {
        self.verdicts.strip.seal();
        self.verdicts
    }
}

/// Keeps what a session tells, so that it can be judged by several policies.
#[derive(Clone, Debug, Default)]
pub struct Recording(pub Vec<CallEvent>);

impl Follower for Recording {
    type Outcome = Self;

    fn event(&mut self, event: CallEvent, _: &Tally) {
        self.0.push(event);
    }

    fn finish(self) -> Self {
        self
    }
}
