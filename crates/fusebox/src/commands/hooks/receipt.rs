//! What stood in the settings before we wrote there.
//!
//! Taking an element out of a JSON text leaves the text valid, but not always as it was: an
//! empty object may have been there before, or none, or no file at all. So the whole of it is
//! kept, and put back if nobody has touched the file since. If somebody has, only what is
//! ours is taken out. The same if a receipt does not add up: an agent can write one as well, and
//! what it says stood there would then be put there by us.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::{fs, io};

use fusebox_files::regular;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::super::Context;
use crate::exit;
use crate::failure::Failure;

const VERSION: u16 = 1;
/// No receipt is longer.
const MOST_BYTES: u64 = 16 << 20;

/// The receipts of all settings that we wrote into.
pub(super) struct Receipts {
    directory: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Receipt {
    version: u16,
    /// The file as it was; `None` if there was none.
    before: Option<String>,
    /// The SHA-256 of what was written.
    after: String,
    /// Directories that were made for it, the innermost first.
    made: Vec<PathBuf>,
}

impl Receipts {
    pub(super) fn of(context: &Context<'_>) -> Result<Self, Failure> {
        let workspace = context.session_despite_config()?.located.workspace_dir();
        let state = workspace.parent().unwrap_or(&workspace);
        Ok(Self {
            directory: state.join("registrations"),
        })
    }

    /// Whether a receipt names what stands there as what was written.
    pub(super) fn wrote(&self, path: &Path, standing: &[u8]) -> bool {
        let receipt = self.read(path);
        receipt.is_some_and(|receipt| digest(standing) == receipt.after)
    }

    /// What stood there before, if what stands there now is what `installed` makes of it.
    pub(super) fn before(
        &self,
        path: &Path,
        standing: Option<&[u8]>,
        installed: impl FnOnce(Option<&[u8]>) -> Option<Vec<u8>>,
    ) -> Option<Option<Vec<u8>>> {
        let (receipt, standing) = (self.read(path)?, standing?);
        let before = receipt.before.map(String::into_bytes);
        let is_true = self.wrote(path, standing) && installed(before.as_deref())? == standing;
        is_true.then_some(before)
    }

    /// The directories that were made for a file. Whatever a receipt says, others were not.
    pub(super) fn made(&self, path: &Path) -> Vec<PathBuf> {
        let receipt = self.read(path);
        let mut made = receipt.map(|receipt| receipt.made).unwrap_or_default();
        made.retain(|directory| path.ancestors().skip(1).any(|above| above == directory));
        made
    }

    /// Remembers what stood there before. An earlier receipt knows what had to be made.
    pub(super) fn keep(
        &self,
        path: &Path,
        before: Option<&[u8]>,
        after: &[u8],
        made: &[PathBuf],
    ) -> Result<(), Failure> {
        let mut all = made.to_vec();
        all.extend(self.made(path));
        let receipt = Receipt {
            version: VERSION,
            before: before.map(|bytes| String::from_utf8_lossy(bytes).into_owned()),
            after: digest(after),
            made: all,
        };
        let file = self.file(path);
        let write = || {
            let mut builder = fs::DirBuilder::new();
            builder
                .recursive(true)
                .mode(0o700)
                .create(&self.directory)?;
            fusebox_files::replace(&file, &serde_json::to_vec(&receipt)?)
        };
        write().map_err(|error: io::Error| {
            let what = format!(
                "cannot keep what stood there in {}: {error}",
                file.display()
            );
            Failure::new(exit::STATE, what)
        })
    }

    pub(super) fn forget(&self, path: &Path) -> io::Result<()> {
        match fs::remove_file(self.file(path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn read(&self, path: &Path) -> Option<Receipt> {
        let text = regular::read(&self.file(path), MOST_BYTES).ok()?;
        let receipt: Receipt = serde_json::from_slice(&text).ok()?;
        (receipt.version == VERSION).then_some(receipt)
    }

    fn file(&self, path: &Path) -> PathBuf {
        let name = digest(path.as_os_str().as_encoded_bytes());
        self.directory.join(&name[..24])
    }
}

fn digest(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(bytes))
}

/// A door for the fuzzer: a receipt that was kept gives back what stood there, and whatever one
/// says, nothing else is put there and no other directory is taken for one that was made.
#[cfg(feature = "fuzzing")]
pub(super) fn read_receipt(
    directory: &Path,
    receipt: &[u8],
    before: &[u8],
    installed: impl Fn(Option<&[u8]>) -> Option<Vec<u8>>,
) {
    let receipts = Receipts {
        directory: directory.join("registrations"),
    };
    let path = directory.join("a/b/settings.json");
    let _ = receipts.forget(&path);
    let Some(standing) = installed(Some(before)) else {
        return;
    };
    let made = [directory.join("a/b"), directory.join("a")];
    let kept = receipts.keep(&path, Some(before), &standing, &made);
    assert!(kept.is_ok());
    let known = receipts.before(&path, Some(&standing), &installed);
    assert_eq!(known, Some(Some(before.to_vec())));
    assert_eq!(receipts.made(&path), made);
    let touched = [standing.as_slice(), b"\n"].concat();
    assert_eq!(receipts.before(&path, Some(&touched), &installed), None);

    fs::write(receipts.file(&path), receipt).expect("a receipt");
    let known = receipts.before(&path, Some(&standing), &installed);
    assert!(known.is_none_or(|before| installed(before.as_deref()) == Some(standing)));
    let is_above =
        |directory: &PathBuf| path.parent().is_some_and(|own| own.starts_with(directory));
    assert!(receipts.made(&path).iter().all(is_above));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever can write a receipt could have directories removed that a person left empty.
    #[test]
    fn no_directory_was_made_for_a_file_but_those_that_it_is_in() {
        let home = tempfile::tempdir().expect("a directory");
        let receipts = Receipts {
            directory: home.path().join("registrations"),
        };
        let path = Path::new("/h/.cursor/hooks/hooks.json");
        let made = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let said = made(&[
            "/h/.cursor/hooks",
            "/h/work",
            "/h/.cursor",
            "/h/.cursor/hooks/x",
        ]);
        receipts.keep(path, None, b"{}", &said).expect("kept");
        assert_eq!(
            receipts.made(path),
            made(&["/h/.cursor/hooks", "/h/.cursor"])
        );
    }
}
