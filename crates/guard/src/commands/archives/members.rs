//! What is in an archive, as its directory says.
//!
//! Only plain archives of plain files are read, and those only so far. For all others the
//! answer is that it is not known.

use std::io::Read;
use std::path::{Component, Path};

use flate2::read::MultiGzDecoder;

use crate::tree::Tree;

/// More members than these are not looked at.
const MOST_MEMBERS: usize = 1_000;

/// A longer directory of an archive is not read.
const LONGEST_DIRECTORY: usize = 256 * 1024;

/// A longer compressed archive is not read.
const LONGEST_COMPRESSED: usize = 1024 * 1024;

/// Nor is one that becomes longer than this.
const LONGEST_PLAIN: u64 = 2 * 1024 * 1024;

/// The size of a header in a tar file.
const BLOCK: usize = 512;

/// The files in an archive that is not compressed as a whole, or by gzip. One that can be read
/// in two ways has what it has in both.
pub(super) fn of(tree: &dyn Tree, archive: &Path) -> Option<Vec<String>> {
    let is_zipped = tree.bytes(archive, 0, 2)? == [0x1f, 0x8b];
    let tar = if is_zipped {
        unzipped(tree, archive).and_then(|plain| {
            of_tar(|at| {
                let at = usize::try_from(at).ok()?;
                plain.get(at..at.checked_add(BLOCK)?).map(<[u8]>::to_vec)
            })
        })
    } else {
        of_tar(|at| tree.bytes(archive, at, BLOCK))
    };
    let zip = zip_end(tree, archive).map(|end| of_zip(tree, archive, &end));
    let names: Vec<String> = match (tar, zip) {
        (tar, Some(zip)) => tar.into_iter().flatten().chain(zip?).collect(),
        (tar, None) => tar?,
    };
    names.iter().all(|name| stays_below(name)).then_some(names)
}

/// Whether a name leads nowhere but below where the archive is unpacked.
fn stays_below(name: &str) -> bool {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    !name.contains('\\') && Path::new(name).components().all(is_plain)
}

/// What a compressed file holds, if that is short enough.
fn unzipped(tree: &dyn Tree, archive: &Path) -> Option<Vec<u8>> {
    let packed = tree.bytes(archive, 0, LONGEST_COMPRESSED + 1)?;
    if packed.len() > LONGEST_COMPRESSED {
        return None;
    }
    let mut plain = Vec::new();
    let mut reader = MultiGzDecoder::new(packed.as_slice()).take(LONGEST_PLAIN + 1);
    let length = reader.read_to_end(&mut plain).ok()?;
    (length as u64 <= LONGEST_PLAIN).then_some(plain)
}

fn of_tar(header_at: impl Fn(u64) -> Option<Vec<u8>>) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut at = 0;
    loop {
        let header = header_at(at)?;
        if header.len() < BLOCK || names.len() > MOST_MEMBERS {
            return None;
        }
        if header.iter().all(|byte| *byte == 0) {
            return Some(names);
        }
        let member = Member::in_header(&header)?;
        let blocks = member.size.div_ceil(BLOCK as u64);
        at = at.checked_add((blocks + 1).checked_mul(BLOCK as u64)?)?;
        names.extend(member.name);
    }
}

/// A member of a tar file.
struct Member {
    /// Nothing if it is a directory.
    name: Option<String>,
    size: u64,
}

impl Member {
    fn in_header(header: &[u8]) -> Option<Self> {
        let own: u64 = header.iter().map(|byte| u64::from(*byte)).sum();
        let sum: u64 = header[148..156].iter().map(|byte| u64::from(*byte)).sum();
        let blank = 8 * u64::from(b' ');
        if octal(&header[148..156])? != own - sum + blank {
            return None;
        }
        let name = text(&header[..100])?;
        let above = match &header[257..263] {
            b"ustar\0" => text(&header[345..500])?,
            _ => String::new(),
        };
        let name = match above.is_empty() {
            true => name,
            false => format!("{above}/{name}"),
        };
        // Links lead elsewhere, and long names are written in other ways.
        let name = match header[156] {
            b'0' | 0 => Some(name),
            b'5' => None,
            _ => return None,
        };
        let size = octal(&header[124..136])?;
        Some(Self { name, size })
    }
}

