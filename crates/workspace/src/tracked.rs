//! The names in a repository's index.
//!
//! A file that is tracked is part of the project even where an ignore rule covers it. The
//! index is parsed here, names and kinds only, because giving an agent-written file to git
//! would mean running git on input the agent chose, and because a SHA-256 repository's index
//! is unreadable to a SHA-1 git directory such as ours.

/// The paths in one index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tracked {
    /// Sorted.
    names: Vec<Vec<u8>>,
}

const SIGNATURE: &[u8] = b"DIRC";
const STAT_FIELDS: usize = 40;
const MODE_AT: usize = 24;
const EXTENDED: u16 = 0x4000;
/// Version 4 stores a name as a difference to the one before, so a small file can claim huge
/// names. An honest index expands to about three times its size.
const LARGEST_EXPANSION: usize = 8;

impl Tracked {
    /// Reads an index of version 2, 3 or 4, of either hash; `None` if it is anything else,
    /// or a split index, whose names lie in a second file.
    pub(crate) fn parse(index: &[u8]) -> Option<Self> {
        parse_entries(index, 20).or_else(|| parse_entries(index, 32))
    }

    pub(crate) fn contains(&self, path: &[u8]) -> bool {
        self.names
            .binary_search_by(|name| name.as_slice().cmp(path))
            .is_ok()
    }

    /// Whether anything tracked lies inside `directory`.
    pub(crate) fn reaches_into(&self, directory: &[u8]) -> bool {
        let inside = |name: &[u8]| {
            name.strip_prefix(directory)
                .is_some_and(|rest| rest.first() == Some(&b'/'))
        };
        let prefix = [directory, b"/"].concat();
        let at = self.names.partition_point(|name| *name < prefix);
        self.names.get(at).is_some_and(|name| inside(name))
    }
}

fn parse_entries(index: &[u8], hash: usize) -> Option<Tracked> {
    let rest = index.strip_prefix(SIGNATURE)?;
    let version = be32(rest)?;
    let count = be32(rest.get(4..)?)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut at = 12;
    let mut names = Vec::new();
    let mut previous = Vec::new();
    let mut room = index.len().saturating_mul(LARGEST_EXPANSION);
    for _ in 0..count {
        let entry = index.get(at..)?;
        let mode = be32(entry.get(MODE_AT..)?)?;
        let flags = u16::from_be_bytes(entry.get(STAT_FIELDS + hash..)?.first_chunk().copied()?);
        let extended = if version >= 3 && flags & EXTENDED != 0 {
            2
        } else {
            0
        };
        let header = STAT_FIELDS + hash + 2 + extended;
        let (name, length) = if version == 4 {
            compressed_name(entry.get(header..)?, &previous)?
        } else {
            padded_name(entry, header)?
        };
        // A wrong guess at the hash's length shows at once in the mode or the name.
        if name.is_empty() || !matches!(mode >> 12, 0o4 | 0o10 | 0o12 | 0o16) {
            return None;
        }
        at += if version == 4 {
            header + length
        } else {
            length
        };
        room = room.checked_sub(name.len())?;
        previous.clone_from(&name);
        names.push(name);
    }
    if is_split(index.get(at..index.len().checked_sub(hash)?)?)? {
        return None;
    }
    names.sort_unstable();
    Some(Tracked { names })
}

/// Versions 2 and 3: the name ends at a NUL, the entry at a multiple of eight.
fn padded_name(entry: &[u8], header: usize) -> Option<(Vec<u8>, usize)> {
    let name = until_nul(entry.get(header..)?)?;
    Some((name.to_vec(), (header + name.len() + 8) & !7))
}

/// Version 4: how many bytes of the previous name to drop, then what to put there.
fn compressed_name(entry: &[u8], previous: &[u8]) -> Option<(Vec<u8>, usize)> {
    let mut at = 0;
    let mut byte = *entry.first()?;
    let mut dropped = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *entry.get(at)?;
        dropped = (dropped.checked_add(1)?.checked_mul(128)?).checked_add((byte & 0x7f).into())?;
    }
    let suffix = until_nul(entry.get(at + 1..)?)?;
    let kept = previous.len().checked_sub(dropped)?;
    let name = [&previous[..kept], suffix].concat();
    Some((name, at + 1 + suffix.len() + 1))
}

