//! Lists that cannot be asked, lists that are hostile, and claims that are gone.

use std::process::Command;

use serde_json::json;

use crate::context::{KEY, TestContext, nobody_can_play_a_person};
use crate::tasks::told;

#[test]
fn a_list_that_cannot_be_asked_is_not_a_list_without_tasks() {
    let context = TestContext::list(".beads/metadata.json", "{}");
    for verb in ["list", "ready", "next"] {
        let failed = context
            .fusebox(&["tasks", verb, "--json"])
            .env("PATH", "/usr/bin:/bin")
            .run();
        failed.expect(6).complains_once().says("is not available");
    }
    let bd = context.script("bd", "#!/bin/sh\necho 'database is locked' >&2; exit 1\n");
    let path = format!("{}:/usr/bin:/bin", bd.parent().unwrap().display());
    let failed = context
        .fusebox(&["tasks", "ready"])
        .env("PATH", &path)
        .run();
    failed.expect(6).says("database is locked");
    // A program that lies in the repository is not run, wherever PATH points.
    context.put("bd", "#!/bin/sh\ntouch executed\n");
    Command::new("chmod")
        .arg("+x")
        .arg(context.work().join("bd"))
        .status()
        .unwrap();
    let inside = format!("{}:/usr/bin:/bin", context.work().display());
    context
        .fusebox(&["tasks", "ready"])
        .env("PATH", inside)
        .run()
        .expect(6);
    assert!(!context.work().join("executed").exists());
}

#[test]
fn what_a_list_says_is_shown_escaped() {
    let hostile = "\u{1b}[2J\u{202e}fake";
    let list = json!({"stories": [{"id": hostile, "title": hostile, "status": "in_progress"}]});
    let context = TestContext::list("prd.json", &list.to_string());
    println!("proof: texts 3 of a list of tasks");
    for verb in ["list", "ready", "stale"] {
        let came = context.fusebox(&["tasks", verb]).run().expect(0);
        let text = format!("{}{}", came.out(), came.err());
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn claims_that_were_deleted_have_no_task_taken_twice() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::list("fix_plan.md", "- [ ] T-1 a\n- [ ] T-2 b\n");
    context.hold_key();
    let mut worker = Command::new("sleep").arg("600").spawn().unwrap();
    let pid = worker.id().to_string();
    let next = ["tasks", "next", "--json", "--pid", &pid];
    assert_eq!(told(context.fusebox(&next))[0]["fence"], 1);
    let log = context.store().log;
    let file = log.ancestors().nth(3).unwrap().join("tasks/claims.jsonl");
    for emptied in [true, false] {
        if emptied {
            std::fs::write(&file, "").unwrap();
        } else {
            std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
        }
        let refused = context.fusebox(&["tasks", "next"]).run().expect(4);
        refused
            .says("were deleted or changed")
            .says("`fusebox reset --reason …`");
        let doctor = context.fusebox(&["doctor"]).run().expect(4);
        assert!(doctor.out().contains("were deleted or changed"));
        context.fusebox(&["reset", "--reason", "x"]).run().expect(5);
    }
    context.fusebox(&["trip", "--reason", "y"]).run().expect(0);
    let reset = context.fusebox(&["reset", "--reason", "x"]);
    let reset = reset.env("FUSEBOX_OPERATOR_KEY", KEY).run().expect(0);
    reset.says("the claims begin anew");
    assert_eq!(context.state(), "Closed", "and the breaker is released");
    assert_eq!(told(context.fusebox(&next))[0]["fence"], 2);
    worker.kill().unwrap();
    worker.wait().unwrap();
}
