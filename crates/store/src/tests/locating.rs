//! Which workspace a directory belongs to, and that nobody can choose another.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Tally, add_to, boot, code};
use crate::locate::Key;
use crate::{Error, Homes, Located, Standing, Store, locate};

pub(super) struct Machine {
    root: TempDir,
}

impl Machine {
    pub(super) fn new() -> Self {
        Self {
            root: TempDir::new().unwrap(),
        }
    }

    pub(super) fn homes(&self) -> Homes {
        let root = self.root.path().canonicalize().unwrap();
        Homes {
            person: None,
            state: root.join("state"),
            heads: root.join("heads"),
        }
    }

    pub(super) fn directory(&self, path: &str) -> PathBuf {
        let path = self.root.path().canonicalize().unwrap().join(path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    pub(super) fn locate(&self, cwd: &Path) -> Located {
        locate(cwd, &self.homes()).unwrap()
    }

    /// Does what a first command in this directory does.
    pub(super) fn use_store(&self, cwd: &Path) -> Located {
        let located = self.locate(cwd);
        located.register().unwrap();
        add_to(&store(&located), &["one"]).unwrap();
        located
    }
}

pub(super) fn store(located: &Located) -> Store<Tally> {
    Store::open(located.circuit(&"default".parse().unwrap(), boot())).unwrap()
}

/// The path of the one file in a directory.
pub(super) fn only_entry(directory: &Path) -> PathBuf {
    let mut entries = fs::read_dir(directory).unwrap();
    let only = entries.next().unwrap().unwrap().path();
    assert!(entries.next().is_none());
    only
}

#[test]
fn the_nearest_marked_directory_is_the_root_on_first_use() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    let deep = machine.directory("repo/a/b");
    assert_eq!(machine.locate(&deep).root, deep, "no marker at all");
    fs::write(repo.join("fusebox.toml"), "").unwrap();
    assert_eq!(machine.locate(&deep).root, repo);
    // A worktree has a file, and is a workspace of its own.
    let worktree = machine.directory("repo/a");
    fs::write(worktree.join(".git"), "gitdir: elsewhere").unwrap();
    assert_eq!(machine.locate(&deep).root, worktree);
    assert_eq!(machine.locate(&deep).standing, Standing::FirstUse);
    assert!(!machine.homes().state.exists(), "locating writes nothing");
}

#[test]
fn markers_planted_below_a_store_change_nothing() {
    let machine = Machine::new();
    let repo = machine.directory("repo/.git").parent().unwrap().to_owned();
    let used = machine.use_store(&repo);
    for marker in [".git", "fusebox.toml"] {
        let below = machine.directory("repo/sub/deeper");
        fs::write(below.join(marker), "").unwrap();
        let located = machine.locate(&below);
        assert_eq!(
            (located.id.as_str(), &located.root),
            (used.id.as_str(), &repo)
        );
        assert_eq!(located.standing, Standing::Known);
    }
}

#[test]
fn a_home_that_somebody_was_in_once_does_not_take_what_is_below_it() {
    let machine = Machine::new();
    let home = machine.directory("home");
    let repo = machine
        .directory("home/src/repo/.git")
        .parent()
        .unwrap()
        .to_owned();
    let homes = |person: &Path| Homes {
        person: Some(person.to_owned()),
        ..machine.homes()
    };
    let used = machine.use_store(&home);
    assert_eq!(locate(&repo, &machine.homes()).unwrap().root, home);
    let link = machine.directory("").join("link");
    std::os::unix::fs::symlink(&home, &link).unwrap();
    for person in [&home, &link] {
        let root = |cwd: &Path| locate(cwd, &homes(person)).unwrap().root;
        assert_eq!(root(&repo), repo);
        assert_eq!(root(&home.join("src")), home.join("src"));
        assert_eq!(locate(&home, &homes(person)).unwrap().id, used.id);
    }
    // Who says that it is a project means it.
    fs::write(home.join("fusebox.toml"), "").unwrap();
    assert_eq!(locate(&repo, &homes(&home)).unwrap().root, home);
}

#[test]
fn the_project_is_the_nearest_mark_within_the_workspace() {
    let machine = Machine::new();
    let outer = machine.directory("outer");
    let inner = machine
        .directory("outer/inner/.git")
        .parent()
        .unwrap()
        .to_owned();
    let deep = machine.directory("outer/inner/deep");
    let beside = machine.directory("outer/beside");
    assert_eq!(
        machine.locate(&deep).project,
        inner,
        "on first use its root"
    );
    machine.use_store(&outer);
    for (cwd, project) in [
        (&deep, &inner),
        (&inner, &inner),
        (&beside, &outer),
        (&outer, &outer),
    ] {
        let located = machine.locate(cwd);
        assert_eq!((&located.root, &located.project), (&outer, project));
    }
    // A mark further up is another matter.
    fs::write(machine.directory("").join("fusebox.toml"), "").unwrap();
    assert_eq!(machine.locate(&beside).project, outer);
}

#[test]
fn the_workspace_registered_first_wins() {
    let places = ["top", "top/middle", "top/middle/bottom"];
    // In which order they are registered, each before it has known ancestors
    // or although it has, and which one then answers at the bottom.
    let table = [
        (&[0][..], 0),
        (&[1], 1),
        (&[2], 2),
        (&[0, 1, 2], 0),
        (&[1, 0], 1),
        (&[2, 0], 2),
        (&[2, 1, 0], 2),
        (&[1, 2, 0], 1),
    ];
    for (order, expected) in table {
        let machine = Machine::new();
        let bottom = machine.directory(places[2]);
        for &place in order {
            machine.use_store(&machine.directory(places[place]));
        }
        let located = machine.locate(&bottom);
        let expected = machine.directory(places[expected]);
        assert_eq!(located.root, expected, "{order:?}");
        assert!(!store(&located).peek().unwrap().is_first_use());
        // Being renamed makes nobody younger or older.
        let renamed = machine.directory("").join("renamed");
        fs::rename(machine.directory("top"), &renamed).unwrap();
        let moved = machine.locate(&renamed.join("middle/bottom"));
        moved.register().unwrap();
        assert_eq!(moved.id, located.id, "{order:?}");
        let again = machine.locate(&renamed.join("middle/bottom"));
        assert_eq!((again.id, again.standing), (moved.id, Standing::Known));
    }
}

#[test]
fn a_description_without_an_ordinal_counts_as_the_oldest() {
    let machine = Machine::new();
    let outer = machine.use_store(&machine.directory("outer"));
    let inner = machine.directory("outer/inner");
    let id = machine.use_store(&machine.directory("elsewhere")).id;
    fs::rename(machine.directory("elsewhere"), inner.join("moved")).unwrap();
    let moved = inner.join("moved");
    assert_eq!(machine.locate(&moved).id, outer.id);
    let description = machine.homes().state.join(&id).join("workspace");
    let text = fs::read_to_string(&description).unwrap();
    fs::write(&description, &text[..text.find("ordinal").unwrap()]).unwrap();
    let located = machine.locate(&moved);
    assert_eq!(located.id, id);
    located.register().unwrap();
    assert_eq!(machine.locate(&moved).id, id, "registering keeps the rank");
}

#[test]
fn a_renamed_root_keeps_its_store() {
    let machine = Machine::new();
    let old = machine.directory("old");
    let used = machine.use_store(&old);
    let new = old.with_file_name("new");
    fs::rename(&old, &new).unwrap();
    let moved = machine.locate(&new);
    assert_eq!(moved.id, used.id);
    assert_eq!(moved.standing, Standing::Moved { from: old });
    assert_eq!(store(&moved).peek().unwrap().seq, 1);
    moved.register().unwrap();
    assert_eq!(machine.locate(&new).standing, Standing::Known);
    // A new directory at the old path is under the same breaker, so that
    // deleting and cloning again does not reset it.
    let again = machine.directory("old");
    assert_eq!(machine.locate(&again).id, used.id);
}

#[test]
fn a_directory_that_reuses_the_inode_is_another() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    let used = machine.use_store(&repo);
    let new = repo.with_file_name("new");
    fs::rename(&repo, &new).unwrap();
    // The index now speaks of the same device and inode, born at another time.
    let index = machine.homes().state.join("index");
    let entry = only_entry(&index);
    let name = entry.file_name().unwrap().to_str().unwrap();
    let (device_and_inode, _) = name.rsplit_once('-').unwrap();
    fs::rename(&entry, index.join(format!("{device_and_inode}-1"))).unwrap();
    let file = used.workspace_dir().join("workspace");
    let text = fs::read_to_string(&file).unwrap();
    let born = text.lines().find(|line| line.starts_with("born ")).unwrap();
    fs::write(&file, text.replace(born, "born 1")).unwrap();
    let located = machine.locate(&new);
    assert_ne!(located.id, used.id);
    assert_eq!(located.standing, Standing::FirstUse);
}

