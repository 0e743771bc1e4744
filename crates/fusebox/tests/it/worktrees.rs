//! Several work trees of one repository: a breaker for each, limits for all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::context::{TestContext, nobody_can_play_a_person};

/// A repository with work trees beside its own, under a configuration of the user's.
struct Family {
    context: TestContext,
    trees: Vec<PathBuf>,
}

impl Family {
    fn of(count: usize, config: &str) -> Option<Self> {
        let context = TestContext::with_repository()?;
        let dir = context.path("config/fusebox");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("config.toml"), config).unwrap();
        let mut trees = vec![context.work()];
        for number in 1..count {
            let tree = context.path(&format!("tree-{number}"));
            context.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
            trees.push(tree);
        }
        Some(Self { context, trees })
    }

    fn ask(&self, tree: usize, args: &[&str]) -> crate::call::Finished {
        self.context.fusebox(args).inside(&self.trees[tree]).run()
    }
}

#[test]
fn what_one_work_tree_took_the_others_cannot() {
    let Some(family) = Family::of(3, "limits.calls.limit = 5\nlimits.tokens.limit = 1000\n") else {
        return;
    };
    for tree in [0, 1, 2, 1, 0] {
        family.ask(tree, &["check"]).expect(0);
        let report = r#"{"files_changed": 1, "usage": {"input_tokens": 100}}"#;
        let told = family.context.fusebox(&["record", "-", "--exit-zero"]);
        told.inside(&family.trees[tree])
            .input(report)
            .run()
            .expect(0);
    }
    for tree in 0..3 {
        family.ask(tree, &["check"]).expect(44);
        let shown = family.ask(tree, &["limit", "--json"]).expect(0).json();
        assert_eq!(
            (&shown["calls"]["used"], &shown["calls"]["left"]),
            (&5.into(), &0.into())
        );
        assert_eq!(shown["tokens"]["used"], 500);
        let others = shown["shared_with"].as_array().unwrap();
        assert_eq!(others.len(), 2, "{shown}");
        let theirs: u64 = others
            .iter()
            .map(|one| one["calls"].as_u64().unwrap())
            .sum();
        assert_eq!(theirs, if tree == 2 { 4 } else { 3 });
    }
    let status = family.ask(0, &["status"]).expect(0).out();
    let tree = family.trees[1].canonicalize().unwrap();
    let line = format!("2 calls, 200 tokens used by {}", tree.display());
    assert!(status.contains(&line), "{status}");
    // Each has a breaker of its own, and so has each name of a circuit its own limits.
    family.ask(1, &["trip", "--reason", "stuck"]).expect(0);
    family.ask(0, &["--circuit", "other", "check"]).expect(0);
    let other = family.ask(1, &["--circuit", "other", "limit", "--json"]);
    assert_eq!(other.expect(0).json()["calls"]["used"], 1);
}

/// What a removed work tree used counts as long as the window does, by the clock that limits go
/// by, and not by the time of a file, which is the agent's to set.
#[test]
fn req_004_046_no_file_gives_back_what_a_removed_work_tree_used() {
    let Some(family) = Family::of(2, "limits.calls.limit = 10\n") else {
        return;
    };
    family.ask(0, &["check", "--peek"]).expect(0);
    family.ask(0, &["limit", "take", "1"]).expect(0);
    family.ask(1, &["limit", "take", "6"]).expect(0);
    let left = |tree: usize| {
        let shown = family.ask(tree, &["limit", "--json"]).expect(0).json();
        shown["calls"]["left"].as_u64().unwrap()
    };
    assert_eq!(left(0), 3);
    let gone = family.trees[1].to_str().unwrap();
    family.context.git(&["worktree", "remove", "--force", gone]);
    let state = family.context.path("state/fusebox");
    for workspace in fs::read_dir(state).unwrap().flatten() {
        let slots = workspace.path().join("circuits/default/slots");
        if let Ok(file) = fs::File::options().write(true).open(slots) {
            let long_ago = SystemTime::now() - Duration::from_secs(40 * 86_400);
            file.set_modified(long_ago).unwrap();
        }
    }
    let new = family.context.path("tree-new");
    family
        .context
        .git(&["worktree", "add", "-q", new.to_str().unwrap()]);
    let told = family.context.fusebox(&["limit", "take", "1"]);
    told.inside(&new).run().expect(0);
    assert_eq!(left(0), 2);
}

