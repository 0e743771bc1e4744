//! A later format is left alone; an earlier one is taken over.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::locating::Machine;
use super::{Bench, add_to, code, draft, tally_of};
use crate::header::{self, GoesOn};
use crate::version::RELEASE;
use crate::{Draft, Error, disk, frame, hex, locate};

/// Puts a checksum right that covers `bytes` up to it.
fn seal(bytes: &mut [u8]) {
    let content = bytes.len() - 32;
    let checksum: [u8; 32] = Sha256::digest(&bytes[..content]).into();
    bytes[content..].copy_from_slice(&checksum);
}

/// Rewrites a file as fusebox 9.8.7 with format 7 would have written it.
fn from_the_future(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let binary = |bytes: &mut [u8]| {
        bytes[8..12].copy_from_slice(&7_u32.to_le_bytes());
        bytes[12..17].copy_from_slice(b"9.8.7");
        seal(bytes);
    };
    match path.file_name().unwrap().to_str().unwrap() {
        "log" => binary(&mut bytes[..268]),
        "slots" => {
            for slot in [0, 128 * 1024] {
                let length = bytes[slot + 28..slot + 32].try_into().unwrap();
                let length = usize::try_from(u32::from_le_bytes(length)).unwrap();
                binary(&mut bytes[slot..slot + length]);
            }
        }
        _ => {
            let line = String::from_utf8(bytes).unwrap();
            let content = line.rsplit_once(' ').unwrap().0;
            let content = content.replace("head 1 0.1.0", "head 7 9.8.7");
            let checksum: [u8; 32] = Sha256::digest(content.as_bytes()).into();
            bytes = format!("{content} {}\n", hex::encode(&checksum)).into_bytes();
        }
    }
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_file_of_a_later_release_denies_in_one_line_and_is_left_alone() {
    for file in ["log", "slots", "heads/default"] {
        let bench = Bench::with(&["one", "two"]);
        let path = match file {
            "log" => bench.log(),
            "slots" => bench.slots(),
            _ => bench.head(),
        };
        from_the_future(&path);
        let before = fs::read(&path).unwrap();
        for answer in [bench.store().peek(), bench.add("three")] {
            let error = answer.expect_err(file);
            assert!(matches!(error, Error::Newer { .. }), "{error:?}");
            let expected = format!(
                "was written by fusebox 9.8.7 (format 7); this is fusebox {RELEASE}, which reads up to 1"
            );
            assert!(error.to_string().ends_with(&expected), "{error}");
        }
        assert_eq!(fs::read(&path).unwrap(), before);
        let dir = bench.log().with_file_name("");
        assert!(!dir.join("tampered").exists() && !dir.join("quarantine").exists());
    }
}

#[test]
fn the_longest_head_of_a_later_release_is_known_for_one() {
    let bench = Bench::with(&["one"]);
    let head = |bytes: usize| {
        // The checksum, the space before it and the end of the line are 66.
        let content = format!("{:.<width$}", "fusebox-head 7 9.8.7 ", width = bytes - 66);
        let checksum: [u8; 32] = Sha256::digest(content.as_bytes()).into();
        fs::write(
            bench.head(),
            format!("{content} {}\n", hex::encode(&checksum)),
        )
        .unwrap();
        bench.store().peek()
    };
    assert!(matches!(head(512), Err(Error::Newer { .. })));
    assert_eq!(code(head(513)), "head-damaged");
}

#[test]
fn a_workspace_of_a_later_release_is_told_with_that_release() {
    let machine = Machine::new();
    let repo = machine.directory("repo");
    let file = machine.use_store(&repo).workspace_dir().join("workspace");
    let text = fs::read_to_string(&file).unwrap();
    let later = text
        .replace("fusebox-workspace 1", "fusebox-workspace 7")
        .replace(&format!("writer {RELEASE}"), "writer 9.8.7");
    fs::write(&file, later).unwrap();
    match locate(&repo, &machine.homes()) {
        Err(Error::Newer { writer, format, .. }) => {
            assert_eq!((writer.as_str(), format), ("9.8.7", 7));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_record_of_a_later_release_is_told_with_the_release_that_wrote_last() {
    let bench = Bench::with(&["one"]);
    let end = bench.store().log().unwrap().unwrap().end();
    let mut frame = Vec::new();
    let later = Draft {
        version: 5,
        ..draft(b"x")
    };
    frame::append(&mut frame, &later, &end, false);
    let mut bytes = fs::read(bench.log()).unwrap();
    bytes.extend(frame);
    fs::write(bench.log(), bytes).unwrap();
    match bench.store().peek() {
        Err(Error::Newer {
            writer,
            format: 5,
            known: 1,
            ..
        }) => assert_eq!(writer, RELEASE),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_log_of_an_earlier_format_is_sealed_by_the_first_write() {
    let bench = Bench::new();
    let store = bench.store();
    let dir = &store.location().dir;
    disk::ensure_directory(dir).unwrap();
    let (bytes, _) = header::log_in_format(0, store.location(), 1, &GoesOn::genesis());
    fs::write(bench.log(), &bytes).unwrap();
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(bench.log(), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(store.peek().unwrap().state, tally_of::<&str>(&[]));
    assert_eq!(
        fs::read(bench.log()).unwrap(),
        bytes,
        "a look upgrades nothing"
    );
    add_to(&store, &["one"]).unwrap();
    add_to(&store, &["two"]).unwrap();
    assert_eq!(fs::read(bench.sealed(0)).unwrap(), bytes);
    assert_eq!(fs::read(bench.log()).unwrap()[8..12], 1_u32.to_le_bytes());
    assert_eq!(store.peek().unwrap().state, tally_of(&["one", "two"]));
    assert_eq!(store.verify_all().unwrap().unwrap().seq, 3);
}

#[test]
fn a_log_that_does_not_say_whose_it_is_goes_on_until_it_is_sealed() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    let store = bench.sealing(100);
    disk::ensure_directory(&store.location().dir).unwrap();
    let (mut bytes, _) = header::fresh_log(store.location(), 1, &GoesOn::genesis());
    bytes.truncate(268);
    let whose = bytes[80..96].to_vec();
    bytes[80..96].fill(0);
    seal(&mut bytes);
    let opening = Draft {
        kind: 0,
        version: 0,
        body: bytes[236..].to_vec(),
    };
    frame::append(&mut bytes, &opening, &header::NOTHING, false);
    fs::write(bench.log(), &bytes).unwrap();
    fs::set_permissions(bench.log(), fs::Permissions::from_mode(0o600)).unwrap();
    for body in ["one", "two", "three"] {
        add_to(&store, &[body]).unwrap();
    }
    assert_eq!(
        store.verify_all().unwrap().unwrap().seq,
        store.peek().unwrap().seq
    );
    assert_eq!(fs::read(bench.sealed(0)).unwrap()[80..96], [0; 16]);
    assert_eq!(fs::read(bench.log()).unwrap()[80..96], whose);
}
