//! Which files git tracks, as its index says. git itself is not asked, and what is read was
//! written by whoever made the repository: it counts only where it is as it should be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::reach::top_level;
use crate::shell::Engine;
use crate::tree::{Kind, Stamp};

/// A longer index is not read.
const LONGEST_INDEX: usize = 1024 * 1024;

/// Version 4 keeps a name as what differs from the one before it, so that a short index can stand
/// for names of any length. An honest one stands for about three times its own.
const LARGEST_EXPANSION: usize = 8;

/// What stands in an entry before its name.
const ENTRY: usize = 62;

/// Subcommands that leave what is tracked in the index, and others as they are.
const KEEPING: [&str; 18] = [
    "status",
    "diff",
    "log",
    "show",
    "add",
    "commit",
    "ls-files",
    "ls-tree",
    "grep",
    "rev-parse",
    "branch",
    "tag",
    "fetch",
    "push",
    "clean",
    "remote",
    "blame",
    "describe",
];

/// Whether the index may be another one after a subcommand.
pub(super) fn may_differ_after(verb: &str) -> bool {
    !KEEPING.contains(&verb)
}

/// What the index says of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    stamp: Stamp,
    /// It is in conflict, or git was told not to look at it.
    is_odd: bool,
}

/// The tracked files of the one work tree that a command stands in, if that can be told, each
/// with whether it is certain to be as the index has it.
pub(super) fn tracked(engine: &Engine<'_>) -> Option<BTreeMap<PathBuf, bool>> {
    let tops = top_level(engine);
    let [top] = tops.as_slice() else {
        return None;
    };
    let is_elsewhere = |name: &&str| engine.shell.get(name).is_some();
    let elsewhere = ["GIT_INDEX_FILE", "GIT_DIR", "GIT_WORK_TREE"];
    let git = top.join(".git");
    let index = git.join("index");
    let is_plain = engine.tree.kind(&git) == Some(Kind::Directory)
        && engine.tree.kind(&index) == Some(Kind::File);
    if !is_plain
        || engine.shell.index_may_differ
        || elsewhere.iter().any(is_elsewhere)
        || engine.may_have_touched(&index)
    {
        return None;
    }
    let bytes = engine.tree.bytes(&index, 0, LONGEST_INDEX + 1)?;
    if bytes.len() > LONGEST_INDEX {
        return None;
    }
    let entries = entries(&bytes)?;
    let saved = engine.tree.stamp(&index).map(|stamp| stamp.written);
    let found = entries.into_iter().map(|entry| {
        let path = top.join(Path::new(&entry.name));
        // What was written when the index was, git does not go by either.
        let is_settled = saved.is_some_and(|saved| entry.stamp.written < saved);
        let is_same = is_settled
            && !entry.is_odd
            && !engine.may_have_touched(&path)
            && engine.tree.stamp(&path) == Some(entry.stamp);
        (path, is_same)
    });
    Some(found.collect())
}

/// The entries of an index of version 2, 3 or 4, which are in the order of their names.
fn entries(index: &[u8]) -> Option<Vec<Entry>> {
    let version = number(index, 4)?;
    let count = number(index, 8)?;
    if !index.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut at = 12;
    let mut room = index.len().saturating_mul(LARGEST_EXPANSION);
    for _ in 0..count {
        let is_file = number(index, at + 24)? >> 12 != 0o4;
        let is_longer = index.get(at + 60)? & 0x40 != 0;
        let field = |offset: usize| number(index, at + offset);
        let stamp = Stamp {
            changed: (field(0)?, field(4)?),
            written: (field(8)?, field(12)?),
            number: field(20)?,
            size: field(36)?,
        };
        // Two bits for the side of a conflict, one for what is taken to be unchanged.
        let is_odd = is_longer || index.get(at + 60)? & 0xb0 != 0;
        let mut start = at + ENTRY + usize::from(is_longer) * 2;
        let mut name = String::new();
        if version == 4 {
            let (cut, after) = variable(index, start)?;
            let last = entries.last().map_or("", |last| last.name.as_str());
            let same = last.get(..last.len().checked_sub(cut)?)?;
            room = room.checked_sub(same.len())?;
            name.push_str(same);
            start = after;
        }
        let length = index.get(start..)?.iter().position(|byte| *byte == 0)?;
        name.push_str(str::from_utf8(&index[start..start + length]).ok()?);
        let is_in_order = entries.last().is_none_or(|last| last.name <= name);
        let is_below = !name.split('/').any(|part| matches!(part, "" | "." | ".."));
        // Where only the directory is named, its files are not.
        if !is_in_order || !is_below || !is_file {
            return None;
        }
        entries.push(Entry {
            name,
            stamp,
            is_odd,
        });
        let end = start + length;
        at = match version {
            4 => end + 1,
            _ => at + (end - at + 8) / 8 * 8,
        };
    }
    Some(entries)
}