#[test]
fn lists_of_work_trees_that_are_gone_grant_nothing_until_a_person_has_looked() {
    let Some(family) = Family::of(2, "limits.calls.limit = 2\n") else {
        return;
    };
    for tree in [0, 1] {
        family.ask(tree, &["limit", "take"]).expect(0);
    }
    family.ask(0, &["check"]).expect(44);
    for home in ["state/fusebox", "data/fusebox/heads"] {
        fs::remove_dir_all(family.context.path(home).join("repositories")).unwrap();
    }
    family.ask(0, &["check", "--peek"]).expect(4);
    for _ in 0..2 {
        let told = family.ask(0, &["check"]).expect(4).err();
        assert!(
            told.contains("work trees of a repository are gone"),
            "{told}"
        );
    }
    if !nobody_can_play_a_person() {
        family.context.reset().expect(0);
        let shown = family.ask(0, &["limit", "--json"]).expect(0).json();
        assert_eq!(shown["shared_with"][0]["calls"], 1, "{shown}");
    }
}

#[test]
fn loops_in_two_work_trees_never_take_more_than_there_is() {
    const LIMIT: usize = 30;
    let config = format!("limits.calls.limit = {LIMIT}\n");
    let Some(family) = Family::of(2, &config) else {
        return;
    };
    let family = &family;
    // None of them has been here before, so that they meet at the very beginning, too.
    let granted: usize = std::thread::scope(|scope| {
        let loops = [0, 1, 0, 1].map(|tree| {
            scope.spawn(move || {
                let asked = (0..LIMIT).map(|_| family.ask(tree, &["limit", "take"]).code);
                asked.filter(|code| *code == 0).count()
            })
        });
        loops.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(granted, LIMIT);
    for tree in [0, 1] {
        family.ask(tree, &["doctor"]).expect(0);
    }
}

/// The same with supervisors, which ask for each iteration, and end when there is no more.
#[test]
fn two_runs_at_once_share_the_calls_between_them() {
    const LIMIT: usize = 12;
    let config = format!("limits.calls.limit = {LIMIT}\n");
    let Some(family) = Family::of(2, &config) else {
        return;
    };
    let family = &family;
    std::thread::scope(|scope| {
        for tree in [0, 1] {
            scope.spawn(move || {
                let run = family.context.supervise(&["-q"], "echo more >> a.txt");
                run.inside(&family.trees[tree]).run().expect(44);
            });
        }
    });
    let iterations = family.trees.iter().map(|tree| {
        let text = fs::read_to_string(tree.join("a.txt")).unwrap();
        text.lines().filter(|line| *line == "more").count()
    });
    assert_eq!(iterations.sum::<usize>(), LIMIT);
}

/// Where each iteration tells what it used, none needs to fit in what was put aside.
#[test]
fn an_iteration_that_needs_more_than_its_share_puts_it_aside_as_it_goes() {
    let script = r#"
        printf '{"type":"assistant","message":{"id":"m-9","usage":{"input_tokens":900,"output_tokens":10},"content":[{"type":"text","text":"at work"}]}}\n'
        sleep 1
        echo $FUSEBOX_ITERATION >> a.txt
        finish 'One line more.'
    "#;
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    // The stand-in uses 1250 tokens, and a share is 400.
    let run = ["--max-tokens=4000", "--max-iterations=2"];
    context.run_claude(&run).run().expect(45);
    let events = context.fusebox(&["events", "--json"]).run().expect(0).out();
    assert!(events.contains("reserved_more"), "{events}");
    let left = context.fusebox(&["limit", "--json"]).run().expect(0).json();
    assert!(left["tokens"].is_null(), "the flag was the run's: {left}");
}

#[test]
fn a_work_tree_stays_where_it_belongs_whatever_its_pointer_says() {
    let Some(family) = Family::of(2, "limits.calls.limit = 3\n") else {
        return;
    };
    let context = &family.context;
    for tree in [0, 1] {
        family.ask(tree, &["limit", "take"]).expect(0);
    }
    // Another repository, to which the work tree now claims to belong.
    let elsewhere = context.path("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    context.git(&["init", "-q", elsewhere.to_str().unwrap()]);
    let pointer = family.trees[1].join(".git");
    let honest = fs::read_to_string(&pointer).unwrap();
    let theirs = elsewhere.join(".git");
    for text in [format!("gitdir: {}\n", theirs.display()), String::new()] {
        fs::write(&pointer, text).unwrap();
        let shown = family.ask(1, &["limit", "--json"]).expect(0).json();
        assert_eq!(shown["calls"]["used"], 2, "{shown}");
    }
    fs::remove_file(&pointer).unwrap();
    family.ask(1, &["limit", "take"]).expect(0);
    for tree in [0, 1] {
        family.ask(tree, &["limit", "take"]).expect(44);
    }
    fs::write(&pointer, honest).unwrap();
    family.ask(1, &["limit", "take"]).expect(44);
}

#[test]
fn nobody_joins_a_repository_that_does_not_know_them() {
    let Some(family) = Family::of(2, "limits.calls.limit = 3\n") else {
        return;
    };
    let context = &family.context;
    family.ask(0, &["limit", "take"]).expect(0);
    family.ask(1, &["limit", "take"]).expect(0);
    let common = context.work().join(".git");
    for (number, target) in [common.clone(), common.join("worktrees/tree-1")]
        .iter()
        .enumerate()
    {
        let forged = context.path(&format!("forged-{number}"));
        fs::create_dir(&forged).unwrap();
        fs::write(
            forged.join(".git"),
            format!("gitdir: {}\n", target.display()),
        )
        .unwrap();
        let take = |args: &[&str]| context.fusebox(args).inside(&forged).run();
        for _ in 0..3 {
            take(&["limit", "take"]).expect(0);
        }
        take(&["limit", "take"]).expect(44);
    }
    let shown = family.ask(0, &["limit", "--json"]).expect(0).json();
    assert_eq!(shown["calls"]["used"], 2, "nothing was drained: {shown}");
}

#[test]
fn a_work_tree_that_was_removed_has_used_what_it_has_used() {
    let Some(family) = Family::of(2, "limits.calls.limit = 2\n") else {
        return;
    };
    family.ask(1, &["limit", "take"]).expect(0);
    let tree = family.trees[1].to_str().unwrap();
    family.context.git(&["worktree", "remove", "--force", tree]);
    family.ask(0, &["limit", "take"]).expect(0);
    family.ask(0, &["limit", "take"]).expect(44);
}

/// The memory of a circuit, wherever it is.
fn log_of(context: &TestContext, root: &Path) -> PathBuf {
    let root = root.canonicalize().unwrap();
    let kept = fs::read_dir(context.path("state/fusebox")).unwrap();
    let mut kept = kept.map(|entry| entry.unwrap().path());
    let ours = kept.find(|dir| {
        let about = fs::read_to_string(dir.join("workspace"));
        about.is_ok_and(|text| text.contains(&format!("root {}\n", root.display())))
    });
    ours.unwrap().join("circuits/default/log")
}

#[test]
fn while_it_is_unknown_what_another_used_nothing_is_granted() {
    let Some(family) = Family::of(2, "limits.calls.limit = 5\n") else {
        return;
    };
    family.ask(0, &["check"]).expect(0);
    family.ask(1, &["check"]).expect(0);
    fs::remove_file(log_of(&family.context, &family.trees[1])).unwrap();
    let refused = family.ask(0, &["limit", "take"]).expect(4);
    let tree = family.trees[1].canonicalize().unwrap();
    assert!(
        refused.err().contains(tree.to_str().unwrap()),
        "{}",
        refused.err()
    );
    family.ask(0, &["check"]).expect(4);
    // What happened is taken down all the same, and anybody may stop at any time.
    let before = fs::metadata(log_of(&family.context, &family.trees[0]))
        .unwrap()
        .len();
    family.ask(0, &["record", "--files-changed", "1"]).expect(4);
    let after = fs::metadata(log_of(&family.context, &family.trees[0]))
        .unwrap()
        .len();
    assert!(after > before, "the report was kept");
    family.ask(0, &["trip", "--reason", "to be sure"]).expect(0);
}
