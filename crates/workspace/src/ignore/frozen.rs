use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Entering, IgnoreSource, Layer, Rules};
use crate::plain;

/// One ignore file of a megabyte is no ignore file; it is skipped, which hides nothing.
const LARGEST_FILE: u64 = 1 << 20;
/// The rules of all directories together. Beyond it, further files are skipped as well.
const LARGEST_TOTAL: usize = 16 << 20;

/// The ignore rules of a whole workspace at one moment, by directory.
#[derive(Debug, Default)]
pub(crate) struct FrozenIgnores(BTreeMap<Vec<u8>, FrozenDirectory>);

#[derive(Debug)]
struct FrozenDirectory {
    restarts: bool,
    /// The files' contents, weakest first; kept so that the rules can be written down.
    texts: Vec<Vec<u8>>,
    layer: Arc<Layer>,
}

impl FrozenIgnores {
    /// Adds one directory's rules.
    pub(crate) fn insert(
        &mut self,
        directory: Vec<u8>,
        restarts: bool,
        texts: Vec<Vec<u8>>,
    ) -> Arc<Layer> {
        let mut rules = Rules::default();
        texts.iter().for_each(|text| rules.add(text));
        let layer = Arc::new(Layer { restarts, rules });
        self.0.insert(
            directory,
            FrozenDirectory {
                restarts,
                texts,
                layer: Arc::clone(&layer),
            },
        );
        layer
    }

    /// Everything needed to build the same rules again with [`FrozenIgnores::insert`].
    pub(crate) fn directories(&self) -> impl ExactSizeIterator<Item = (&[u8], bool, &[Vec<u8>])> {
        self.0
            .iter()
            .map(|(path, frozen)| (path.as_slice(), frozen.restarts, frozen.texts.as_slice()))
    }
}

impl IgnoreSource for &FrozenIgnores {
    fn enter(&mut self, entering: &Entering<'_>) -> Option<Arc<Layer>> {
        let frozen = self.0.get(entering.path)?;
        Some(Arc::clone(&frozen.layer))
    }
}

/// Reads the rules that lie in the work tree now, following them while it collects them,
/// so that an ignore file inside an ignored directory is not read: git would not either.
pub(crate) struct Collector {
    user_excludes: Option<Vec<u8>>,
    collected: FrozenIgnores,
    bytes: usize,
}

impl Collector {
    /// `user_excludes` is the content of the user's own excludes file; it applies to every
    /// work tree, beneath all other rules.
    pub(crate) fn new(user_excludes: Option<Vec<u8>>) -> Self {
        Self {
            user_excludes,
            collected: FrozenIgnores::default(),
            bytes: 0,
        }
    }

    pub(crate) fn into_frozen(self) -> FrozenIgnores {
        self.collected
    }

    fn texts(&mut self, entering: &Entering<'_>, restarts: bool) -> Vec<Vec<u8>> {
        let mut texts = Vec::new();
        if restarts {
            texts.extend(self.user_excludes.clone());
        }
        if let Some(git_dir) = entering.git_dir {
            texts.extend(git_dir.read_shared("info/exclude", LARGEST_FILE));
        }
        if entering.has_ignore_file {
            texts.extend(plain::read_at(
                entering.directory,
                ".gitignore",
                LARGEST_FILE,
            ));
        }
        texts
    }
}

impl IgnoreSource for Collector {
    fn enter(&mut self, entering: &Entering<'_>) -> Option<Arc<Layer>> {
        let restarts = entering.path.is_empty() || entering.git_dir.is_some();
        let texts = self.texts(entering, restarts);
        self.bytes += texts.iter().map(Vec::len).sum::<usize>();
        let brings_nothing = texts.is_empty() && !restarts;
        if brings_nothing || self.bytes > LARGEST_TOTAL {
            return None;
        }
        Some(
            self.collected
                .insert(entering.path.to_vec(), restarts, texts),
        )
    }
}
