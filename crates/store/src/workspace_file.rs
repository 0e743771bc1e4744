//! The small text files that say which directory a workspace is.
//!
//! They are found by people with `cat` and by us with every command, so they
//! are lines of `key value`, written whole and renamed into place.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::creation::write_whole;
use crate::disk::{self, Access, DiskFile};
use crate::kin::Belonging;
use crate::locate::Key;
use crate::roll::Repeated;
use crate::version::{FORMAT, RELEASE, Writer};
use crate::{Error, hex};

const INTRODUCTION: &str = "fusebox-workspace";
/// Longer than two of the longest paths, escaped three to one, and all keys.
const MAX_READ: usize = 64 * 1024;
/// How many earlier directories are remembered; the oldest goes first.
const KEPT_KEYS: usize = 64;

/// What a workspace's own file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Workspace {
    pub(crate) id: String,
    pub(crate) root: PathBuf,
    pub(crate) key: Key,
    /// Other directories that lead to this workspace: one that was moved away
    /// when another took its path is still under the same breaker.
    pub(crate) former_keys: Vec<Key>,
    /// Workspaces count up in the order in which they are registered, from 1; 0 is
    /// before all of them.
    pub(crate) ordinal: u64,
    /// Where the heads are kept, if they were seen since this was asked for anew.
    pub(crate) heads: Option<PathBuf>,
    /// The repository it belongs to, if that was ever asked.
    pub(crate) belonging: Option<Belonging>,
    /// Whether its circuits are listed among the heads as well, which is so from
    /// when its registration is complete.
    pub(crate) listed_twice: bool,
}

impl Workspace {
    /// Whether the directory `key` was ever registered as this workspace.
    pub(crate) fn is_of(&self, key: Key) -> bool {
        self.key == key || self.former_keys.contains(&key)
    }

    /// Whether another ordinal is `repeated` elsewhere.
    pub(crate) fn is_contradicted(&self, repeated: Repeated) -> bool {
        matches!(repeated, Repeated::Ordinal(ordinal) if ordinal != self.ordinal)
    }

    /// The same workspace, found at another place or as another directory.
    pub(crate) fn now_at(mut self, root: &Path, key: Key) -> Self {
        root.clone_into(&mut self.root);
        if key != self.key {
            self.former_keys.retain(|former| *former != key);
            self.former_keys.push(std::mem::replace(&mut self.key, key));
            let excess = self.former_keys.len().saturating_sub(KEPT_KEYS);
            self.former_keys.drain(..excess);
        }
        self
    }

    fn encode(&self) -> String {
        let Key { dev, ino, born } = self.key;
        let (id, ordinal) = (&self.id, self.ordinal);
        let root = escape(self.root.as_os_str().as_bytes());
        let mut text = format!(
            "{INTRODUCTION} {FORMAT}\nid {id}\nroot {root}\ndev {dev}\nino {ino}\nborn {born}\nordinal {ordinal}\nwriter {RELEASE}\n"
        );
        // Writing into a `String` cannot fail.
        if let Some(heads) = &self.heads {
            let _ = writeln!(text, "heads {}", escape(heads.as_os_str().as_bytes()));
        }
        if let Some(belonging) = &self.belonging {
            let _ = writeln!(text, "repository {}", belonging.written());
        }
        if self.listed_twice {
            text.push_str("lists 2\n");
        }
        for Key { dev, ino, born } in &self.former_keys {
            let _ = writeln!(text, "formerly {dev} {ino} {born}");
        }
        text
    }
}

/// Where a workspace describes itself.
pub(crate) fn path(workspace_dir: &Path) -> PathBuf {
    workspace_dir.join("workspace")
}

/// Reads the file of the workspace `id`; `None` when it is missing, not as we
/// wrote it, or another workspace's.
pub(crate) fn read(workspace_dir: &Path, id: &str) -> Result<Option<Workspace>, Error> {
    let path = path(workspace_dir);
    let Some(text) = read_text(&path)? else {
        return Ok(None);
    };
    match format(&text) {
        Some((format, _)) if format > FORMAT => {
            Err(Error::newer(&path, writer(&text), format, FORMAT))
        }
        Some((_, lines)) => Ok(parse(lines).filter(|workspace| workspace.id == id)),
        None => Ok(None),
    }
}

