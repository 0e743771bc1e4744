//! Work trees of one repository know each other, and nobody can choose another.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use super::locating::Machine;
use crate::{Located, Repository};

/// Does what a first command in a work tree of `common` does.
fn join(machine: &Machine, work_tree: &str, common: &Path) -> (Located, Repository) {
    let root = machine.directory(work_tree);
    fs::write(root.join(".git"), "").unwrap();
    let located = machine.use_store(&root);
    let joined = located.join_repository(|_| Some(common.to_owned()));
    (located, joined.unwrap().unwrap())
}

fn roots(repository: &Repository) -> Vec<PathBuf> {
    let others = repository.others().unwrap();
    let mut roots: Vec<PathBuf> = others.into_iter().map(|one| one.root).collect();
    roots.sort();
    roots
}

#[test]
fn a_work_tree_stays_with_the_repository_it_was_first_seen_in() {
    let machine = Machine::new();
    let [ours, theirs] = ["ours/.git", "theirs/.git"].map(|path| machine.directory(path));
    let (first, repository) = join(&machine, "first", &ours);
    assert_eq!(roots(&repository), [] as [PathBuf; 0]);
    let (second, other) = join(&machine, "second", &ours);
    let (third, stranger) = join(&machine, "third", &theirs);
    assert_eq!(roots(&repository), [second.root.as_path()]);
    assert_eq!(roots(&other), [first.root.as_path()]);
    assert_eq!(roots(&stranger), [] as [PathBuf; 0]);

    // From here on nobody is asked, whatever `.git` would say.
    let again = machine.locate(&first.root);
    let joined = again.join_repository(|_| panic!("it is written down"));
    assert_eq!(joined.unwrap(), Some(repository.clone()));
    assert_eq!(again.repository(), Some(repository));
    // A directory that is in no repository is asked again, as it may come to be in one.
    let plain = machine.use_store(&machine.directory("plain"));
    assert_eq!(plain.join_repository(|_| None).unwrap(), None);
    let late = plain.join_repository(|_| Some(theirs.clone())).unwrap();
    assert_eq!(roots(&late.unwrap()), [third.root]);
}

#[test]
fn whoever_is_struck_from_one_list_is_put_back_from_another() {
    let machine = Machine::new();
    let common = machine.directory("main/.git");
    let (first, repository) = join(&machine, "first", &common);
    let (second, _) = join(&machine, "second", &common);
    let homes = machine.homes();
    for home in [&homes.state, &homes.heads] {
        fs::remove_dir_all(home.join("repositories")).unwrap();
        assert_eq!(roots(&repository), [second.root.as_path()], "{home:?}");
        assert_eq!(repository.hold().unwrap().others.unwrap().len(), 1);
    }
    // The line in the workspace's own file may be lost as well.
    let file = second.workspace_dir().join("workspace");
    let text = fs::read_to_string(&file).unwrap();
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("repository "))
        .collect();
    fs::write(&file, kept.join("\n") + "\n").unwrap();
    let again = machine.locate(&second.root);
    assert_eq!(again.repository(), None);
    let elsewhere = machine.directory("elsewhere/.git");
    let joined = again.join_repository(|_| Some(elsewhere)).unwrap();
    assert_eq!(roots(&joined.unwrap()), [first.root]);
}

#[test]
fn one_that_cannot_be_asked_is_not_taken_for_one_that_used_nothing() {
    let machine = Machine::new();
    let common = machine.directory("main/.git");
    let (_, repository) = join(&machine, "first", &common);
    let (second, _) = join(&machine, "second", &common);
    // That its directory is gone does not matter.
    fs::remove_dir_all(&second.root).unwrap();
    assert_eq!(repository.hold().unwrap().others.unwrap().len(), 1);
    fs::remove_dir_all(second.workspace_dir()).unwrap();
    assert!(repository.hold().unwrap().others.is_err());
    // Others may come all the same.
    join(&machine, "third", &common);
    assert!(repository.others().is_err());
}

#[test]
fn a_work_tree_that_was_removed_long_ago_is_forgotten() {
    let machine = Machine::new();
    let common = machine.directory("main/.git");
    let (_, repository) = join(&machine, "first", &common);
    let (kept, _) = join(&machine, "kept", &common);
    let (gone, _) = join(&machine, "gone", &common);
    fs::remove_dir_all(&gone.root).unwrap();
    join(&machine, "third", &common);
    assert_eq!(
        roots(&repository).len(),
        3,
        "it may have used something lately"
    );
    for located in [&gone, &kept] {
        let slots = located.workspace_dir().join("circuits/default/slots");
        let file = fs::File::options().write(true).open(slots).unwrap();
        let long_ago = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        file.set_modified(long_ago).unwrap();
    }
    let (fourth, _) = join(&machine, "fourth", &common);
    let left = roots(&repository);
    assert!(!left.contains(&gone.root), "{left:?}");
    assert!(left.contains(&kept.root) && left.contains(&fourth.root));
}

#[test]
fn while_one_decides_the_others_wait() {
    let machine = Machine::new();
    let common = machine.directory("main/.git");
    let (_, first) = join(&machine, "first", &common);
    let (_, second) = join(&machine, "second", &common);
    let held = first.hold().unwrap();
    let (tell, told) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || tell.send(second.hold().map(|_| ())).unwrap());
        assert!(told.recv_timeout(Duration::from_millis(50)).is_err());
        drop(held);
        told.recv_timeout(Duration::from_secs(5)).unwrap().unwrap();
    });
}
