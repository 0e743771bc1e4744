//! The loop that most of the others descend from. It is no way of working of its
//! own: its projects go on with ours.

mod calls;
mod rc;
mod state;

use fusebox_core::Preset;

pub use rc::{RC_FILE, Setting, Settings, read_settings};

use crate::existing::{Existing, Understood};
use crate::json::Wrong;
use crate::seed::ProjectedFile;

const STATE_FILE: &str = ".ralph/.circuit_breaker_state";
/// Where it was before everything moved into one directory.
const OLD_STATE_FILE: &str = ".circuit_breaker_state";
const CALLS_FILE: &str = ".ralph/.call_count";
const OLD_CALLS_FILE: &str = ".call_count";
const HOUR_FILE: &str = ".ralph/.last_reset";
const OLD_HOUR_FILE: &str = ".last_reset";
const MOST_BYTES: u64 = 64 * 1024;

const fn file(path: &'static str) -> ProjectedFile {
    ProjectedFile {
        path,
        most_bytes: MOST_BYTES,
    }
}

/// The system itself.
pub struct Ralph;

impl Existing for Ralph {
    fn place(&self) -> &'static str {
        ".ralph/ and .ralphrc"
    }

    fn preset(&self) -> Preset {
        Preset::Native
    }

    /// Its settings are also those of the loop that waits by itself.
    fn serves(&self, preset: Preset) -> bool {
        matches!(preset, Preset::Native | Preset::Superkit)
    }

    fn files(&self) -> &'static [ProjectedFile] {
        const {
            &[
                file(STATE_FILE),
                file(OLD_STATE_FILE),
                file(CALLS_FILE),
                file(OLD_CALLS_FILE),
                file(HOUR_FILE),
                file(OLD_HOUR_FILE),
                file(RC_FILE),
            ]
        }
    }

    fn settings(&self) -> Option<&'static str> {
        Some(RC_FILE)
    }

    fn understand(&self, path: &str, text: &str) -> Result<Understood, Wrong> {
        match path {
            RC_FILE => Ok(rc::understand(text)),
            CALLS_FILE | OLD_CALLS_FILE => calls::counted(text),
            HOUR_FILE | OLD_HOUR_FILE => Ok(calls::hour(text)),
            _ => state::understand(text),
        }
    }

    fn superseded(&self, path: &str) -> Option<&'static str> {
        match path {
            OLD_STATE_FILE => Some(STATE_FILE),
            OLD_CALLS_FILE => Some(CALLS_FILE),
            OLD_HOUR_FILE => Some(HOUR_FILE),
            _ => None,
        }
    }
}
