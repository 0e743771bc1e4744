//! Looking at a fleet without waiting for it.
//!
//! A server that is cut off does not say so, and whoever asks it is held up for as long
//! as a connection is patient. A view must not be: what it shows of this machine is
//! wanted most when everything else is down. So a thread asks, only when somebody looks,
//! and whoever looks gets what was last heard, and since when nothing was.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fusebox_fleet::{Address, Coordinator, FleetError, LeaseView, Overview, WorkerView, connect};
use fusebox_view::{escape, phrase};

use crate::clock::Clock;

/// How long anybody waits for an answer, and from when on there is none.
pub(crate) const DEADLINE: Duration = Duration::from_secs(1);
/// How long an answer is as good as a new one.
const FRESH: Duration = Duration::from_millis(1_500);

/// Somebody who asks a fleet how it stands, again and again.
pub(crate) struct Watch {
    /// Where the fleet is, to be shown.
    pub(crate) address: String,
    clock: Clock,
    desk: Arc<Desk>,
}

/// A fleet as it stood when it last answered.
#[derive(Debug)]
pub(crate) struct Picture {
    pub(crate) overview: Overview,
    pub(crate) workers: Vec<WorkerView>,
    pub(crate) leases: Vec<LeaseView>,
    /// When it answered, by the clock of this machine.
    pub(crate) heard_ms: i64,
}

/// What there is to say of a fleet.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    /// It was asked for the first time just now.
    Asking,
    Known(Arc<Picture>),
    Lost(Lost, Option<Arc<Picture>>),
}

/// Why nothing is heard of a fleet.
#[derive(Clone, Debug)]
pub(crate) struct Lost {
    /// When the first question that went unanswered was asked.
    pub(crate) since_ms: i64,
    /// The whole sentence.
    pub(crate) said: String,
}

#[derive(Default)]
struct Desk {
    state: Mutex<State>,
    /// Rings when something is asked, and when something is heard.
    bell: Condvar,
}

#[derive(Default)]
struct State {
    /// The question under way.
    asked: Option<Asked>,
    /// When the last question was over.
    ended: Option<Instant>,
    last: Option<Arc<Picture>>,
    lost: Option<Lost>,
}

#[derive(Clone, Copy)]
struct Asked {
    at: Instant,
    wall_ms: i64,
}

impl Watch {
    /// Begins. Nothing is asked before somebody looks. The thread ends with the program.
    pub(crate) fn begin(address: Address, clock: Clock) -> Self {
        let shown = escape::line(&address.to_string(), 200);
        let desk = Arc::<Desk>::default();
        let theirs = Arc::clone(&desk);
        // Without a thread nothing is heard, and whoever looks is told so.
        let _ = thread::Builder::new()
            .name("fleet-watch".into())
            .spawn(move || theirs.keep_asking(&address, clock));
        Self {
            address: shown,
            clock,
            desk,
        }
    }

    /// How the fleet stands. An answer that is not fresh is asked for anew, and waited
    /// for until the question is `patience` old, and not at all if it is already.
    pub(crate) fn look(&self, patience: Duration) -> Seen {
        let mut state = self.desk.lock();
        let fresh = state.ended.is_some_and(|ended| ended.elapsed() < FRESH);
        if !fresh && state.asked.is_none() {
            state.asked = Some(Asked {
                at: Instant::now(),
                wall_ms: self.clock.now().wall_ms,
            });
            self.desk.bell.notify_all();
        }
        while let Some(asked) = state.asked {
            let Some(left) = patience.checked_sub(asked.at.elapsed()) else {
                break;
            };
            let waited = self.desk.bell.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.seen()
    }
}

impl State {
    fn seen(&self) -> Seen {
        let late = self.asked.filter(|asked| asked.at.elapsed() >= DEADLINE);
        match (&self.lost, late, &self.last) {
            (Some(lost), _, last) => Seen::Lost(lost.clone(), last.clone()),
            (None, Some(asked), last) => Seen::Lost(
                Lost::unreachable(asked.wall_ms, "it does not answer"),
                last.clone(),
            ),
            (None, None, Some(last)) => Seen::Known(Arc::clone(last)),
            (None, None, None) => Seen::Asking,
        }
    }

    fn note(&mut self, heard: Result<Picture, FleetError>) {
        let asked = self.asked.take();
        self.ended = Some(Instant::now());
        match heard {
            Ok(picture) => {
                self.last = Some(Arc::new(picture));
                self.lost = None;
            }
            Err(error) => {
                let before = self.lost.as_ref().map(|lost| lost.since_ms);
                let since_ms = before.or(asked.map(|asked| asked.wall_ms));
                self.lost = Some(Lost::of(since_ms.unwrap_or_default(), &error));
            }
        }
    }
}

impl Lost {
    fn of(since_ms: i64, error: &FleetError) -> Self {
        match error {
            FleetError::Unreachable { why, .. } => Self::unreachable(since_ms, why),
            other => Self {
                since_ms,
                said: escape::line(&other.to_string(), 300),
            },
        }
    }

    fn unreachable(since_ms: i64, why: &str) -> Self {
        let (since, why) = (phrase::time(since_ms), escape::line(why, 200));
        Self {
            since_ms,
            said: format!("not reachable since {since}: {why}"),
        }
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep_asking(&self, address: &Address, clock: Clock) {
        let mut coordinator = None;
        loop {
            let mut state = self.lock();
            while state.asked.is_none() {
                let waited = self.bell.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
            }
            drop(state);
            let heard = ask(&mut coordinator, address, clock);
            self.lock().note(heard);
            self.bell.notify_all();
        }
    }
}

fn ask(
    coordinator: &mut Option<Box<dyn Coordinator>>,
    address: &Address,
    clock: Clock,
) -> Result<Picture, FleetError> {
    let coordinator = match coordinator {
        Some(known) => known,
        none => none.insert(connect(address)?),
    };
    Ok(Picture {
        overview: coordinator.overview()?,
        workers: coordinator.workers()?,
        leases: coordinator.leases()?,
        heard_ms: clock.now().wall_ms,
    })
}
