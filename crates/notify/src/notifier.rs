//! The one that the loop talks to.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::lane::Lane;
use crate::message::Message;
use crate::notice::Notice;
use crate::pace::Pace;
use crate::route::{Route, Wanted};
use crate::sink::{Sink, SinkReport};

/// Carries notices to every sink, behind the loop's back.
///
/// Dropping it gives up what still waits; [`Notifier::flush`] does not.
#[derive(Debug)]
pub struct Notifier {
    lanes: Vec<Lane>,
    /// What the ids of this run's notices begin with.
    run: u64,
    count: AtomicU64,
}

impl Notifier {
    /// Starts one thread for each sink. Without sinks, notices go nowhere.
    ///
    /// # Errors
    ///
    /// When the system has no thread or no random number left to give.
    pub fn start(sinks: Vec<Sink>, pace: Pace) -> io::Result<Self> {
        let all = |sink| Route::new(sink, Wanted::default());
        Self::start_routed(sinks.into_iter().map(all).collect(), pace)
    }

    /// The same where not everything goes everywhere.
    ///
    /// # Errors
    ///
    /// As [`Notifier::start`].
    pub fn start_routed(routes: Vec<Route>, pace: Pace) -> io::Result<Self> {
        let mut run = [0; 8];
        getrandom::fill(&mut run).map_err(io::Error::other)?;
        let lanes = routes.into_iter().map(|route| Lane::start(route, pace));
        Ok(Self {
            lanes: lanes.collect::<io::Result<_>>()?,
            run: u64::from_le_bytes(run),
            count: AtomicU64::new(0),
        })
    }

    /// Hands a notice over and returns at once, whatever state the sinks are in.
    pub fn send(&self, notice: &Notice) {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let message = Message::new(format!("msg_{:016x}{number:08x}", self.run), notice);
        self.lanes.iter().for_each(|lane| lane.offer(&message));
    }

    /// What has become of the notices so far, one report for each sink.
    #[must_use]
    pub fn reports(&self) -> Vec<SinkReport> {
        self.lanes.iter().map(Lane::report).collect()
    }

    /// Sends what still waits, for at most `within`, and tells what became of
    /// all. A request under way at that time is left to itself.
    #[must_use]
    pub fn flush(self, within: Duration) -> Vec<SinkReport> {
        let deadline = Instant::now() + within;
        self.lanes.iter().for_each(|lane| lane.close(deadline));
        let finish = |lane: &Lane| lane.finish(deadline);
        self.lanes.iter().map(finish).collect()
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        let now = Instant::now();
        self.lanes.iter().for_each(|lane| lane.close(now));
    }
}
