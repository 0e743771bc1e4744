//! What is found to be lost, and how it comes back.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use fusebox_guard::keep::{Author, Change, How};
use fusebox_guard::{Mode, Protected, Rule};

use super::bench::{Bench, COMMANDS, sh};

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
        ("echo > CLAUDE.md", "CLAUDE.md", How::Emptied),
        (
            "head -c 99 /dev/zero > CLAUDE.md",
            "CLAUDE.md",
            How::Emptied,
        ),
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

/// Who makes a file larger than any copy does not thereby end its being kept, whoever may
/// update it. A person does.
#[test]
fn req_004_075_and_004_076_what_outgrew_its_copy_is_put_back_and_stays_kept() {
    let grow = "head -c 5000000 /dev/zero >> specs/a.md";
    let rewrite = "head -c 5000000 /dev/zero > specs/a.md";
    for (command, author) in [
        (grow, "agent"),
        (rewrite, "agent"),
        (grow, "tool"),
        (rewrite, "tool"),
        (rewrite, "command"),
    ] {
        let mut bench = Bench::new();
        let before = bench.state();
        let paths = [bench.path("specs/a.md")];
        let author = match author {
            "agent" => Author::Agent,
            "tool" => Author::Calls { writing: &paths },
            _ => COMMANDS,
        };
        sh(bench.workspace.path(), command);
        let looked = bench.kept.look(&bench.protected, author).expect("a look");
        let report = bench.settle(author);
        assert_eq!(report.replaced(), 1, "{command}: {report:?}");
        assert_eq!(looked.replaced(), 1, "{command}: {looked:?}");
        assert!(report.is_whole() && report.changed.is_empty(), "{report:?}");
        // It may be work, and is not thrown away.
        let aside = bench.path("specs/a.md.aside.1");
        let length = aside.metadata().expect("what was there").len();
        assert!(length >= 5_000_000, "{length}");
        fs::remove_file(aside).expect("a file");
        assert_eq!(bench.state(), before, "{command}");
        sh(bench.workspace.path(), "rm specs/a.md");
        let report = bench.settle(author);
        assert_eq!((report.missing(), report.is_whole()), (1, true));
        assert_eq!(bench.state(), before, "{command}");
    }
    let mut bench = Bench::new();
    sh(bench.workspace.path(), rewrite);
    let report = bench.settle(Author::Person);
    assert_eq!((report.lost.len(), report.left_out.len()), (0, 1));
    sh(bench.workspace.path(), "rm specs/a.md");
    assert_eq!(bench.settle(COMMANDS).lost, []);
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
fn a_directory_that_was_moved_behind_a_link_is_lost_with_all_it_holds() {
    let mut bench = Bench::new();
    let before = bench.state();
    // Old enough that nobody would read them again: they are the same files as ever.
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(bench.settle(COMMANDS).lost, []);
    sh(bench.workspace.path(), "mv specs moved; ln -s moved specs");
    let report = bench.settle(COMMANDS);
    let lost: Vec<&Path> = report.lost.iter().map(|lost| &*lost.path).collect();
    let expected = ["specs", "specs/a.md", "specs/sub", "specs/sub/b.md"];
    assert_eq!(lost, expected.map(Path::new));
    assert!(report.is_whole(), "{report:?}");
    assert!(!bench.path("specs").is_symlink());
    assert_eq!(bench.state(), before);
}

#[test]
fn what_is_put_back_takes_nobodys_name_and_makes_the_way_there() {
    let mut bench = Bench::with(|protected| {
        let deep = protected.root().join("docs/deep");
        fs::create_dir_all(&deep).expect("a directory");
        fs::write(deep.join("plan.md"), "plan\n").expect("a file");
        protected.and(Rule::new("docs/deep/plan.md", Mode::Keep))
    });
    sh(
        bench.workspace.path(),
        "rm -r docs; rm CLAUDE.md; echo mine > CLAUDE.md.1; \
         rm AGENTS.md; mkdir AGENTS.md; echo old > AGENTS.md.aside.1",
    );
    let report = bench.settle(COMMANDS);
    assert!(report.is_whole(), "{report:?}");
    for (path, content) in [
        ("docs/deep/plan.md", "plan\n"),
        ("CLAUDE.md", "claude a\n"),
        ("CLAUDE.md.1", "mine\n"),
        ("AGENTS.md", "agents a plan\n"),
        ("AGENTS.md.aside.1", "old\n"),
    ] {
        let found = fs::read_to_string(bench.path(path)).expect(path);
        assert_eq!(found, content, "{path}");
    }
    assert!(bench.path("AGENTS.md.aside.2").is_dir());
}

#[test]
fn what_an_interrupted_restoration_left_behind_goes_with_the_next_one() {
    let mut bench = Bench::new();
    let draft = bench.path(".CLAUDE.md.fusebox-new");
    for prepare in [
        "echo half > .CLAUDE.md.fusebox-new",
        "ln -s AGENTS.md .CLAUDE.md.fusebox-new",
    ] {
        sh(bench.workspace.path(), &format!("rm CLAUDE.md; {prepare}"));
        assert!(bench.settle(COMMANDS).is_whole());
        assert!(draft.symlink_metadata().is_err(), "{prepare}");
    }
    sh(
        bench.workspace.path(),
        "rm CLAUDE.md; mkdir .CLAUDE.md.fusebox-new",
    );
    assert!(bench.settle(COMMANDS).is_whole());
    let read = |name: &str| fs::read_to_string(bench.path(name)).expect(name);
    assert_eq!(
        (read("CLAUDE.md"), read("AGENTS.md")),
        ("claude a\n".into(), "agents a plan\n".into())
    );
    assert!(draft.is_dir(), "somebody's work");
}

/// Kept, it would come back whenever the next restoration removes it.
#[test]
fn what_an_interrupted_restoration_left_behind_is_not_kept_itself() {
    let mut bench = Bench::new();
    sh(
        bench.workspace.path(),
        "mkdir -p specs; echo half >specs/.a.md.fusebox-new; mkdir specs/.b.fusebox-new; \
         echo b >specs/.b.fusebox-new/c",
    );
    let report = bench.settle(COMMANDS);
    let appeared: Vec<_> = report.changed.iter().map(|one| one.path.clone()).collect();
    let is_told = |path: &str| appeared.contains(&path.into());
    assert!(!is_told("specs/.a.md.fusebox-new"), "{appeared:?}");
    assert!(is_told("specs/.b.fusebox-new/c"), "no directory is a draft");
    sh(bench.workspace.path(), "rm specs/.a.md.fusebox-new");
    assert!(bench.settle(COMMANDS).lost.is_empty());
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
fn what_a_link_leads_to_is_not_taken_for_what_stood_there() {
    let outside = tempfile::tempdir().expect("a directory");
    let secret = outside.path().join("secret");
    fs::write(&secret, "not ours\n").expect("a file");
    let mut bench = Bench::new();
    fs::remove_file(bench.path("CLAUDE.md")).expect("a file");
    symlink(&secret, bench.path("CLAUDE.md")).expect("a link");
    assert!(bench.settle(COMMANDS).is_whole());
    let copies = fs::read_dir(bench.vault.path().join("objects")).expect("copies");
    let mut contents = copies
        .flatten()
        .filter_map(|copy| fs::read(copy.path()).ok());
    assert!(!contents.any(|content| content == b"not ours\n"));
}
