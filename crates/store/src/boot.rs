//! Which run of the kernel wrote something.
//!
//! Slots and head are never flushed, so a power cut may lose or tear them, but
//! a mere process death cannot: what was written stays in the page cache. The
//! boot identity is how a reader tells the two apart, and therefore how
//! strictly it may judge.

use sha2::{Digest, Sha256};

/// The identity of one boot of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BootId(pub(crate) [u8; 16]);

impl BootId {
    /// Derives the identity from whatever text the system offers, such as
    /// `/proc/sys/kernel/random/boot_id` or a boot time. Hashing makes every
    /// source the same width.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let digest: [u8; 32] = Sha256::digest(text.trim().as_bytes()).into();
        let mut short = [0; 16];
        short.copy_from_slice(&digest[..16]);
        Self(short)
    }
}
