//! Copies of what is protected: what is found to be lost, and how it comes back.

mod workspace;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fusebox_guard::keep::{Author, Bounds, Change, How, KeepError, Kept, Report, Why};
use fusebox_guard::{Mode, Protected, Rule};
use tempfile::TempDir;
use workspace::Workspace;

/// A workspace whose protected files are kept elsewhere.
struct Bench {
    workspace: Workspace,
    vault: TempDir,
    protected: Protected,
    kept: Kept,
}

impl Bench {
    fn new() -> Self {
        Self::with(|protected| protected)
    }

    fn with(rules: impl FnOnce(Protected) -> Protected) -> Self {
        let workspace = Workspace::new();
        let vault = tempfile::tempdir().expect("a temporary directory");
        let protected = rules(workspace.guard().protected().clone());
        let (kept, taken) =
            Kept::take(vault.path(), &protected, Bounds::default()).expect("copies");
        assert_eq!((taken.changed, taken.left_out), (Vec::new(), Vec::new()));
        assert!(taken.kept > 10 && taken.bytes > 40, "{}", taken.kept);
        Self {
            workspace,
            vault,
            protected,
            kept,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.workspace.path().join(name)
    }

    fn settle(&mut self, author: Author<'_>) -> Report {
        self.kept.settle(&self.protected, author).expect("a look")
    }

    fn state(&self) -> BTreeMap<PathBuf, String> {
        state(&self.protected)
    }
}

const COMMANDS: Author<'_> = Author::Calls { writing: &[] };

/// Everything protected with what it is and holds.
fn state(protected: &Protected) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut pending = vec![protected.root().to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).expect("a directory").flatten() {
            let (path, about) = (entry.path(), entry.metadata().expect("a file"));
            if about.is_dir() {
                pending.push(path.clone());
            }
            if protected.rule_of(&path).is_none() {
                continue;
            }
            let content = if about.is_symlink() {
                format!("{:?}", path.read_link().expect("a link"))
            } else if about.is_dir() {
                String::new()
            } else {
                format!("{:o} {:?}", about.mode(), fs::read(&path).expect("a file"))
            };
            found.insert(path, content);
        }
    }
    found
}

fn sh(directory: &Path, command: &str) {
    let status = Command::new("sh")
        .args(["-c", command])
        .current_dir(directory)
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("sh runs").success(), "{command}");
}

#[test]
fn req_004_066_and_004_075_and_004_076_whatever_is_lost_is_found_and_put_back_byte_for_byte() {
    for (command, path, how) in [
        ("rm CLAUDE.md", "CLAUDE.md", How::Missing),
        ("rm -rf specs", "specs", How::Missing),
        ("rmdir memory/empty", "memory/empty", How::Missing),
        (
            "rm -rf specs .claude memory .ralph* *.md",
            ".claude",
            How::Missing,
        ),
        (
            "mv CLAUDE.md build/c",
            "CLAUDE.md",
            How::Renamed("build/c".into()),
        ),
        ("mv specs s2", "specs", How::Renamed("s2".into())),
        (": > CLAUDE.md", "CLAUDE.md", How::Emptied),
        ("ln -sf build/x.o CLAUDE.md", "CLAUDE.md", How::Replaced),
        ("rm CLAUDE.md; mkdir CLAUDE.md", "CLAUDE.md", How::Replaced),
        ("rm CLAUDE.md; mkfifo CLAUDE.md", "CLAUDE.md", How::Replaced),
        ("rm -r specs; echo x > specs", "specs", How::Replaced),
        (
            "mv specs build/s; ln -s build/s specs",
            "specs",
            How::Replaced,
        ),
        ("echo other > fusebox.toml", "fusebox.toml", How::Replaced),
        ("rm -rf ../proj", "specs", How::Missing),
        (
            "cp -p CLAUDE.md c; echo rlaude a > CLAUDE.md; touch -r c CLAUDE.md",
            "CLAUDE.md",
            How::Replaced,
        ),
    ] {
        let mut bench = Bench::new();
        let before = bench.state();
        sh(bench.workspace.path(), command);
        let report = bench.settle(COMMANDS);
        let lost = report.lost.iter().find(|lost| lost.path == Path::new(path));
        assert_eq!(
            lost.map(|lost| &lost.how),
            Some(&how),
            "{command}: {report:?}"
        );
        assert!(report.is_whole(), "{command}: {report:?}");
        assert!(report.missing() > 0 || !how.is_missing(), "{command}");
        let after = bench.state();
        assert!(
            before
                .iter()
                .all(|(path, content)| after.get(path) == Some(content)),
            "{command}"
        );
        assert_eq!(bench.settle(COMMANDS).lost, [], "{command}: settled");
    }
}

