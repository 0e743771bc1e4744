//! Where a memory may be kept, and under which permissions.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::context::{FUSEBOX, TestContext};

#[test]
fn a_memory_that_others_may_write_is_refused() {
    let mut refused = 0;
    for name in ["state", "circuit", "heads home", "log"] {
        let context = TestContext::new();
        context.open_breaker();
        let store = context.store();
        let path = match name {
            "state" => store.state,
            "circuit" => store.circuit,
            "log" => store.log,
            _ => context.path("data/fusebox/heads"),
        };
        fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        for args in [
            &["check"][..],
            &["check", "--peek"],
            &["record"],
            &["status"],
        ] {
            context
                .fusebox(args)
                .run()
                .expect(3)
                .says("may be written by others");
            refused += 1;
        }
    }
    let context = TestContext::new();
    context.open_breaker();
    let state = context.store().state;
    fs::rename(&state, context.path("real")).unwrap();
    symlink(context.path("real"), &state).unwrap();
    context
        .fusebox(&["check"])
        .run()
        .expect(3)
        .says("symbolic link");
    println!(
        "proof: places {} that others may write, or a link",
        refused + 1
    );
}

/// Whatever the shell would allow others.
#[test]
fn a_memory_is_made_for_its_owner_alone() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = format!(
        "umask 0; {FUSEBOX} tasks add T-1 && {FUSEBOX} tasks next --pid $$ \
         && {FUSEBOX} --circuit b trip --reason x \
         && exec {FUSEBOX} run --once -- sh -c 'echo x >>a.txt; echo said'"
    );
    context
        .call(Path::new("sh"), &["-c", &script])
        .run()
        .expect(0);
    let mut open = Vec::new();
    let mut looked_at = 0;
    let mut ahead = vec![context.path("state"), context.path("data")];
    while let Some(directory) = ahead.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            looked_at += 1;
            if metadata.permissions().mode() & 0o077 != 0 {
                open.push(path.clone());
            }
            // What git writes into the snapshots lies behind a directory that is closed.
            if metadata.is_dir() && !path.ends_with("shadow.git") {
                ahead.push(path);
            }
        }
    }
    assert!(looked_at > 20, "{looked_at}");
    assert!(open.is_empty(), "{open:?}");
    println!("proof: places {looked_at} files and directories of our own making");
}

/// Root may read and write anything, so this acts as somebody else.
#[test]
fn a_memory_that_cannot_be_read_or_written_is_no_consent() {
    let Some(context) = TestContext::unprivileged() else {
        return;
    };
    for (path, mode) in [
        ("log", 0o000),
        ("log", 0o400),
        ("slots", 0o000),
        ("head", 0o000),
        ("circuit", 0o000),
        ("state", 0o000),
    ] {
        let name = format!("{path}-{mode}");
        context
            .fusebox(&["--circuit", "default", "record", "--files-changed", "1"])
            .run()
            .expect(0);
        let store = context.store();
        let path = match path {
            "log" => store.log,
            "slots" => store.slots,
            "head" => store.head,
            "circuit" => store.circuit,
            _ => store.state,
        };
        let usual = fs::metadata(&path).unwrap().permissions();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        for args in [&["check"][..], &["record", "--files-changed", "1"]] {
            let came = context.fusebox(args).run();
            assert_eq!(came.code, 4, "{name}: {args:?} said {}", came.err());
        }
        fs::set_permissions(&path, usual).unwrap();
        context.fusebox(&["check"]).run().expect(0);
    }
    println!("proof: places 6 that cannot be read or written");
}

#[test]
fn a_memory_that_cannot_be_created_is_no_consent() {
    let Some(context) = TestContext::unprivileged() else {
        return;
    };
    let read_only = fs::Permissions::from_mode(0o500);
    fs::set_permissions(context.path("home"), read_only).unwrap();
    // A self-check rehearses a run, and starts itself for that.
    let program = context.program_for_all();
    for name in ["XDG_STATE_HOME", "XDG_DATA_HOME"] {
        for args in [
            &["check"][..],
            &["check", "--peek"],
            &["self-check"],
            &["record"],
            &["run", "--once", "--", "true"],
        ] {
            let came = context
                .call(&program, args)
                .env(name, context.path("home/x"))
                .run();
            assert_eq!(came.code, 4, "{name}: {args:?} said {}", came.err());
        }
    }
}

#[test]
fn a_place_where_nothing_can_be_made_is_told_by_whoever_only_looks() {
    let context = TestContext::new();
    fs::write(context.path("file"), "").unwrap();
    let beneath = context.path("file/state");
    let args = ["--state-dir", beneath.to_str().unwrap()];
    for command in [
        &["check"][..],
        &["check", "--peek"],
        &["doctor"],
        &["self-check"],
    ] {
        let came = context.fusebox(&[&args, command].concat()).run();
        assert_eq!(came.code, 4, "{command:?}: {}{}", came.out(), came.err());
    }
    // What a self-check makes in order to find out is gone afterwards, and a peek makes nothing.
    let sound = TestContext::new();
    sound.fusebox(&["check", "--peek"]).run().expect(0);
    sound.fusebox(&["self-check"]).run().expect(0);
    for place in ["state", "data"] {
        let left = fs::read_dir(sound.path(place)).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{place}");
    }
}

#[test]
fn a_file_system_that_cannot_be_relied_on_is_refused() {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let remote = mounts.lines().find_map(|line| {
        let mut words = line.split(' ').skip(1);
        let (place, kind) = (words.next()?, words.next()?);
        let known = ["nfs", "nfs4", "9p", "cifs", "smb3", "ceph"].contains(&kind);
        (known || kind.starts_with("fuse.")).then_some(place)
    });
    let Some(remote) = remote.filter(|place| Path::new(place).is_dir()) else {
        eprintln!("SKIPPED: no remote file system is mounted here");
        return;
    };
    let state = Path::new(remote).join("fusebox-test");
    TestContext::new()
        .fusebox(&["--state-dir", state.to_str().unwrap(), "check"])
        .run()
        .expect(6)
        .complains_once();
    assert!(!state.exists());
}
