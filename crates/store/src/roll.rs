//! The list of a workspace's circuits that hold records, twice.
//!
//! Whoever deletes a circuit's directory and its head has deleted everything
//! that was its own, and what is left looks like a circuit that was never used.
//! So the workspace keeps a list. A name is entered when the log is already on
//! the disk and before it takes a record, so a crash cannot leave a name
//! without a log; and no update goes by without its circuit on the list.
//!
//! A list that were deleted too would list nothing. So there is a second one
//! among the heads, which is written whole and carries its checksum, and the
//! workspace's file says that there is: from then on it is missed. The second one
//! also repeats what must not be changed in the workspace's file: the ordinal,
//! which decides whose breaker answers where several could.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::creation::Unplaced;
use crate::disk::{self, Access, DiskFile};
use crate::frame::Hash;
use crate::store::{DEFAULT_PATIENCE, Location};
use crate::version::{FORMAT, RELEASE};
use crate::{CircuitName, Error, Tamper, hex};

/// Room for sixteen thousand of the longest names; what is longer is not ours
/// and is not read.
const MAX_LEN: usize = 1024 * 1024;
const INTRODUCTION: &str = "fusebox-roll";

/// What the second list says.
#[derive(Debug, Default)]
struct Second {
    /// The workspace's ordinal, which an earlier release did not repeat here.
    ordinal: Option<u64>,
    names: BTreeSet<String>,
}

/// What becomes of the question whether the workspace's file says what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeated {
    /// The ordinal, as it was when the list was made.
    Ordinal(u64),
    /// There is a list, but it was made before it said so.
    NotYet,
    /// There is no list, or none that checks.
    Missing,
}

/// What is repeated of the workspace's file among its heads.
pub(crate) fn repeated(heads_dir: &Path) -> Result<Repeated, Error> {
    match read_second(&second_path(heads_dir)) {
        Ok(Some(second)) => Ok(second.ordinal.map_or(Repeated::NotYet, Repeated::Ordinal)),
        Ok(None) | Err(Error::Tampered(_)) => Ok(Repeated::Missing),
        Err(error) => Err(error),
    }
}

/// The list that the circuit is on, if it is on one.
pub(crate) fn that_lists(location: &Location) -> Result<Option<PathBuf>, Error> {
    let second = second_that_must_be(location)?;
    if is_on_first(location)? {
        return Ok(Some(location.roll_path()));
    }
    let listed = second.is_some_and(|second| second.names.contains(location.circuit.as_str()));
    Ok(listed.then(|| second_path(location.heads_dir())))
}

fn is_on_first(location: &Location) -> Result<bool, Error> {
    match DiskFile::open(&location.roll_path(), Access::Read)? {
        Some(roll) => Ok(holds(&whole_lines(&roll)?, location)),
        None => Ok(false),
    }
}

/// The circuits on either list, in order of name. Lines that are no names are
/// passed over: they lead to nothing that could be looked at. So is a list that
/// cannot be read: it is told where it is used.
pub(crate) fn names(workspace_dir: &Path, heads_dir: &Path) -> BTreeSet<CircuitName> {
    let first = DiskFile::open(&workspace_dir.join("roll"), Access::Read);
    let first = first
        .ok()
        .flatten()
        .and_then(|roll| whole_lines(&roll).ok());
    let first = String::from_utf8_lossy(&first.unwrap_or_default()).into_owned();
    let second = read_second(&second_path(heads_dir)).ok().flatten();
    let second = second.unwrap_or_default().names;
    let lines = first.lines().chain(second.iter().map(String::as_str));
    lines.flat_map(str::parse).collect()
}

/// Puts the circuit on both lists, durably, unless it is there. A second list
/// that there never was is not made here.
pub(crate) fn enter(location: &Location) -> Result<(), Error> {
    enter_first(location)?;
    let name = location.circuit.as_str();
    match second_that_must_be(location)? {
        Some(second) if !second.names.contains(name) => {
            let heads_dir = location.heads_dir();
            let _one_writer = disk::lock_directory(heads_dir, location.patience)?;
            let mut second = second_that_must_be(location)?.unwrap_or_default();
            second.names.insert(name.to_owned());
            write_second(heads_dir, &second)
        }
        _ => Ok(()),
    }
}

/// The same when a person has looked: what is wrong with the second list is put
/// right.
pub(crate) fn enter_anew(location: &Location) -> Result<(), Error> {
    enter_first(location)?;
    let heads_dir = location.heads_dir();
    if location.listed_twice || disk::exists(&second_path(heads_dir))? {
        establish(&location.workspace_dir, heads_dir, location.ordinal)?;
    }
    Ok(())
}

