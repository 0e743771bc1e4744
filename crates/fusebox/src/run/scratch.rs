//! A circuit of its own, for tests of what the loop asks of its memory.

use std::fs;

use fusebox_core::machine::{self, Start};
use tempfile::TempDir;

use crate::cli::Global;
use crate::clock::{Clock, ClockSource};
use crate::session::Session;

/// A session with one iteration granted; gone with the directory.
pub(super) struct Scratch {
    pub(super) session: Session,
    _top: TempDir,
}

impl Scratch {
    pub(super) fn new() -> Self {
        let top = tempfile::tempdir().expect("a directory");
        let global = Global::alone(top.path());
        let clock = Clock::start(ClockSource::System).expect("a clock");
        let data = top.path().join("data");
        let session = Session::open_in(&global, clock, Some(&data)).expect("a session");
        let start = Start::default();
        session
            .apply(|circuit, policy, now| machine::check(circuit, policy, start, now))
            .expect("a grant");
        Self { session, _top: top }
    }

    /// Cuts the log to nothing, as nobody but a vandal does.
    pub(super) fn damage(&self) {
        let log = self.session.store.location().dir.join("log");
        fs::write(log, "").expect("a log");
    }
}