/// Writes a workspace's file, and its directory if need be.
pub(crate) fn write(workspace_dir: &Path, workspace: &Workspace) -> Result<(), Error> {
    disk::ensure_directory(workspace_dir)?;
    write_whole(path(workspace_dir), workspace.encode().as_bytes())
}

/// The ordinal of the next workspace; to be asked, and used, under the lock of
/// the state directory.
pub(crate) fn next_ordinal(state: &Path) -> Result<u64, Error> {
    let ordinals = all(state)?.into_iter().map(|workspace| workspace.ordinal);
    Ok(ordinals.max().unwrap_or(0).saturating_add(1))
}

/// Every workspace that can be read. One of a later release cannot be asked, and
/// goes its own way.
pub(crate) fn all(state: &Path) -> Result<Vec<Workspace>, Error> {
    let names = disk::names_in(state)?.into_iter();
    let described = names.filter_map(|name| {
        let id = name.to_str()?;
        read(&state.join(id), id).ok().flatten()
    });
    Ok(described.collect())
}

/// Reads the workspace id out of an index entry.
pub(crate) fn read_index(entry: &Path) -> Result<Option<String>, Error> {
    let Some(text) = read_text(entry)? else {
        return Ok(None);
    };
    let id = text.trim_end();
    match hex::decode::<16>(id.as_bytes()) {
        Some(_) => Ok(Some(id.to_owned())),
        // The entry says that this directory has a store; not being able to
        // tell which must not read as having none.
        None => Err(Error::Unsafe {
            path: entry.to_owned(),
            why: "does not hold a workspace id".to_owned(),
        }),
    }
}

/// Writes an index entry, and the index if need be.
pub(crate) fn write_index(entry: &Path, id: &str) -> Result<(), Error> {
    disk::ensure_directory(disk::parent_of(entry))?;
    write_whole(entry.to_owned(), format!("{id}\n").as_bytes())
}

fn read_text(path: &Path) -> Result<Option<String>, Error> {
    let Some(file) = DiskFile::open(path, Access::Read)? else {
        return Ok(None);
    };
    let len = usize::try_from(file.len()).unwrap_or(MAX_READ);
    let mut bytes = vec![0; len.min(MAX_READ)];
    let len = file.read_at(&mut bytes, 0)?;
    bytes.truncate(len);
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The format a file says it is in, and what follows.
fn format(text: &str) -> Option<(u32, &str)> {
    let rest = text.strip_prefix(INTRODUCTION)?.strip_prefix(' ')?;
    let (format, lines) = rest.split_once('\n')?;
    Some((format.parse().ok()?, lines))
}

/// The release that wrote a file, as far as it says so.
fn writer(text: &str) -> String {
    let mut lines = text.lines();
    let name = lines.find_map(|line| line.strip_prefix("writer "));
    let plain = |c: &char| c.is_ascii_graphic();
    name.unwrap_or("?")
        .chars()
        .take_while(plain)
        .take(Writer::LEN)
        .collect()
}

fn parse(text: &str) -> Option<Workspace> {
    let mut lines = text.lines();
    let mut value = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ');
    let mut workspace = Workspace {
        id: value("id")?.to_owned(),
        root: parse_path(value("root")?)?,
        key: Key {
            dev: value("dev")?.parse().ok()?,
            ino: value("ino")?.parse().ok()?,
            born: value("born")?.parse().ok()?,
        },
        former_keys: Vec::new(),
        ordinal: 0,
        heads: None,
        belonging: None,
        listed_twice: false,
    };
    for line in lines {
        match line.split_once(' ')? {
            ("ordinal", ordinal) => workspace.ordinal = ordinal.parse().ok()?,
            ("heads", heads) => workspace.heads = Some(parse_path(heads)?),
            ("repository", name) => workspace.belonging = Belonging::parse(name),
            ("lists", count) => workspace.listed_twice = count == "2",
            ("formerly", key) => workspace.former_keys.push(parse_key(key)?),
            // A later release may have more to say.
            _ => {}
        }
    }
    Some(workspace)
}

fn parse_path(text: &str) -> Option<PathBuf> {
    Some(PathBuf::from(OsString::from_vec(unescape(text)?)))
}

fn parse_key(text: &str) -> Option<Key> {
    let mut fields = text.split(' ');
    Some(Key {
        dev: fields.next()?.parse().ok()?,
        ino: fields.next()?.parse().ok()?,
        born: fields.next()?.parse().ok()?,
    })
}

/// Spells whatever is not plainly printable as `%` and two digits.
fn escape(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, &byte| {
        if byte.is_ascii_graphic() && byte != b'%' {
            text.push(char::from(byte));
        } else {
            // Writing into a `String` cannot fail.
            let _ = write!(text, "%{byte:02x}");
        }
        text
    })
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let (pair, after) = rest.split_first_chunk::<2>()?;
            bytes.extend(hex::decode::<1>(pair)?);
            rest = after;
        } else {
            bytes.push(first);
        }
    }
    Some(bytes)
}

