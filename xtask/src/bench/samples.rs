//! Many measurements of one thing.

use std::time::Duration;

/// Times of the same work, in the order in which they were taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn median(&self) -> Duration {
        self.at_percent(50)
    }

    pub(crate) fn p99(&self) -> Duration {
        self.at_percent(99)
    }

    /// The smallest sample that at least `percent` of all do not exceed; zero
    /// when there are none.
    fn at_percent(&self, percent: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100);
        let found = sorted.get(rank.saturating_sub(1));
        found.copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples_that_were_taken() {
        let of = |values: std::ops::Range<u64>| {
            // Backwards, because samples do not come sorted.
            Samples(values.rev().map(Duration::from_millis).collect())
        };
        for (samples, median, p99) in [
            (of(0..0), 0, 0),
            (of(7..8), 7, 7),
            (of(1..5), 2, 4),
            (of(1..101), 50, 99),
            (of(1..201), 100, 198),
        ] {
            assert_eq!(samples.median(), Duration::from_millis(median));
            assert_eq!(samples.p99(), Duration::from_millis(p99));
        }
    }
}
