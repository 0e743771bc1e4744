//! A share of something, and how sure one can be of it.

/// The quantile of the normal distribution that belongs to 95 %.
const Z: f64 = 1.959_964;

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many did.
    pub hits: u32,
    /// Of how many.
    pub of: u32,
}

impl Share {
    /// Counts one more.
    pub fn count(&mut self, hit: bool) {
        self.of += 1;
        self.hits += u32::from(hit);
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            hits: self.hits + other.hits,
            of: self.of + other.of,
        }
    }

    /// In percent; zero of nothing.
    #[must_use]
    pub fn percent(self) -> f64 {
        if self.of == 0 {
            return 0.0;
        }
        100.0 * f64::from(self.hits) / f64::from(self.of)
    }

    /// Between which percentages the truth lies, 19 times out of 20: the
    /// interval of Wilson, which holds for small numbers and for none at all.
    #[must_use]
    pub fn interval(self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 100.0);
        }
        let n = f64::from(self.of);
        let share = f64::from(self.hits) / n;
        let square = Z * Z;
        let middle = share + square / (2.0 * n);
        let spread = Z * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
        let scale = 100.0 / (1.0 + square / n);
        let low = (middle - spread) * scale;
        let high = (middle + spread) * scale;
        (low.clamp(0.0, 100.0), high.clamp(0.0, 100.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_textbook() {
        for (hits, of, low, high) in [
            (4, 438, 0.4, 2.3),
            (0, 136, 0.0, 2.7),
            (38, 38, 90.8, 100.0),
            (5, 10, 23.7, 76.3),
            (0, 0, 0.0, 100.0),
        ] {
            let (lowest, highest) = Share { hits, of }.interval();
            assert!(
                (lowest - low).abs() < 0.05 && (highest - high).abs() < 0.05,
                "{hits}/{of}: {lowest} {highest}"
            );
        }
    }
}
