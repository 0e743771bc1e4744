//! Edits of what a workspace says of itself: which was there first, and whether it is complete.

use std::fs;

use sha2::{Digest, Sha256};

use super::code;
use super::locating::{Machine, store};
use crate::Located;
use crate::trace::effects_of;

/// Rewrites a line of a workspace's own file, or removes it.
fn edit_description(used: &Located, key: &str, line: &str) {
    let file = used.workspace_dir().join("workspace");
    let text = fs::read_to_string(&file).unwrap();
    let kept = text.lines().map(|old| match old.split_once(' ') {
        Some((found, _)) if found == key => line,
        _ => old,
    });
    let kept: Vec<_> = kept.filter(|line| !line.is_empty()).collect();
    fs::write(&file, kept.join("\n") + "\n").unwrap();
}

#[test]
fn a_list_that_does_not_repeat_the_ordinal_yet_is_told_it_without_alarm() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    let used = machine.use_store(&repo);
    let second = machine.homes().heads.join(&used.id).join(".roll");
    let content = format!("fusebox-roll 1 {}\ndefault\n", crate::version::RELEASE);
    let digest: [u8; 32] = Sha256::digest(content.as_bytes()).into();
    fs::write(
        &second,
        format!("{content}{}\n", crate::hex::encode(&digest)),
    )
    .unwrap();
    let located = machine.locate(&repo);
    let looked = effects_of(|| assert_eq!(store(&located).peek().unwrap().seq, 1));
    assert!(looked.is_empty(), "a look writes nothing: {looked:?}");
    located.register().unwrap();
    let told = fs::read_to_string(&second).unwrap();
    assert!(told.lines().next().unwrap().ends_with(" 1"), "{told}");
    assert!(told.contains("\ndefault\n"), "{told}");
    let again = machine.locate(&repo);
    let effects = effects_of(|| again.register().unwrap());
    assert!(effects.is_empty(), "{effects:?}");
}

#[test]
fn a_description_that_no_longer_says_that_it_is_complete_was_changed() {
    type Act = fn(&Machine, &Located);
    let table: [(&str, Act); 3] = [
        ("the line", |_, _| ()),
        ("the line and the list", |machine, used| {
            fs::remove_file(machine.homes().heads.join(&used.id).join(".roll")).unwrap();
        }),
        ("the line, the list and the index", |machine, used| {
            fs::remove_file(machine.homes().heads.join(&used.id).join(".roll")).unwrap();
            fs::remove_dir_all(machine.homes().state.join("index")).unwrap();
        }),
    ];
    for (name, act) in table {
        let machine = Machine::new();
        let repo = machine.directory("repo");
        let used = machine.use_store(&repo);
        edit_description(&used, "lists", "");
        act(&machine, &used);
        let located = machine.locate(&repo);
        located.register().unwrap();
        let circuit = store(&machine.locate(&repo));
        assert_eq!(code(circuit.peek()), "description-missing", "{name}");
        circuit.restart(9, &[]).unwrap();
        located.restore().unwrap();
        let healed = machine.locate(&repo);
        assert!(store(&healed).peek().unwrap().is_first_use(), "{name}");
        let effects = effects_of(|| healed.register().unwrap());
        assert!(effects.is_empty(), "{name}: {effects:?}");
    }
}

#[test]
fn no_edit_makes_a_workspace_answer_for_one_that_was_there_before_it() {
    type Act = fn(&Machine, &Located, &Located);
    let second = |machine: &Machine, of: &Located| machine.homes().heads.join(&of.id).join(".roll");
    let table: [(&str, Act); 6] = [
        ("the inner one is made the later", |_, inner, _| {
            edit_description(inner, "ordinal", "ordinal 9");
        }),
        ("the outer one is made the earlier", |_, _, outer| {
            edit_description(outer, "ordinal", "ordinal 0");
        }),
        ("the outer one has no ordinal", |_, _, outer| {
            edit_description(outer, "ordinal", "");
        }),
        (
            "the inner one's list is gone as well",
            |machine, inner, _| {
                edit_description(inner, "ordinal", "ordinal 9");
                fs::remove_file(machine.homes().heads.join(&inner.id).join(".roll")).unwrap();
            },
        ),
        ("the outer one's list is gone", |machine, _, outer| {
            fs::remove_file(machine.homes().heads.join(&outer.id).join(".roll")).unwrap();
        }),
        ("the outer one's description is gone", |_, _, outer| {
            fs::remove_file(outer.workspace_dir().join("workspace")).unwrap();
        }),
    ];
    for (name, act) in table {
        let machine = Machine::new();
        let inner = machine.use_store(&machine.directory("outer/inner"));
        let outer = machine.use_store(&machine.directory("outer"));
        assert_eq!(machine.locate(&inner.root).id, inner.id);
        assert_eq!(machine.locate(&outer.root).id, outer.id);
        assert!(second(&machine, &inner).exists());
        act(&machine, &inner, &outer);
        let located = machine.locate(&inner.root);
        located.register().unwrap();
        // Whichever of them answers, it is no yes.
        let circuit = store(&machine.locate(&inner.root));
        let found = code(circuit.peek());
        assert!(
            ["description-missing", "list-missing"].contains(&found.as_str()),
            "{name}: {found}"
        );
        circuit.restart(9, &[]).unwrap();
        located.restore().unwrap();
        // Afterwards the one whose memory could be trusted is as it was.
        let healed = machine.locate(&inner.root);
        assert_eq!(healed.id, located.id, "{name}");
        store(&healed).peek().unwrap();
    }
}
