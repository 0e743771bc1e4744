//! The clock that neither suspending the machine nor setting its time can stop.

use std::time::Duration;

use rustix::time::clock_gettime;

use crate::platform::COUNTS_ASLEEP;

/// A moment since the machine was started, time asleep included. The standard
/// library's clock stands still while a laptop's lid is closed, and would make a lease
/// last through the night.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BootInstant(Duration);

impl BootInstant {
    /// Now.
    #[must_use]
    pub fn now() -> Self {
        let time = clock_gettime(COUNTS_ASLEEP);
        let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
        let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
        Self(Duration::new(seconds, nanos))
    }

    /// So much later.
    #[must_use]
    pub fn after(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span))
    }

    /// How long ago that was.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Self::now().since(self)
    }

    /// How long after `earlier` this is.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// Whether it has come.
    #[must_use]
    pub fn is_over(self) -> bool {
        Self::now() >= self
    }

    /// Milliseconds since the machine was started.
    #[must_use]
    pub fn millis(self) -> u64 {
        u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX)
    }
}
