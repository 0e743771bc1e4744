//! What a run has come to so far.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use fusebox_view::phrase;
use fusebox_workspace::Changes;

use super::iteration::Came;
use super::live::Spent;

/// More files than this are not told apart any more.
const MOST_FILES: usize = 1 << 16;

/// What a run has come to so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    pub(super) iterations: u64,
    /// Iterations that gained something, as the engine judged them.
    pub(super) gained: u64,
    pub(super) files: Files,
    pub(super) duration_ms: u64,
    pub(super) tokens: Option<u64>,
    pub(super) micro_usd: Option<u64>,
}

impl Sums {
    pub(super) fn add(&mut self, came: &Came) {
        let usage = &came.facts.usage;
        self.iterations += 1;
        self.gained += u64::from(came.gained);
        came.changes
            .iter()
            .for_each(|changes| self.files.add(changes));
        self.duration_ms += came.duration_ms();
        self.tokens = sum(self.tokens, usage.tokens());
        self.micro_usd = sum(self.micro_usd, usage.micro_usd);
    }

    /// What was used up, as far as anybody told.
    pub(super) fn spent(&self) -> Spent {
        Spent {
            tokens: self.tokens,
            micro_usd: self.micro_usd,
        }
    }

    /// What was done, in one line.
    pub(super) fn done(&self) -> String {
        format!(
            "{} in {}, {} with progress, {} changed",
            phrase::count(self.iterations, "iteration"),
            phrase::duration(self.duration_ms),
            self.gained,
            self.files.told()
        )
    }

    /// What it cost, in one line.
    pub(super) fn cost(&self) -> String {
        let mut parts = vec![phrase::count(self.iterations, "call")];
        parts.extend(self.tokens.map(|tokens| phrase::count(tokens, "token")));
        parts.extend(self.micro_usd.map(phrase::dollars));
        if self.tokens.is_none() && self.micro_usd.is_none() {
            parts.push("tokens and cost not reported".into());
        }
        parts.join(", ")
    }
}

/// The files that were changed, each once however often it was.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    /// What their paths hash to: a run may take days, and a path a kilobyte.
    seen: HashSet<u64>,
    /// Whether there were more, which could not be told apart.
    more: bool,
}

impl Files {
    fn add(&mut self, changes: &Changes) {
        let mut listed = 0;
        for change in changes.files.iter().filter(|change| change.meaningful) {
            listed += 1;
            let mut hasher = DefaultHasher::new();
            change.path.hash(&mut hasher);
            if self.seen.len() < MOST_FILES {
                self.seen.insert(hasher.finish());
            } else {
                self.more |= !self.seen.contains(&hasher.finish());
            }
        }
        self.more |= listed < changes.meaningful;
    }

    /// How many there are, at least.
    pub(super) fn count(&self) -> u64 {
        self.seen.len() as u64
    }

    fn told(&self) -> String {
        let count = phrase::count(self.count(), "file");
        if self.more {
            format!("more than {count}")
        } else {
            count
        }
    }
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    [one, other]
        .into_iter()
        .flatten()
        .reduce(u64::saturating_add)
}
