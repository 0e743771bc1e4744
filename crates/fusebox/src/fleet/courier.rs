//! The thread that tells the fleet what happens here and that we live. The loop never
//! waits for it.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use fusebox_store::{Location, Store};

use super::journal::deliver;
use super::lease::{HEARTBEAT, LEASE, LeaseWatch};
use super::seat::Seat;
use crate::memory::Memory;

/// How often the journal is looked at when nobody says that it grew.
const LOOK: Duration = Duration::from_secs(5);
/// How often room is made for the events to come.
const TEND: Duration = Duration::from_secs(3_600);
/// How long the end of a run waits for what is left to be delivered.
const FAREWELL: Duration = Duration::from_secs(3);

/// A courier at work.
pub(crate) struct Courier {
    news: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
    done: mpsc::Receiver<()>,
}

impl Courier {
    /// Sends one on its way.
    pub(crate) fn start(mut seat: Seat, location: Location, lease: LeaseWatch) -> Self {
        let (news, heard) = mpsc::channel::<()>();
        let (finished, done) = mpsc::channel::<()>();
        let thread = thread::Builder::new()
            .name("courier".into())
            .spawn(move || {
                let store = Store::<Memory>::open(location).ok();
                let mut pulse = Pulse::default();
                let mut tended: Option<Instant> = None;
                loop {
                    let over = match heard.recv_timeout(LOOK) {
                        Ok(()) | Err(RecvTimeoutError::Timeout) => false,
                        Err(RecvTimeoutError::Disconnected) => true,
                    };
                    let mut sign = |seat: &mut Seat| {
                        if pulse.is_due(HEARTBEAT) {
                            give_sign(seat, &lease);
                        }
                    };
                    sign(&mut seat);
                    if let Some(store) = &store {
                        tell(&mut seat, |seat| tell_some(seat, store), sign);
                    }
                    if tended.is_none_or(|at| at.elapsed() >= TEND) {
                        tended = Some(Instant::now());
                        // What is not tended now is tended by whoever comes next.
                        let _ = seat.coordinator.tend();
                    }
                    if over {
                        break;
                    }
                }
                let _ = finished.send(());
            });
        Self {
            news: Some(news),
            thread: thread.ok(),
            done,
        }
    }

    /// There is something new to tell.
    pub(crate) fn nudge(&self) {
        if let Some(news) = &self.news {
            let _ = news.send(());
        }
    }
}

impl Drop for Courier {
    /// What cannot be delivered in time is delivered by the next run.
    fn drop(&mut self) {
        self.news = None;
        if self.done.recv_timeout(FAREWELL).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

/// When a sign of life was last given.
#[derive(Default)]
struct Pulse(Option<Instant>);

impl Pulse {
    /// Whether one is due; then it is given now.
    fn is_due(&mut self, every: Duration) -> bool {
        let due = self.0.is_none_or(|at| at.elapsed() >= every);
        if due {
            self.0 = Some(Instant::now());
        }
        due
    }
}

/// Tells everything that is new, with a `sign` of life after each batch: a long journal and a
/// slow server take longer than a lease lasts. `batch` says whether there is more.
fn tell<S>(seat: &mut S, mut batch: impl FnMut(&mut S) -> bool, mut sign: impl FnMut(&mut S)) {
    while batch(seat) {
        sign(seat);
    }
}

/// Tells a batch. What fails is told later: it stays in the journal.
fn tell_some(seat: &mut Seat, store: &Store<Memory>) -> bool {
    let Ok(Some(log)) = store.log() else {
        return false;
    };
    deliver(seat, &log).is_ok_and(|delivered| delivered.more)
}

fn give_sign(seat: &mut Seat, lease: &LeaseWatch) {
    let held: Vec<_> = lease.held().into_iter().collect();
    let asked = fusebox_fleet::BootInstant::now();
    if let Ok(still) = seat.coordinator.beat(&seat.worker, &held, LEASE)
        && lease.held().as_ref() == held.first()
    {
        lease.renewed(&still, asked);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_much_to_tell_gives_signs_of_life_meanwhile() {
        let mut said = String::new();
        let mut left = 3;
        let batch = |said: &mut String| {
            said.push('b');
            left -= 1;
            left > 0
        };
        tell(&mut said, batch, |said| said.push('s'));
        assert_eq!(said, "bsbsb");
    }

    #[test]
    fn a_sign_is_due_at_once_and_then_now_and_then() {
        let mut pulse = Pulse::default();
        assert!(pulse.is_due(HEARTBEAT));
        assert!(!pulse.is_due(HEARTBEAT));
        assert!(pulse.is_due(Duration::ZERO));
    }
}
