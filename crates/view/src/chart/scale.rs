//! From values to places on a drawing, and the round numbers in between.

/// The most lines of a grid.
const LINES: f64 = 5.0;

/// A range of values and the places of its ends.
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    start: f64,
    end: f64,
    step: f64,
}

impl Scale {
    pub(super) fn new(low: f64, high: f64, start: f64, end: f64) -> Self {
        Self {
            low,
            high,
            start,
            end,
            step: round_step(high - low),
        }
    }

    /// A scale whose ends are round numbers; whole ones for what is counted.
    pub(super) fn rounded(low: f64, high: f64, whole: bool, start: f64, end: f64) -> Self {
        let step = round_step(high - low).max(if whole { 1.0 } else { 0.0 });
        let low = (low / step).floor() * step;
        let high = (high / step).ceil() * step;
        let high = if high > low { high } else { low + step };
        let step = round_step(high - low).max(if whole { 1.0 } else { 0.0 });
        Self {
            step,
            ..Self::new(low, high, start, end)
        }
    }

    /// Where a value is; in the middle where there is only one.
    pub(super) fn place(&self, value: f64) -> f64 {
        let range = self.high - self.low;
        let share = if range > 0.0 {
            (value - self.low) / range
        } else {
            0.5
        };
        self.start + share * (self.end - self.start)
    }

    /// Round numbers from end to end.
    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> {
        let step = self.step;
        let first = (self.low / step).ceil();
        let (high, slack) = (self.high, step / 1e6);
        let tick = move |number: u32| (first + f64::from(number)) * step;
        (0..=16)
            .map(tick)
            .take_while(move |tick| *tick <= high + slack)
    }
}

/// A step of 1, 2 or 5 times a power of ten that divides a range into a few.
fn round_step(range: f64) -> f64 {
    if range.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) || !range.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf((range / LINES).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let fits = |step: &f64| range / *step <= LINES;
    steps.into_iter().find(fits).unwrap_or(10.0 * power)
}

/// A number as short as it goes.
pub(super) fn label(value: f64) -> String {
    let size = value.abs();
    let (shown, unit) = match size {
        1e9.. => (value / 1e9, "G"),
        1e6.. => (value / 1e6, "M"),
        1e4.. => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{shown:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let text = if text == "-0" { "0" } else { text };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        for (range, step) in [
            (0.0, 1.0),
            (f64::NAN, 1.0),
            (1.0, 0.2),
            (4.0, 1.0),
            (9.0, 2.0),
            (23.0, 5.0),
            (1_000.0, 200.0),
        ] {
            assert!((round_step(range) - step).abs() < 1e-9, "{range}");
        }
    }

    #[test]
    fn ticks_reach_from_end_to_end() {
        let scale = Scale::rounded(-13.0, 40.0, false, 0.0, 1.0);
        let ticks: Vec<String> = scale.ticks().map(label).collect();
        assert_eq!(ticks, ["-20", "0", "20", "40"]);
        let counted = Scale::rounded(0.0, 1.0, true, 0.0, 1.0);
        let ticks: Vec<String> = counted.ticks().map(label).collect();
        assert_eq!(ticks, ["0", "1"]);
    }

    #[test]
    fn labels_are_short() {
        for (value, shown) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.25, "0.25"),
            (1500.0, "1500"),
            (25_000.0, "25k"),
            (1_500_000.0, "1.5M"),
            (-3e9, "-3G"),
        ] {
            assert_eq!(label(value), shown);
        }
    }
}
