//! What agents say they spent, as it is kept: `otlp receive` adds it up, the metrics show it.

use std::collections::BTreeMap;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::{fs, io};

use fusebox_files::regular;
use serde::{Deserialize, Serialize};

/// What the numbers of all models come to in a file, and far more.
const MOST_BYTES: u64 = 16 << 20;

/// What was spent, by model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Totals {
    pub(crate) models: BTreeMap<String, Spent>,
}

/// What was spent on one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spent {
    pub(crate) cost_usd: f64,
    /// By kind: input, output, cacheRead, cacheCreation.
    pub(crate) tokens: BTreeMap<String, f64>,
}

impl Totals {
    /// Where they are kept.
    const NAME: &str = "telemetry.json";

    /// What was received so far; nothing where there is no such file.
    pub(crate) fn load(state: &Path) -> Self {
        let text = regular::read(&state.join(Self::NAME), MOST_BYTES).unwrap_or_default();
        Self::of_text(&text)
    }

    /// The same, from what the file holds.
    pub(crate) fn of_text(text: &[u8]) -> Self {
        serde_json::from_slice(text).unwrap_or_default()
    }

    /// Writes them down in one step, for nobody else to read.
    pub(crate) fn save(&self, state: &Path) -> io::Result<()> {
        // It may be the first that is ever kept on this machine.
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(state)?;
        fusebox_files::replace(&state.join(Self::NAME), &serde_json::to_vec(self)?)
    }
}
