//! The list of what is kept: each path with what it was, and the signature to know it by.
//!
//! A file of lines, one for each path, that ends with the hash of all lines before: a list
//! that was cut or edited is not believed.

#[cfg(feature = "fuzzing")]
pub(super) mod door;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use fusebox_files::regular;

use super::objects::{Digest, Objects};
use super::report::KeepError;
use super::signature::{Seen, Signature};

const NAME: &str = "list";
/// A longer list was not written here.
const MOST_BYTES: u64 = 64 << 20;
const FIRST: &[u8] = b"fusebox kept 1\n";

/// What a path was when it was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Directory,
    Link(PathBuf),
    File { size: u64, digest: Digest },
}

/// One path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) form: Form,
    pub(super) permissions: u32,
    pub(super) seen: Seen,
}

/// Everything that is kept, by path relative to the root, in order: a directory comes
/// before what lies beneath it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ledger {
    entries: BTreeMap<PathBuf, Entry>,
    bytes: u64,
}

impl Entry {
    pub(super) fn bytes(&self) -> u64 {
        match self.form {
            Form::File { size, .. } => size,
            Form::Directory | Form::Link(_) => 0,
        }
    }
}

impl Ledger {
    /// How many paths are kept. The root is only watched.
    pub(super) fn len(&self) -> usize {
        self.entries.len() - usize::from(self.contains(Path::new("")))
    }

    /// How many bytes the content of all files has.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn bytes_without(&self, path: &Path) -> u64 {
        self.bytes - self.entries.get(path).map_or(0, Entry::bytes)
    }

    pub(super) fn contains(&self, path: &Path) -> bool {
        self.entries.contains_key(path)
    }

    pub(super) fn get(&self, path: &Path) -> Option<&Entry> {
        self.entries.get(path)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Path, &Entry)> {
        self.entries
            .iter()
            .map(|(path, entry)| (path.as_path(), entry))
    }

    pub(super) fn insert(&mut self, path: &Path, entry: Entry) {
        self.bytes = self.bytes_without(path) + entry.bytes();
        self.entries.insert(path.to_owned(), entry);
    }

    pub(super) fn remove(&mut self, path: &Path) {
        self.bytes = self.bytes_without(path);
        self.entries.remove(path);
    }

    /// Notes by what signature an unchanged file is known from now on.
    pub(super) fn see(&mut self, path: &Path, seen: Seen) {
        if let Some(entry) = self.entries.get_mut(path) {
            entry.seen = seen;
        }
    }

    pub(super) fn is_there(vault: &Path) -> bool {
        vault.join(NAME).symlink_metadata().is_ok()
    }

    /// The list; `None` before anything was ever kept. Copies without one had one: see
    /// [`Ledger::begin`].
    pub(super) fn load(vault: &Path) -> Result<Option<Self>, KeepError> {
        let path = vault.join(NAME);
        let text = match regular::read(&path, MOST_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return match Objects::are_there(vault) {
                    true => Err(KeepError::Damaged { path }),
                    false => Ok(None),
                };
            }
            Err(error) => return Err(KeepError::Vault { path, error }),
        };
        let ledger = Self::parse(&text);
        ledger.map(Some).ok_or(KeepError::Damaged { path })
    }

    /// Writes an empty list where there is none yet. As it is there before the first copy is,
    /// nobody who is interrupted leaves copies without a list.
    pub(super) fn begin(vault: &Path) -> Result<(), KeepError> {
        match Self::load(vault) {
            Ok(None) => Self::default().save(vault),
            Ok(Some(_)) | Err(_) => Ok(()),
        }
    }

    pub(super) fn save(&self, vault: &Path) -> Result<(), KeepError> {
        let path = vault.join(NAME);
        fusebox_files::replace_locked(&path, &self.text())
            .map_err(|error| KeepError::Vault { path, error })
    }

    fn text(&self) -> Vec<u8> {
        let mut text = FIRST.to_vec();
        for (path, entry) in &self.entries {
            let Entry {
                form, permissions, ..
            } = entry;
            let own = match form {
                Form::Directory => "d - -".to_owned(),
                Form::Link(target) => format!("l {} -", escaped(target)),
                Form::File { size, digest } => format!("f {size} {digest}"),
            };
            let seen = written(&entry.seen);
            let path = escaped(path);
            text.extend(format!("{own} {permissions:o} {seen} /{path}\n").bytes());
        }
        let sum = Digest::of(&text);
        text.extend(format!("end {sum}\n").bytes());
        text
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let lines = str::from_utf8(text.strip_prefix(FIRST)?).ok()?;
        let (lines, sum) = lines.strip_suffix('\n')?.rsplit_once("end ")?;
        let covered = FIRST.len() + lines.len();
        (Digest::of(&text[..covered]) == Digest::parse(sum)?).then_some(())?;
        let mut ledger = Self::default();
        for line in lines.lines() {
            let (path, entry) = entry(line)?;
            ledger.bytes.checked_add(entry.bytes())?;
            ledger.insert(&path, entry);
        }
        // Whoever can write the sum can write anything: what would not be written like this was
        // not written here.
        (ledger.text() == text).then_some(ledger)
    }
}

fn entry(line: &str) -> Option<(PathBuf, Entry)> {
    let mut fields = line.split(' ');
    let mut next = || fields.next();
    let (kind, one, two) = (next()?, next()?, next()?);
    let form = match kind {
        "d" => Form::Directory,
        "l" => Form::Link(unescaped(one)?),
        "f" => Form::File {
            size: one.parse().ok()?,
            digest: Digest::parse(two)?,
        },
        _ => return None,
    };
    let permissions = u32::from_str_radix(next()?, 8).ok()?;
    let seen = seen(next()?)?;
    let path = unescaped(next()?.strip_prefix('/')?)?;
    is_below(&path).then_some(())?;
    Some((
        path,
        Entry {
            form,
            permissions,
            seen,
        },
    ))
}

