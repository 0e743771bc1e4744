use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

#[test]
fn names_that_people_use() {
    use FileKind::{AgentState, Code, Config, Docs, Other, Test, Trace};
    for (kind, paths) in [
        (
            Code,
            "src/lib.rs crates/a/src/latest.rs app/models/user.rb web/Contest.java src/testing.py \
             docs/conf.py lib/index.d.ts src/protest.go cmd/main.go attest.c Unit.java",
        ),
        (
            Test,
            "tests/it/main.rs tests/fixtures/a.json src/kind/tests.rs pkg/user_test.go \
             web/a.spec.ts web/a.test.tsx tests/test_user.py app/test_user.py conftest.py \
             src/test/java/a/B.java src/test/resources/b.xml src/UserTest.java a/UserIT.java \
             spec/models/user_spec.rb web/__tests__/a.js web/__snapshots__/a.snap \
             testdata/golden.txt Tests/AppTests/AppTests.swift UserTests.cs e2e/login.cy.js",
        ),
        (
            Docs,
            "README.md docs/guide.html.md docs/logo.png LICENSE LICENSE-MIT CHANGELOG notes.txt \
             spec/protocol.md a/b/README.rst memory/notes.md",
        ),
        (
            Config,
            "Cargo.toml Cargo.lock package.json .gitignore .github/workflows/ci.yml Makefile \
             web/vite.config.ts build.gradle.kts requirements.txt go.sum Dockerfile \
             .claude/settings.json .env .aider.conf.yml",
        ),
        (
            AgentState,
            ".prp-session/state.json .cub/runs/1/log .ralph/.call_count .ralph/fix_plan.md \
             claude-progress.txt progress.txt progress.md .aider.chat.history.md \
             .beads/issues.jsonl .liza/state.yaml .CLAUDE.md.fusebox-new \
             src/.main.rs.fusebox-new tests/.a.rs.fusebox-new",
        ),
        (
            Trace,
            "ralph.log sub/loop.log.1 logs/claude_output_7.log logs/out.txt logs/9 \
             __pycache__/a.cpython-312.pyc src/__pycache__/a.pyc tests/__pycache__/t.pyc \
             .pytest_cache/v/cache/lastfailed node_modules/a/index.js",
        ),
        (Test, "tests/fixtures/server.log"),
        (Code, "logs/reader.rs src/log.py src/logs/mod.rs"),
        (Docs, "logs/README.md docs/log.txt"),
        (
            Other,
            "catalog dist/app.bin build/a.logo assets/logo.png data/a.csv bin/tool a.out sub/progress.bin",
        ),
    ] {
        for path in paths.split_whitespace() {
            assert_eq!(FileKind::of(Path::new(path)), kind, "{path}");
        }
    }
}

#[test]
fn only_tests_is_testing_and_any_code_is_implementation() {
    let counts = |paths: &[&str]| {
        let mut counts = KindCounts::default();
        for path in paths {
            counts.add(FileKind::of(Path::new(path)));
        }
        counts.work()
    };
    for (paths, work) in [
        (&[][..], None),
        (&[".ralph/status.json"], None),
        (&["tests/a.rs", "b_test.go"], Some(Work::Testing)),
        (&["tests/a.rs", "progress.txt"], Some(Work::Testing)),
        (&["tests/a.rs", "src/a.rs"], Some(Work::Implementation)),
        (&["README.md", "docs/a.png"], Some(Work::Documentation)),
        (&["README.md", "tests/a.rs"], Some(Work::Other)),
        (&["Cargo.toml"], Some(Work::Other)),
    ] {
        assert_eq!(counts(paths), work, "{paths:?}");
    }
}

#[test]
fn notes_may_grow_without_being_work() {
    let change = |path: &str, kind, added, deleted| FileChange {
        path: PathBuf::from(path),
        kind,
        added_lines: added,
        deleted_lines: deleted,
        meaningful: true,
        shift: 0,
    };
    use ChangeKind::{Added, Deleted, Modified};
    for (path, kind, added, deleted, expected) in [
        ("memory/a.md", Modified, Some(3), Some(0), true),
        ("memory/deep/a.md", Added, Some(3), Some(0), true),
        ("memory/a.md", Modified, Some(3), Some(1), false),
        ("memory/a.md", Deleted, Some(0), Some(0), false),
        ("memory/a.md", Modified, None, None, false),
        ("memory/heap.rs", Modified, Some(3), Some(0), false),
        ("src/memory/a.md", Modified, Some(3), Some(0), false),
        ("memory.md", Modified, Some(3), Some(0), false),
        ("progress.txt", Modified, Some(3), Some(3), true),
    ] {
        let change = change(path, kind, added, deleted);
        assert_eq!(change.is_bookkeeping(), expected, "{change:?}");
    }
}

proptest! {
    #[test]
    fn any_path_has_a_kind(path in proptest::collection::vec(any::<u8>(), 0..60)) {
        FileKind::of(Path::new(OsStr::from_bytes(&path)));
    }
}
