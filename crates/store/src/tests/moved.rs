//! Workspaces that are not where they are looked for.

use std::fs;
use std::os::unix::fs::symlink;

use super::code;
use super::locating::{Machine, store};
use crate::Standing;

#[test]
fn a_renamed_root_is_found_again_without_its_index_entry() {
    let machine = Machine::new();
    let old = machine.directory("old");
    let used = machine.use_store(&old);
    machine.use_store(&machine.directory("beside"));
    let new = old.with_file_name("new");
    fs::rename(&old, &new).unwrap();
    fs::remove_dir_all(machine.homes().state.join("index")).unwrap();
    let below = machine
        .directory("new/sub/.git")
        .parent()
        .unwrap()
        .to_owned();
    for place in [&new, &below] {
        let found = machine.locate(place);
        let from = old.clone();
        assert_eq!((&found.id, &found.root), (&used.id, &new));
        assert_eq!(found.standing, Standing::Moved { from });
        assert_eq!(store(&found).peek().unwrap().seq, 1);
    }
    let other = machine.locate(&machine.directory("other"));
    assert_eq!(other.standing, Standing::FirstUse);
    machine.locate(&new).register().unwrap();
    assert_eq!(machine.locate(&new).standing, Standing::Known);
}

#[test]
fn a_link_in_the_place_of_a_root_leads_to_no_other_breaker() {
    // The root itself, and a directory above it.
    for (taken, below) in [("top/repo", ""), ("top", "repo")] {
        let machine = Machine::new();
        let used = machine.use_store(&machine.directory("top/repo"));
        let taken = machine.directory(taken);
        let [aside, copy] = ["aside", "copy"].map(|name| machine.directory("").join(name));
        fs::rename(&taken, &aside).unwrap();
        let new = machine.directory("copy").join(below);
        fs::create_dir_all(new.join("sub")).unwrap();
        symlink(&copy, &taken).unwrap();
        let through = taken.join(below);
        for named in [
            through.clone(),
            through.join("sub"),
            through.join("sub/../."),
        ] {
            let found = machine.locate(&named);
            assert_eq!((&found.id, &found.root), (&used.id, &new.join("")));
            assert_eq!(store(&found).peek().unwrap().seq, 1);
        }
        // Who does not come through the link has another directory.
        assert_eq!(machine.locate(&new).standing, Standing::FirstUse);
        machine.locate(&through).register().unwrap();
        for place in [&through, &new, &aside.join(below)] {
            assert_eq!(machine.locate(place).id, used.id);
        }
    }
}

#[test]
fn a_link_to_another_workspace_in_the_place_of_a_root_takes_a_person() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    let other = machine.use_store(&machine.directory("other"));
    machine.use_store(&repo);
    fs::rename(&repo, repo.with_file_name("aside")).unwrap();
    symlink(&other.root, &repo).unwrap();
    let located = machine.locate(&repo);
    located.register().unwrap();
    assert_eq!(code(store(&machine.locate(&repo)).peek()), "root-replaced");
    store(&machine.locate(&other.root)).peek().unwrap();
    for _ in 0..2 {
        let located = machine.locate(&repo);
        store(&located).restart(9, &[]).unwrap();
        located.restore().unwrap();
    }
    assert!(store(&machine.locate(&repo)).peek().unwrap().is_first_use());
}

#[test]
fn links_that_were_always_there_raise_no_alarm() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    let link = machine.directory("").join("link");
    symlink(&repo, &link).unwrap();
    let used = machine.use_store(&link);
    let other = machine.use_store(&machine.directory("other"));
    // It leads elsewhere from now on, and nobody ever was at its own path.
    fs::remove_file(&link).unwrap();
    symlink(&other.root, &link).unwrap();
    assert_eq!(machine.locate(&link).id, other.id);
    store(&machine.locate(&link)).peek().unwrap();
    assert_eq!(machine.locate(&repo).id, used.id);
}
