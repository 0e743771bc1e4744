//! What is spent between two things that are new: claims, compactions, tokens.

use serde::{Deserialize, Serialize};

/// With fewer new things than this between two compactions, the second made
/// room for nothing.
const ENOUGH: u32 = 4;

/// Effort since the last thing that was new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::calls) struct Effort {
    /// Claims that the work is done.
    claims: u32,
    /// Compactions in a row with hardly anything new between them.
    compactions: u32,
    /// New things since the last compaction.
    news: u32,
    /// Tokens.
    tokens: u64,
}

impl Effort {
    /// Something new came up.
    pub(in crate::calls) fn news(&mut self) {
        self.claims = 0;
        self.tokens = 0;
        self.news = self.news.saturating_add(1);
    }

    pub(in crate::calls) fn claim(&mut self) {
        self.claims = self.claims.saturating_add(1);
    }

    pub(in crate::calls) fn compact(&mut self) {
        self.compactions = if self.news < ENOUGH {
            self.compactions.saturating_add(1)
        } else {
            1
        };
        self.news = 0;
    }

    pub(in crate::calls) fn spend(&mut self, tokens: u64) {
        self.tokens = self.tokens.saturating_add(tokens);
    }

    pub(in crate::calls) fn person(&mut self) {
        self.claims = 0;
        self.tokens = 0;
        self.compactions = 0;
    }

    pub(in crate::calls) fn claims(self) -> u32 {
        self.claims
    }

    pub(in crate::calls) fn compactions(self) -> u32 {
        self.compactions
    }

    /// In thousands of tokens.
    pub(in crate::calls) fn spent(self) -> u32 {
        u32::try_from(self.tokens / 1000).unwrap_or(u32::MAX)
    }
}
