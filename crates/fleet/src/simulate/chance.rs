//! Chances that come out the same for the same seed.

use std::time::Duration;

/// A small generator of numbers that look random (SplitMix64).
#[derive(Clone, Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Whether it happens, in `permille` of a thousand cases.
    pub(super) fn happens(&mut self, permille: u64) -> bool {
        self.number() % 1_000 < permille
    }

    /// A time between the two.
    pub(super) fn between(&mut self, least: Duration, most: Duration) -> Duration {
        let span = u64::try_from(most.saturating_sub(least).as_micros()).unwrap_or(0);
        least + Duration::from_micros(self.number() % (span + 1))
    }
}
