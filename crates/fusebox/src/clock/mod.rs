//! The one clock, read here and handed on as a value.

use fusebox_core::{BootId, Moment};
use jiff::Timestamp;
use rustix::time::clock_gettime;
use sha2::{Digest, Sha256};

use crate::exit;
use crate::failure::Failure;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;

/// Where the time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockSource {
    /// The kernel.
    System,
    /// `FUSEBOX_NOW`, `FUSEBOX_UPTIME_MS` and `FUSEBOX_BOOT`, where they are
    /// set, and `FUSEBOX_SEGMENT_BYTES` for how long a log may become. For tests
    /// only: the shipped program does not heed these names.
    Settable,
}

/// A clock that knows which boot of the machine it runs in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    source: ClockSource,
    /// SHA-256 of the kernel's name for this boot.
    boot: [u8; 32],
}

impl Clock {
    /// Learns which boot this is, once and before any memory is opened.
    ///
    /// Not being able to tell must not pass for another boot: a wait that began
    /// in another boot is over as soon as the machine has been up for as long,
    /// so whoever keeps us from reading one file (by a limit on open files, for
    /// instance) would be let through.
    pub(crate) fn start(source: ClockSource) -> Result<Self, Failure> {
        let text = system::boot_name().map_err(|error| {
            let what = format!(
                "cannot tell this boot of the machine from another: {}: {error}",
                system::BOOT_NAME
            );
            Failure::new(exit::STATE, what).hint(format!(
                "treated as OPEN: waits and limits are measured within a boot; {}",
                system::REMEDY
            ))
        })?;
        system::refuse_shifted_clock()?;
        let boot = Sha256::digest(text.trim()).into();
        Ok(Self { source, boot })
    }

    /// The time now, on both clocks.
    pub(crate) fn now(self) -> Moment {
        let now = Moment {
            wall_ms: wall_ms(),
            boot_ms: boot_ms(),
            boot: short(&self.boot),
        };
        match self.source {
            ClockSource::System => now,
            ClockSource::Settable => set_by_environment(now),
        }
    }

    /// What a test has set besides the time; never anything in the shipped
    /// program.
    pub(crate) fn set_by_test<T: std::str::FromStr>(self, name: &str) -> Option<T> {
        match self.source {
            ClockSource::System => None,
            ClockSource::Settable => read(name),
        }
    }

    /// A text that names this boot of the machine.
    pub(crate) fn boot_text(self) -> String {
        match (self.source, std::env::var("FUSEBOX_BOOT")) {
            (ClockSource::Settable, Ok(boot)) => boot,
            _ => base16ct::lower::encode_string(&self.boot),
        }
    }
}

fn wall_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

fn boot_ms() -> u64 {
    let time = clock_gettime(system::COUNTS_ASLEEP);
    let whole = u64::try_from(time.tv_sec).unwrap_or(0) * 1_000;
    whole + u64::try_from(time.tv_nsec).unwrap_or(0) / 1_000_000
}

fn short(digest: &[u8; 32]) -> BootId {
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
        now.boot = short(&Sha256::digest(boot.trim()).into());
    }
    now
}

fn read<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}
