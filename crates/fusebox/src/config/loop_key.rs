//! The keys about loops inside a session.

use fusebox_core::calls::{CallPolicy, CallSignal, Rung};

/// The most that a threshold can be. There is no off switch; what is as high as this is
/// hardly ever reached.
pub(super) const MOST: u64 = 1_000_000;

/// A threshold of one signal: `loops.<signal>.<rung>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoopKey {
    signal: CallSignal,
    rung: Rung,
}

impl LoopKey {
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let of = |signal| Rung::ALL.map(|rung| Self { signal, rung });
        CallSignal::ALL.into_iter().flat_map(of)
    }

    /// Where it stands in a file.
    pub(super) fn path(self) -> String {
        format!("loops.{}.{}", self.signal.name(), self.rung.name())
    }

    pub(super) fn about(self) -> &'static str {
        match self.rung {
            Rung::Steer => "tells the agent at this reading",
            Rung::Block => "keeps the call from running at this reading",
            Rung::Trip => "ends the iteration at this reading",
            Rung::Untouched => {
                "ends the iteration at this reading while no file was changed in the session"
            }
        }
    }

    pub(super) fn amount(self, rules: &CallPolicy) -> Option<u64> {
        rules.rungs_of(self.signal).get(self.rung).map(u64::from)
    }

    /// Puts another value there.
    pub(super) fn write(self, amount: u64, rules: &mut CallPolicy) {
        let value = u32::try_from(amount).unwrap_or(u32::MAX);
        rules.rungs_of_mut(self.signal).set(self.rung, value);
    }
}
