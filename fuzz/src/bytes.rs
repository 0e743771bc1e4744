//! Choices out of bytes, for targets whose input is a sequence of things that happen.

/// How often a piece of text is repeated where it is to be a long one.
const MANY: usize = 100;

/// What is left of the input. Where nothing is left, everything is zero.
pub(crate) struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    pub(crate) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()]
    }

    /// A small number, a power of two and its neighbours, or the largest there is.
    pub(crate) fn number(&mut self) -> u64 {
        match self.byte() {
            small @ 0..=127 => u64::from(small),
            255 => u64::MAX,
            power => (1_u64 << (power / 2 - 64)).saturating_sub(u64::from(power % 2)),
        }
    }

    /// The same, as far as it fits.
    pub(crate) fn count(&mut self) -> u32 {
        u32::try_from(self.number()).unwrap_or(u32::MAX)
    }

    /// Something or nothing.
    pub(crate) fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| read(self))
    }

    /// A few characters, or many of them.
    pub(crate) fn text(&mut self) -> String {
        let about = self.byte();
        let (piece, rest) = self.0.split_at(usize::from(about % 32).min(self.0.len()));
        self.0 = rest;
        let piece = String::from_utf8_lossy(piece);
        match about / 32 {
            7 => piece.repeat(MANY),
            _ => piece.into_owned(),
        }
    }
}
