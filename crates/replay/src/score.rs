//! Verdicts held against what is known of the sessions.

use std::num::NonZero;
use std::thread;

use fusebox_core::calls::{self, CallEvent, CallPolicy, CallState, Level};

use crate::desk::Told;
use crate::follow::Recording;
use crate::labels::Group;
use crate::share::Share;
use crate::supervisor::{Opinion, Supervisor};

/// A session that can be judged again and again.
#[derive(Clone, Debug)]
pub struct Case {
    /// Where it comes from.
    pub source: String,
    /// Its name.
    pub session: String,
    /// How it went.
    pub group: Group,
    /// How many calls it made.
    pub calls: u32,
    /// The last of them that changed a file.
    pub last_edit: u32,
    /// All of it.
    pub events: Vec<CallEvent>,
}

impl From<Told<Recording>> for Case {
    fn from(told: Told<Recording>) -> Self {
        Self {
            source: told.source,
            session: told.session,
            group: told.labels.group,
            calls: told.tally.calls,
            last_edit: told.tally.last_edit,
            events: told.outcome.0,
        }
    }
}

/// The calls after which a session would have been warned and stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The first warning.
    pub warn: Option<u32>,
    /// The first trip.
    pub trip: Option<u32>,
}

/// Where a policy would have spoken up in a session.
#[must_use]
pub fn find_in(events: &[CallEvent], policy: &CallPolicy) -> Found {
    let mut state = CallState::default();
    let mut found = Found::default();
    let mut calls = 0;
    for event in events {
        calls += u32::from(matches!(event, CallEvent::Call(_)));
        let Some(verdict) = calls::step(&mut state, policy, event) else {
            continue;
        };
        if verdict.level >= Level::Steer {
            found.warn = found.warn.or(Some(calls));
        }
        if verdict.level == Level::Trip {
            found.trip = Some(calls);
            break;
        }
    }
    found
}

/// Judges all sessions, on all processors.
#[must_use]
pub fn judge(cases: &[Case], policy: &CallPolicy) -> Vec<Found> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let part = cases.len().div_ceil(workers).max(1);
    let find_all = |part: &[Case]| -> Vec<Found> {
        part.iter()
            .map(|case| find_in(&case.events, policy))
            .collect()
    };
    thread::scope(|scope| {
        let parts = cases
            .chunks(part)
            .map(|part| scope.spawn(move || find_all(part)));
        let parts: Vec<_> = parts.collect();
        // A part that panicked would leave verdicts out, and so would lie.
        let joined = parts.into_iter().map(|part| match part.join() {
            Ok(found) => found,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    })
}

/// How well verdicts of one level fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Sessions with a verdict, for each of [`Group::JUDGED`].
    pub groups: [Share; Group::JUDGED.len()],
    /// Solved sessions with a verdict before their last edit.
    pub harmful: Share,
    /// The mean share of calls that came after the verdict, in percent, of the
    /// sessions that ran into their limit and had one.
    pub saved: Option<f64>,
    /// Beside a supervisor who read the sessions.
    pub opinion: Option<Opinion>,
}

impl Score {
    /// The share of a group.
    #[must_use]
    pub fn of(&self, group: Group) -> Share {
        let at = Group::JUDGED.iter().position(|judged| *judged == group);
        at.map(|at| self.groups[at]).unwrap_or_default()
    }

    /// Sessions that were right to stop, and were.
    #[must_use]
    pub fn caught(&self) -> Share {
        self.of(Group::Stuck).plus(self.of(Group::Limit))
    }

    /// Sessions that were wrong to stop, and were.
    #[must_use]
    pub fn harmed(&self) -> Share {
        let others = self.of(Group::Supervised).plus(self.of(Group::Unattended));
        self.harmful.plus(others)
    }
}

/// Holds verdicts against the groups of their sessions. `at` picks the level.
pub fn score<'a>(
    sessions: impl IntoIterator<Item = (&'a Case, Found)>,
    at: fn(&Found) -> Option<u32>,
    supervisor: Option<&Supervisor>,
) -> Score {
    let mut score = Score::default();
    let mut saved = Vec::new();
    let mut verdicts = Vec::new();
    for (case, found) in sessions {
        let at = at(&found);
        verdicts.push((&*case.session, at));
        let judged = Group::JUDGED.iter().position(|group| *group == case.group);
        if let Some(group) = judged {
            score.groups[group].count(at.is_some());
        }
        if case.group == Group::Solved {
            score
                .harmful
                .count(at.is_some_and(|at| at < case.last_edit));
        }
        if let (Group::Limit, Some(at)) = (case.group, at) {
            let left = case.calls.saturating_sub(at);
            saved.push(f64::from(left) / f64::from(case.calls.max(1)));
        }
    }
    if !saved.is_empty() {
        #[expect(clippy::cast_precision_loss, reason = "counts of sessions are small")]
        let mean = saved.iter().sum::<f64>() / saved.len() as f64;
        score.saved = Some(100.0 * mean);
    }
    score.opinion = supervisor.map(|supervisor| supervisor.compare(verdicts.into_iter()));
    score
}
