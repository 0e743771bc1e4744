//! Short identities of texts.
//!
//! A call is compared with hundreds of earlier ones, and the state that holds
//! them has to stay small, so that what is kept of a text is a number. It is
//! made eight bytes at a time: a session file is mostly results, and reading it
//! must not wait for a hash that nobody attacks. An agent that could make two of
//! its own calls collide would only look more stuck than it is.

use serde::{Deserialize, Serialize};

/// The identity of a text or of a value: 40 bits, so that it is exact in every
/// reader of JSON and short when written down.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Digest(u64);

/// Odd, and without a pattern in its bits.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// The bits that are kept.
const KEPT: u32 = 40;

impl Digest {
    /// The identity of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut mixer = Mixer::default();
        mixer.bytes(bytes);
        mixer.digest()
    }

    /// The identity of several, in this order.
    #[must_use]
    pub fn joined(parts: &[Self]) -> Self {
        let mut mixer = Mixer::default();
        parts.iter().for_each(|part| mixer.word(part.0));
        mixer.digest()
    }

    /// The identity of this and `other` together, in either order.
    #[must_use]
    pub(crate) fn beside(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0) & mask())
    }
}

/// Takes bytes in and becomes a [`Digest`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Mixer(u64);

impl Default for Mixer {
    fn default() -> Self {
        Self(FACTOR)
    }
}

impl Mixer {
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let mut eight = [0; 8];
            eight.copy_from_slice(word);
            self.word(u64::from_le_bytes(eight));
        }
        let mut rest = [0; 8];
        rest[..words.remainder().len()].copy_from_slice(words.remainder());
        self.word(u64::from_le_bytes(rest));
        // Texts that differ by zero bytes at the end are different texts.
        self.word(bytes.len() as u64);
    }

    pub(super) fn word(&mut self, word: u64) {
        let wide = u128::from(self.0 ^ word.rotate_left(23)) * u128::from(FACTOR);
        let [low, high] = halves(wide);
        self.0 = low ^ high ^ word;
    }

    pub(super) fn digest(mut self) -> Digest {
        self.word(FACTOR);
        Digest(self.0 & mask())
    }
}

fn mask() -> u64 {
    (1 << KEPT) - 1
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "each half is taken on purpose"
)]
fn halves(wide: u128) -> [u64; 2] {
    [wide as u64, (wide >> 64) as u64]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn different_texts_have_different_identities() {
        let mut texts: Vec<String> = (0..20_000).map(|n| format!("line {n}")).collect();
        texts.extend((0..200).map(|n| "\0".repeat(n)));
        texts.extend((0..200).map(|n| "abcdefgh".repeat(n) + "x"));
        let seen: BTreeSet<_> = texts
            .iter()
            .map(|text| Digest::of(text.as_bytes()))
            .collect();
        assert_eq!(seen.len(), texts.len());
        assert!(seen.iter().all(|digest| digest.0 <= mask()));
    }

    #[test]
    fn order_counts_where_it_should() {
        let [a, b] = [Digest::of(b"a"), Digest::of(b"b")];
        assert_ne!(Digest::joined(&[a, b]), Digest::joined(&[b, a]));
        assert_eq!(a.beside(b), b.beside(a));
        assert_ne!(a.beside(b), a);
    }
}