/// A number of four bytes, the greatest first.
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(
        bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u32::from(*byte)),
    )
}

/// A number of as many bytes as it needs, and where it ends.
fn variable(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (length, byte) in bytes.get(at..)?.iter().take(4).enumerate() {
        value = value << 7 | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + length + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(index: &[u8]) -> Option<Vec<String>> {
        let entries = entries(index)?;
        Some(entries.into_iter().map(|entry| entry.name).collect())
    }

    fn entry(mode: u32, is_longer: bool) -> Vec<u8> {
        let mut entry = vec![0; ENTRY];
        entry[24..28].copy_from_slice(&mode.to_be_bytes());
        if is_longer {
            entry[60] = 0x40;
            entry.extend([0, 0]);
        }
        entry
    }

    fn index(version: u32, entries: &[Vec<u8>]) -> Vec<u8> {
        let mut index = b"DIRC".to_vec();
        index.extend(version.to_be_bytes());
        index.extend(u32::try_from(entries.len()).expect("few").to_be_bytes());
        index.extend(entries.concat());
        index
    }

    fn padded(name: &str, is_longer: bool) -> Vec<u8> {
        let mut entry = entry(0o100_644, is_longer);
        entry.extend(name.bytes());
        entry.resize((entry.len() + 8) / 8 * 8, 0);
        entry
    }

    fn cut(cut: &[u8], name: &str) -> Vec<u8> {
        let mut entry = entry(0o100_644, false);
        entry.extend(cut);
        entry.extend(name.bytes());
        entry.push(0);
        entry
    }

    #[test]
    fn names_are_found_in_each_version() {
        let two = index(2, &[padded("a", false), padded("ab/c.md", false)]);
        assert_eq!(names(&two).expect("names"), ["a", "ab/c.md"]);
        let three = index(3, &[padded("a", true), padded("b", false)]);
        assert_eq!(names(&three).expect("names"), ["a", "b"]);
        let four = index(4, &[cut(&[0], "ab/c"), cut(&[1], "d"), cut(&[4], "b")]);
        assert_eq!(names(&four).expect("names"), ["ab/c", "ab/d", "b"]);
        assert_eq!(variable(&[0x80, 0x01], 0), Some((129, 2)));
        assert_eq!(variable(&[0xff, 0xff, 0xff, 0xff, 0], 0), None);
    }

    #[test]
    fn a_short_index_does_not_stand_for_endless_names() {
        let longer = |count: usize| {
            let entries = std::iter::repeat_n(cut(&[0], "a"), count);
            names(&index(4, &entries.collect::<Vec<_>>())).map(|names| names.len())
        };
        assert_eq!(longer(500), Some(500));
        assert_eq!(longer(15_000), None);
    }

    #[test]
    fn what_is_not_as_it_should_be_is_not_believed() {
        let plain = || padded("b", false);
        let mut directory = entry(0o040_000, false);
        directory.extend(b"b/\0");
        for wrong in [
            b"DIRX".to_vec(),
            index(5, &[plain()]),
            index(1, &[plain()]),
            index(2, &[plain(), padded("a", false)]),
            index(2, &[padded("../a", false)]),
            index(2, &[padded("/a", false)]),
            index(2, &[directory]),
            index(4, &[cut(&[1], "a")]),
            index(2, &[entry(0o100_644, false)]),
            index(2, &[plain()])[..40].to_vec(),
        ] {
            assert_eq!(names(&wrong), None, "{wrong:?}");
        }
    }
}
