//! Hexadecimal text, the one spelling of bytes that survives every terminal.

use base16ct::lower;

/// Spells bytes as lower-case hexadecimal digits.
pub(crate) fn encode(bytes: &[u8]) -> String {
    lower::encode_string(bytes)
}

/// Reads exactly `N` bytes; upper-case digits are refused, because everything
/// this crate writes has one spelling only.
pub(crate) fn decode<const N: usize>(text: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let read = lower::decode(text, &mut bytes).ok()?.len();
    (read == N).then_some(bytes)
}
