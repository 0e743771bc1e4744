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
use crate::locate::Key;
use crate::{Error, hex};

const INTRODUCTION: &str = "fusebox-workspace 1";
/// Longer than any path the system takes, escaped three to one.
const MAX_READ: usize = 16 * 1024;

/// What a workspace's own file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Workspace {
    pub(crate) id: String,
    pub(crate) root: PathBuf,
    pub(crate) key: Key,
}

/// Reads a workspace's file; `None` when it is missing or not as we wrote it.
/// It only informs, so damage to it is not worth an alarm.
pub(crate) fn read(workspace_dir: &Path) -> Result<Option<Workspace>, Error> {
    Ok(read_text(&workspace_dir.join("workspace"))?.and_then(|text| parse(&text)))
}

/// Writes a workspace's file, and its directory if need be.
pub(crate) fn write(workspace_dir: &Path, workspace: &Workspace) -> Result<(), Error> {
    disk::ensure_directory(workspace_dir)?;
    let Workspace { id, root, key } = workspace;
    let root = escape(root.as_os_str().as_bytes());
    let Key { dev, ino, born } = key;
    let text = format!("{INTRODUCTION}\nid {id}\nroot {root}\ndev {dev}\nino {ino}\nborn {born}\n");
    write_whole(workspace_dir.join("workspace"), text.as_bytes())
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
    let mut bytes = vec![0; MAX_READ];
    let len = file.read_at(&mut bytes, 0)?;
    bytes.truncate(len);
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

fn parse(text: &str) -> Option<Workspace> {
    let mut lines = text.strip_prefix(INTRODUCTION)?.lines().skip(1);
    let mut value = |key: &str| lines.next()?.strip_prefix(key)?.strip_prefix(' ');
    Some(Workspace {
        id: value("id")?.to_owned(),
        root: PathBuf::from(OsString::from_vec(unescape(value("root")?)?)),
        key: Key {
            dev: value("dev")?.parse().ok()?,
            ino: value("ino")?.parse().ok()?,
            born: value("born")?.parse().ok()?,
        },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_comes_back_as_it_was() {
        let directory = tempfile::TempDir::new().unwrap();
        for bytes in [
            &b"/plain"[..],
            b"/with space\nand break",
            b"/100%",
            b"/\xff\xfe",
            b"/%41",
        ] {
            let workspace = Workspace {
                id: "0123456789abcdef0123456789abcdef".to_owned(),
                root: PathBuf::from(OsString::from_vec(bytes.to_vec())),
                key: Key {
                    dev: 1,
                    ino: u64::MAX,
                    born: -1,
                },
            };
            write(directory.path(), &workspace).unwrap();
            assert_eq!(read(directory.path()).unwrap(), Some(workspace));
        }
    }

    #[test]
    fn many_processes_may_introduce_the_same_workspace() {
        let directory = tempfile::TempDir::new().unwrap();
        let workspace = Workspace {
            id: "0123456789abcdef0123456789abcdef".to_owned(),
            root: PathBuf::from("/somewhere"),
            key: Key {
                dev: 1,
                ino: 2,
                born: 3,
            },
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        write(directory.path(), &workspace).unwrap();
                        let found = read(directory.path()).unwrap();
                        assert_eq!(found.as_ref(), Some(&workspace));
                    }
                });
            }
        });
    }
}