fn until_nul(bytes: &[u8]) -> Option<&[u8]> {
    let end = bytes.iter().position(|byte| *byte == 0)?;
    Some(&bytes[..end])
}

/// Looks through the extensions that follow the entries; `None` if they do not add up.
fn is_split(mut extensions: &[u8]) -> Option<bool> {
    while !extensions.is_empty() {
        if extensions.starts_with(b"link") {
            return Some(true);
        }
        let size = usize::try_from(be32(extensions.get(4..)?)?).ok()?;
        extensions = extensions.get(8 + size..)?;
    }
    Some(false)
}

fn be32(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().copied().map(u32::from_be_bytes)
}

/// A door for the fuzzer: whatever an index names is found again, within bounds, and one that
/// was cut names the same or nothing.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_index(index: &[u8]) {
    for hash in [20, 32] {
        let Some(tracked) = parse_entries(index, hash) else {
            continue;
        };
        let length: usize = tracked.names.iter().map(Vec::len).sum();
        assert!(length <= index.len() * LARGEST_EXPANSION);
        for name in tracked.names.iter().filter(|name| name.len() < 1024) {
            assert!(!name.is_empty() && tracked.contains(name));
            let slashes = (0..name.len()).filter(|at| name[*at] == b'/');
            for at in slashes.take(8) {
                assert!(tracked.reaches_into(&name[..at]), "{name:?}");
            }
        }
        for length in [index.len() - 1, index.len() / 2] {
            let cut = parse_entries(&index[..length], hash);
            assert!(cut.is_none_or(|cut| cut == tracked), "cut to {length}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;
    use std::process::Command;

    #[test]
    fn real_indexes_of_every_version_and_hash() {
        for (format, version) in [
            ("sha1", "2"),
            ("sha1", "3"),
            ("sha1", "4"),
            ("sha256", "2"),
            ("sha256", "4"),
        ] {
            let root = tempfile::tempdir().unwrap();
            let git = |arguments: &[&str]| {
                Command::new("git")
                    .args(arguments)
                    .current_dir(root.path())
                    .env("GIT_CONFIG_NOSYSTEM", "1")
                    .env("GIT_CONFIG_GLOBAL", "/dev/null")
                    .output()
            };
            if git(&["init", "-q", "--object-format", format]).is_err() {
                eprintln!("SKIPPED: git is not installed");
                return;
            }
            fs::create_dir_all(root.path().join("deep/er")).unwrap();
            let names = ["a", "a.b", "deep/er/file", "deep/file", "z\n\u{e9}"];
            for name in names {
                fs::write(root.path().join(name), name).unwrap();
            }
            git(&["add", "-A"]).unwrap();
            // The extended flag of version 3 needs an entry that uses it.
            git(&["update-index", "--skip-worktree", "a.b"]).unwrap();
            git(&["update-index", "--index-version", version]).unwrap();
            let index = fs::read(root.path().join(".git/index")).unwrap();
            let tracked = Tracked::parse(&index).unwrap();
            assert_eq!(
                tracked.names,
                names.map(|name| name.as_bytes().to_vec()),
                "{format} {version}"
            );
            assert!(tracked.contains(b"deep/file"));
            assert!(!tracked.contains(b"deep"));
            assert!(tracked.reaches_into(b"deep"));
            assert!(!tracked.reaches_into(b"a"));

            git(&["update-index", "--split-index"]).unwrap();
            let split = fs::read(root.path().join(".git/index")).unwrap();
            assert_eq!(Tracked::parse(&split), None, "{format} {version}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_are_refused_or_read_but_never_panic(
            mut bytes in proptest::collection::vec(any::<u8>(), 0..400),
            version in 1_u8..6,
            count in any::<u8>(),
        ) {
            let header = [b'D', b'I', b'R', b'C', 0, 0, 0, version, 0, 0, 0, count];
            bytes.splice(0..0, header);
            Tracked::parse(&bytes);
        }
    }
}
