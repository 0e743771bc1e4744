//! Where the files of another system are: below the root of the work tree, or where a variable
//! of that system puts its directory.

use std::path::{Component, Path, PathBuf};

use fusebox_core::Policy;

use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;
use crate::text_file;

/// Where the files of another system are.
#[derive(Default)]
pub(crate) struct Whereabouts {
    root: PathBuf,
    moved: Option<Moved>,
}

/// A directory that is not in its usual place.
struct Moved {
    usual: &'static str,
    /// What nothing is ever written outside of.
    base: PathBuf,
    /// Where below that.
    below: PathBuf,
}

impl Whereabouts {
    /// Everything in its usual place.
    pub(crate) fn usual(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            moved: None,
        }
    }

    /// The text of a file of the system; `None` if there is none.
    ///
    /// # Errors
    /// When it is not to be believed, or not to be read.
    pub(crate) fn read(&self, path: &str, most_bytes: u64) -> Result<Option<String>, Failure> {
        let (base, way) = self.find(path);
        if !base.exists() {
            return Ok(None);
        }
        text_file::read_beneath(base, &way, most_bytes)
            .map_err(|why| Failure::new(exit::STATE, format!("{}: {why}", shown(&base.join(way)))))
    }

    /// As the environment says, for the system that `policy` comes from.
    ///
    /// # Errors
    /// When the variable names no place.
    pub(crate) fn of(root: &Path, policy: &Policy) -> Result<Self, Failure> {
        let mut usual = Self::usual(root);
        let Some(directory) = policy.directory else {
            return Ok(usual);
        };
        let named = std::env::var_os(directory.variable).map(PathBuf::from);
        let Some(named) = named.filter(|path| !path.as_os_str().is_empty()) else {
            return Ok(usual);
        };
        let (base, below) = match named.strip_prefix(root) {
            Ok(below) => (root.to_owned(), below.to_owned()),
            Err(_) if named.is_absolute() => (named.clone(), PathBuf::new()),
            Err(_) => (root.to_owned(), named.clone()),
        };
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if !below.components().all(is_plain) {
            let what = format!(
                "{} must be an absolute path, or one below the root of the project",
                directory.variable
            );
            return Err(Failure::new(exit::CONFIG, what));
        }
        usual.moved = Some(Moved {
            usual: directory.usual,
            base,
            below,
        });
        Ok(usual)
    }

    /// The directory that `path` is below, and the way from there to it.
    pub(crate) fn find(&self, path: &str) -> (&Path, PathBuf) {
        let moved = self.moved.as_ref().and_then(|moved| {
            let rest = Path::new(path).strip_prefix(moved.usual).ok()?;
            Some((moved.base.as_path(), moved.below.join(rest)))
        });
        moved.unwrap_or_else(|| (&self.root, path.into()))
    }

    /// The whole path.
    pub(crate) fn whole(&self, path: &str) -> PathBuf {
        let (base, way) = self.find(path);
        base.join(way)
    }

    /// Makes the directory that `path` is below, if a person put it somewhere else.
    pub(super) fn prepare(&self, path: &str) -> std::io::Result<()> {
        let (base, _) = self.find(path);
        if base == self.root {
            return Ok(());
        }
        std::fs::create_dir_all(base)
    }
}
