//! Every kind of change is seen, named rightly, and judged.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;

use crate::support::{Bench, bytes, id, kinds};
use fusebox_workspace::{Budget, ChangeKind, SnapshotId};

use ChangeKind::{Added, Deleted, ModeOnly, Modified, TypeChanged};

struct Case {
    name: &'static str,
    work: fn(&Bench),
    expected: &'static [Expected],
}

/// Kind, path, added and deleted lines, and whether it is meaningful.
type Expected = (ChangeKind, &'static [u8], Option<(u64, u64)>, bool);

const CASES: [Case; 24] = [
    Case {
        name: "add",
        work: |bench| bench.write("new", "a\nb\n"),
        expected: &[(Added, b"new", Some((2, 0)), true)],
    },
    Case {
        name: "add empty",
        work: |bench| bench.write("new", ""),
        expected: &[(Added, b"new", Some((0, 0)), false)],
    },
    Case {
        name: "add blank lines only",
        work: |bench| bench.write("new", "\n\n  \n"),
        expected: &[(Added, b"new", Some((3, 0)), false)],
    },
    Case {
        name: "add binary",
        work: |bench| bench.write("new", [0, 1, 2]),
        expected: &[(Added, b"new", None, true)],
    },
    Case {
        name: "edit",
        work: |bench| bench.write("text", "one\nTWO\nthree\n"),
        expected: &[(Modified, b"text", Some((1, 1)), true)],
    },
    Case {
        name: "indent",
        work: |bench| bench.write("text", "one\n    two\nthree\n"),
        expected: &[(Modified, b"text", Some((1, 1)), false)],
    },
    Case {
        name: "line endings",
        work: |bench| bench.write("text", "one\r\ntwo\r\nthree\r\n"),
        expected: &[(Modified, b"text", Some((3, 3)), false)],
    },
    Case {
        name: "blank lines",
        work: |bench| bench.write("text", "one\n\ntwo\n\n\nthree\n"),
        expected: &[(Modified, b"text", Some((3, 0)), false)],
    },
    Case {
        name: "final newline",
        work: |bench| bench.write("text", "one\ntwo\nthree"),
        expected: &[(Modified, b"text", Some((1, 1)), false)],
    },
    Case {
        name: "edit binary",
        work: |bench| bench.write("binary", [0, 9]),
        expected: &[(Modified, b"binary", None, true)],
    },
    Case {
        name: "delete",
        work: |bench| bench.remove("text"),
        expected: &[(Deleted, b"text", Some((0, 3)), true)],
    },
    Case {
        name: "delete empty",
        work: |bench| bench.remove("empty"),
        expected: &[(Deleted, b"empty", Some((0, 0)), false)],
    },
    Case {
        name: "rename",
        work: |bench| {
            fs::rename(bench.root().join("text"), bench.root().join("renamed")).unwrap();
        },
        expected: &[
            (Added, b"renamed", Some((3, 0)), true),
            (Deleted, b"text", Some((0, 3)), true),
        ],
    },
    Case {
        name: "chmod",
        work: |bench| bench.make_executable("text"),
        expected: &[(ModeOnly, b"text", Some((0, 0)), false)],
    },
    Case {
        name: "retarget",
        work: |bench| {
            bench.remove("link");
            symlink("elsewhere", bench.root().join("link")).unwrap();
        },
        expected: &[(Modified, b"link", Some((1, 1)), true)],
    },
    Case {
        name: "file to link",
        work: |bench| {
            bench.remove("text");
            symlink("/etc/passwd", bench.root().join("text")).unwrap();
        },
        expected: &[(TypeChanged, b"text", Some((1, 3)), true)],
    },
    Case {
        name: "file to directory",
        work: |bench| {
            bench.remove("text");
            bench.write("text/inside", "x\n");
        },
        expected: &[
            (Deleted, b"text", Some((0, 3)), true),
            (Added, b"text/inside", Some((1, 0)), true),
        ],
    },
    Case {
        name: "directory to file",
        work: |bench| {
            fs::remove_dir_all(bench.root().join("deep")).unwrap();
            bench.write("deep", "flat\n");
        },
        expected: &[
            (Added, b"deep", Some((1, 0)), true),
            (Deleted, b"deep/er/file", Some((0, 1)), true),
        ],
    },
    Case {
        name: "directory to link beside its old self",
        work: |bench| {
            fs::rename(bench.root().join("deep"), bench.root().join("moved")).unwrap();
            symlink("moved", bench.root().join("deep")).unwrap();
        },
        expected: &[
            (Added, b"deep", Some((1, 0)), true),
            (Deleted, b"deep/er/file", Some((0, 1)), true),
            (Added, b"moved/er/file", Some((1, 0)), true),
        ],
    },
    Case {
        name: "file to FIFO",
        work: |bench| {
            bench.remove("text");
            bench.fifo("text");
        },
        expected: &[(Deleted, b"text", Some((0, 3)), true)],
    },
    Case {
        name: "new FIFO and socket",
        work: |bench| {
            bench.fifo("pipe");
            std::os::unix::net::UnixListener::bind(bench.root().join("socket")).unwrap();
        },
        expected: &[],
    },
    Case {
        name: "empty directory",
        work: |bench| fs::create_dir(bench.root().join("hollow")).unwrap(),
        expected: &[],
    },
    Case {
        name: "names of any bytes",
        work: |bench| {
            for name in [
                &b"new\nline"[..],
                b"\xff\xfe",
                b"\"quote\\d\"",
                b" lead",
                b"-dash",
                b"tab\t",
            ] {
                bench.write(bytes(name), "x\n");
            }
        },
        expected: &[
            (Added, b" lead", Some((1, 0)), true),
            (Added, b"\"quote\\d\"", Some((1, 0)), true),
            (Added, b"-dash", Some((1, 0)), true),
            (Added, b"new\nline", Some((1, 0)), true),
            (Added, b"tab\t", Some((1, 0)), true),
            (Added, b"\xff\xfe", Some((1, 0)), true),
        ],
    },
    Case {
        name: "a name that git reserves",
        work: |bench| bench.write(".GIT/hooks/x", "x\n"),
        expected: &[(Added, b".GIT/hooks/x", None, true)],
    },
];

fn prepare(bench: &Bench) {
    bench.write("text", "one\ntwo\nthree\n");
    bench.write("binary", [0, 1, 2]);
    bench.write("empty", "");
    bench.write("deep/er/file", "x\n");
    bench.write("deep.sibling", "x\n");
    symlink("text", bench.root().join("link")).unwrap();
}

#[test]
fn every_kind_of_change() {
    for case in CASES {
        let Some(bench) = Bench::new() else { return };
        prepare(&bench);
        let mut shadow = bench.shadow();
        let before = id(&mut shadow);
        (case.work)(&bench);
        let after = id(&mut shadow);
        assert_eq!(before != after, !case.expected.is_empty(), "{}", case.name);
        let changes = shadow.compare(&before, &after).unwrap();
        let found: Vec<_> = changes
            .files
            .iter()
            .map(|change| {
                use std::os::unix::ffi::OsStrExt;
                let lines = change.added_lines.zip(change.deleted_lines);
                let path = change.path.as_os_str().as_bytes();
                (change.kind, path, lines, change.meaningful)
            })
            .collect();
        assert_eq!(found, case.expected, "{}", case.name);
        let meaningful = case.expected.iter().filter(|change| change.3).count();
        assert_eq!(changes.meaningful, meaningful, "{}", case.name);
    }
}

#[test]
fn lists_are_capped_and_totals_are_not() {
    let Some(bench) = Bench::new() else { return };
    let budget = Budget {
        listed_changes: 10,
        ..Budget::default()
    };
    let mut shadow = bench.shadow_within(budget);
    let before = id(&mut shadow);
    for at in 0..200 {
        bench.write(format!("file{at}"), "line\n");
    }
    let after = id(&mut shadow);
    let changes = shadow.compare(&before, &after).unwrap();
    assert_eq!(changes.files.len(), 10);
    assert_eq!((changes.total, changes.meaningful), (200, 200));
    assert_eq!((changes.added_lines, changes.deleted_lines), (200, 0));
}

#[test]
fn comparing_works_after_a_restart() {
    let Some(bench) = Bench::new() else { return };
    bench.write("file", "one\n");
    let before = id(&mut bench.shadow()).to_string();
    bench.write("file", "two\n");
    let after = id(&mut bench.shadow()).to_string();
    let mut shadow = bench.shadow();
    let changes = shadow
        .compare(&before.parse().unwrap(), &after.parse().unwrap())
        .unwrap();
    assert_eq!(kinds(&changes), [(Modified, &b"file"[..])]);
}

#[test]
fn unknown_snapshot_cannot_be_compared_and_breaks_nothing() {
    let Some(bench) = Bench::new() else { return };
    bench.write("file", "one\n");
    let mut shadow = bench.shadow();
    let known = id(&mut shadow);
    let unknown = "0123456789abcdef0123456789abcdef01234567".parse().unwrap();
    shadow.compare(&known, &unknown).unwrap_err();
    let next = shadow.snapshot().unwrap();
    assert_eq!((next.id, next.rebuilt), (known, false));
}

#[test]
fn patches_apply_and_are_cut_where_they_should_be() {
    let Some(bench) = Bench::new() else { return };
    prepare(&bench);
    // Attributes in the workspace have no say in how a patch looks.
    bench.write(".gitattributes", "* -diff\n");
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    let copy = bench.home().join("copy");
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .arg(bench.root())
        .arg(&copy)
        .status();
    assert!(copied.unwrap().success());
    bench.write("text", "one\n2\nthree\n");
    bench.write("deep/new", "fresh\n");
    bench.remove("empty");
    let after = id(&mut shadow);

    let mut patch = Vec::new();
    let summary = shadow
        .write_patch(&before, &after, &mut patch, u64::MAX)
        .unwrap();
    assert_eq!(summary.written, patch.len() as u64);
    assert!(!summary.truncated);
    let file = bench.home().join("patch");
    fs::write(&file, &patch).unwrap();
    let applied = crate::support::user_git(&copy, &["apply", file.to_str().unwrap()]);
    assert!(
        applied.status.success(),
        "{}",
        String::from_utf8_lossy(&patch)
    );
    assert_eq!(fs::read(copy.join("text")).unwrap(), b"one\n2\nthree\n");
    assert_eq!(fs::read(copy.join("deep/new")).unwrap(), b"fresh\n");
    assert!(!copy.join("empty").exists());

    for cap in [0, 1, 100] {
        let mut cut = Vec::new();
        let summary = shadow.write_patch(&before, &after, &mut cut, cap).unwrap();
        assert_eq!((summary.written, summary.truncated), (cap, true));
        assert_eq!(cut, patch[..cut.len()]);
    }
    let whole = patch.len() as u64;
    let exact = shadow
        .write_patch(&before, &after, &mut Vec::new(), whole)
        .unwrap();
    assert!(!exact.truncated);
}

#[test]
fn large_patches_pass_through_in_small_pieces() {
    /// Fails the test if it is handed a large piece, which somebody would have had to hold.
    struct Narrow(u64);
    impl Write for Narrow {
        fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
            assert!(piece.len() <= 1 << 16);
            self.0 += piece.len() as u64;
            Ok(piece.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let Some(bench) = Bench::new() else { return };
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);
    bench.write("large", "some line of text\n".repeat(500_000));
    let after = id(&mut shadow);
    let mut out = Narrow(0);
    let summary = shadow
        .write_patch(&before, &after, &mut out, 5_000_000)
        .unwrap();
    assert_eq!((out.0, summary.truncated), (5_000_000, true));
}

/// The sum over sources and tests comes back with them, and with nothing else.
#[test]
fn the_work_comes_back_whatever_was_written_about_it() {
    let Some(bench) = Bench::new() else { return };
    bench.write("parse.rs", "one\n");
    bench.write("NOTES.md", "begun\n");
    let mut shadow = bench.shadow();
    let start = id(&mut shadow);
    let mut moved = |last: &SnapshotId| {
        let now = id(&mut shadow);
        let shift = shadow.compare(last, &now).unwrap().shift;
        (now, shift)
    };
    bench.write("parse.rs", "two\n");
    bench.write("NOTES.md", "begun\ntried two\n");
    let (there, out) = moved(&start);
    assert_ne!(out, 0);
    bench.write("NOTES.md", "rewritten\n");
    bench.write("session.dat", "1\n");
    let (noted, nothing) = moved(&there);
    assert_eq!(nothing, 0, "neither a source nor a test");
    bench.write("parse.rs", "one\n");
    bench.write("session.dat", "1\n2\n");
    let (back, home) = moved(&noted);
    assert_eq!((out + home) % (1 << 53), 0);
    // Sources and tests hold the work, whatever they are called and however they grow.
    bench.write("log.rs", "a\n");
    let (one, first) = moved(&back);
    bench.write("log.rs", "a\nb\n");
    let (_, second) = moved(&one);
    assert!(first != 0 && second != 0);
}
