//! The loop that most of the others descend from. It is no way of working of its
//! own: its projects go on with ours.

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
const MOST_BYTES: u64 = 64 * 1024;

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
        &[
            ProjectedFile {
                path: STATE_FILE,
                most_bytes: MOST_BYTES,
            },
            ProjectedFile {
                path: OLD_STATE_FILE,
                most_bytes: MOST_BYTES,
            },
            ProjectedFile {
                path: RC_FILE,
                most_bytes: MOST_BYTES,
            },
        ]
    }

    fn settings(&self) -> Option<&'static str> {
        Some(RC_FILE)
    }

    fn understand(&self, path: &str, text: &str) -> Result<Understood, Wrong> {
        if path == RC_FILE {
            Ok(rc::understand(text))
        } else {
            state::understand(text)
        }
    }

    fn superseded(&self, path: &str) -> Option<&'static str> {
        (path == OLD_STATE_FILE).then_some(STATE_FILE)
    }
}
