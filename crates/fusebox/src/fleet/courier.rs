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
                let mut beat = Instant::now();
                let mut tended: Option<Instant> = None;
                let mut first = true;
                loop {
                    let over = match heard.recv_timeout(LOOK) {
                        Ok(()) | Err(RecvTimeoutError::Timeout) => false,
                        Err(RecvTimeoutError::Disconnected) => true,
                    };
                    if first || beat.elapsed() >= HEARTBEAT {
                        first = false;
                        beat = Instant::now();
                        give_sign(&mut seat, &lease);
                    }
                    if let Some(store) = &store {
                        tell(&mut seat, store);
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

/// Tells everything that is new. What fails is told later: it stays in the journal.
fn tell(seat: &mut Seat, store: &Store<Memory>) {
    loop {
        let Ok(Some(log)) = store.log() else {
            return;
        };
        match deliver(seat, &log) {
            Ok(delivered) if delivered.more => {}
            Ok(_) | Err(_) => return,
        }
    }
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
