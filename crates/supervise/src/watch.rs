//! The supervisor's loop: one thread, one wait, no polling in circles.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::process::Child;
use std::time::{Duration, Instant};

use crate::control::Control;
use crate::idleness::Idleness;
use crate::ladder::{SHORT_GRACE, longest};
use crate::output::{Outlet, OutputStats, PIPE_SIZE};
use crate::process::ProcessId;
use crate::readiness::{earlier, wait_readable};
use crate::report::{LeaderEnd, Limit, StepEnd, StepError, StepReport, StopCause, Survivor};
use crate::rescue::{dismiss, rescue};
use crate::signals::Signals;
use crate::step::{Step, StepObserver, Tick, Wish};
use crate::tree::KILL_BUDGET;
use crate::wire::{News, Order, Tally};

/// How much is read at a time.
const CHUNK: usize = 256 * 1024;

/// How often an observer is asked even if nothing happens.
const TICK: Duration = Duration::from_secs(1);

/// What a keeper on a crowded machine may take beyond its own deadlines before
/// it counts as lost.
const KEEPER_SLACK: Duration = Duration::from_secs(3);

/// A running keeper.
pub(crate) struct Keeper {
    pub(crate) child: Child,
    pub(crate) identity: ProcessId,
    pub(crate) control: Control,
}

/// What the keeper has said so far.
#[derive(Default)]
struct Told {
    leader: Option<LeaderEnd>,
    not_started: Option<StepEnd>,
    escaped: Vec<Survivor>,
    failed: Option<String>,
    tally: Option<Tally>,
}

/// What can be ready in the wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Control,
    Outlet(usize),
    Signal,
}

