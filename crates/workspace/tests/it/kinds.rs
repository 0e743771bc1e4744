//! What the changed files are for, and which changes are an agent talking about itself.

use fusebox_workspace::{Budget, KindCounts, Work};

use crate::support::{Bench, id};

#[test]
fn agents_own_state_is_not_a_meaningful_change() {
    let Some(bench) = Bench::new() else { return };
    bench.write("memory/learned.md", "one\n");
    bench.write("memory/rewritten.md", "one\n");
    bench.write("progress.txt", "0\n");
    let mut shadow = bench.shadow();
    let before = id(&mut shadow);

    bench.write("progress.txt", "1\n");
    bench.write(".ralph/status.json", "{}\n");
    bench.write(".ralph/logs/1.log", "not measured at all\n");
    bench.write("memory/learned.md", "one\ntwo\n");
    let notes = id(&mut shadow);
    let changes = shadow.compare(&before, &notes).unwrap();
    assert_eq!((changes.total, changes.meaningful), (3, 0));
    assert_eq!(changes.kinds.agent_state, 3);
    assert_eq!(changes.kinds.work(), None);

    bench.write("memory/rewritten.md", "two\n");
    let rewritten = id(&mut shadow);
    let changes = shadow.compare(&notes, &rewritten).unwrap();
    assert_eq!((changes.meaningful, changes.kinds.docs), (1, 1));
}

#[test]
fn kinds_are_counted_beyond_what_is_listed() {
    let Some(bench) = Bench::new() else { return };
    let mut shadow = bench.shadow_within(Budget {
        listed_changes: 2,
        ..Budget::default()
    });
    let before = id(&mut shadow);
    for path in [
        "a.md",
        "b.rs",
        "c.toml",
        "d.png",
        "tests/e.rs",
        "tests/f.rs",
    ] {
        bench.write(path, "content\n");
    }
    bench.write("progress.md", "content\n");
    let after = id(&mut shadow);
    let changes = shadow.compare(&before, &after).unwrap();
    assert_eq!(changes.files.len(), 2);
    assert_eq!(
        changes.kinds,
        KindCounts {
            code: 1,
            test: 2,
            docs: 1,
            config: 1,
            other: 1,
            agent_state: 1,
        }
    );
    assert_eq!(changes.kinds.work(), Some(Work::Implementation));
}
