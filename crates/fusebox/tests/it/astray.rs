//! Ways around an open breaker that leave its own files whole.

use std::fs;

use crate::context::{FUSEBOX, KEY, TestContext, nobody_can_play_a_person};

#[test]
fn a_workspace_planted_above_or_below_opens_no_fresh_breaker() {
    let context = TestContext::new();
    context.open_breaker();
    let below = context.work().join("below");
    fs::create_dir_all(below.join(".git")).unwrap();
    let above = context.path("");
    let above = above.to_str().unwrap();
    context
        .fusebox(&["-C", above, "limit", "take", "1"])
        .run()
        .expect(0);
    context.fusebox(&["check"]).run().expect(42);
    context.fusebox(&["check"]).inside(below).run().expect(42);
}

#[test]
fn an_index_that_leads_elsewhere_is_damage() {
    let context = TestContext::new();
    context.open_breaker();
    let store = context.store();
    let elsewhere = "f".repeat(32);
    fs::create_dir(store.state.join(&elsewhere)).unwrap();
    let entry = fs::read_dir(&store.index).unwrap().next().unwrap().unwrap();
    fs::write(entry.path(), elsewhere).unwrap();
    for command in ["check", "doctor", "check"] {
        let came = context.fusebox(&[command]).run().expect(4);
        let said = format!("{}{}", came.out(), came.err());
        assert!(said.contains("leads to another workspace"), "{said}");
    }
}

#[test]
fn a_circuit_deleted_with_its_head_is_damage() {
    let context = TestContext::new();
    context.open_breaker();
    let store = context.store();
    fs::remove_dir_all(&store.circuit).unwrap();
    fs::remove_file(&store.head).unwrap();
    context
        .fusebox(&["check"])
        .run()
        .expect(4)
        .says("was deleted");
    // Another circuit of the same workspace is not concerned, but new.
    context
        .fusebox(&["--circuit", "another", "check"])
        .run()
        .expect(0)
        .says("first use of circuit `another`");
}

#[test]
fn another_data_home_is_refused_and_does_no_harm() {
    let context = TestContext::new();
    context.fusebox(&["check"]).run().expect(0);
    context
        .fusebox(&["check"])
        .env("XDG_DATA_HOME", context.path("elsewhere"))
        .run()
        .expect(3)
        .says("XDG_DATA_HOME");
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
}

#[test]
fn a_project_within_a_workspace_is_told_so_and_protected_like_one() {
    let context = TestContext::new();
    context.fusebox(&["check"]).run().expect(0);
    let inner = context.work().join("inner");
    for directory in [".git", "specs"] {
        fs::create_dir_all(inner.join(directory)).unwrap();
    }
    fs::write(inner.join("specs/a.md"), "it must not crash").unwrap();
    context
        .fusebox(&["check"])
        .inside(&inner)
        .run()
        .expect(0)
        .says("which was registered first: both share one breaker");
    let removal = serde_json::json!({
        "session_id": "s",
        "cwd": inner,
        "tool_name": "Bash",
        "tool_input": {"command": "rm -rf specs"},
        "tool_use_id": "1",
    });
    context
        .fusebox(&["hook", "claude", "pre-tool-use"])
        .inside(&inner)
        .input(removal.to_string())
        .run()
        .expect(2);
    // An agent that is started there reads the settings there.
    let install = ["hooks", "install", "claude"];
    context.fusebox(&install).inside(&inner).run().expect(0);
    assert!(inner.join(".claude/settings.local.json").is_file());
    assert!(!context.work().join(".claude").exists());
}

/// The memory and the work tree are those of all circuits.
#[test]
fn nothing_is_put_aside_or_rolled_back_below_the_run_of_another_circuit() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.hold_key();
    let script = "touch ../begun; until [ -e ../go ]; do sleep 0.05; done";
    let options = ["--circuit", "other", "--max-iterations", "1"];
    let run = context.supervise(&options, script).start();
    while !context.path("begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    for args in [&["prune", "--forget"][..], &["rollback", "1"]] {
        let call = context.fusebox(args).env("FUSEBOX_OPERATOR_KEY", KEY);
        call.run().expect(5).says("a loop is running");
    }
    fs::write(context.path("go"), "").unwrap();
    run.finish().expect(45);
}

/// One slip in a directory above ties everything below to it, until a person undoes that.
#[test]
fn req_x_009_a_workspace_begun_by_mistake_is_put_aside_by_a_person_alone() {
    let context = TestContext::new();
    context.open_breaker();
    let below = context.work().join("below");
    fs::create_dir_all(below.join(".git")).unwrap();
    let within = |args: &[&str], code: i32| {
        context
            .fusebox(args)
            .inside(below.clone())
            .run()
            .expect(code)
    };
    within(&["check"], 42).says("prune --forget -C");
    // Nothing is written where nobody who typed this looks.
    within(&["init"], 5)
        .says("is inside the workspace")
        .says("prune --forget -C");
    assert!(!context.work().join("fusebox.toml").exists());

    let root = context.work();
    let forget = ["prune", "--forget", "-C", root.to_str().unwrap()];
    context.fusebox(&forget).run().expect(5);
    let script = context.script("claude", "#!/bin/sh\n\"$@\"\nexit $?\n");
    context.hold_key();
    context
        .call(&script, &[&[FUSEBOX][..], &forget].concat())
        .env("FUSEBOX_OPERATOR_KEY", KEY)
        .run()
        .expect(5)
        .says("`claude` is among the ancestors");
    within(&["check"], 42);
    if nobody_can_play_a_person() {
        return;
    }
    let told = context
        .fusebox(&forget)
        .env("FUSEBOX_OPERATOR_KEY", KEY)
        .run()
        .expect(0)
        .out();
    let shelf = told.trim_end().rsplit(' ').next().unwrap();
    assert!(fs::exists(std::path::Path::new(shelf).join("circuits/default/log")).unwrap());
    within(&["check"], 0).says("new workspace");
    within(&["check"], 0);
    context.fusebox(&["check"]).run().expect(0);
    // The one that was first of the two now goes on by itself.
    within(&["init"], 0);
    assert!(below.join("fusebox.toml").exists());
}

/// A directory that once was the workspace must not lead to what was put aside.
#[test]
fn a_workspace_that_is_forgotten_is_forgotten_by_every_directory_that_led_there() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    context.hold_key();
    let (here, old) = (context.work(), context.path("old"));
    let check = |place: &std::path::Path| {
        let call = context.fusebox(&["check"]).inside(place).run();
        call.expect(0)
    };
    check(&here);
    fs::rename(&here, &old).unwrap();
    fs::create_dir_all(here.join(".git")).unwrap();
    check(&here);
    check(&old);
    context
        .fusebox(&["prune", "--forget"])
        .env("FUSEBOX_OPERATOR_KEY", KEY)
        .run()
        .expect(0);
    check(&here).says("new workspace");
    check(&old).says("new workspace");
    check(&here);
}
