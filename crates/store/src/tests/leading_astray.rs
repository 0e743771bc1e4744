//! Edits and deletions that would lead away from a store without damaging it.

use std::fs;
use std::path::Path;

use super::crash::crash_states;
use super::disk_model::Disk;
use super::locating::{Machine, only_entry, store};
use super::{Bench, Tally, add_to, boot, code, later_boot};
use crate::trace::effects_of;
use crate::{Error, Homes, Located, Standing, Store, locate};

const ELSEWHERE: &str = "ffffffffffffffffffffffffffffffff";

/// Rewrites where the repository's own index entry leads.
fn mislead(homes: &Homes, used: &Located, id: &str) {
    let index = homes.state.join("index");
    let is_own = |entry: &Path| fs::read_to_string(entry).unwrap().trim_end() == used.id;
    let entries = fs::read_dir(&index).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path());
    fs::write(
        paths.find(|entry| is_own(entry)).unwrap(),
        format!("{id}\n"),
    )
    .unwrap();
}

#[test]
fn an_index_that_leads_elsewhere_is_found_and_cleared_by_a_fresh_start() {
    type Act = fn(&Machine, &Located);
    let table: [(&str, &str, Act); 5] = [
        ("an empty directory", "index-mismatch", |machine, used| {
            machine.directory(&format!("state/{ELSEWHERE}"));
            mislead(&machine.homes(), used, ELSEWHERE);
        }),
        ("nothing", "index-mismatch", |machine, used| {
            mislead(&machine.homes(), used, ELSEWHERE);
        }),
        ("another workspace", "index-mismatch", |machine, used| {
            let other = machine.use_store(&machine.directory("other"));
            mislead(&machine.homes(), used, &other.id);
        }),
        ("a forged description", "index-mismatch", |machine, used| {
            let dir = machine.directory(&format!("state/{ELSEWHERE}"));
            let text = fs::read_to_string(used.workspace_dir().join("workspace")).unwrap();
            fs::write(dir.join("workspace"), text.replace(&used.id, ELSEWHERE)).unwrap();
            mislead(&machine.homes(), used, ELSEWHERE);
        }),
        ("no description", "description-missing", |_, used| {
            fs::remove_file(used.workspace_dir().join("workspace")).unwrap();
        }),
    ];
    for (name, expected, act) in table {
        let machine = Machine::new();
        let repo = machine.directory("repo");
        let used = machine.use_store(&repo);
        act(&machine, &used);
        let located = machine.locate(&repo);
        assert_eq!(located.id, used.id, "{name}");
        located.register().unwrap();
        let circuit = store(&machine.locate(&repo));
        assert_eq!(code(circuit.peek()), expected, "{name}");
        assert_eq!(code(add_to(&circuit, &["two"])), expected, "{name}");
        circuit.restart(9, &[]).unwrap();
        located.restore().unwrap();
        let healed = machine.locate(&repo);
        assert_eq!(healed.standing, Standing::Known, "{name}");
        assert!(store(&healed).peek().unwrap().is_first_use(), "{name}");
    }
}

#[test]
fn a_moved_workspace_is_not_led_astray_either() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    let used = machine.use_store(&repo);
    let moved = repo.with_file_name("moved");
    fs::rename(&repo, &moved).unwrap();
    machine.locate(&moved).register().unwrap();
    let other = machine.use_store(&machine.directory("other"));
    mislead(&machine.homes(), &used, &other.id);
    assert_eq!(
        code(store(&machine.locate(&moved)).peek()),
        "index-mismatch"
    );
}

#[test]
fn ordinary_moves_raise_no_alarm() {
    let machine = Machine::new();
    let (work, aside) = (
        machine.directory("work"),
        machine.directory("").join("aside"),
    );
    let used = machine.use_store(&work);
    fs::rename(&work, &aside).unwrap();
    // Another directory takes the path, and both are under the one breaker.
    for place in [machine.directory("work"), aside, machine.directory("work")] {
        let located = machine.locate(&place);
        assert_eq!(located.id, used.id);
        located.register().unwrap();
        store(&machine.locate(&place)).peek().unwrap();
    }
    // A known directory takes the path of one that is gone.
    let other = machine.use_store(&machine.directory("other"));
    fs::remove_dir_all(&work).unwrap();
    fs::rename(machine.directory("other"), &work).unwrap();
    let located = machine.locate(&work);
    assert_eq!(located.id, other.id);
    store(&located).peek().unwrap();
}

