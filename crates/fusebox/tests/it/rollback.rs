//! Going back to the work tree of an earlier iteration.

use std::fs;

use serde_json::json;

use crate::call::Call;
use crate::context::{FUSEBOX, TestContext, nobody_can_play_a_person};

/// After one iteration, with a protected file that is new and one that was edited since.
fn after_an_iteration() -> Option<TestContext> {
    let context = TestContext::with_repository()?;
    let root = context.work();
    fs::write(root.join("CLAUDE.md"), "before\n").unwrap();
    let run = context.supervise(&["--once"], "echo before > a.txt").run();
    run.expect(0);
    fs::create_dir(root.join("specs")).unwrap();
    fs::write(root.join("specs/new.md"), "mine\n").unwrap();
    fs::write(root.join("CLAUDE.md"), "after\n").unwrap();
    fs::write(root.join("a.txt"), "after\n").unwrap();
    fs::write(root.join("b.txt"), "after\n").unwrap();
    Some(context)
}

#[test]
fn req_004_056_a_rollback_leaves_what_is_protected_and_names_what_it_does() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(context) = after_an_iteration() else {
        return;
    };
    let read = |path: &str| fs::read_to_string(context.work().join(path)).ok();
    let rollback = |options: &[&str]| {
        let args = [&["rollback", "1"], options].concat();
        context.fusebox(&args).run().expect(0).out()
    };

    let foreseen = rollback(&["--dry-run"]);
    assert!(foreseen.contains("1 file would be written, 1 file would be deleted"));
    assert!(foreseen.contains("nothing was changed"), "{foreseen}");
    assert_eq!(read("a.txt").as_deref(), Some("after\n"));

    let done = rollback(&[]);
    for line in [
        "1 file written, 1 file deleted",
        "deleted b.txt",
        "written a.txt",
        "left as it is: CLAUDE.md (it is protected; `--protected` includes it)",
        "left as it is: specs/new.md (it is protected; `--protected` includes it)",
    ] {
        assert!(done.contains(line), "{line}: {done}");
    }
    assert_eq!(read("a.txt").as_deref(), Some("before\n"));
    assert_eq!(read("b.txt"), None);
    assert_eq!(read("CLAUDE.md").as_deref(), Some("after\n"));
    assert_eq!(read("specs/new.md").as_deref(), Some("mine\n"));

    let args = ["rollback", "1", "--protected", "--json"];
    let all = context.fusebox(&args).run().expect(0).json();
    assert_eq!(all["left"], json!([]), "{all}");
    assert_eq!(read("CLAUDE.md").as_deref(), Some("before\n"));
    assert_eq!(read("specs/new.md"), None);
    let undo = all["undo"].as_str().unwrap();
    let args = ["rollback", "--to", undo, "--protected"];
    context.fusebox(&args).run().expect(0);
    assert_eq!(read("specs/new.md").as_deref(), Some("mine\n"));
}

/// It could take away what it may not delete.
#[test]
fn req_004_056_an_agent_may_not_roll_back() {
    let Some(context) = after_an_iteration() else {
        return;
    };
    let wrapper = context.script("claude", "#!/bin/sh\n\"$@\"\nexit $?\n");
    let through = |args: &[&str]| -> Call {
        let args = [&[FUSEBOX], args].concat();
        context.call(&wrapper, &args)
    };
    for args in [
        &["rollback", "1"][..],
        &["rollback", "1", "--protected"],
        &["rollback", "0"],
    ] {
        through(args)
            .run()
            .expect(5)
            .says("a rollback is refused here: `claude` is among the ancestors");
    }
    let kept = fs::read_to_string(context.work().join("b.txt")).unwrap();
    assert_eq!(kept, "after\n");
}
