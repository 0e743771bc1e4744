//! The system that pauses, alerts, aborts or escalates.

mod config;
#[cfg(test)]
mod config_tests;
mod errors;

use fusebox_core::{Policy, Preset};

pub use config::{Action, Config, Setting, StaleAction, StaleTaskRecovery, read};
pub use errors::error_history;

use crate::existing::{Existing, Understood};
use crate::json::{Placed, Wrong};
use crate::seed::ProjectedFile;

const CONFIG_FILE: &str = ".cub/config.json";

/// The system itself.
pub struct Cub;

impl Existing for Cub {
    fn place(&self) -> &'static str {
        ".cub/"
    }

    fn preset(&self) -> Preset {
        Preset::Cub
    }

    fn files(&self) -> &'static [ProjectedFile] {
        &[ProjectedFile {
            path: CONFIG_FILE,
            most_bytes: 64 * 1024,
        }]
    }

    fn settings(&self) -> Option<&'static str> {
        Policy::of(Preset::Cub).companion.map(|known| known.config)
    }

    fn understand(&self, _path: &str, text: &str) -> Result<Understood, Wrong> {
        let read = read(text).map_err(|wrong| {
            let first = wrong.into_iter().next();
            first.unwrap_or(Placed {
                what: "it cannot be read".to_owned(),
                span: 0..0,
            })
        })?;
        let config = read.unwrap_or_default();
        let set = config.settings.iter();
        let (vouched, set): (Vec<_>, Vec<_>) = set.partition(|one| one.what.is_a_persons());
        let in_words = |one: &Placed<Setting>| Placed {
            what: one.what.to_string(),
            span: one.span.clone(),
        };
        let stale = config.stale_task_recovery;
        let unknown = config.unknown.into_iter();
        Ok(Understood {
            taken: stale.iter().map(ToString::to_string).collect(),
            set: set.into_iter().map(in_words).collect(),
            vouched: vouched.iter().map(|one| one.what.to_string()).collect(),
            left: unknown
                .map(|one| format!("{}: not known", one.what))
                .collect(),
            ..Understood::default()
        })
    }
}
