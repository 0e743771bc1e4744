//! A row of numbers as a row of bars.

use crate::glyphs::Glyphs;

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 8] = ['.', ':', '-', '=', '+', '*', '#', '@'];

/// The last `width` values, the newest at the right, each one column wide. The
/// lowest value shown is the lowest bar and the highest the highest; what does
/// not vary stands in the middle, and nothing at all at the bottom. A value that is not known is a gap.
///
/// ```
/// use fusebox_view::{glyphs::Glyphs, sparkline::sparkline};
///
/// assert_eq!(sparkline(&[Some(-2), Some(0), None, Some(5)], 8, Glyphs::Unicode), "▁▃ █");
/// ```
#[must_use]
pub fn sparkline(values: &[Option<i32>], width: usize, glyphs: Glyphs) -> String {
    let shown = &values[values.len().saturating_sub(width)..];
    let known = || shown.iter().flatten().map(|&value| i64::from(value));
    let (Some(lowest), Some(highest)) = (known().min(), known().max()) else {
        return String::new();
    };
    let bars = match glyphs {
        Glyphs::Unicode => BLOCKS,
        Glyphs::Ascii => ASCII,
    };
    let bar = |value: i32| {
        let (above, range) = (i64::from(value) - lowest, highest - lowest);
        let height = match range {
            0 if value == 0 => 0,
            0 => 3,
            _ => (above * 7 + range / 2) / range,
        };
        bars[usize::try_from(height).unwrap_or(0)]
    };
    shown.iter().map(|value| value.map_or(' ', bar)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(values: &[i32], width: usize, glyphs: Glyphs) -> String {
        let values: Vec<_> = values.iter().copied().map(Some).collect();
        sparkline(&values, width, glyphs)
    }

    #[test]
    fn bars_rise_with_the_values() {
        let eight: Vec<i32> = (-4..4).collect();
        for (values, width, unicode, ascii) in [
            (&eight[..], 8, "▁▂▃▄▅▆▇█", ".:-=+*#@"),
            (&eight[..], 2, "▁█", ".@"),
            (&eight[..], 0, "", ""),
            (&[], 8, "", ""),
            (&[7], 8, "▄", "="),
            (&[0, 0, 0], 8, "▁▁▁", "..."),
            (&[i32::MIN, 0, i32::MAX], 8, "▁▅█", ".+@"),
        ] {
            assert_eq!(drawn(values, width, Glyphs::Unicode), unicode, "{values:?}");
            assert_eq!(drawn(values, width, Glyphs::Ascii), ascii, "{values:?}");
        }
    }

    #[test]
    fn what_is_unknown_is_a_gap() {
        let values = [None, Some(1), None, Some(2)];
        assert_eq!(sparkline(&values, 8, Glyphs::Unicode), " ▁ █");
        assert_eq!(sparkline(&[None], 8, Glyphs::Unicode), "");
    }
}
