//! How many terminal columns text takes.
//!
//! Terminals disagree about emoji sequences and combining marks, so the
//! answer here errs to one side on purpose: it is an upper bound. A cell
//! that comes out a column short is a blemish, one that overflows breaks
//! every line under it. Counting a combining mark as a column of its own
//! also bounds how many of them can be stacked into one line.

/// Upper bound of the terminal columns that `text` takes once it has been
/// escaped.
#[must_use]
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Upper bound of the columns of one harmless character.
pub(super) fn columns_of(c: char) -> usize {
    if c.is_ascii() {
        return 1;
    }
    let code = u32::from(c);
    let after = WIDE.partition_point(|&(first, _)| first <= code);
    let wide = after > 0 && code <= WIDE[after - 1].1;
    if wide { 2 } else { 1 }
}

/// Characters of two columns: East Asian wide and fullwidth ones, and the
/// symbols that terminals draw as emoji. Gaps of unassigned characters
/// inside a wide block are counted with it.
const WIDE: &[(u32, u32)] = &[
    (0x1100, 0x115f),
    (0x231a, 0x231b),
    (0x2329, 0x232a),
    (0x23e9, 0x23ec),
    (0x23f0, 0x23f0),
    (0x23f3, 0x23f3),
    (0x25fd, 0x25fe),
    (0x2614, 0x2615),
    (0x2630, 0x2637),
    (0x2648, 0x2653),
    (0x267f, 0x267f),
    (0x268a, 0x268f),
    (0x2693, 0x2693),
    (0x26a1, 0x26a1),
    (0x26aa, 0x26ab),
    (0x26bd, 0x26be),
    (0x26c4, 0x26c5),
    (0x26ce, 0x26ce),
    (0x26d4, 0x26d4),
    (0x26ea, 0x26ea),
    (0x26f2, 0x26f3),
    (0x26f5, 0x26f5),
    (0x26fa, 0x26fa),
    (0x26fd, 0x26fd),
    (0x2705, 0x2705),
    (0x270a, 0x270b),
    (0x2728, 0x2728),
    (0x274c, 0x274c),
    (0x274e, 0x274e),
    (0x2753, 0x2755),
    (0x2757, 0x2757),
    (0x2795, 0x2797),
    (0x27b0, 0x27b0),
    (0x27bf, 0x27bf),
    (0x2b1b, 0x2b1c),
    (0x2b50, 0x2b50),
    (0x2b55, 0x2b55),
    (0x2e80, 0x303e),
    (0x3040, 0x4dbf),
    (0x4dc0, 0xa4cf),
    (0xa960, 0xa97f),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xfe10, 0xfe19),
    (0xfe30, 0xfe6f),
    (0xff01, 0xff60),
    (0xffe0, 0xffe6),
    (0x16fe0, 0x1b2ff),
    (0x1d300, 0x1d376),
    (0x1f004, 0x1f004),
    (0x1f0cf, 0x1f0cf),
    (0x1f18e, 0x1f19a),
    (0x1f200, 0x1f6ff),
    (0x1f7e0, 0x1faff),
    (0x20000, 0x3fffd),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_ascend_so_that_the_search_is_valid() {
        let ordered = WIDE.iter().all(|(first, last)| first <= last);
        assert!(ordered && WIDE.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }

    #[test]
    fn known_widths() {
        for (text, width) in [
            ("", 0),
            ("plain", 5),
            ("é", 1),
            ("漢字", 4),
            ("한", 2),
            ("ｆ", 2),
            ("✅", 2),
            ("✓ ok", 4),
            ("🚀", 2),
            ("⚠\u{fe0f}", 2),
            ("│─└", 3),
        ] {
            assert_eq!(columns(text), width, "{text:?}");
        }
    }
}