/// Makes the second list of whatever there is a trace of.
pub(crate) fn establish(workspace_dir: &Path, heads_dir: &Path, ordinal: u64) -> Result<(), Error> {
    disk::ensure_directory(heads_dir)?;
    let _one_writer = disk::lock_directory(heads_dir, DEFAULT_PATIENCE)?;
    let mut found = names(workspace_dir, heads_dir);
    let circuits = workspace_dir.join("circuits");
    let named = |name: std::ffi::OsString| name.to_str()?.parse::<CircuitName>().ok();
    for circuit in disk::names_in(&circuits)?.into_iter().filter_map(named) {
        if disk::exists(&circuits.join(circuit.as_str()).join("log"))? {
            found.insert(circuit);
        }
    }
    let heads = disk::names_in(heads_dir)?.into_iter().filter_map(named);
    // A crash may have left a head that never got its name.
    found.extend(heads.filter(|name| !name.as_str().ends_with(".new")));
    let second = Second {
        ordinal: Some(ordinal),
        names: found.iter().map(ToString::to_string).collect(),
    };
    write_second(heads_dir, &second)
}

fn enter_first(location: &Location) -> Result<(), Error> {
    if is_on_first(location)? {
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

pub(crate) fn second_path(heads_dir: &Path) -> PathBuf {
    // No circuit's name begins like this.
    heads_dir.join(".roll")
}

/// The second list; `None` only where nobody says that there is one.
fn second_that_must_be(location: &Location) -> Result<Option<Second>, Error> {
    let path = second_path(location.heads_dir());
    match read_second(&path)? {
        None if location.listed_twice => Err(Tamper::ListMissing { path }.into()),
        second => Ok(second),
    }
}

/// The second list; `None` when there is none.
fn read_second(path: &Path) -> Result<Option<Second>, Error> {
    let Some(file) = DiskFile::open(path, Access::Read)? else {
        return Ok(None);
    };
    let lines = whole_lines(&file)?;
    let changed = || Tamper::ListMissing {
        path: path.to_owned(),
    };
    let text = checked(&lines).ok_or_else(changed)?;
    let (format, writer, rest) = introduced(text).ok_or_else(changed)?;
    if format > FORMAT {
        return Err(Error::newer(path, writer.to_owned(), format, FORMAT));
    }
    Ok(Some(Second::parse(rest).ok_or_else(changed)?))
}

/// What a file says, if its checksum is right.
fn checked(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
    let (content, checksum) = text.split_at(text.rfind('\n')? + 1);
    let digest: Hash = Sha256::digest(content.as_bytes()).into();
    (hex::decode(checksum.as_bytes()) == Some(digest)).then_some(content)
}

/// The format, the release that wrote it, and the rest from there on.
fn introduced(text: &str) -> Option<(u32, &str, &str)> {
    let rest = text.strip_prefix(INTRODUCTION)?.strip_prefix(' ')?;
    let (format, rest) = rest.split_once(' ')?;
    let end = rest.find([' ', '\n'])?;
    let (writer, rest) = rest.split_at(end);
    Some((format.parse().ok()?, writer, rest))
}

impl Second {
    /// Reads what follows the introduction: the ordinal, on the same line, and the names.
    fn parse(text: &str) -> Option<Self> {
        let (first, names) = text.split_once('\n')?;
        let ordinal = match first.split(' ').nth(1) {
            Some(ordinal) => Some(ordinal.parse().ok()?),
            None => None,
        };
        Some(Self {
            ordinal,
            names: names.lines().map(str::to_owned).collect(),
        })
    }
}

/// Writes the second list; to be called under the lock of its directory.
fn write_second(heads_dir: &Path, second: &Second) -> Result<(), Error> {
    let mut text = format!("{INTRODUCTION} {FORMAT} {RELEASE}");
    if let Some(ordinal) = second.ordinal {
        // Writing into a `String` cannot fail.
        let _ = write!(text, " {ordinal}");
    }
    text.push('\n');
    for name in &second.names {
        text.push_str(name);
        text.push('\n');
    }
    let checksum: Hash = Sha256::digest(text.as_bytes()).into();
    text.push_str(&hex::encode(&checksum));
    text.push('\n');
    Unplaced::create(second_path(heads_dir), text.as_bytes())?
        .flushed()?
        .name()?;
    Ok(())
}

/// A door for the fuzzer: whatever is said under a checksum that is right.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_sealed(content: &[u8]) {
    let checksum: Hash = Sha256::digest(content).into();
    let bytes = [content, hex::encode(&checksum).as_bytes(), b"\n"].concat();
    if let Some((_, _, rest)) = checked(&bytes).and_then(introduced) {
        let _ = Second::parse(rest);
    }
}
