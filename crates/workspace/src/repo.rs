//! The shadow repository: a git directory of our own that has no work tree.
//!
//! Git never looks at the workspace. File contents reach it as bytes on a pipe, and it
//! answers with ids and differences. So there is no repository configuration, attribute,
//! filter, hook, index or file monitor of the agent's that it could obey.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fusebox_files::regular;

use crate::child::Running;
use crate::{Git, SnapshotId, Unmeasured};

/// `fsync` is off because a lost object is noticed and the shadow rebuilt. The two
/// protections concern checking files out on other systems, which never happens here.
const CONFIG: &str = "\
[core]
\trepositoryformatversion = 0
\tbare = true
\tlogAllRefUpdates = false
\tfsync = none
\tcompression = 1
\tprotectHFS = false
\tprotectNTFS = false
[gc]
\tauto = 0
[maintenance]
\tauto = false
";
/// A branch that never exists, so that nothing is ever read from a checked-out commit.
const HEAD: &str = "ref: refs/heads/none\n";
/// The branch that fast-import insists on writing.
pub(crate) const REF: &str = "refs/heads/snapshot";

pub(crate) struct Repo {
    git: Git,
    dir: PathBuf,
}

impl Repo {
    pub(crate) fn new(git: Git, dir: PathBuf) -> Self {
        Self { git, dir }
    }

    pub(crate) fn exists(&self) -> bool {
        fs::symlink_metadata(&self.dir).is_ok()
    }

    /// Makes an empty repository, in place of whatever is there.
    pub(crate) fn create(&self) -> Result<(), Unmeasured> {
        let attempt = || {
            remove(&self.dir)?;
            private_directory(&self.dir)?;
            private_directory(&self.objects())?;
            private_directory(&self.dir.join("refs"))?;
            fs::write(self.dir.join("config"), CONFIG)?;
            fs::write(self.dir.join("HEAD"), HEAD)
        };
        attempt().map_err(Unmeasured::io("create", &self.dir))
    }

    /// Compares the parts that steer git with what we once wrote there.
    pub(crate) fn check(&self) -> Result<(), Unmeasured> {
        let damaged = |what| {
            Err(Unmeasured::Damaged {
                dir: self.dir.clone(),
                what,
            })
        };
        let is_directory = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
        let holds = |name, content: &str| {
            let found = regular::read(&self.dir.join(name), content.len() as u64);
            found.is_ok_and(|found| found == content.as_bytes())
        };
        // Git would wait at a pipe until its time is up.
        let is_plain = |name| {
            let found = fs::symlink_metadata(self.dir.join(name));
            found.map_or(true, |found| found.is_file())
        };
        let lacks = |name| fs::symlink_metadata(self.dir.join(name)).is_err();
        if !is_directory(&self.dir) || !is_directory(&self.objects()) {
            damaged("it is not a directory of objects")
        } else if !holds("config", CONFIG) || !holds("HEAD", HEAD) {
            damaged("its configuration is not ours")
        } else if !is_plain(REF) || !is_plain("packed-refs") {
            damaged("something else stands in the place of a file")
        } else if !lacks("commondir") || !lacks("objects/info/alternates") || !lacks("info") {
            damaged("it borrows from elsewhere")
        } else {
            Ok(())
        }
    }

    /// Removes what a git that was killed half-way leaves behind.
    ///
    /// The caller holds the workspace's lock, so no other git can own these.
    pub(crate) fn clear_leftovers(&self) {
        let _ = fs::remove_file(self.dir.join(format!("{REF}.lock")));
        for (folder, prefix) in [("objects/pack", "tmp_"), ("", "fast_import_crash_")] {
            let entries = fs::read_dir(self.dir.join(folder)).into_iter().flatten();
            for entry in entries.flatten() {
                if entry.file_name().to_string_lossy().starts_with(prefix) {
                    let _ = fs::remove_file(entry.path());
                }
            }
        }
    }

    /// Where the objects are, packed and loose.
    pub(crate) fn objects(&self) -> PathBuf {
        self.dir.join("objects")
    }

    /// Whether every object is there and is what its id says. Slow; asked only after a failure.
    pub(crate) fn is_sound(&self, tree: &SnapshotId, limit: Duration) -> bool {
        let mut command = self.command("fsck");
        command.args(["--no-dangling", "--no-progress", tree.as_str()]);
        self.check().is_ok()
            && Running::spawn(&mut command, false, "checking the shadow", limit)
                .and_then(|running| running.output(1 << 20))
                .is_ok()
    }

    pub(crate) fn command(&self, name: &str) -> Command {
        let mut command = self.git.command(&self.dir);
        command.arg(name);
        command
    }
}

/// Creates a directory that only its owner may enter.
pub(crate) fn private_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Removes a directory, or whatever took its place, without following links.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
