//! A door for the fuzzer.

use super::super::objects::Digest;
use super::{FIRST, Ledger, is_below};

/// A list of these lines, with the sum that makes it believed.
pub(in crate::keep) fn sealed(lines: &[u8]) -> Vec<u8> {
    let covered = [FIRST, lines].concat();
    let sum = Digest::of(&covered);
    [covered.as_slice(), format!("end {sum}\n").as_bytes()].concat()
}

/// A list that is read is what would be written, none of its paths leads
/// elsewhere, and it is none once it was cut.
pub(in crate::keep) fn read_list(lines: &[u8]) {
    let text = sealed(lines);
    let Some(ledger) = Ledger::parse(&text) else {
        return;
    };
    assert_eq!(ledger.text(), text);
    assert!(ledger.iter().all(|(path, _)| is_below(path)));
    let bytes: u64 = ledger.iter().map(|(_, entry)| entry.bytes()).sum();
    assert_eq!(bytes, ledger.bytes());
    assert!(Ledger::parse(&text[..text.len() - 1]).is_none());
    if let Some(cut) = lines.get(1..) {
        let unsealed = [FIRST, cut, &text[FIRST.len() + lines.len()..]].concat();
        assert!(Ledger::parse(&unsealed).is_none());
    }
}
