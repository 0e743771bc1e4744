//! How much a repository of ours has come to hold.
//!
//! Asked before every iteration, of up to tens of thousands of files, nearly all of which were
//! there the last time. A directory that was not written to since holds what it held.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;
use std::time::SystemTime;

/// What was counted the last time, by directory.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    folders: BTreeMap<OsString, Folder>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Folder {
    written: Option<SystemTime>,
    files: usize,
    bytes: u64,
}

impl Crowd {
    /// How many files there are in the directories below `objects`, and how many bytes.
    pub(crate) fn count(&mut self, objects: &Path) -> (usize, u64) {
        let mut now = BTreeMap::new();
        for entry in fs::read_dir(objects).into_iter().flatten().flatten() {
            // What cannot be looked at now is looked at the next time.
            if let Ok(folder) = self.look(&entry) {
                now.insert(entry.file_name(), folder);
            }
        }
        self.folders = now;
        let folders = self.folders.values();
        folders.fold((0, 0), |(files, bytes), folder| {
            (files + folder.files, bytes + folder.bytes)
        })
    }

    fn look(&self, entry: &DirEntry) -> io::Result<Folder> {
        let written = entry.metadata()?.modified().ok();
        let known = self.folders.get(&entry.file_name());
        if let Some(known) = known.filter(|known| known.written == written && written.is_some()) {
            return Ok(*known);
        }
        let mut folder = Folder {
            written,
            ..Folder::default()
        };
        for object in fs::read_dir(entry.path())?.flatten() {
            folder.files += 1;
            folder.bytes += object.metadata().map_or(0, |about| about.len());
        }
        Ok(folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_and_goes_is_counted_and_the_rest_remembered() {
        let place = tempfile::tempdir().unwrap();
        let objects = place.path();
        let mut crowd = Crowd::default();
        assert_eq!(crowd.count(&objects.join("none")), (0, 0));
        let write = |name: &str, bytes: usize| {
            let path = objects.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, vec![0; bytes]).unwrap();
        };
        write("00/a", 3);
        write("ff/b", 5);
        write("pack/c", 7);
        write("stray", 100);
        assert_eq!(crowd.count(objects), (3, 15));
        // Objects never change, so one that does tells whether it was looked at again.
        fs::write(objects.join("00/a"), vec![0; 1_000]).unwrap();
        assert_eq!(crowd.count(objects), (3, 15));
        std::thread::sleep(std::time::Duration::from_millis(20));
        write("00/d", 1);
        assert_eq!(crowd.count(objects), (4, 1_013));
        fs::remove_dir_all(objects.join("pack")).unwrap();
        assert_eq!(crowd.count(objects), (3, 1_006));
    }
}