#[test]
fn a_deleted_store_is_found_for_every_circuit() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    let used = machine.use_store(&repo);
    fs::remove_dir_all(used.workspace_dir()).unwrap();
    for (circuit, expected) in [("never-used", "store-missing"), ("default", "log-missing")] {
        let located = machine.locate(&repo);
        assert_eq!(located.standing, Standing::Known);
        located.register().unwrap();
        let store =
            Store::<Tally>::open(located.circuit(&circuit.parse().unwrap(), boot())).unwrap();
        assert_eq!(code(store.peek()), expected);
    }
    // Without the index entry, the heads still tell; without the heads, the
    // index entry does.
    let homes = machine.homes();
    let aside = homes.state.with_file_name("aside");
    for (gone, circuit) in [
        (homes.state.join("index"), "default"),
        (homes.heads.clone(), "never-used"),
    ] {
        fs::rename(&gone, &aside).unwrap();
        let located = machine.locate(&repo);
        let store =
            Store::<Tally>::open(located.circuit(&circuit.parse().unwrap(), boot())).unwrap();
        super::tamper(store.peek());
        fs::rename(&aside, &gone).unwrap();
    }
    let store = store(&machine.locate(&repo));
    store.restart(9, &[]).unwrap();
    assert!(store.peek().unwrap().is_first_use());
}

