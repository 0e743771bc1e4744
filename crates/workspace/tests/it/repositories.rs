//! What is told of commits, branches and stashes, with the user's own git making them.

use std::path::Path;

use fusebox_workspace::{HeadMove, RepositoryMove, StashMove};

use crate::support::Bench;

/// What is told of `act` in a repository of two commits.
fn told_of(act: impl FnOnce(&Bench)) -> Option<Vec<RepositoryMove>> {
    let bench = Bench::new()?;
    bench.git(&["init", "-q"]);
    for content in ["1", "2"] {
        bench.write("a", content);
        bench.commit();
    }
    let mut shadow = bench.shadow();
    let before = shadow.snapshot().unwrap();
    act(&bench);
    let after = shadow.snapshot().unwrap();
    let moves = after
        .repositories
        .moves_since(&before.repositories, shadow.root());
    Some(moves.unwrap())
}

#[test]
fn every_move_of_head_has_its_name() {
    let switched = |to: &str| HeadMove::Switched {
        from: Some("main".to_owned()),
        to: to.to_owned(),
    };
    let rows: [(&[&[&str]], HeadMove); 10] = [
        (&[&["status"]], HeadMove::Stayed),
        (
            &[&["commit", "-qam", "three"]],
            HeadMove::Committed { commits: 1 },
        ),
        (
            &[
                &["commit", "-qam", "three"],
                &["commit", "-q", "--allow-empty", "-m", "four"],
            ],
            HeadMove::Committed { commits: 2 },
        ),
        (
            &[&["commit", "-q", "--amend", "-am", "two again"]],
            HeadMove::Amended,
        ),
        (&[&["reset", "-q", "--hard", "HEAD~1"]], HeadMove::Rewritten),
        (&[&["checkout", "-q", "-b", "side"]], switched("side")),
        (&[&["checkout", "-q", "--detach"]], HeadMove::Detached),
        (
            &[
                &["checkout", "-q", "-b", "side"],
                &["commit", "-qam", "three"],
                &["checkout", "-q", "main"],
                &["merge", "-q", "side"],
            ],
            HeadMove::Committed { commits: 1 },
        ),
        (
            &[
                &[
                    "-c",
                    "core.logAllRefUpdates=false",
                    "checkout",
                    "-q",
                    "main",
                ],
                &["commit", "-qam", "three"],
                &["reflog", "expire", "--expire=now", "--all"],
            ],
            HeadMove::Unclear,
        ),
        (
            &[&["commit", "-qam", "three"], &["pack-refs", "--all"]],
            HeadMove::Committed { commits: 1 },
        ),
    ];
    for (commands, expected) in rows {
        let Some(moves) = told_of(|bench| {
            bench.write("a", "3");
            for command in commands {
                bench.git(command);
            }
        }) else {
            return;
        };
        let told = moves.into_iter().next().map(|first| first.head);
        assert_eq!(told.unwrap_or(HeadMove::Stayed), expected, "{commands:?}");
    }
}

#[test]
fn work_put_aside_is_told() {
    let Some(moves) = told_of(|bench| {
        bench.write("a", "3");
        bench.git(&["stash", "-q"]);
    }) else {
        return;
    };
    let [only] = moves.as_slice() else {
        panic!("{moves:?}")
    };
    assert_eq!(
        (&only.head, only.stash),
        (&HeadMove::Stayed, StashMove::Grew)
    );
}

#[test]
fn each_repository_of_a_workspace_is_told_of() {
    let Some(moves) = told_of(|bench| {
        bench.write("inner/b", "1");
        bench.git(&["init", "-q", "inner"]);
        bench.write("a", "3");
        bench.git(&["commit", "-qam", "three"]);
    }) else {
        return;
    };
    let told: Vec<(&Path, String)> = moves
        .iter()
        .map(|it| (it.work_tree.as_path(), it.head.to_string()))
        .collect();
    assert_eq!(
        told,
        [
            (Path::new(""), "1 commit".to_owned()),
            (Path::new("inner"), "a new repository".to_owned()),
        ]
    );
}
