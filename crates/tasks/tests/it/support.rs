//! A workspace with a list, and people who work on it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use fusebox_tasks::{
    Claimant, Desk, Here, Item, Journal, Now, Places, Rules, Source, SourceError, Worker, find,
};
use tempfile::TempDir;

pub(crate) const HOUR: i64 = 3_600;
pub(crate) const RULES: Rules = Rules {
    stale_ms: Some(3_600_000),
    reopens: 2,
};

/// A repository, and a directory of ours beside it.
pub(crate) struct Place {
    pub(crate) dir: TempDir,
    pub(crate) path: OsString,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::on(TempDir::new().unwrap())
    }

    /// In memory, where flushing costs nothing.
    pub(crate) fn in_memory() -> Self {
        Self::on(
            TempDir::new_in("/dev/shm")
                .or_else(|_| TempDir::new())
                .unwrap(),
        )
    }

    fn on(dir: TempDir) -> Self {
        fs::create_dir(dir.path().join("work")).unwrap();
        Self {
            dir,
            path: OsString::new(),
        }
    }

    pub(crate) fn with(file: &str, text: &str) -> Self {
        let place = Self::new();
        place.write(file, text);
        place
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.root().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.root().join(file)).unwrap()
    }

    pub(crate) fn own(&self) -> PathBuf {
        self.dir.path().join("own")
    }

    pub(crate) fn try_desk(&self, wanted: Option<&str>) -> Result<Option<Desk>, SourceError> {
        Ok(self.source(wanted)?.map(|source| self.desk_of(source)))
    }

    /// The list that is found here.
    pub(crate) fn source(
        &self,
        wanted: Option<&str>,
    ) -> Result<Option<Box<dyn Source>>, SourceError> {
        let (root, own) = (self.root(), self.own());
        let places = Places {
            root: &root,
            own: &own,
            path: Some(&self.path),
            actor: "tester",
        };
        Ok(find(&places, wanted)?.map(|found| found.source))
    }

    /// What vouches for the record of claims.
    pub(crate) fn witness(&self) -> PathBuf {
        self.own().with_extension("witness")
    }

    /// A desk with this list, and the record of here.
    pub(crate) fn desk_of(&self, source: Box<dyn Source>) -> Desk {
        let journal = Journal::open(&self.own(), &self.witness()).unwrap();
        Desk::new(source, journal, here(), RULES)
    }

    pub(crate) fn desk(&self) -> Desk {
        self.try_desk(None).unwrap().unwrap()
    }
}

pub(crate) fn here() -> Here {
    Here::read("this boot")
}

/// A moment, in seconds; the two clocks go together.
pub(crate) fn at(seconds: i64) -> Now {
    let boot_ms = u64::try_from(seconds).unwrap() * 1_000;
    Now {
        wall_ms: 1_769_860_800_000 + seconds * 1_000,
        boot_ms,
        boot: "this boot".into(),
    }
}

/// Somebody who has named no process.
pub(crate) fn somebody(name: &str) -> Claimant {
    Claimant {
        actor: name.into(),
        worker: None,
    }
}

/// Somebody whose process is `pid`.
pub(crate) fn process(name: &str, pid: u32) -> Claimant {
    let worker = Worker::of(i32::try_from(pid).unwrap(), &here());
    assert!(worker.is_some(), "process {pid} does not run");
    Claimant {
        actor: name.into(),
        worker,
    }
}

pub(crate) fn ready(items: &[Item]) -> Vec<&str> {
    items
        .iter()
        .filter(|item| item.is_ready())
        .map(|item| item.task.id.as_str())
        .collect()
}

/// A directory with a program of that name that is `target`.
pub(crate) fn program(place: &Place, name: &str, target: &Path) -> OsString {
    let bin = place.dir.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(target, bin.join(name)).unwrap();
    bin.into_os_string()
}
