//! Numbers at known places of what the system has laid out.

/// `N` bytes at `at`; `None` where the answer is shorter.
fn take<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

pub(crate) fn i32_at(bytes: &[u8], at: usize) -> Option<i32> {
    take(bytes, at).map(i32::from_ne_bytes)
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    take(bytes, at).map(u32::from_ne_bytes)
}

pub(crate) fn i64_at(bytes: &[u8], at: usize) -> Option<i64> {
    take(bytes, at).map(i64::from_ne_bytes)
}
