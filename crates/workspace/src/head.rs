//! Which branch and commit a work tree says it is on.
//!
//! This is something to *report*, never something to measure by: the files it comes from
//! belong to the agent.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::CWD;

use crate::gitdir::GitDir;
use crate::plain;

const LONGEST_REF: u64 = 4096;
const LARGEST_PACKED_REFS: u64 = 32 << 20;

/// What `HEAD` says, as far as plain files can tell.
///
/// A field is `None` when there is nothing to tell (no repository, no commit yet, a
/// detached `HEAD`) and when it is kept in a form this reader does not know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The branch, without `refs/heads/`.
    pub branch: Option<String>,
    /// The commit, in hexadecimal.
    pub commit: Option<String>,
}

/// Reads the `HEAD` of the work tree at `root` without running git.
pub fn read(root: &Path) -> Head {
    plain::open_directory(CWD, root)
        .ok()
        .and_then(|work_tree| GitDir::of(work_tree.as_fd()))
        .and_then(|git_dir| head_of(&git_dir))
        .unwrap_or_default()
}

pub(crate) fn head_of(git_dir: &GitDir) -> Option<Head> {
    let head = text(git_dir.read("HEAD", LONGEST_REF)?)?;
    let Some(name) = head.strip_prefix("ref: ") else {
        return Some(Head {
            branch: None,
            commit: object_id(&head),
        });
    };
    // Reftable repositories keep this placeholder in the file and the truth elsewhere.
    if name == "refs/heads/.invalid" || !is_plain_ref(name) {
        return None;
    }
    Some(Head {
        branch: name.strip_prefix("refs/heads/").map(str::to_owned),
        commit: reference(git_dir, name),
    })
}

/// The object that a plain ref, shared by all work trees, points at.
pub(crate) fn reference(git_dir: &GitDir, name: &str) -> Option<String> {
    git_dir
        .read_shared(name, LONGEST_REF)
        .and_then(text)
        .and_then(|id| object_id(&id))
        .or_else(|| packed(git_dir, name))
}

fn packed(git_dir: &GitDir, name: &str) -> Option<String> {
    let refs = git_dir.read_shared("packed-refs", LARGEST_PACKED_REFS)?;
    refs.split(|byte| *byte == b'\n').find_map(|line| {
        let (id, found) = std::str::from_utf8(line).ok()?.split_once(' ')?;
        (found == name).then(|| object_id(id)).flatten()
    })
}

fn text(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok()?;
    Some(text.trim_end().to_owned())
}

fn object_id(text: &str) -> Option<String> {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hex && matches!(text.len(), 40 | 64)).then(|| text.to_owned())
}

/// Whether a ref's name may be used as a relative path.
fn is_plain_ref(name: &str) -> bool {
    name.starts_with("refs/") && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";

    fn head(branch: Option<&str>, commit: Option<&str>) -> Head {
        Head {
            branch: branch.map(str::to_owned),
            commit: commit.map(str::to_owned),
        }
    }

    #[test]
    fn every_shape_of_head() {
        let packed = format!("# pack-refs with: peeled\n{ID} refs/heads/packed\n^{ID}\n");
        let long = "a".repeat(10_000);
        for (content, expected) in [
            ("ref: refs/heads/main\n", head(Some("main"), Some(ID))),
            ("ref: refs/heads/a/b\n", head(Some("a/b"), Some(ID))),
            ("ref: refs/heads/packed\n", head(Some("packed"), Some(ID))),
            ("ref: refs/heads/unborn\n", head(Some("unborn"), None)),
            ("ref: refs/heads/garbage\n", head(Some("garbage"), None)),
            (ID, head(None, Some(ID))),
            ("ref: refs/heads/.invalid\n", Head::default()),
            ("ref: refs/../../../etc/passwd\n", Head::default()),
            ("ref: /etc/passwd\n", Head::default()),
            (&long, Head::default()),
            ("", Head::default()),
        ] {
            let root = tempfile::tempdir().unwrap();
            let git = root.path().join(".git");
            fs::create_dir_all(git.join("refs/heads/a")).unwrap();
            fs::write(git.join("HEAD"), content).unwrap();
            fs::write(git.join("refs/heads/main"), format!("{ID}\n")).unwrap();
            fs::write(git.join("refs/heads/a/b"), ID).unwrap();
            fs::write(git.join("refs/heads/garbage"), "\u{1b}[2J").unwrap();
            fs::write(git.join("packed-refs"), &packed).unwrap();
            assert_eq!(read(root.path()), expected, "{content:.40}");
        }
    }

    #[test]
    fn linked_work_trees_share_their_branches() {
        let root = tempfile::tempdir().unwrap();
        let main = root.path().join("main/.git");
        let own = main.join("worktrees/side");
        fs::create_dir_all(main.join("refs/heads")).unwrap();
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("HEAD"), "ref: refs/heads/side\n").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(main.join("refs/heads/side"), ID).unwrap();
        let side = root.path().join("side");
        fs::create_dir(&side).unwrap();
        fs::write(side.join(".git"), "gitdir: ../main/.git/worktrees/side\n").unwrap();
        assert_eq!(read(&side), head(Some("side"), Some(ID)));
    }

    #[test]
    fn no_repository_and_a_fifo_for_head_say_nothing() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(read(root.path()), Head::default());
        fs::create_dir(root.path().join(".git")).unwrap();
        let fifo = root.path().join(".git/HEAD");
        rustix::fs::mknodat(
            CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        assert_eq!(read(root.path()), Head::default());
    }
}
