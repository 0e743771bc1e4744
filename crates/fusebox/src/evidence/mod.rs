//! What shows that the work is done: what the user asked to be looked at, and what the files among
//! that say. A run looks after each iteration, and `tasks done` before it closes a task.

mod files;

use std::path::PathBuf;

use crate::cli::EvidenceFlags;
use crate::config::{Key, Layers};
pub(crate) use files::Files;

/// What runs the user's own commands. It is not searched for: `PATH` may lead through the work
/// tree, where an agent could have put one that finds everything in order.
pub(crate) const SHELL: &str = "/bin/sh";

/// What shows that the work is done.
#[derive(Clone, Debug, Default)]
pub(crate) struct EvidencePlan {
    pub(crate) build: Option<String>,
    pub(crate) test: Option<String>,
    pub(crate) required: Vec<PathBuf>,
    pub(crate) criteria: Option<PathBuf>,
}

impl EvidencePlan {
    /// What the command line asks for, and what is configured besides.
    pub(crate) fn of(flags: &EvidenceFlags, layers: &Layers) -> Self {
        let configured = Self::configured(layers);
        Self {
            build: flags.build.clone().or(configured.build),
            test: flags.test.clone().or(configured.test),
            required: if flags.require.is_empty() {
                configured.required
            } else {
                flags.require.clone()
            },
            criteria: flags.criteria.clone().or(configured.criteria),
        }
    }

    /// What is configured.
    pub(crate) fn configured(layers: &Layers) -> Self {
        let word = |key| layers.word(key).map(str::to_owned);
        let required = layers.words(Key::RequiredFiles);
        Self {
            build: word(Key::BuildCommand),
            test: word(Key::TestCommand),
            required: required.map_or_else(Vec::new, |(words, _)| {
                words.iter().map(PathBuf::from).collect()
            }),
            criteria: word(Key::CriteriaFile).map(PathBuf::from),
        }
    }

    /// Whether anything at all could show that the work is done.
    pub(crate) fn is_empty(&self) -> bool {
        self.build.is_none()
            && self.test.is_none()
            && self.required.is_empty()
            && self.criteria.is_none()
    }
}