/// Whether a path leads to the root or to something beneath it, and nowhere else.
fn is_below(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    let is_name = |name: &[u8]| !matches!(name, b"" | b"." | b"..") && !name.contains(&0);
    bytes.is_empty() || bytes.split(|byte| *byte == b'/').all(is_name)
}

fn written(seen: &Seen) -> String {
    let Signature {
        device,
        inode,
        size,
        modified,
        changed,
    } = seen.signature;
    let settled = u8::from(seen.settled);
    format!("{settled}:{device}:{inode}:{size}:{modified}:{changed}")
}

fn seen(text: &str) -> Option<Seen> {
    let mut fields = text.split(':');
    let mut next = || fields.next();
    let settled = next()? == "1";
    let signature = Signature {
        device: next()?.parse().ok()?,
        inode: next()?.parse().ok()?,
        size: next()?.parse().ok()?,
        modified: next()?.parse().ok()?,
        changed: next()?.parse().ok()?,
    };
    Some(Seen { signature, settled })
}

/// A path in one word, whatever bytes it has.
fn escaped(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'!'..=b'~' if *byte != b'%' => text.push(char::from(*byte)),
            other => text.push_str(&format!("%{other:02x}")),
        }
    }
    text
}

fn unescaped(text: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut parts = text.split('%');
    bytes.extend(parts.next()?.bytes());
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend(part.get(2..)?.bytes());
    }
    Some(OsString::from_vec(bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Ledger {
        let signature = Signature {
            device: 1,
            inode: u64::MAX,
            size: 3,
            modified: -7,
            changed: i128::from(u64::MAX),
        };
        let mut ledger = Ledger::default();
        let hostile = OsString::from_vec(b"specs/a b%\n\xff.md".to_vec());
        for (path, form, settled) in [
            (PathBuf::new(), Form::Directory, true),
            ("specs".into(), Form::Directory, false),
            (
                hostile.into(),
                Form::File {
                    size: 3,
                    digest: Digest::of(b"abc"),
                },
                true,
            ),
            ("CLAUDE.md".into(), Form::Link("../end x".into()), false),
        ] {
            let entry = Entry {
                form,
                permissions: 0o644,
                seen: Seen { signature, settled },
            };
            ledger.insert(&path, entry);
        }
        ledger
    }

    #[test]
    fn a_list_is_read_back_and_counts_its_bytes() {
        let ledger = sample();
        assert_eq!(Ledger::parse(&ledger.text()), Some(ledger.clone()));
        assert_eq!((ledger.len(), ledger.bytes()), (3, 3));
    }

    /// Whoever is interrupted while the first copies are made has not taken a list away.
    #[test]
    fn there_is_a_list_before_there_are_copies() {
        let top = tempfile::tempdir().expect("a directory");
        let vault = top.path();
        assert_eq!(Ledger::load(vault).expect("no list"), None);
        Ledger::begin(vault).expect("a list");
        Objects::open(vault).expect("copies");
        let begun = Ledger::load(vault).expect("a list");
        assert_eq!(begun, Some(Ledger::default()));
        sample().save(vault).expect("a list");
        Ledger::begin(vault).expect("a list");
        assert_eq!(Ledger::load(vault).expect("a list"), Some(sample()));
        std::fs::remove_file(vault.join(NAME)).expect("a list");
        // What was taken away is not made good by beginning.
        Ledger::begin(vault).expect("no list");
        Ledger::load(vault).expect_err("it was taken away");
    }

    /// Whoever can write a list can write its sum as well.
    #[test]
    fn a_list_that_was_not_written_here_is_not_believed_for_its_sum() {
        let seen = "1:1:2:3:-7:9";
        let sum = Digest::of(b"abc");
        let most = u64::MAX;
        let usual = format!("f 3 {sum} 644 {seen} /a\n");
        for (lines, is_ours) in [
            (usual.clone(), true),
            (format!("d - - 755 {seen} /\n{usual}"), true),
            // More bytes than can be counted.
            (format!("{usual}f {most} {sum} 644 {seen} /b\n"), false),
            // Nothing of what is kept lies elsewhere.
            (format!("f 3 {sum} 644 {seen} /../a\n"), false),
            (format!("f 3 {sum} 644 {seen} //etc/passwd\n"), false),
            (format!("f 3 {sum} 644 {seen} /a/./b\n"), false),
            (format!("f 3 {sum} 644 {seen} /a%00\n"), false),
            // Other words for the same.
            (format!("f +3 {sum} 644 {seen} /a\n"), false),
            (format!("{usual}{usual}"), false),
            (usual.replace('\n', "\r\n"), false),
            (usual.replace("/a", "/a more"), false),
        ] {
            let covered = [FIRST, lines.as_bytes()].concat();
            let sum = Digest::of(&covered);
            let text = [covered.as_slice(), format!("end {sum}\n").as_bytes()].concat();
            assert_eq!(Ledger::parse(&text).is_some(), is_ours, "{lines}");
        }
    }

    #[test]
    fn a_list_that_was_cut_or_edited_is_not_believed() {
        let text = sample().text();
        for length in 0..text.len() {
            assert_eq!(Ledger::parse(&text[..length]), None, "{length} bytes");
        }
        for place in (0..text.len()).step_by(7) {
            let mut edited = text.clone();
            edited[place] ^= 1;
            assert_eq!(Ledger::parse(&edited), None, "byte {place}");
        }
    }
}
