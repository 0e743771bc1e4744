//! Texts by their digests.

use sha2::{Digest, Sha256};

/// The SHA-256 of a text, in hexadecimal.
pub(crate) fn sha256(text: &str) -> String {
    base16ct::lower::encode_string(&Sha256::digest(text))
}
