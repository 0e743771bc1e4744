//! The one clock, read here and handed on as a value.

use fusebox_core::{BootId, Moment};
use jiff::Timestamp;
use rustix::time::{ClockId, clock_gettime};
use sha2::{Digest, Sha256};

/// Where the time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The kernel.
    System,
    /// `FUSEBOX_NOW`, `FUSEBOX_UPTIME_MS` and `FUSEBOX_BOOT`, where they are
    /// set. For tests only: the shipped program does not know these names.
    Settable,
}

impl Clock {
    /// The time now, on both clocks.
    pub(crate) fn now(self) -> Moment {
        let now = Moment {
            wall_ms: wall_ms(),
            boot_ms: boot_ms(),
            boot: short(&boot_text()),
        };
        match self {
            Self::System => now,
            Self::Settable => set_by_environment(now),
        }
    }

    /// The text that names this boot of the machine.
    pub(crate) fn boot_text(self) -> String {
        match (self, std::env::var("FUSEBOX_BOOT")) {
            (Self::Settable, Ok(boot)) => boot,
            _ => boot_text(),
        }
    }
}

fn wall_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

fn boot_ms() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    let whole = u64::try_from(time.tv_sec).unwrap_or(0) * 1_000;
    whole + u64::try_from(time.tv_nsec).unwrap_or(0) / 1_000_000
}

/// The kernel's name for this boot. Where it has none, every boot looks the
/// same, and a restart of the machine is then noticed by the uptime alone.
fn boot_text() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default()
}

fn short(text: &str) -> BootId {
    let digest = Sha256::digest(text.trim());
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    // JSON numbers are exact up to 2^53 in every reader.
    BootId(u64::from_be_bytes(first) >> 11)
}

fn set_by_environment(mut now: Moment) -> Moment {
    if let Some(time) = read::<Timestamp>("FUSEBOX_NOW") {
        now.wall_ms = time.as_millisecond();
        // Both clocks move together unless the test says otherwise.
        now.boot_ms = u64::try_from(now.wall_ms).unwrap_or(0);
        now.boot = BootId(1);
    }
    if let Some(uptime) = read("FUSEBOX_UPTIME_MS") {
        now.boot_ms = uptime;
    }
    if let Some(boot) = read::<String>("FUSEBOX_BOOT") {
        now.boot = short(&boot);
    }
    now
}

fn read<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}
