//! One sink's queue and the thread that empties it.
//!
//! Each sink has a lane of its own: a webhook that hangs must not keep the
//! desktop waiting.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fusebox_view::{escape, phrase};

use crate::failure::Failure;
use crate::memory::Memory;
use crate::message::Message;
use crate::pace::Pace;
use crate::route::Route;
use crate::sink::SinkReport;

/// The widest that a failure is told: some of its words are the receiver's.
const FAILURE: usize = 300;

/// A sink at work.
#[derive(Debug)]
pub(crate) struct Lane(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    route: Route,
    pace: Pace,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Message>,
    /// A message has left the queue and its fate is open.
    under_way: bool,
    /// Set once nothing more will come: when to stop trying.
    closing: Option<Instant>,
    memory: Memory,
    report: SinkReport,
}

impl Lane {
    pub(crate) fn start(route: Route, pace: Pace) -> io::Result<Self> {
        let mut state = State::default();
        state.report.sink = route.sink.name();
        let shared = Arc::new(Shared {
            route,
            pace,
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let worker = Arc::clone(&shared);
        thread::Builder::new()
            .name("notify".into())
            .spawn(move || worker.work())?;
        Ok(Self(shared))
    }

    /// Queues a message that is wanted here, unless the same has been said shortly
    /// before.
    pub(crate) fn offer(&self, message: &Message) {
        if !self.0.route.takes(&message.notice) {
            return;
        }
        let mut state = self.0.lock();
        let now = Instant::now();
        if state.memory.knows(&message.notice, now, &self.0.pace) {
            state.report.repeated += 1;
            return;
        }
        if state.queue.len() >= self.0.pace.queue {
            state.queue.pop_front();
            state.report.dropped += 1;
        }
        state.queue.push_back(message.clone());
        self.0.changed.notify_all();
    }

    /// Nothing more will come, and nothing is tried after `deadline`.
    pub(crate) fn close(&self, deadline: Instant) {
        self.0.lock().closing = Some(deadline);
        self.0.changed.notify_all();
    }

    /// Waits until all is sent or given up, at most until `deadline`.
    pub(crate) fn finish(&self, deadline: Instant) -> SinkReport {
        let mut state = self.0.lock();
        while state.under_way || !state.queue.is_empty() {
            let Some(left) = left_until(deadline) else {
                break;
            };
            state = self.0.wait(state, Some(left));
        }
        state.report()
    }

    pub(crate) fn report(&self) -> SinkReport {
        self.0.lock().report()
    }
}

impl Shared {
    fn work(&self) {
        while let Some(message) = self.next() {
            let outcome = self.carry(&message);
            let mut state = self.lock();
            state.under_way = false;
            match outcome {
                Ok(()) => state.report.delivered += 1,
                Err(why) => {
                    state.report.failed += 1;
                    state.report.last_failure = Some(escape::line(&why, FAILURE));
                }
            }
            self.changed.notify_all();
        }
    }

    /// The next message, when it is there and when its time has come.
    fn next(&self) -> Option<Message> {
        let mut state = self.lock();
        loop {
            if state.closing.is_some_and(|at| left_until(at).is_none()) {
                return None;
            }
            if state.queue.is_empty() {
                if state.closing.is_some() {
                    return None;
                }
                state = self.wait(state, None);
                continue;
            }
            let now = Instant::now();
            let wait = state.memory.wait(now, &self.pace);
            // The last words of a run are not held back.
            if wait.is_zero() || state.closing.is_some() {
                state.memory.sent(now);
                state.under_way = true;
                return state.queue.pop_front();
            }
            state = self.wait(state, Some(wait));
        }
    }

    /// Tries until it arrives, cannot arrive, or is no longer worth it.
    fn carry(&self, message: &Message) -> Result<(), String> {
        let give_up_at = Instant::now() + self.pace.give_up_after;
        let mut failures: u32 = 0;
        loop {
            let left = self.left(give_up_at).unwrap_or(Duration::from_millis(1));
            let (why, wish) = match self
                .route
                .sink
                .deliver(message, left.min(self.pace.attempt))
            {
                Ok(()) => return Ok(()),
                Err(Failure::Final { why }) => return Err(why),
                Err(Failure::Passing { why, after }) => (why, after),
            };
            failures += 1;
            let pause = self.pace.pause(failures, wish, dice());
            if !self.pause(pause, give_up_at) {
                let tries = phrase::count(u64::from(failures), "attempt");
                return Err(format!("{why} (given up after {tries})"));
            }
        }
    }

    /// Pauses; `false`, at once, when there is no time left for that. The
    /// lane may be closed during a long pause, which shortens what is left.
    fn pause(&self, pause: Duration, give_up_at: Instant) -> bool {
        let until = Instant::now() + pause;
        let mut state = self.lock();
        while let Some(wait) = left_until(until) {
            let last = state.closing.map_or(give_up_at, |at| at.min(give_up_at));
            if until >= last {
                return false;
            }
            state = self.wait(state, Some(wait));
        }
        true
    }

    fn left(&self, give_up_at: Instant) -> Option<Duration> {
        let closing = self.lock().closing;
        left_until(closing.map_or(give_up_at, |at| at.min(give_up_at)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(
        &self,
        state: MutexGuard<'s, State>,
        most: Option<Duration>,
    ) -> MutexGuard<'s, State> {
        match most {
            None => self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner),
            Some(most) => {
                self.changed
                    .wait_timeout(state, most)
                    .unwrap_or_else(PoisonError::into_inner)
                    .0
            }
        }
    }
}

impl State {
    fn report(&self) -> SinkReport {
        SinkReport {
            waiting: self.queue.len() as u64 + u64::from(self.under_way),
            ..self.report.clone()
        }
    }
}

fn left_until(deadline: Instant) -> Option<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    (!left.is_zero()).then_some(left)
}

fn dice() -> u8 {
    let mut byte = [0];
    // Without randomness the pause is merely not spread.
    let _ = getrandom::fill(&mut byte);
    byte[0]
}
