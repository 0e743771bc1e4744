//! The supervisor's loop: one thread, one wait, no polling in circles.

mod orders;

use std::io;
use std::os::fd::AsFd;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::adoption::Orphans;
use crate::control::Control;
use crate::held::Looked;
use crate::lineage::Lineage;
use crate::process::ProcessId;
use crate::readiness::{earlier, wait_readable};
use crate::report::{Crowd, Limit, StepEnd, StepError, StepReport, StopCause};
use crate::rescue::{dismiss, rescue};
use crate::signals::Signals;
use crate::step::{Step, StepObserver, Tick, Wish};
use crate::streams::Streams;
use crate::told::Told;
use crate::vitals::Vitals;
use crate::wire::Tally;

/// How often an observer is asked even if nothing happens.
const TICK: Duration = Duration::from_secs(1);

/// How often one that has no room for output is asked whether it has some again.
const NO_ROOM: Duration = Duration::from_millis(20);

/// A turn of the loop that lasts this much longer than it was to wait, and in
/// which SIGCONT came, is one in which this process was stopped. SIGCONT alone
/// proves nothing: the agent can send it, too.
const OVERSLEPT: Duration = Duration::from_millis(250);

/// How long after a stop the keeper has to say that the tree stood still meanwhile.
const WORD_DUE: Duration = Duration::from_secs(2);

/// A running keeper.
pub(crate) struct Keeper {
    pub(crate) child: Child,
    pub(crate) identity: ProcessId,
    pub(crate) control: Control,
}

/// What can be ready in the wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Control,
    Stream(usize),
    Signal,
    Caller,
}

