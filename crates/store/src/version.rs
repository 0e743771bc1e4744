//! Which release wrote something, and in which format.
//!
//! Every file of a circuit says so at a place that no later format may move,
//! under a checksum that an older release can check without understanding the
//! rest. So a file of a later release is told from a damaged one: it is left
//! alone, and whoever asked is told which release to install.

/// The format this release writes.
pub(crate) const FORMAT: u32 = 1;
/// This release.
pub(crate) const RELEASE: &str = env!("CARGO_PKG_VERSION");
/// Room for the name of a release.
const WRITER_LEN: usize = 16;

/// The name of a release, in a field of fixed width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Writer([u8; WRITER_LEN]);

impl Writer {
    /// Bytes that a name takes.
    pub(crate) const LEN: usize = WRITER_LEN;

    /// This release.
    pub(crate) fn this() -> Self {
        let mut field = [b' '; WRITER_LEN];
        let len = RELEASE.len().min(WRITER_LEN);
        field[..len].copy_from_slice(&RELEASE.as_bytes()[..len]);
        Self(field)
    }

    pub(crate) fn from_bytes(bytes: [u8; WRITER_LEN]) -> Self {
        Self(bytes)
    }

    pub(crate) fn bytes(&self) -> &[u8; WRITER_LEN] {
        &self.0
    }

    /// The name as text; what is not plain is nobody's release.
    pub(crate) fn name(&self) -> String {
        let plain = |byte: &u8| byte.is_ascii_graphic();
        let name = self.0.iter().copied().take_while(plain);
        name.map(char::from).collect()
    }
}
