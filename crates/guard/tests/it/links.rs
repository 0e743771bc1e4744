//! Links and other names of the root, on files that are only sketched.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use fusebox_guard::{Decision, Disk, Guard, Kind, Protected, Tree};

/// Files as a table: a path, and where it leads if it is a link. Directories follow from the
/// files in them.
struct Sketch(BTreeMap<PathBuf, Option<PathBuf>>);

impl Sketch {
    fn new(files: &[(&str, Option<&str>)]) -> Self {
        let entry =
            |(path, link): &(&str, Option<&str>)| (PathBuf::from(path), link.map(PathBuf::from));
        Self(files.iter().map(entry).collect())
    }
}

impl Tree for Sketch {
    fn kind(&self, path: &Path) -> Option<Kind> {
        match self.0.get(path) {
            Some(Some(_)) => Some(Kind::Link),
            Some(None) => Some(Kind::File),
            None => {
                let is_above = |other: &PathBuf| other.starts_with(path);
                self.0.keys().any(is_above).then_some(Kind::Directory)
            }
        }
    }

    fn read_link(&self, path: &Path) -> Option<PathBuf> {
        self.0.get(path).cloned().flatten()
    }

    fn list(&self, directory: &Path) -> Vec<OsString> {
        let below = self
            .0
            .keys()
            .filter_map(|path| path.strip_prefix(directory).ok());
        let mut names: Vec<OsString> = below
            .filter_map(|path| path.components().next())
            .map(|name| name.as_os_str().to_owned())
            .collect();
        names.dedup();
        names
    }

    fn read(&self, _: &Path) -> Option<String> {
        None
    }

    fn identity(&self, _: &Path) -> Option<(u64, u64)> {
        None
    }
}

#[test]
fn links_are_followed_as_far_as_the_command_would_follow_them() {
    let files = [
        ("/w/proj/CLAUDE.md", None),
        ("/w/proj/specs/a.md", None),
        ("/w/proj/build/out", None),
        ("/w/proj/one", Some("two")),
        ("/w/proj/two", Some("/w/proj/specs")),
        ("/w/proj/circle", Some("circle")),
        ("/w/proj/ping", Some("pong")),
        ("/w/proj/pong", Some("ping")),
        ("/w/other", Some("proj")),
        ("/w/proj/up", Some("..")),
    ];
    let guard = Guard::new(Protected::new(Path::new("/w/proj"))).with_tree(Sketch::new(&files));
    for (command, expected) in [
        ("rm -rf one", Decision::Allow),
        ("rm -rf one/", Decision::Deny),
        ("rm -f one/a.md", Decision::Deny),
        ("echo x > one/a.md", Decision::Deny),
        ("rm -rf circle ping pong/", Decision::Allow),
        ("echo x > circle/a", Decision::Allow),
        ("rm -rf /w/other/specs", Decision::Deny),
        ("rm -rf up/proj/specs", Decision::Deny),
        ("rm -rf up", Decision::Allow),
        ("mv two build/", Decision::Allow),
        ("find one/ -delete", Decision::Deny),
        ("find one -delete", Decision::Allow),
    ] {
        let verdict = guard.judge_command(command.as_bytes(), Path::new("/w/proj"));
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.why);
    }
}

#[test]
fn a_root_that_has_another_path_elsewhere_is_known_by_its_name() {
    let files = [("/w/proj/specs/a.md", None), ("/srv/proj/specs/b.md", None)];
    let guard = Guard::new(Protected::new(Path::new("/w/proj"))).with_tree(Sketch::new(&files));
    for (command, expected) in [
        ("rm -rf /workspaces/proj/specs", Decision::Deny),
        ("cd /home/me/proj && rm -rf specs", Decision::Deny),
        ("rm -rf /workspaces/other/specs", Decision::Allow),
        // This one is there and is another one.
        ("rm -rf /srv/proj/specs", Decision::Allow),
    ] {
        let verdict = guard.judge_command(command.as_bytes(), Path::new("/w/proj"));
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.why);
    }
}

/// Whether something may be read is asked of the tree, and this one does not say.
#[test]
fn what_may_not_be_readable_may_fail() {
    let files = [("/w/proj/specs/a.md", None)];
    let guard = Guard::new(Protected::new(Path::new("/w/proj"))).with_tree(Sketch::new(&files));
    for (command, expected) in [
        ("cat specs/a.md || rm -rf specs", Decision::Deny),
        ("ls specs/a.md || rm -rf specs", Decision::Allow),
    ] {
        let verdict = guard.judge_command(command.as_bytes(), Path::new("/w/proj"));
        assert_eq!(verdict.decision, expected, "{command}: {}", verdict.why);
    }
}

#[test]
fn a_link_is_not_read_through() {
    let place = tempfile::tempdir().expect("a directory");
    let (file, link) = (place.path().join("file"), place.path().join("link"));
    std::fs::write(&file, "text").expect("a file");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    assert_eq!(Disk.read(&file).as_deref(), Some("text"));
    assert_eq!(Disk.read(&link), None);
    assert_eq!(Disk.bytes(&file, 1, 9).as_deref(), Some(&b"ext"[..]));
    assert_eq!(Disk.bytes(&link, 1, 9), None);
}

/// What a tree of somebody else's need not say: what holds whatever it is asked is the most
/// cautious answer.
#[test]
fn a_tree_that_says_little_promises_nothing() {
    struct Note;
    impl Tree for Note {
        fn kind(&self, _: &Path) -> Option<Kind> {
            Some(Kind::File)
        }
        fn read_link(&self, _: &Path) -> Option<PathBuf> {
            None
        }
        fn list(&self, _: &Path) -> Vec<OsString> {
            Vec::new()
        }
        fn read(&self, path: &Path) -> Option<String> {
            path.ends_with("note").then(|| "text\n".to_owned())
        }
        fn identity(&self, _: &Path) -> Option<(u64, u64)> {
            None
        }
    }
    assert_eq!(Note.length(Path::new("note")), Some(5));
    assert_eq!(Note.length(Path::new("other")), None);
    assert_eq!(Note.bytes(Path::new("note"), 0, 4), None);
    assert!(!Note.permits(Path::new("note"), false) && !Note.permits(Path::new("note"), true));
}
