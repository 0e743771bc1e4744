//! What a run has come to so far.

use fusebox_view::phrase;

use super::iteration::Came;
use super::live::Spent;

/// What a run has come to so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) iterations: u64,
    /// Iterations that changed something.
    pub(super) gained: u64,
    pub(super) files: u64,
    pub(super) duration_ms: u64,
    pub(super) tokens: Option<u64>,
    pub(super) micro_usd: Option<u64>,
}

impl Sums {
    pub(super) fn add(&mut self, came: &Came) {
        let files = came.files_changed();
        let usage = &came.facts.usage;
        self.iterations += 1;
        self.gained += u64::from(files.is_some_and(|count| count > 0));
        self.files += files.unwrap_or(0);
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
            phrase::count(self.files, "file")
        )
    }

    /// What it cost, in one line.
    pub(super) fn cost(&self) -> String {
        let mut parts = vec![phrase::count(self.iterations, "call")];
        parts.extend(self.tokens.map(|tokens| phrase::count(tokens, "token")));
        parts.extend(self.micro_usd.map(phrase::dollars));
        if self.tokens.is_none() && self.micro_usd.is_none() {
            parts.push("tokens and money are not known".into());
        }
        parts.join(", ")
    }
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    [one, other]
        .into_iter()
        .flatten()
        .reduce(u64::saturating_add)
}