#[test]
fn an_unreadable_index_entry_is_not_a_first_use() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    machine.use_store(&repo);
    let index = machine.homes().state.join("index");
    let entry = only_entry(&index);
    fs::write(&entry, "../../elsewhere\n").unwrap();
    locate(&repo, &machine.homes()).unwrap_err();
}

#[test]
fn a_home_open_to_others_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    for home in ["state", "heads"] {
        let machine = Machine::new();
        let repo = machine.directory("repo");
        let home = machine.directory(home);
        fs::set_permissions(&home, fs::Permissions::from_mode(0o777)).unwrap();
        let answer = machine.locate(&repo).register();
        assert!(matches!(answer, Err(Error::Unsafe { .. })), "{answer:?}");
    }
}

#[test]
fn whatever_is_left_of_a_workspace_is_known_without_the_index() {
    let table = [
        // What is left in the workspace's directory, whether its heads are.
        (&["workspace"][..], false, Standing::Known),
        (&["circuits"], false, Standing::Known),
        (&[], true, Standing::Known),
        // A registration that was cut short.
        (&["roll"], false, Standing::FirstUse),
    ];
    for (left, heads, expected) in table {
        let machine = Machine::new();
        let repo = machine.directory("repo");
        let used = machine.use_store(&repo);
        let homes = machine.homes();
        fs::remove_dir_all(homes.state.join("index")).unwrap();
        let aside = machine.directory("aside");
        for name in left {
            fs::rename(used.workspace_dir().join(name), aside.join(name)).unwrap();
        }
        fs::remove_dir_all(used.workspace_dir()).unwrap();
        if !left.is_empty() {
            fs::rename(&aside, used.workspace_dir()).unwrap();
        }
        if !heads {
            fs::remove_dir_all(homes.heads.join(&used.id)).unwrap();
        }
        assert_eq!(machine.locate(&repo).standing, expected, "{left:?}");
    }
}

#[test]
fn a_directory_is_known_by_when_it_was_made_to_the_nanosecond() {
    let machine = Machine::new();
    for name in ["one", "two"] {
        let directory = machine.directory(name);
        let metadata = fs::metadata(&directory).unwrap();
        // Where the file system does not say, nothing can be told apart by it.
        let born = metadata.created().map_or(0, |at| {
            let since = at.duration_since(std::time::SystemTime::UNIX_EPOCH);
            i128::try_from(since.unwrap().as_nanos()).unwrap()
        });
        assert_eq!(Key::of(&directory).unwrap().born, born);
    }
}
