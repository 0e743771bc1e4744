//! Sealed logs, and how the live one becomes one of them.
//!
//! A log that grows for ever has to be cut somewhere, and a cut must never look
//! like tampering, nor tampering like a cut. So nothing is cut: the live log
//! gets a second name and a successor, which goes on with the chain and carries
//! the state, so that nothing on the way to a decision reads a sealed log again.
//!
//! The order makes every crash believable. The head is flushed first, because
//! the successor cannot vouch for a head that is older than itself. The second
//! name is durable before the successor takes the first one. Dying before that
//! leaves the old log with a name too many; dying after it, a log that is one
//! record ahead of slot and head, which is what any crash leaves.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::belief::Last;
use crate::creation::Unplaced;
use crate::disk::{self, Access, DiskFile};
use crate::frame::Mark;
use crate::header::{self, GoesOn};
use crate::segment::Segment;
use crate::store::Location;
use crate::{Error, Tamper};

/// How many bytes of records a log may hold before it is sealed. Sealing costs
/// a few flushes, once in thousands of updates.
pub const SEGMENT_BYTES: u64 = 8 * 1024 * 1024;

/// The path of the sealed log that begins with record `seq`.
pub(crate) fn path(location: &Location, seq: u64) -> PathBuf {
    location.dir.join(format!("log.{seq}"))
}

/// The first records of all sealed logs, oldest first.
pub(crate) fn numbers(location: &Location) -> Result<Vec<u64>, Error> {
    let names = disk::names_in(&location.dir)?;
    let mut numbers: Vec<u64> = names.iter().filter_map(|name| number(name)).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn number(name: &OsStr) -> Option<u64> {
    let digits = name.to_str()?.strip_prefix("log.")?;
    let number: u64 = digits.parse().ok()?;
    // One spelling only: `log.07` is not ours.
    (number.to_string() == digits).then_some(number)
}

/// Opens the sealed log that begins with record `seq`.
pub(crate) fn open(location: &Location, seq: u64) -> Result<Segment, Error> {
    let path = path(location, seq);
    let missing = || Tamper::SegmentMissing {
        path: path.clone(),
        seq,
    };
    let file = DiskFile::open(&path, Access::Read)?.ok_or_else(missing)?;
    let segment = Segment::admit(file, location)?;
    if segment.beginning.first_seq() == seq {
        Ok(segment)
    } else {
        Err(missing().into())
    }
}

/// Whether the live log, which ends with `last`, is to be sealed before the
/// next record: it is long enough, or in an older format than ours.
pub(crate) fn is_due(live: &Segment, last: &Mark, location: &Location) -> bool {
    live.bytes_until(last.end) >= location.segment_bytes
        || live.beginning.format < crate::version::FORMAT
}

/// A successor that does not have its name yet.
pub(crate) struct Successor {
    file: Unplaced,
    opening: Last,
}

impl Successor {
    /// Makes everything ready for the exchange. Whatever fails here has changed
    /// nothing that anybody reads.
    pub(crate) fn prepare(
        live: &Segment,
        head: &DiskFile,
        from: &GoesOn<'_>,
        location: &Location,
        at_ms: u64,
    ) -> Result<Self, Error> {
        let flushed = head.sync_data();
        flushed.map_err(|error| Error::writing("flush", head.path(), error))?;
        let (bytes, opening) = header::fresh_log(location, at_ms, from);
        // Locked before it can be seen, so that nobody writes to it but us.
        let file = Unplaced::create(location.log_path(), &bytes)?
            .locked()?
            .flushed()?;
        let second_name = path(location, live.beginning.first_seq());
        disk::link(live.path(), &second_name)?;
        disk::sync_directory(&location.dir)?;
        Ok(Self { file, opening })
    }

    /// Takes the live log's place, and returns the new one and the record it
    /// ends with.
    pub(crate) fn take_over(self, location: &Location) -> Result<(Segment, Last), Error> {
        let live = Segment::admit(self.file.name()?, location)?;
        Ok((live, self.opening))
    }
}
