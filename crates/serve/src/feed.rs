//! Events for everybody who watches.
//!
//! Whoever finds an event out tells the feed, once; the feed tells all viewers.
//! One that does not read what it is told is let go when its share of waiting
//! events is full: its browser comes back by itself, and nobody else waits for it.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// The most events that wait for one viewer.
const WAITING: usize = 256;
/// How often a quiet line is shown to be alive.
const PULSE: Duration = Duration::from_secs(15);

/// Where events are told.
#[derive(Clone, Debug, Default)]
pub struct Feed {
    viewers: Arc<Mutex<Vec<Viewer>>>,
}

#[derive(Debug)]
struct Viewer {
    events: SyncSender<Arc<str>>,
    /// Gone with the viewer: where nothing happens, nobody would find out by telling.
    watching: Weak<()>,
}

/// One viewer's end.
#[derive(Debug)]
pub struct Subscription {
    events: Receiver<Arc<str>>,
    _watching: Arc<()>,
}

impl Feed {
    /// Watches from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        let (sender, receiver) = sync_channel(WAITING);
        let watching = Arc::new(());
        self.viewers().push(Viewer {
            events: sender,
            watching: Arc::downgrade(&watching),
        });
        Subscription {
            events: receiver,
            _watching: watching,
        }
    }

    /// Tells all viewers; `data` is one line.
    pub fn tell(&self, data: &str) {
        let event: Arc<str> = format!("data: {data}\n\n").into();
        self.viewers()
            .retain(|viewer| viewer.events.try_send(Arc::clone(&event)).is_ok());
    }

    /// Whether anybody watches.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        !self.viewers().is_empty()
    }

    /// A thread that died while it held the list cannot have left it half done.
    fn viewers(&self) -> std::sync::MutexGuard<'_, Vec<Viewer>> {
        let mut viewers = self.viewers.lock().unwrap_or_else(PoisonError::into_inner);
        viewers.retain(|viewer| viewer.watching.strong_count() > 0);
        viewers
    }
}

impl Subscription {
    /// Writes what comes until the viewer goes or is let go.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b": here\n\n")?;
        loop {
            match self.events.recv_timeout(PULSE) {
                Ok(event) => out.write_all(event.as_bytes())?,
                Err(RecvTimeoutError::Timeout) => out.write_all(b": still here\n\n")?,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }
}