/// One step under way.
pub(crate) struct Watch<'a> {
    step: &'a Step,
    keeper: Keeper,
    outlets: [Outlet; 2],
    buffer: Vec<u8>,
    started: Instant,
    idleness: Idleness,
    told: Told,
    /// The end the step is being brought to, once it is.
    intent: Option<StepEnd>,
    killing: bool,
    /// By when the keeper must be done, once its time runs.
    keeper_due: Option<Instant>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        step: &'a Step,
        keeper: Keeper,
        outlets: [Outlet; 2],
        started: Instant,
    ) -> Self {
        let idleness = Idleness::new(keeper.identity.pid, step.limits.idle, started);
        Self {
            step,
            keeper,
            outlets,
            buffer: vec![0; CHUNK],
            started,
            idleness,
            told: Told::default(),
            intent: None,
            killing: false,
            keeper_due: None,
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
            );
        }
        match (report, self.told.failed) {
            (Ok(_), Some(why)) => Err(StepError::KeeperFailed(why)),
            (report, _) => report,
        }
    }

    /// Returns when the keeper has said its last word, or never will.
    fn watch(&mut self, observer: &mut dyn StepObserver, signals: &mut Signals) -> io::Result<()> {
        while !self.keeper_has_finished() {
            for source in self.wait(signals, self.next_deadline())? {
                match source {
                    Source::Control => self.listen(),
                    Source::Outlet(index) => {
                        self.pass_on(index, observer)?;
                    }
                    Source::Signal => {
                        if let Some(signal) = signals.take() {
                            self.signal_received(signal);
                        }
                    }
                }
            }
            self.keep_time();
            self.fulfil(observer);
        }
        Ok(())
    }

    fn keeper_has_finished(&self) -> bool {
        self.told.tally.is_some()
            || self.told.failed.is_some()
            || self.keeper.control.is_closed()
            || self.keeper_due.is_some_and(|due| Instant::now() >= due)
    }

    fn next_deadline(&self) -> Option<Instant> {
        let limits = earlier(self.overall_deadline(), self.idleness.next_look());
        let limits = limits.filter(|_| self.limits_apply());
        let tick = Instant::now().checked_add(TICK);
        earlier(earlier(limits, self.keeper_due), tick)
    }

    fn overall_deadline(&self) -> Option<Instant> {
        self.started.checked_add(self.step.limits.overall?)
    }

    /// Limits are for the command: what is left after its end, or after the
    /// decision to end it, is the keeper's business and has its own deadline.
    fn limits_apply(&self) -> bool {
        self.intent.is_none() && self.told.leader.is_none() && self.told.not_started.is_none()
    }

    fn wait(&self, signals: &Signals, until: Option<Instant>) -> io::Result<Vec<Source>> {
        let mut sources = vec![(Source::Control, self.keeper.control.as_fd())];
        sources.extend(signals.sources().map(|fd| (Source::Signal, fd)));
        sources.extend(self.open_outlets());
        ready(&sources, until)
    }

    fn open_outlets(&self) -> impl Iterator<Item = (Source, BorrowedFd<'_>)> {
        let outlets = self.outlets.iter().enumerate();
        outlets.filter_map(|(index, outlet)| Some((Source::Outlet(index), outlet.source()?)))
    }

    /// Hands one chunk to the observer; returns its length.
    fn pass_on(&mut self, index: usize, observer: &mut dyn StepObserver) -> io::Result<usize> {
        let outlet = &mut self.outlets[index];
        let bytes = outlet.read(&mut self.buffer)?;
        if !bytes.is_empty() {
            observer.output(outlet.stream, bytes);
            self.idleness.output_seen(Instant::now());
        }
        Ok(bytes.len())
    }

    fn listen(&mut self) {
        self.keeper.control.receive();
        while let Some(line) = self.keeper.control.next_line() {
            match News::parse(&line) {
                Some(News::Leader(end)) => {
                    self.told.leader = Some(end);
                    self.expect_keeper_within(SHORT_GRACE);
                }
                Some(News::NotStarted(failure)) => {
                    self.told.not_started = Some(StepEnd::NotStarted(failure));
                    self.expect_keeper_within(SHORT_GRACE);
                }
                Some(News::Overdue) => {
                    self.intent.get_or_insert(StepEnd::TimedOut(Limit::Overall));
                    self.expect_keeper_within(longest(self.step.limits.grace));
                }
                Some(News::Escaped(survivor)) => self.told.escaped.push(survivor),
                Some(News::Done(tally)) => self.told.tally = Some(tally),
                Some(News::Failed(why)) => self.told.failed = Some(why),
                None => self.told.failed = Some(format!("it said something strange: {line:?}")),
            }
        }
    }

    /// The first signal asks, the second kills. A signal is never lost on a
    /// stop that is already under way for another reason: whoever reads the
    /// report must learn that a person wants out.
    fn signal_received(&mut self, signal: i32) {
        let stopped = StepEnd::Stopped {
            by: StopCause::Signal(signal),
        };
        match self.intent {
            None => self.stop(stopped),
            Some(StepEnd::Stopped {
                by: StopCause::Signal(_),
            }) => self.kill(),
            Some(_) => self.intent = Some(stopped),
        }
    }

    fn keep_time(&mut self) {
        if !self.limits_apply() {
            return;
        }
        let now = Instant::now();
        if self
            .overall_deadline()
            .is_some_and(|deadline| now >= deadline)
        {
            self.stop(StepEnd::TimedOut(Limit::Overall));
        } else if self.idleness.is_exceeded(now) {
            self.stop(StepEnd::TimedOut(Limit::Idle));
        }
    }

    fn fulfil(&mut self, observer: &mut dyn StepObserver) {
        let now = Instant::now();
        let elapsed = now.saturating_duration_since(self.started);
        let wish = observer.tick(Tick {
            elapsed,
            quiet: self.idleness.quiet(now),
        });
        let stopped = StepEnd::Stopped {
            by: StopCause::Observer,
        };
        match wish {
            Wish::GoOn => {}
            Wish::Stop if self.intent.is_some() => {}
            Wish::Stop => self.stop(stopped),
            Wish::Kill => {
                self.intent.get_or_insert(stopped);
                self.kill();
            }
        }
    }

    fn stop(&mut self, end: StepEnd) {
        self.intent = Some(end);
        self.keeper.control.send(Order::Stop.encode());
        self.expect_keeper_within(longest(self.step.limits.grace));
    }

    fn kill(&mut self) {
        if !self.killing {
            self.killing = true;
            self.keeper.control.send(Order::Kill.encode());
            self.expect_keeper_within(Duration::ZERO);
        }
    }

    fn expect_keeper_within(&mut self, polite: Duration) {
        let patience = polite
            .saturating_add(KILL_BUDGET)
            .saturating_add(KEEPER_SLACK);
        self.keeper_due = Instant::now().checked_add(patience);
    }

    /// The tree is gone, or will be after this: the rest is output and sums.
    fn conclude(&mut self, observer: &mut dyn StepObserver) -> io::Result<StepReport> {
        let cookie = &self.step.cookie;
        let tally = if let Some(tally) = self.told.tally {
            dismiss(&mut self.keeper.child);
            tally
        } else {
            let felled = rescue(&mut self.keeper.child, self.keeper.identity, cookie);
            self.told.escaped = felled.escaped;
            Tally {
                stragglers: 0,
                killed: felled.killed,
                cpu: self.idleness.cpu(),
            }
        };
        let duration = self.started.elapsed();
        self.drain(observer)?;
        let [stdout, stderr] = &self.outlets;
        Ok(StepReport {
            end: self.end(),
            leader: self.told.leader,
            duration,
            cpu: tally.cpu,
            output: OutputStats {
                stdout: stdout.stats,
                stderr: stderr.stats,
            },
            stragglers: tally.stragglers,
            killed: tally.killed,
            escaped: std::mem::take(&mut self.told.escaped),
        })
    }

    fn end(&self) -> StepEnd {
        let by_itself = self.told.leader.map(|end| match end {
            LeaderEnd::Exited(code) => StepEnd::Exited(code),
            LeaderEnd::Signaled(signal) => StepEnd::Signaled(signal),
        });
        match self.told.tally {
            None => StepEnd::KeeperLost,
            Some(_) => {
                let ends = [self.told.not_started, self.intent, by_itself];
                ends.into_iter()
                    .flatten()
                    .next()
                    .unwrap_or(StepEnd::KeeperLost)
            }
        }
    }

    /// Passes on what is still in the pipes. Their end may never come, for
    /// someone outside the tree can hold them open and even write on. So after
    /// the time that is allowed only what can have been there before is read.
    fn drain(&mut self, observer: &mut dyn StepObserver) -> io::Result<()> {
        let until = Instant::now().checked_add(self.step.limits.drain);
        let mut left = self.outlets.len() * PIPE_SIZE;
        loop {
            let sources: Vec<_> = self.open_outlets().collect();
            if sources.is_empty() {
                return Ok(());
            }
            let ready = ready(&sources, until)?;
            let late = until.is_some_and(|until| Instant::now() >= until);
            if late && (ready.is_empty() || left == 0) {
                return Ok(());
            }
            for source in ready {
                if let Source::Outlet(index) = source {
                    left = left.saturating_sub(self.pass_on(index, observer)?);
                }
            }
        }
    }
}

fn ready(sources: &[(Source, BorrowedFd<'_>)], until: Option<Instant>) -> io::Result<Vec<Source>> {
    let fds: Vec<_> = sources.iter().map(|(_, fd)| *fd).collect();
    let readable = wait_readable(&fds, until)?;
    let ready = sources
        .iter()
        .zip(readable)
        .filter(|(_, readable)| *readable);
    Ok(ready.map(|((source, _), _)| *source).collect())
}