fn text(field: &[u8]) -> Option<String> {
    let end = field.iter().position(|byte| *byte == 0);
    let field = &field[..end.unwrap_or(field.len())];
    String::from_utf8(field.to_vec()).ok()
}

fn octal(field: &[u8]) -> Option<u64> {
    let field = text(field)?;
    u64::from_str_radix(field.trim(), 8).ok()
}

/// The end of a zip file, which says where its directory is.
fn zip_end(tree: &dyn Tree, archive: &Path) -> Option<Vec<u8>> {
    const END: &[u8] = b"PK\x05\x06";
    const LONGEST_END: u64 = 1_024;
    let length = tree.length(archive)?;
    let start = length.saturating_sub(LONGEST_END);
    let tail = tree.bytes(archive, start, usize::try_from(length - start).ok()?)?;
    let at = tail.windows(END.len()).rposition(|bytes| bytes == END)?;
    tail.get(at..).map(<[u8]>::to_vec)
}

fn of_zip(tree: &dyn Tree, archive: &Path, end: &[u8]) -> Option<Vec<String>> {
    let size = usize::try_from(number(end, 12, 4)?).ok()?;
    if size > LONGEST_DIRECTORY {
        return None;
    }
    let directory = tree.bytes(archive, number(end, 16, 4)?, size)?;
    let mut names = Vec::new();
    let mut rest = directory.as_slice();
    while !rest.is_empty() {
        let (name, length) = zip_entry(rest)?;
        names.extend(name);
        rest = rest.get(length..)?;
    }
    let all = usize::try_from(number(end, 10, 2)?).ok()?;
    (names.len() <= all && all <= MOST_MEMBERS).then_some(names)
}

/// The name of an entry, if it is no directory, and how long the entry is.
fn zip_entry(entry: &[u8]) -> Option<(Option<String>, usize)> {
    const LINK: u64 = 0o12;
    if !entry.starts_with(b"PK\x01\x02") || number(entry, 38, 4)? >> 28 == LINK {
        return None;
    }
    let field = |at: usize| usize::try_from(number(entry, at, 2)?).ok();
    let name = field(28)?;
    let length = 46 + name + field(30)? + field(32)?;
    let name = String::from_utf8(entry.get(46..46 + name)?.to_vec()).ok()?;
    Some((Some(name).filter(|name| !name.ends_with('/')), length))
}

/// A number, the least of its bytes first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + length)?;
    let all = bytes.iter().rev();
    Some(all.fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_a_zip_is_as_long_as_its_fields_say() {
        let mut entry = vec![0; 46];
        entry[..4].copy_from_slice(b"PK\x01\x02");
        (entry[28], entry[30], entry[32]) = (3, 5, 7);
        entry.extend(b"a/b and more");
        let found = zip_entry(&entry).expect("an entry");
        assert_eq!(found, (Some("a/b".to_owned()), 46 + 3 + 5 + 7));
        entry[48] = b'/';
        assert_eq!(zip_entry(&entry).expect("a directory").0, None);
        entry[41] = 0o12 << 4;
        assert_eq!(zip_entry(&entry), None);
    }

    #[test]
    fn what_is_longer_than_is_read_is_not_taken_for_all_of_it() {
        use std::io::Write as _;
        let directory = tempfile::tempdir().expect("a directory");
        let archive = directory.path().join("a.gz");
        for (length, is_read) in [(LONGEST_PLAIN, true), (LONGEST_PLAIN + 1, false)] {
            let file = std::fs::File::create(&archive).expect("a file");
            let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
            let length = usize::try_from(length).expect("a length");
            packed.write_all(&vec![0; length]).expect("content");
            packed.finish().expect("an end");
            let found = unzipped(&crate::tree::Disk, &archive);
            assert_eq!(found.map(|plain| plain.len()), is_read.then_some(length));
        }
    }
}