#[test]
fn what_was_found_in_place_of_a_lost_file_is_not_thrown_away() {
    let mut bench = Bench::new();
    sh(
        bench.workspace.path(),
        "rm -r CLAUDE.md specs; mkdir CLAUDE.md; echo work > CLAUDE.md/w; echo notes > specs",
    );
    assert!(bench.settle(COMMANDS).is_whole());
    let work = fs::read_to_string(bench.path("CLAUDE.md.aside.1/w"));
    assert_eq!(work.expect("the directory that was in the way"), "work\n");
    let notes = fs::read_to_string(bench.path("specs.aside.1"));
    assert_eq!(notes.expect("the file that was in the way"), "notes\n");
    sh(bench.workspace.path(), "echo better > AGENTS.md");
    assert_eq!(bench.settle(COMMANDS).replaced(), 1);
    let copies = fs::read_dir(bench.vault.path().join("objects")).expect("copies");
    let contents = copies
        .flatten()
        .filter_map(|copy| fs::read(copy.path()).ok());
    assert!(contents.into_iter().any(|content| content == b"better\n"));
}

#[test]
fn who_was_at_work_decides_what_is_a_loss() {
    let update = "echo 'other words' > CLAUDE.md";
    let append = "echo more >> CLAUDE.md";
    let writing = |bench: &Bench| vec![bench.path("CLAUDE.md")];
    for (command, author, lost) in [
        (update, "agent", false),
        (update, "tool", false),
        (update, "command", true),
        (update, "person", false),
        (append, "agent", false),
        (append, "command", false),
        ("rm CLAUDE.md", "agent", true),
        ("rm CLAUDE.md", "tool", true),
        ("rm CLAUDE.md", "person", false),
        (": > CLAUDE.md", "tool", true),
        (": > CLAUDE.md", "person", false),
        ("echo x >> fusebox.toml", "agent", true),
        ("echo x >> fusebox.toml", "person", false),
    ] {
        let mut bench = Bench::new();
        let before = bench.state();
        sh(bench.workspace.path(), command);
        let paths = writing(&bench);
        let report = bench.settle(match author {
            "person" => Author::Person,
            "agent" => Author::Agent,
            "tool" => Author::Calls { writing: &paths },
            _ => COMMANDS,
        });
        assert_eq!(
            report.lost.len(),
            usize::from(lost),
            "{command} by {author}: {report:?}"
        );
        assert_eq!(
            report.changed.len(),
            usize::from(!lost),
            "{command} by {author}: {report:?}"
        );
        assert_eq!(bench.state() == before, lost, "{command} by {author}");
        // What was taken over is what is put back from now on.
        let taken_over = bench.state();
        sh(bench.workspace.path(), "rm -f CLAUDE.md");
        bench.settle(COMMANDS);
        assert_eq!(bench.state(), taken_over, "{command} by {author}");
    }
}

#[test]
fn the_modes_hold_afterwards_as_well() {
    let rules = |protected: Protected| {
        protected
            .and(Rule::new("src/log.txt", Mode::Append))
            .and(Rule::new("src/*.lock", Mode::Frozen))
            .without_append_by_shell()
    };
    for (command, author, lost) in [
        ("echo x >> src/log.txt", Author::Agent, false),
        ("echo y > src/log.txt", Author::Agent, true),
        ("echo x >> src/a.lock", Author::Agent, true),
        ("echo x >> CLAUDE.md", COMMANDS, true),
    ] {
        let mut bench = Bench::with(rules);
        sh(
            bench.workspace.path(),
            "echo a > src/log.txt; echo a > src/a.lock",
        );
        let report = bench.settle(Author::Person);
        let new: Vec<_> = report
            .changed
            .iter()
            .map(|one| (one.path.to_str(), one.change))
            .collect();
        assert_eq!(
            new,
            [
                (Some("src/a.lock"), Change::Appeared),
                (Some("src/log.txt"), Change::Appeared)
            ]
        );
        sh(bench.workspace.path(), command);
        assert_eq!(
            bench.settle(author).replaced(),
            usize::from(lost),
            "{command}"
        );
    }
}

#[test]
fn a_parent_that_became_a_link_is_not_written_through() {
    let outside = tempfile::tempdir().expect("a directory");
    let mut bench = Bench::with(|protected| protected.and(Rule::new("src/tmp/t", Mode::Keep)));
    fs::create_dir(outside.path().join("tmp")).expect("a directory");
    sh(bench.workspace.path(), "mv src moved");
    symlink(outside.path(), bench.path("src")).expect("a link");
    let report = bench.settle(COMMANDS);
    let [lost] = report.lost.as_slice() else {
        panic!("one loss: {report:?}");
    };
    let refused = lost.restored.clone().expect("somebody tried");
    assert!(refused.unwrap_err().contains("through a link"));
    assert!(!outside.path().join("tmp/t").exists());
}

#[test]
fn permissions_come_back_where_their_lack_would_be_a_loss() {
    let mut bench = Bench::new();
    let mode = |path: &Path| path.metadata().expect("a file").permissions().mode() & 0o777;
    let specs = bench.path("specs");
    let before = mode(&specs);
    fs::set_permissions(&specs, fs::Permissions::from_mode(0o000)).expect("a mode");
    let report = bench.settle(COMMANDS);
    assert!(
        report
            .lost
            .iter()
            .any(|lost| lost.path == Path::new("specs")),
        "{report:?}"
    );
    assert!(report.is_whole() && mode(&specs) == before);
}

