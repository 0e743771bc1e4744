//! A disk in memory on which recorded effects can be replayed in part.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::trace::Effect;

/// The files and directories below one root.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disk {
    files: BTreeMap<PathBuf, Vec<u8>>,
    directories: BTreeSet<PathBuf>,
}

impl Disk {
    /// What is below `root` at the moment.
    pub(crate) fn capture(root: &Path) -> Self {
        let mut disk = Self::default();
        for entry in fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                let below = Self::capture(&path);
                disk.directories.extend(below.directories);
                disk.files.extend(below.files);
                disk.directories.insert(path);
            } else {
                disk.files.insert(path.clone(), fs::read(path).unwrap());
            }
        }
        disk
    }

    /// Replays an effect; one whose file is missing, because its creation was
    /// lost, has none.
    pub(crate) fn apply(&mut self, effect: &Effect) {
        match effect {
            Effect::CreateDirectory(path) => {
                self.directories.insert(path.clone());
            }
            Effect::Create(path) => {
                self.files.insert(path.clone(), Vec::new());
            }
            Effect::Write {
                path,
                offset,
                bytes,
            } => self.write(path, *offset, bytes),
            Effect::SetLen { path, len } => {
                if let Some(file) = self.files.get_mut(path) {
                    file.resize(usize::try_from(*len).unwrap(), 0);
                }
            }
            Effect::Rename { from, to } => {
                if let Some(file) = self.files.remove(from) {
                    self.files.insert(to.clone(), file);
                }
            }
            // Neither name is written to again, so a copy is as good as a link.
            Effect::Link { from, to } => {
                if let Some(file) = self.files.get(from).cloned() {
                    self.files.insert(to.clone(), file);
                }
            }
            Effect::Remove(path) => {
                self.files.remove(path);
            }
            Effect::Sync(_) | Effect::SyncDirectory(_) => {}
        }
    }

    /// Replays a write of which only the beginning arrived.
    pub(crate) fn apply_torn(&mut self, effect: &Effect, arrived: usize) {
        if let Effect::Write {
            path,
            offset,
            bytes,
        } = effect
        {
            self.write(path, *offset, &bytes[..arrived]);
        }
    }

    /// Replays a write whose length arrived and whose data did not.
    pub(crate) fn apply_hollow(&mut self, effect: &Effect) {
        if let Effect::Write {
            path,
            offset,
            bytes,
        } = effect
        {
            self.write(path, *offset, &vec![0; bytes.len()]);
        }
    }

    fn write(&mut self, path: &Path, offset: u64, bytes: &[u8]) {
        let Some(file) = self.files.get_mut(path) else {
            return;
        };
        let start = usize::try_from(offset).unwrap();
        let end = start + bytes.len();
        if file.len() < end {
            file.resize(end, 0);
        }
        file[start..end].copy_from_slice(bytes);
    }

    /// Writes this disk, which was below `old_root`, into a new directory.
    pub(crate) fn materialise(&self, old_root: &Path) -> TempDir {
        let root = super::quick_directory();
        let moved = |path: &Path| root.path().join(path.strip_prefix(old_root).unwrap());
        let create = |path: &Path| {
            fs::DirBuilder::new()
                .mode(0o700)
                .recursive(true)
                .create(path)
                .unwrap();
        };
        for path in &self.directories {
            create(&moved(path));
        }
        for (path, bytes) in &self.files {
            let path = moved(path);
            create(path.parent().unwrap());
            let file = fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&path)
                .unwrap();
            // Slots are mostly holes; writing the zeros would be most of the
            // work of these tests.
            let used = bytes
                .iter()
                .rposition(|byte| *byte != 0)
                .map_or(0, |last| last + 1);
            std::os::unix::fs::FileExt::write_all_at(&file, &bytes[..used], 0).unwrap();
            file.set_len(bytes.len() as u64).unwrap();
        }
        root
    }
}

/// Whether an effect has reached the disk for good by the end of `history`,
/// in which it stands at `index`.
pub(crate) fn is_durable(history: &[Effect], index: usize) -> bool {
    let later = &history[index + 1..];
    let file_flushed = |path: &Path| {
        later
            .iter()
            .any(|effect| matches!(effect, Effect::Sync(flushed) if flushed == path))
    };
    let name_flushed = |path: &Path| {
        let parent = path.parent().unwrap();
        later
            .iter()
            .any(|effect| matches!(effect, Effect::SyncDirectory(flushed) if flushed == parent))
    };
    match &history[index] {
        Effect::Write { path, .. } | Effect::SetLen { path, .. } => file_flushed(path),
        Effect::Create(path) => file_flushed(path) || name_flushed(path),
        Effect::CreateDirectory(path) | Effect::Remove(path) => name_flushed(path),
        Effect::Rename { to, .. } | Effect::Link { to, .. } => name_flushed(to),
        Effect::Sync(_) | Effect::SyncDirectory(_) => true,
    }
}