#[test]
fn dying_anywhere_in_a_registration_leaves_first_use_or_a_workspace() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    let top = machine.directory("");
    let before = Disk::capture(&top);
    let located = machine.locate(&repo);
    let effects = effects_of(|| located.register().unwrap());
    let states = crash_states(&before, &effects, 20);
    assert!(states.len() > 10);
    for state in states {
        let root = state.materialise(&top);
        let homes = Homes {
            state: root.path().join("state"),
            heads: root.path().join("heads"),
            ..machine.homes()
        };
        // The workspace's file says where the heads are.
        let file = homes.state.join(&located.id).join("workspace");
        if let Ok(text) = fs::read_to_string(&file) {
            let [from, to] =
                [machine.homes().heads, homes.heads.clone()].map(|path| path.display().to_string());
            let text = text.replace(&from, &to);
            fs::write(&file, text).unwrap();
        }
        let located = locate(&repo, &homes).unwrap();
        located.register().unwrap();
        let circuit = store(&locate(&repo, &homes).unwrap());
        assert!(circuit.peek().unwrap().is_first_use());
        only_entry(&homes.state.join("index"));
        only_entry(&homes.heads.join(&located.id));
        add_to(&circuit, &["one"]).unwrap();
        fs::remove_dir_all(&circuit.location().dir).unwrap();
        fs::remove_dir_all(&homes.heads).unwrap();
        let again = store(&locate(&repo, &homes).unwrap());
        assert_eq!(code(again.peek()), "list-missing");
    }
}

#[test]
fn a_deleted_circuit_is_found_whatever_becomes_of_the_lists() {
    type Act = fn(&Path, &Path);
    let table: [(&str, Act); 5] = [
        ("circuit-missing", |roll, _| fs::remove_file(roll).unwrap()),
        ("list-missing", |_, second| fs::remove_file(second).unwrap()),
        ("list-missing", |roll, second| {
            fs::remove_file(roll).unwrap();
            fs::remove_file(second).unwrap();
        }),
        ("list-missing", |roll, second| {
            fs::write(roll, "").unwrap();
            fs::write(second, "").unwrap();
        }),
        ("list-missing", |roll, second| {
            fs::write(roll, "").unwrap();
            let text = fs::read_to_string(second).unwrap();
            fs::write(second, text.replace("default\n", "")).unwrap();
        }),
    ];
    for (expected, act) in table {
        let machine = Machine::new();
        let repo = machine.directory("repo");
        let used = machine.use_store(&repo);
        let heads = machine.homes().heads.join(&used.id);
        fs::remove_dir_all(used.workspace_dir().join("circuits/default")).unwrap();
        fs::remove_file(heads.join("default")).unwrap();
        act(&used.workspace_dir().join("roll"), &heads.join(".roll"));
        let located = machine.locate(&repo);
        located.register().unwrap();
        let circuit = store(&machine.locate(&repo));
        assert_eq!(code(circuit.peek()), expected);
        assert_eq!(code(add_to(&circuit, &["two"])), expected);
        circuit.restart(9, &[]).unwrap();
        located.restore().unwrap();
        let healed = store(&machine.locate(&repo));
        add_to(&healed, &["two"]).unwrap();
        assert_eq!(healed.peek().unwrap().seq, 1);
    }
}

/// Puts the circuit of one workspace into the place of another's.
fn put_over(machine: &Machine, from: &Located, to: &Located, circuit: &str) {
    for name in ["log", "slots"] {
        let path = |of: &Located| of.workspace_dir().join("circuits").join(circuit).join(name);
        fs::copy(path(from), path(to)).unwrap();
    }
    let head = |of: &Located| machine.homes().heads.join(&of.id).join(circuit);
    fs::copy(head(from), head(to)).unwrap();
}

#[test]
fn a_circuit_of_another_workspace_is_not_taken_for_this_ones() {
    // The longest name that leaves room for whose it is, and one that does not.
    let (bound, unbound) = ("c".repeat(48), "c".repeat(49));
    let machine = Machine::new();
    let [ours, theirs] = ["ours", "theirs"].map(|name| machine.use_store(&machine.directory(name)));
    for circuit in ["default", &bound, &unbound] {
        let store = |of: &Located| {
            Store::<Tally>::open(of.circuit(&circuit.parse().unwrap(), boot())).unwrap()
        };
        add_to(&store(&ours), &["open"]).unwrap();
        add_to(&store(&theirs), &["shut"]).unwrap();
        put_over(&machine, &theirs, &ours, circuit);
        match store(&ours).peek() {
            Ok(_) => assert_eq!(circuit, unbound),
            answer => assert_eq!(code(answer), "log-of-another-workspace"),
        }
        store(&theirs).peek().unwrap();
    }
}

