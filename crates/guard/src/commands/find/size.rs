//! `-size`: how much a file holds, in blocks of which the last need not be full.

use std::cmp::Ordering;

/// A directory of many thousand names has not as much.
const MUCH: u64 = 1 << 20;

/// A number of blocks, and whether it is that many, more or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    is: Ordering,
    blocks: u64,
    block: u64,
}

impl Size {
    /// `+10M`, `-1k`, `0`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let is = match text.chars().next()? {
            '+' => Ordering::Greater,
            '-' => Ordering::Less,
            _ => Ordering::Equal,
        };
        let number = text.trim_start_matches(['+', '-']);
        let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let block = match &number[digits.len()..] {
            "" | "b" => 512,
            "c" => 1,
            "w" => 2,
            "k" => 1 << 10,
            "M" => 1 << 20,
            "G" => 1 << 30,
            _ => return None,
        };
        let blocks = digits.parse().ok()?;
        Some(Self { is, blocks, block })
    }

    /// Whether only what holds much is meant, which no directory does by itself.
    pub(super) fn is_much(self) -> bool {
        self.is == Ordering::Greater && self.blocks.saturating_mul(self.block) >= MUCH
    }

    pub(super) fn fits(self, length: u64) -> bool {
        length.div_ceil(self.block).cmp(&self.blocks) == self.is
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_is_begun_counts() {
        let fits = |text: &str, length: u64| Size::parse(text).map(|size| size.fits(length));
        assert_eq!(fits("0", 0), Some(true));
        assert_eq!(fits("1", 1), Some(true));
        assert_eq!(fits("1", 513), Some(false));
        assert_eq!(fits("-1M", 1), Some(false));
        assert_eq!(fits("-1M", 0), Some(true));
        assert_eq!(fits("+1k", 1024), Some(false));
        assert_eq!(fits("+1k", 1025), Some(true));
        assert_eq!(fits("7c", 7), Some(true));
        let is_much = |text: &str| Size::parse(text).is_some_and(Size::is_much);
        assert!(is_much("+1M") && is_much("+2048") && is_much("+3G"));
        assert!(!is_much("+1k") && !is_much("-1M") && !is_much("1M") && !is_much("+2047"));
        assert_eq!(Size::parse("1x"), None);
        assert_eq!(Size::parse(""), None);
    }
}
