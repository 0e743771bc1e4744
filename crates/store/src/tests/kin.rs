//! Work trees of one repository know each other, and nobody can choose another.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use super::locating::Machine;
use crate::trace::effects_of;
use crate::{Error, Kept, Located, Repository, survey};

/// Does what a first command in a work tree of `common` does.
fn join(machine: &Machine, work_tree: &str, common: &Path) -> (Located, Repository) {
    join_when(machine, work_tree, common, |_| false)
}

fn join_when(
    machine: &Machine,
    work_tree: &str,
    common: &Path,
    counts_no_more: fn(&Kept) -> bool,
) -> (Located, Repository) {
    let root = machine.directory(work_tree);
    fs::write(root.join(".git"), "").unwrap();
    let located = machine.use_store(&root);
    let joined = located.join_repository(|_| Some(common.to_owned()), counts_no_more);
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
    let joined = again.join_repository(|_| panic!("it is written down"), |_| false);
    assert_eq!(joined.unwrap(), Some(repository.clone()));
    assert_eq!(again.repository(), Some(repository.clone()));
    let kept = survey(&machine.homes()).unwrap();
    let of_first = kept.iter().find(|one| one.id == first.id).unwrap();
    assert_eq!(of_first.repository(), Some(repository));
    // A directory that is in no repository is asked again, as it may come to be in one.
    let plain = machine.use_store(&machine.directory("plain"));
    let file = plain.workspace_dir().join("workspace");
    assert!(!fs::read_to_string(&file).unwrap().contains("repository"));
    assert_eq!(plain.join_repository(|_| None, |_| false).unwrap(), None);
    let noted = fs::read_to_string(&file).unwrap();
    assert!(noted.contains("\nrepository none\n"), "{noted}");
    let asked_again = machine.locate(&plain.root);
    let effects = effects_of(|| {
        assert_eq!(
            asked_again.join_repository(|_| None, |_| false).unwrap(),
            None
        );
    });
    assert!(effects.is_empty(), "{effects:?}");
    let late = plain
        .join_repository(|_| Some(theirs.clone()), |_| false)
        .unwrap();
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
    let joined = again
        .join_repository(|_| Some(elsewhere), |_| false)
        .unwrap();
    assert_eq!(roots(&joined.unwrap()), [first.root]);
}

#[test]
fn lists_that_are_both_gone_are_missed_until_a_person_has_looked() {
    let machine = Machine::new();
    let common = machine.directory("main/.git");
    let (first, repository) = join(&machine, "first", &common);
    let (second, other) = join(&machine, "second", &common);
    let homes = machine.homes();
    // The lists themselves, and then only what is in them.
    for whole in [true, false] {
        for home in [&homes.state, &homes.heads] {
            let lists = home.join("repositories");
            let list = super::locating::only_entry(&lists);
            fs::remove_dir_all(&lists).unwrap();
            if !whole {
                fs::create_dir_all(list).unwrap();
            }
        }
        for _ in 0..2 {
            assert_eq!(super::code(repository.others()), "family-missing");
            assert_eq!(super::code(other.hold()), "family-missing");
        }
        machine.locate(&second.root).restore().unwrap();
        assert_eq!(roots(&other), [first.root.as_path()]);
        assert_eq!(roots(&repository), [second.root.as_path()]);
        assert_eq!(repository.hold().unwrap().others.unwrap().len(), 1);
    }
}

#[test]
fn dying_anywhere_while_joining_leaves_nobody_without_a_list() {
    use super::crash::crash_states;
    let machine = Machine::new();
    let common = machine.directory("main/.git");
    let root = machine.directory("first");
    let located = machine.use_store(&root);
    let top = machine.directory("");
    let before = super::disk_model::Disk::capture(&top);
    let effects = effects_of(|| {
        let joined = located.join_repository(|_| Some(common.clone()), |_| false);
        drop(joined.unwrap());
    });
    let states = crash_states(&before, &effects, 20);
    assert!(states.len() > 10);
    for state in states {
        let place = state.materialise(&top);
        let homes = crate::Homes {
            state: place.path().join("state"),
            heads: place.path().join("heads"),
            person: None,
        };
        let again = crate::locate(&root, &homes).unwrap();
        let joined = again
            .join_repository(|_| Some(common.clone()), |_| false)
            .unwrap();
        let held = joined.unwrap().hold().unwrap();
        assert_eq!(held.others.unwrap(), []);
    }
}

#[test]
fn only_lists_that_are_ours_put_anybody_back() {
    let long = "1-2-".to_owned() + &"3".repeat(77);
    for name in ["1-2", "1-2-3-4", "1--3", "1-2-x", &long] {
        let machine = Machine::new();
        let located = machine.use_store(&machine.directory("plain"));
        let list = machine.directory(&format!("state/repositories/{name}"));
        fs::write(list.join(&located.id), "").unwrap();
        assert_eq!(
            located.join_repository(|_| None, |_| false).unwrap(),
            None,
            "{name} is a name that we gave nobody"
        );
    }
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
fn a_work_tree_that_was_removed_is_forgotten_when_whoever_knows_says_that_it_counts_no_more() {
    let machine = Machine::new();
    let common = machine.directory("main/.git");
    let (_, repository) = join(&machine, "first", &common);
    let (kept, _) = join(&machine, "kept", &common);
    let (gone, _) = join(&machine, "gone", &common);
    fs::remove_dir_all(&gone.root).unwrap();
    // A file's time is anybody's to set.
    let slots = gone.workspace_dir().join("circuits/default/slots");
    let file = fs::File::options().write(true).open(slots).unwrap();
    let long_ago = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    file.set_modified(long_ago).unwrap();
    join(&machine, "third", &common);
    assert_eq!(roots(&repository).len(), 3, "it may have used something");
    let (fourth, _) = join_when(&machine, "fourth", &common, |_| true);
    let left = roots(&repository);
    assert!(!left.contains(&gone.root), "{left:?}");
    assert!(left.contains(&kept.root) && left.contains(&fourth.root));
}

#[test]
fn more_work_trees_than_can_be_added_up_are_refused() {
    let machine = Machine::new();
    let (_, repository) = join(&machine, "first", &machine.directory("main/.git"));
    let lists = machine.homes().state.join("repositories");
    let list = super::locating::only_entry(&lists);
    let enter = |number: u32| fs::write(list.join(format!("{number:032x}")), "").unwrap();
    (1..1_000).for_each(enter);
    // As many as may be: each is asked, and these have nothing to say.
    let asked = repository.others().map(|_| ());
    assert_eq!(super::code(asked), "description-missing");
    enter(1_000);
    let refused = repository.others();
    assert!(matches!(refused, Err(Error::Unsafe { .. })), "{refused:?}");
}

#[test]
fn whoever_waited_for_a_list_that_was_replaced_holds_the_new_one() {
    let machine = Machine::new();
    let common = machine.directory("main/.git");
    let (_, first) = join(&machine, "first", &common);
    let (_, second) = join(&machine, "second", &common);
    let list = super::locating::only_entry(&machine.homes().state.join("repositories"));
    let held = first.hold().unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| second.hold().unwrap());
        std::thread::sleep(Duration::from_millis(50));
        fs::rename(&list, machine.directory("").join("aside")).unwrap();
        drop(held);
        let _held = waiting.join().unwrap();
        let new = fs::File::open(&list).unwrap();
        assert!(new.try_lock().is_err(), "two could decide at once");
    });
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