/// One step under way.
pub(crate) struct Watch<'a> {
    step: &'a Step,
    keeper: Keeper,
    streams: Streams,
    /// Moved on by the time in which the step was suspended.
    started: Instant,
    suspended: Duration,
    vitals: Vitals<'a>,
    /// Whom the keeper would leave behind, where nobody adopts them.
    lineage: Option<Lineage>,
    told: Told,
    /// The end the step is being brought to, once it is.
    intent: Option<StepEnd>,
    killing: bool,
    /// By when the keeper must be done, once its time runs.
    keeper_due: Option<Instant>,
    looked: Looked,
    /// After a stop: until when the keeper is waited for to vouch for the tree. Whoever can
    /// stop this process can stop the keeper as well, and then the tree goes on.
    word_due: Option<Instant>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        step: &'a Step,
        keeper: Keeper,
        streams: Streams,
        started: Instant,
        orphans: Orphans,
    ) -> Self {
        let lineage = match orphans {
            Orphans::Adopted => None,
            Orphans::Searched => Some(Lineage::below(keeper.identity.pid)),
        };
        let vitals = Vitals::new(keeper.identity.pid, &step.limits, started);
        Self {
            step,
            keeper,
            streams,
            started,
            suspended: Duration::ZERO,
            vitals,
            lineage,
            told: Told::default(),
            intent: None,
            killing: false,
            keeper_due: None,
            looked: Looked::default(),
            word_due: None,
        }
    }

    pub(crate) fn run(
        mut self,
        observer: &mut dyn StepObserver,
        signals: &mut Signals,
    ) -> Result<StepReport, StepError> {
        let watched = self.watch(observer, signals);
        let report = watched
            .and_then(|()| self.conclude(observer))
            .map_err(StepError::Watch);
        if report.is_err() {
            rescue(
                &mut self.keeper.child,
                self.keeper.identity,
                &self.step.cookie,
                self.lineage.take(),
            );
        }
        match (report, self.told.failed) {
            (Ok(_), Some(why)) => Err(StepError::KeeperFailed(why)),
            (report, _) => report,
        }
    }

    /// Returns when the keeper has said its last word, or never will.
    ///
    /// In each turn the clock is read before anyone asks whether this process
    /// was stopped, and once more if it was. A stop between the two is then
    /// never taken for time that has passed.
    fn watch(&mut self, observer: &mut dyn StepObserver, signals: &mut Signals) -> io::Result<()> {
        let mut turn = Instant::now();
        let mut until = turn;
        loop {
            let mut now = Instant::now();
            if signals.was_continued() {
                now = Instant::now();
                if now > until + OVERSLEPT {
                    self.stopped_for(now.saturating_duration_since(turn), now);
                }
            }
            if self.keeper_has_finished(now) || self.looked.is_held(self.keeper.identity, now) {
                return Ok(());
            }
            if self.word_due.is_none_or(|due| now >= due) {
                self.word_due = None;
                self.keep_to_the_overall_limit(now);
                // Before silence is judged: the observer may know its reason, and
                // on a machine that stood still it was not asked since.
                self.fulfil(observer, now);
                self.judge_vitals(now);
            }
            if let Some(lineage) = &self.lineage {
                lineage.look_if_due(now);
            }
            (turn, until) = (now, self.next_deadline(now));
            let ready = self.wait(signals, observer, until)?;
            for &source in &ready {
                match source {
                    Source::Control => self.listen(),
                    Source::Stream(index) => self.pass_on(index, observer)?,
                    Source::Signal => {
                        if let Some(signal) = signals.take() {
                            let first = !self.is_asked_to_end();
                            // Before anything is said of it: who says may be kept waiting.
                            self.signal_received(signal);
                            observer.signalled(signal, first);
                        }
                    }
                    Source::Caller => {}
                }
            }
            if ready.contains(&Source::Caller) {
                observer.hear_callers();
                self.catch_up(observer)?;
                observer.answer_callers();
            }
        }
    }

    /// This process was stopped: nothing was heard meanwhile, whatever was said.
    fn stopped_for(&mut self, time: Duration, now: Instant) {
        self.keeper_due = self.keeper_due.and_then(|due| due.checked_add(time));
        self.looked.begin_anew();
        self.word_due = Some(now + WORD_DUE);
    }

    /// Nothing happened in this time: everyone was stopped, and the keeper has seen it.
    fn forget(&mut self, time: Duration, now: Instant) {
        self.word_due = None;
        self.started = (self.started + time).min(now);
        self.suspended += time;
        self.vitals.postpone(time, now);
    }

    fn keeper_has_finished(&self, now: Instant) -> bool {
        self.told.is_final()
            || self.keeper.control.is_closed()
            || self.keeper_due.is_some_and(|due| now >= due)
    }

    fn next_deadline(&self, now: Instant) -> Instant {
        let limits = earlier(self.overall_deadline(), self.vitals.next_look());
        let limits = limits.filter(|_| self.limits_apply() && self.word_due.is_none());
        let tick = now + self.lineage.as_ref().map_or(TICK, |_| Lineage::LOOK);
        earlier(limits, self.keeper_due).map_or(tick, |next| next.min(tick))
    }

    fn overall_deadline(&self) -> Option<Instant> {
        self.started.checked_add(self.step.limits.overall?)
    }

    /// Limits are for the command: what is left after its end, or after the
    /// decision to end it, is the keeper's business and has its own deadline.
    fn limits_apply(&self) -> bool {
        self.intent.is_none() && !self.told.is_over()
    }

    fn wait(
        &self,
        signals: &Signals,
        observer: &dyn StepObserver,
        until: Instant,
    ) -> io::Result<Vec<Source>> {
        let has_room = observer.takes_output();
        let until = match has_room {
            true => until,
            false => until.min(Instant::now() + NO_ROOM),
        };
        let streams = self.streams.open().filter(|_| has_room);
        let callers = observer.callers().into_iter();
        let (mut sources, mut fds) = (vec![Source::Control], vec![self.keeper.control.as_fd()]);
        for (source, fd) in (signals.sources().map(|fd| (Source::Signal, fd)))
            .chain(streams.map(|(index, fd)| (Source::Stream(index), fd)))
            .chain(callers.map(|fd| (Source::Caller, fd)))
        {
            sources.push(source);
            fds.push(fd);
        }
        let readable = wait_readable(&fds, Some(until))?;
        let ready = sources.into_iter().zip(readable);
        Ok(ready
            .filter_map(|(source, ready)| ready.then_some(source))
            .collect())
    }

    fn pass_on(&mut self, index: usize, observer: &mut dyn StepObserver) -> io::Result<()> {
        let passed = self.streams.pass_on(index, observer)?;
        self.note_output(passed);
        Ok(())
    }

    /// Hands over everything that was written before this moment.
    fn catch_up(&mut self, observer: &mut dyn StepObserver) -> io::Result<()> {
        let passed = self.streams.catch_up(observer)?;
        self.note_output(passed);
        Ok(())
    }

    fn note_output(&mut self, bytes: usize) {
        if bytes > 0 {
            self.vitals.idleness.output_seen(Instant::now());
        }
    }

    fn keep_to_the_overall_limit(&mut self, now: Instant) {
        let deadline = self.overall_deadline().filter(|_| self.limits_apply());
        if deadline.is_some_and(|deadline| now >= deadline) {
            self.stop(StepEnd::TimedOut(Limit::Overall));
        }
    }

    fn judge_vitals(&mut self, now: Instant) {
        if !self.limits_apply() {
            return;
        }
        match self.vitals.verdict(now, self.lineage.as_ref()) {
            // Each moment of grace would be one more doubling.
            Some(
                end @ StepEnd::TooMany {
                    of: Crowd::Processes,
                    ..
                },
            ) => self.kill(end),
            Some(end) => self.stop(end),
            None => {}
        }
    }

    fn fulfil(&mut self, observer: &mut dyn StepObserver, now: Instant) {
        let elapsed = now.saturating_duration_since(self.started);
        let wish = observer.tick(Tick {
            elapsed,
            quiet: self.vitals.idleness.quiet(now),
        });
        if !observer.takes_output() {
            self.vitals.idleness.excuse(now);
        }
        let stopped = StepEnd::Stopped {
            by: StopCause::Observer,
        };
        match wish {
            Wish::GoOn => {}
            Wish::Excuse(until) => {
                // Up to now and no further: the next tick may say otherwise.
                let until = self.started.checked_add(until).unwrap_or(now);
                self.vitals.idleness.excuse(until.min(now));
            }
            Wish::FinishAt(time) if self.limits_apply() && elapsed >= time => {
                self.stop(StepEnd::Lingered);
            }
            Wish::FinishAt(_) => {}
            Wish::Stop if self.intent.is_some() => {}
            Wish::Stop => self.stop(stopped),
            Wish::Kill => self.kill(stopped),
        }
    }

    /// The tree is gone, or will be after this: the rest is output and sums.
    fn conclude(&mut self, observer: &mut dyn StepObserver) -> io::Result<StepReport> {
        let cookie = &self.step.cookie;
        let tally = if let Some(tally) = self.told.tally {
            dismiss(&mut self.keeper.child);
            tally
        } else {
            let lineage = self.lineage.take();
            let felled = rescue(
                &mut self.keeper.child,
                self.keeper.identity,
                cookie,
                lineage,
            );
            self.told.escaped = felled.escaped;
            Tally {
                stragglers: 0,
                killed: felled.killed,
                cpu: self.vitals.idleness.cpu(),
            }
        };
        let duration = self.started.elapsed();
        self.streams.drain(self.step.limits.drain, observer)?;
        Ok(StepReport {
            end: self.told.end(self.intent),
            leader: self.told.leader,
            duration,
            suspended: self.suspended,
            cpu: tally.cpu,
            output: self.streams.stats(),
            writes_unseen: self.vitals.writes_unseen,
            stragglers: tally.stragglers,
            killed: tally.killed,
            escaped: std::mem::take(&mut self.told.escaped),
        })
    }
}
