//! Looking at the tree from time to time, and what the looks amount to.

use std::time::{Duration, Instant};

use crate::census::Census;
use crate::idleness::Idleness;
use crate::lineage::Lineage;
use crate::readiness::earlier;
use crate::report::{Crowd, Limit, StepEnd};
use crate::step::StepLimits;

/// Heads are counted this often, if that takes no more than its share.
const HEAD_COUNT: Duration = Duration::from_secs(1);

/// A count takes milliseconds where a hundred processes run, and far longer
/// where ten thousand do. One part in a hundred of the time is spent on it.
const SHARE: u32 = 100;
const RAREST: Duration = Duration::from_secs(30);

/// Watches for the limits that need a look at the processes.
pub(crate) struct Vitals<'a> {
    keeper: i32,
    limits: &'a StepLimits,
    pub(crate) idleness: Idleness,
    last_look: Instant,
    /// From one count of heads to the next.
    interval: Duration,
    /// The system does not tell what the tree writes.
    pub(crate) writes_unseen: bool,
}

impl<'a> Vitals<'a> {
    pub(crate) fn new(keeper: i32, limits: &'a StepLimits, now: Instant) -> Self {
        Self {
            keeper,
            limits,
            idleness: Idleness::new(limits.idle, now),
            last_look: now,
            interval: HEAD_COUNT,
            writes_unseen: false,
        }
    }

    /// When [`Vitals::verdict`] should be asked next.
    pub(crate) fn next_look(&self) -> Option<Instant> {
        let heads = self.limits.processes.is_some() || self.limits.agents.is_some();
        let head_count = heads.then(|| self.last_look + self.interval);
        earlier(head_count, self.idleness.next_look())
    }

    /// The limit that is exceeded, if one is, looking at the process table if
    /// it is time to. A look that fails tells nothing either way.
    pub(crate) fn verdict(&mut self, now: Instant, lineage: Option<&Lineage>) -> Option<StepEnd> {
        let due = self.next_look().is_some_and(|next| now >= next);
        let crowd = due.then(|| self.look(now, lineage)).flatten();
        let idle = || {
            let idle = self.idleness.is_exceeded(now);
            idle.then_some(StepEnd::TimedOut(Limit::Idle))
        };
        crowd.or_else(idle)
    }

    fn look(&mut self, now: Instant, lineage: Option<&Lineage>) -> Option<StepEnd> {
        self.last_look = now;
        let agents = self.limits.agents.as_ref();
        let programs = agents.map_or(&[][..], |cap| &cap.programs);
        let census = Census::take(self.keeper, lineage, programs)?;
        self.interval = (now.elapsed() * SHARE).clamp(HEAD_COUNT, RAREST);
        self.writes_unseen = self.limits.idle.is_some() && census.written.is_none();
        self.idleness.look(now, &census);
        let processes = self.limits.processes;
        over(Crowd::Processes, census.processes, processes)
            .or_else(|| over(Crowd::Agents, census.agents, agents.map(|cap| cap.most)))
    }

    /// Forgets a time in which the whole step stood still.
    pub(crate) fn postpone(&mut self, by: Duration, now: Instant) {
        self.last_look = (self.last_look + by).min(now);
        self.idleness.postpone(by, now);
    }
}

fn over(of: Crowd, count: u32, cap: Option<u32>) -> Option<StepEnd> {
    let cap = cap.filter(|cap| count > *cap)?;
    Some(StepEnd::TooMany { of, count, cap })
}
