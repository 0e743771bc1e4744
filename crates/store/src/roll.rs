//! The list of a workspace's circuits that hold records.
//!
//! Whoever deletes a circuit's directory and its head has deleted everything
//! that was its own, and what is left looks like a circuit that was never used.
//! So the workspace keeps a list. A name is entered when the log is already on
//! the disk and before it takes a record, so a crash cannot leave a name
//! without a log; and no update goes by without its circuit on the list.

use std::path::Path;

use crate::disk::{self, Access, DiskFile};
use crate::store::Location;
use crate::{CircuitName, Error};

/// Room for sixteen thousand of the longest names; what is longer is not ours
/// and is not read.
const MAX_LEN: usize = 1024 * 1024;

/// Whether the circuit is on the list.
pub(crate) fn lists(location: &Location) -> Result<bool, Error> {
    match DiskFile::open(&location.roll_path(), Access::Read)? {
        Some(roll) => Ok(holds(&whole_lines(&roll)?, location)),
        None => Ok(false),
    }
}

/// The circuits on the list at `path`, in order of name. Lines that are no names
/// are passed over: they lead to nothing that could be looked at.
pub(crate) fn names(path: &Path) -> Result<Vec<CircuitName>, Error> {
    let Some(roll) = DiskFile::open(path, Access::Read)? else {
        return Ok(Vec::new());
    };
    let lines = whole_lines(&roll)?;
    let text = String::from_utf8_lossy(&lines);
    let mut names: Vec<CircuitName> = text.lines().flat_map(str::parse).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Puts the circuit on the list, durably, unless it is there.
pub(crate) fn enter(location: &Location) -> Result<(), Error> {
    if lists(location)? {
        return Ok(());
    }
    let path = location.roll_path();
    DiskFile::create_new(&path)?;
    let Some(roll) = DiskFile::open_locked(&path, Access::Write, location.patience)? else {
        return Err(Error::io("open", &path)(
            std::io::ErrorKind::NotFound.into(),
        ));
    };
    let lines = whole_lines(&roll)?;
    if !holds(&lines, location) {
        // A line that a crash cut short is overwritten.
        let line = format!("{}\n", location.circuit);
        let end = lines.len() as u64;
        if roll.len() > end {
            roll.set_len(end)?;
        }
        let written = roll.write_at(line.as_bytes(), end);
        written.map_err(|error| Error::writing("append to", &path, error))?;
    }
    // Whoever wrote the line may have died before flushing it.
    let flushed = roll.sync_data();
    flushed.map_err(|error| Error::writing("flush", &path, error))?;
    disk::sync_directory(&location.workspace_dir)
}

/// The list without a last line that lacks its end.
fn whole_lines(roll: &DiskFile) -> Result<Vec<u8>, Error> {
    let len = usize::try_from(roll.len()).ok();
    let Some(len) = len.filter(|len| *len <= MAX_LEN) else {
        let path = roll.path().to_owned();
        let why = "is longer than any list of circuits".to_owned();
        return Err(Error::Unsafe { path, why });
    };
    let mut bytes = vec![0; len];
    let read = roll.read_at(&mut bytes, 0)?;
    bytes.truncate(read);
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    bytes.truncate(end.map_or(0, |end| end + 1));
    Ok(bytes)
}

fn holds(lines: &[u8], location: &Location) -> bool {
    let name = location.circuit.as_str().as_bytes();
    lines.split(|byte| *byte == b'\n').any(|line| line == name)
}
