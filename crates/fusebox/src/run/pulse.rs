//! Telling a list with leases that we live.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use fusebox_tasks::Desk;

use crate::failure::Failure;
use crate::session::Session;
use crate::tasks;

/// How often a list with leases hears that we live: a third of the shortest lease
/// there is, and some.
const PULSE: Duration = Duration::from_secs(90);
/// A sign of life for a list with leases, from a thread of its own: the tool may take
/// its time, and supervision may not wait for it.
pub(super) struct Pulse(
    #[expect(dead_code, reason = "what is dropped with it ends the thread")] mpsc::Sender<()>,
);

impl Pulse {
    pub(super) fn start(session: &Session, id: &str) -> Result<Self, Failure> {
        let mut desk: Desk = tasks::needed(session)?.desk;
        let (alive, over) = mpsc::channel::<()>();
        let (id, clock) = (id.to_owned(), session.clock);
        std::thread::spawn(move || {
            while over.recv_timeout(PULSE) == Err(RecvTimeoutError::Timeout) {
                // One that is missed is made good by the next.
                let _ = desk.heartbeat(&id, None, &tasks::now(clock));
            }
        });
        Ok(Self(alive))
    }
}