#[test]
fn what_is_too_large_or_too_much_is_said() {
    let workspace = Workspace::new();
    let protected = Protected::new(workspace.path());
    fs::write(workspace.path().join("specs/large"), vec![7; 5_000]).expect("a file");
    for (bounds, path, why) in [
        (
            Bounds {
                file_bytes: 4_096,
                ..Bounds::default()
            },
            "specs/large",
            Why::TooLarge,
        ),
        (
            Bounds {
                total_bytes: 4_096,
                ..Bounds::default()
            },
            "specs/large",
            Why::NoRoom,
        ),
        (
            Bounds {
                entries: 8,
                ..Bounds::default()
            },
            "",
            Why::TooMany,
        ),
    ] {
        let vault = tempfile::tempdir().expect("a directory");
        let (_, taken) = Kept::take(vault.path(), &protected, bounds).expect("copies");
        let left_out = taken.left_out.iter().find(|one| one.why == why);
        let found = left_out.map(|one| one.path.starts_with(path));
        assert_eq!(found, Some(true), "{why:?}: {taken:?}");
    }
}

#[test]
fn copies_survive_the_process_and_a_damaged_list_is_told_from_a_missing_one() {
    let bench = Bench::new();
    let vault = bench.vault.path();
    sh(bench.workspace.path(), "rm -rf specs");
    let mut again = Kept::load(vault, Bounds::default())
        .expect("a list")
        .expect("copies");
    assert_eq!(again.len(), bench.kept.len());
    assert_eq!(
        again
            .look(&bench.protected, COMMANDS)
            .expect("a look")
            .missing(),
        4
    );
    assert!(!bench.path("specs").exists(), "a look puts nothing back");
    assert!(
        again
            .settle(&bench.protected, COMMANDS)
            .expect("a look")
            .is_whole()
    );
    fs::write(vault.join("list"), "fusebox kept 1\n").expect("a list");
    let damaged = Kept::load(vault, Bounds::default());
    assert!(matches!(damaged, Err(KeepError::Damaged { .. })));
    fs::remove_file(vault.join("list")).expect("a list");
    assert!(
        Kept::load(vault, Bounds::default())
            .expect("no list")
            .is_none()
    );
}

#[test]
fn a_damaged_copy_is_never_put_back() {
    let mut bench = Bench::new();
    for copy in fs::read_dir(bench.vault.path().join("objects"))
        .expect("copies")
        .flatten()
    {
        fs::write(copy.path(), "forged\n").expect("a copy");
    }
    sh(bench.workspace.path(), "rm CLAUDE.md");
    let report = bench.settle(COMMANDS);
    assert!(!report.is_whole(), "{report:?}");
    assert!(!bench.path("CLAUDE.md").exists());
}

#[test]
fn an_unchanged_file_is_not_read_again() {
    let mut bench = Bench::new();
    std::thread::sleep(std::time::Duration::from_millis(150));
    bench.settle(COMMANDS);
    let accessed = |path: &Path| {
        let about = path.metadata().expect("a file");
        (about.atime(), about.atime_nsec())
    };
    let file = bench.path("specs/a.md");
    let old = fs::File::open(&file).expect("a file");
    let times = fs::FileTimes::new().set_accessed(std::time::UNIX_EPOCH);
    // Setting a time changes the signature: one more look, and it is known again.
    old.set_times(times).expect("times");
    std::thread::sleep(std::time::Duration::from_millis(150));
    bench.settle(COMMANDS);
    let before = accessed(&file);
    let report = bench.settle(COMMANDS);
    assert_eq!(report, Report::default());
    assert_eq!(accessed(&file), before);
    let list = bench
        .vault
        .path()
        .join("list")
        .metadata()
        .expect("a list")
        .mtime_nsec();
    bench.settle(COMMANDS);
    let again = bench
        .vault
        .path()
        .join("list")
        .metadata()
        .expect("a list")
        .mtime_nsec();
    assert_eq!(list, again, "nothing is written either");
}

/// After every tool call, so it must cost next to nothing. The bound leaves room for a busy
/// machine and a program without optimisation, in which hashing alone would break it.
#[test]
fn a_look_at_two_hundred_unchanged_files_costs_little() {
    let workspace = Workspace::new();
    let protected = workspace.guard().protected().clone();
    for number in 0..200 {
        let path = workspace.path().join(format!("specs/{number}.md"));
        fs::write(path, vec![b'x'; 64 << 10]).expect("a file");
    }
    let vault = tempfile::tempdir().expect("a directory");
    std::thread::sleep(std::time::Duration::from_millis(150));
    Kept::take(vault.path(), &protected, Bounds::default()).expect("copies");
    let look = || {
        let begun = std::time::Instant::now();
        let kept = Kept::load(vault.path(), Bounds::default());
        let mut kept = kept.expect("a list").expect("copies");
        let report = kept.settle(&protected, COMMANDS).expect("a look");
        assert_eq!(report, Report::default());
        begun.elapsed()
    };
    let best = (0..20).map(|_| look()).min().expect("some looks");
    eprintln!("a look at {} paths took {best:?}", 200);
    assert!(best < std::time::Duration::from_millis(15), "{best:?}");
}
