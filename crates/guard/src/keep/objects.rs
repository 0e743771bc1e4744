//! Copies, named after what they hold.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};

use fusebox_files::regular;

use super::ledger::{Form, Ledger};
use super::report::KeepError;

const NAME: &str = "objects";

/// The SHA-256 of some content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Digest([u8; 32]);

impl Digest {
    pub(super) fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    pub(super) fn parse(hex: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        (hex.len() == 64 && hex.is_ascii()).then_some(())?;
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[place * 2..place * 2 + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

/// The directory with the copies.
#[derive(Debug)]
pub(super) struct Objects(PathBuf);

impl Objects {
    /// Whether copies were ever made here.
    pub(super) fn are_there(vault: &Path) -> bool {
        vault.join(NAME).symlink_metadata().is_ok()
    }

    pub(super) fn open(vault: &Path) -> Result<Self, KeepError> {
        let path = vault.join(NAME);
        let mut builder = fs::DirBuilder::new();
        match builder.recursive(true).mode(0o700).create(&path) {
            Ok(()) => Ok(Self(path)),
            Err(error) => Err(KeepError::Vault { path, error }),
        }
    }

    /// Where a copy is.
    fn path(&self, digest: Digest) -> PathBuf {
        self.0.join(digest.to_string())
    }

    /// Keeps a copy, unless there is one.
    pub(super) fn put(&self, content: &[u8]) -> Result<Digest, KeepError> {
        let digest = Digest::of(content);
        let path = self.path(digest);
        // One of the right size may have been damaged since.
        if self.get(digest, content.len() as u64).is_ok() {
            return Ok(digest);
        }
        match fusebox_files::replace_locked(&path, content) {
            Ok(()) => Ok(digest),
            Err(error) => Err(KeepError::Vault { path, error }),
        }
    }

    /// A copy, if it is still what its name says.
    pub(super) fn get(&self, digest: Digest, size: u64) -> io::Result<Vec<u8>> {
        match regular::read(&self.path(digest), size) {
            Err(error) if error.kind() != io::ErrorKind::FileTooLarge => Err(error),
            Ok(content) if Digest::of(&content) == digest => Ok(content),
            Ok(_) | Err(_) => {
                let what = "its copy is damaged";
                Err(io::Error::new(io::ErrorKind::InvalidData, what))
            }
        }
    }

    /// Removes copies that are no longer kept, the oldest first, where they take more than
    /// `most` bytes. Until then they stay: among them is what was found in place of lost
    /// files, and a person may want it.
    pub(super) fn prune(&self, ledger: &Ledger, most: u64) -> Result<(), KeepError> {
        let pruned = || -> io::Result<()> {
            let wanted = ledger.iter().filter_map(|(_, entry)| match entry.form {
                Form::File { digest, .. } => Some(self.path(digest)),
                Form::Directory | Form::Link(_) => None,
            });
            let wanted: BTreeSet<PathBuf> = wanted.collect();
            let mut spare = Vec::new();
            let listed = match fs::read_dir(&self.0) {
                // Somebody was thorough: there is nothing to remove.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                listed => listed?,
            };
            for found in listed {
                let found = found?;
                let about = found.metadata()?;
                let age = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                if !wanted.contains(&found.path()) {
                    spare.push((age, about.len(), found.path()));
                }
            }
            spare.sort();
            let mut held: u64 = spare.iter().map(|(_, size, _)| size).sum();
            for (_, size, path) in spare {
                if held <= most {
                    break;
                }
                // What cannot be removed was not put there by us, and is in nobody's way.
                if fs::remove_file(path).is_ok() {
                    held -= size;
                }
            }
            Ok(())
        };
        pruned().map_err(|error| KeepError::Vault {
            path: self.0.clone(),
            error,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_is_written_and_nothing_else_is() {
        let digest = Digest::of(b"x");
        let written = digest.to_string();
        assert_eq!(Digest::parse(&written), Some(digest));
        assert_eq!(Digest::parse(&written[2..]), None);
        assert_eq!(Digest::parse(&format!("{written}00")), None);
        assert_eq!(Digest::parse(&"ä".repeat(32)), None);
        assert_eq!(Digest::parse(&"x".repeat(64)), None);
    }
}