#[test]
fn lists_that_are_gone_are_not_begun_anew_by_another_circuit() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    let used = machine.use_store(&repo);
    fs::remove_file(used.workspace_dir().join("roll")).unwrap();
    fs::remove_file(machine.homes().heads.join(&used.id).join(".roll")).unwrap();
    let other = machine
        .locate(&repo)
        .circuit(&"other".parse().unwrap(), boot());
    let other = Store::<Tally>::open(other).unwrap();
    assert_eq!(code(add_to(&other, &["one"])), "list-missing");
}

#[test]
fn a_deleted_circuit_is_found_in_any_boot() {
    let bench = Bench::with(&["one"]);
    fs::remove_dir_all(bench.log().parent().unwrap()).unwrap();
    fs::remove_file(bench.head()).unwrap();
    for answer in [
        bench.store().peek(),
        bench.store_in(later_boot()).peek(),
        bench.add("two"),
        bench.store().peek(),
    ] {
        assert_eq!(code(answer), "circuit-missing");
    }
    bench.store().restart(9, &[]).unwrap();
    assert!(bench.store().peek().unwrap().is_first_use());
}

#[test]
fn a_circuit_that_never_held_a_record_is_not_missed() {
    let bench = Bench::new();
    let nothing = bench.store().update::<Error, _>(1, |_| Ok(Vec::new()));
    assert!(nothing.unwrap().is_first_use());
    fs::remove_dir_all(bench.log().parent().unwrap()).unwrap();
    fs::remove_file(bench.head()).unwrap();
    assert!(bench.store().peek().unwrap().is_first_use());
}

#[test]
fn many_circuits_are_listed_once_each_and_a_torn_line_is_none() {
    let machine = Machine::new();
    let located = machine.use_store(&machine.directory("repo"));
    let roll = located.workspace_dir().join("roll");
    fs::write(&roll, "default\nc1").unwrap();
    let circuit =
        |name: &str| Store::<Tally>::open(located.circuit(&name.parse().unwrap(), boot())).unwrap();
    assert!(circuit("c1").peek().unwrap().is_first_use());
    std::thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || {
                for body in ["one", "two"] {
                    add_to(&circuit(&format!("c{number}")), &[body]).unwrap();
                }
            });
        }
    });
    let text = fs::read_to_string(&roll).unwrap();
    let mut names: Vec<&str> = text.lines().collect();
    names.sort_unstable();
    let expected = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "default"];
    assert_eq!(names, expected);
}

#[test]
fn a_line_that_was_cut_short_is_overwritten_whole() {
    let bench = Bench::new();
    bench
        .store()
        .update::<Error, _>(1, |_| Ok(Vec::new()))
        .unwrap();
    let roll = bench.root.path().join("state/roll");
    fs::write(&roll, "other\na-longer-name-than-ours-that-was-cut").unwrap();
    bench.add("one").unwrap();
    assert_eq!(fs::read_to_string(&roll).unwrap(), "other\ndefault\n");
}

#[test]
fn a_list_of_circuits_that_is_longer_than_any_is_not_read() {
    let bench = Bench::new();
    bench
        .store()
        .update::<Error, _>(1, |_| Ok(Vec::new()))
        .unwrap();
    let roll = bench.root.path().join("state/roll");
    let lines = |bytes: usize| "x\n".repeat(bytes / 2) + &"\n".repeat(bytes % 2);
    fs::write(&roll, lines(1_048_577)).unwrap();
    assert!(matches!(bench.add("one"), Err(Error::Unsafe { .. })));
    fs::write(&roll, lines(1_048_576)).unwrap();
    bench.add("one").unwrap();
}

#[test]
fn another_place_for_the_heads_is_refused_and_nothing_is_latched() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    machine.use_store(&repo);
    let elsewhere = Homes {
        heads: machine.directory("elsewhere"),
        ..machine.homes()
    };
    match locate(&repo, &elsewhere) {
        Err(Error::HeadsElsewhere { recorded, resolved }) => {
            assert_eq!(
                (recorded, resolved),
                (machine.homes().heads, elsewhere.heads)
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(store(&machine.locate(&repo)).peek().unwrap().seq, 1);
    // A place that holds the heads is as good, whatever it is called.
    let link = machine.directory("").join("link");
    std::os::unix::fs::symlink(machine.homes().heads, &link).unwrap();
    let linked = Homes {
        heads: link,
        ..machine.homes()
    };
    assert_eq!(
        store(&locate(&repo, &linked).unwrap()).peek().unwrap().seq,
        1
    );
}
