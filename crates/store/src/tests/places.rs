//! Files that are gone, old, or not files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::{Bench, code, later_boot};
use crate::{Error, Store, disk};

fn remove(path: &Path) {
    fs::remove_file(path).unwrap();
}

#[test]
fn what_is_missing_is_found_in_any_boot() {
    type Act = fn(&Bench);
    let table: [(&str, Act); 10] = [
        ("log-missing", |bench| remove(&bench.log())),
        ("slots-missing", |bench| remove(&bench.slots())),
        ("head-missing", |bench| remove(&bench.head())),
        ("log-missing", |bench| {
            remove(&bench.log());
            remove(&bench.slots());
        }),
        ("log-missing", |bench| {
            remove(&bench.log());
            remove(&bench.head());
        }),
        ("slots-missing", |bench| {
            remove(&bench.slots());
            remove(&bench.head());
        }),
        ("log-short", |bench| fs::write(bench.log(), "").unwrap()),
        ("log-short", |bench| {
            // Within the opening record.
            let log = fs::File::options().write(true).open(bench.log());
            log.unwrap().set_len(300).unwrap();
        }),
        ("slots-resized", |bench| {
            fs::write(bench.slots(), "").unwrap();
        }),
        ("log-missing", |bench| {
            fs::remove_dir_all(bench.root.path().join("state")).unwrap();
        }),
    ];
    for (expected, act) in table {
        let bench = Bench::with(&["one", "two"]);
        act(&bench);
        assert_eq!(code(bench.store().peek()), expected);
        assert_eq!(code(bench.store_in(later_boot()).peek()), expected);
        assert_eq!(code(bench.add("three")), expected);
        assert_eq!(
            code(bench.store().peek()),
            expected,
            "the finding is latched"
        );
        bench.store().restart(9, &[]).unwrap();
        assert!(bench.store().peek().unwrap().is_first_use());
    }
}

#[test]
fn an_old_copy_put_back_is_found_in_any_boot() {
    let bench = Bench::with(&["one"]);
    let old_log = fs::read(bench.log()).unwrap();
    let old_slots = fs::read(bench.slots()).unwrap();
    let old_head = fs::read(bench.head()).unwrap();
    bench.add("two").unwrap();
    let new_head = fs::read(bench.head()).unwrap();
    for (slots, head, expected) in [
        (true, false, "head-ahead"),
        (false, true, "log-cut"),
        (false, false, "log-cut"),
    ] {
        let slots_before = fs::read(bench.slots()).unwrap();
        fs::write(bench.log(), &old_log).unwrap();
        if slots {
            fs::write(bench.slots(), &old_slots).unwrap();
        }
        fs::write(bench.head(), if head { &old_head } else { &new_head }).unwrap();
        let later = code(bench.store_in(later_boot()).peek());
        assert_eq!(later, expected, "slots {slots}, head {head}");
        super::tamper(bench.store().peek());
        fs::write(bench.slots(), slots_before).unwrap();
    }
}

#[test]
fn a_log_of_another_circuit_or_history_is_found() {
    let bench = Bench::with(&["one", "two"]);
    let other = Bench::with(&["one", "other"]);
    fs::copy(other.log(), bench.log()).unwrap();
    assert_eq!(code(bench.store().peek()), "record-damaged");
    fs::copy(other.slots(), bench.slots()).unwrap();
    assert_eq!(code(bench.store_in(later_boot()).peek()), "head-mismatch");

    let bench = Bench::with(&["one"]);
    let mut location = super::location_in(bench.root.path(), super::boot());
    location.circuit = "other".parse().unwrap();
    let store = Store::<super::Tally>::open(location).unwrap();
    assert_eq!(code(store.peek()), "log-foreign");
}

#[test]
fn what_is_not_a_file_is_found_without_hanging() {
    type Plant = fn(&Path);
    let plants: [(&str, Plant); 3] = [
        ("a symbolic link", |path| {
            symlink("/dev/null", path).unwrap();
        }),
        ("a directory", |path| fs::create_dir(path).unwrap()),
        ("a pipe", |path| {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0)
                .unwrap();
        }),
    ];
    for (name, plant) in plants {
        for which in [Bench::log, Bench::slots, Bench::head] {
            let bench = Bench::with(&["one"]);
            let path: PathBuf = which(&bench);
            remove(&path);
            plant(&path);
            let found = super::tamper(bench.store().peek());
            assert_eq!(found.code(), "not-a-file", "{}", path.display());
            assert!(found.to_string().contains(name), "{found}");
            assert_eq!(code(bench.add("two")), "not-a-file");
            bench.store().restart(9, &[]).unwrap();
            assert!(bench.store().peek().unwrap().is_first_use());
        }
    }
}

#[test]
fn a_link_to_a_sound_copy_is_not_followed() {
    let bench = Bench::with(&["one"]);
    let copy = bench.root.path().join("copy");
    fs::rename(bench.log(), &copy).unwrap();
    symlink(&copy, bench.log()).unwrap();
    assert_eq!(code(bench.store().peek()), "not-a-file");
}

#[test]
fn files_are_ours_alone_and_exposed_ones_are_refused() {
    let bench = Bench::with(&["one"]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for path in [bench.log(), bench.slots(), bench.head()] {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(matches!(bench.store().peek(), Err(Error::Unsafe { .. })));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let dir = bench.log().parent().unwrap().to_owned();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).unwrap();
    let location = super::location_in(bench.root.path(), super::boot());
    assert!(matches!(
        Store::<super::Tally>::open(location),
        Err(Error::Unsafe { .. })
    ));
}

#[test]
fn the_directory_above_may_be_anybodys() {
    let bench = Bench::new();
    let open = bench.root.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    disk::ensure_directory(&open.join("ours")).unwrap();
    let mode = fs::metadata(open.join("ours")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o700);
    assert!(matches!(
        disk::ensure_directory(&open),
        Err(Error::Unsafe { .. })
    ));
}

#[test]
fn what_cannot_be_removed_is_told() {
    let bench = Bench::new();
    let directory = bench.root.path().join("directory");
    disk::remove_if_present(&directory).unwrap();
    fs::create_dir(&directory).unwrap();
    disk::remove_if_present(&directory).unwrap_err();
}

#[test]
fn an_unfinished_creation_is_finished() {
    for missing_slots in [false, true] {
        let bench = Bench::new();
        bench
            .store()
            .update::<Error, _>(1, |_| Ok(Vec::new()))
            .unwrap();
        remove(&bench.head());
        if missing_slots {
            remove(&bench.slots());
        }
        let view = bench.store().peek().unwrap();
        assert_eq!(view.repairs, [crate::Repair::CreationFinished]);
        assert_eq!(bench.add("one").unwrap().seq, 1);
        assert_eq!(bench.store().peek().unwrap().repairs, []);
    }
}