/// A door for the fuzzer: what is read is the same once it is written again.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_anything(text: &str) {
    let lines = format(text).map_or(text, |(_, lines)| lines);
    let Some(workspace) = parse(lines) else {
        let _ = writer(text);
        return;
    };
    let again = workspace.encode();
    let again = format(&again).and_then(|(_, lines)| parse(lines));
    assert_eq!(again.map(|again| again.encode()), Some(workspace.encode()));
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef";

    fn key(ino: u64) -> Key {
        Key {
            dev: 1,
            ino,
            born: -1,
        }
    }

    fn workspace(root: &[u8]) -> Workspace {
        Workspace {
            id: ID.to_owned(),
            root: PathBuf::from(OsString::from_vec(root.to_vec())),
            key: key(u64::MAX),
            former_keys: vec![key(1), key(2)],
            ordinal: 7,
            heads: Some(PathBuf::from("/the heads")),
            belonging: Some(Belonging::Member("1-2f-0".to_owned())),
            listed_twice: true,
        }
    }

    #[test]
    fn every_path_comes_back_as_it_was() {
        let directory = tempfile::TempDir::new().unwrap();
        for bytes in [
            &b"/plain"[..],
            b"/with space\nand break",
            b"/100%",
            b"/\xff\xfe",
            b"/%41",
            &[0xff; 4095],
        ] {
            let mut workspace = workspace(bytes);
            workspace.heads = Some(workspace.root.clone());
            write(directory.path(), &workspace).unwrap();
            assert_eq!(read(directory.path(), ID).unwrap(), Some(workspace));
        }
        assert_eq!(read(directory.path(), "another").unwrap(), None);
    }

    #[test]
    fn a_file_without_an_ordinal_is_the_oldest() {
        let text = format!("id {ID}\nroot /r\ndev 1\nino 2\nborn -1\n");
        let expected = Workspace {
            key: key(2),
            former_keys: Vec::new(),
            ordinal: 0,
            heads: None,
            belonging: None,
            listed_twice: false,
            ..workspace(b"/r")
        };
        assert_eq!(parse(&text), Some(expected));
    }

    #[test]
    fn former_directories_are_remembered_once_and_within_bounds() {
        let mut found = workspace(b"/r");
        for ino in (0..1000).chain([999, 998]) {
            found = found.now_at(Path::new("/s"), key(ino));
        }
        assert_eq!(
            (found.key, found.root.as_path()),
            (key(998), Path::new("/s"))
        );
        assert_eq!(found.former_keys.len(), KEPT_KEYS);
        assert!(found.is_of(key(998)) && found.is_of(key(999)) && !found.is_of(key(1)));
    }

    #[test]
    fn many_processes_may_introduce_the_same_workspace() {
        let directory = tempfile::TempDir::new().unwrap();
        let workspace = workspace(b"/somewhere");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        write(directory.path(), &workspace).unwrap();
                        let found = read(directory.path(), ID).unwrap();
                        assert_eq!(found.as_ref(), Some(&workspace));
                    }
                });
            }
        });
    }
}
