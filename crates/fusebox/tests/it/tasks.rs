//! `fusebox tasks`, on real lists and with workers that die.

use std::process::Command;

use serde_json::{Value, json};

use crate::call::{Call, wait_for};
use crate::context::{KEY, TestContext, nobody_can_play_a_person};

const NOON: &str = "2026-01-31T12:00:00Z";
const STORIES: &str = r#"{"stories": [
  {"id": "S-1", "title": "open", "status": "open"},
  {"id": "S-2", "title": "begun", "status": "in_progress", "startedAt": "2026-01-31T12:00:00Z"}
]}"#;

impl TestContext {
    pub(crate) fn list(file: &str, text: &str) -> Self {
        let context = Self::new();
        context.put(file, text);
        context
    }

    pub(crate) fn put(&self, file: &str, text: &str) {
        let path = self.work().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn user_settings(&self, text: &str) {
        let directory = self.path("config/fusebox");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("config.toml"), text).unwrap();
    }

    /// The tasks that a command tells of.
    #[track_caller]
    pub(crate) fn tasks(&self, verb: &str) -> Vec<Value> {
        told(self.fusebox(&["tasks", verb, "--json"]))
    }
}

#[track_caller]
pub(crate) fn told(call: Call) -> Vec<Value> {
    let told = call.run().expect(0).json();
    told.as_array().unwrap().clone()
}

fn ids(tasks: &[Value]) -> Vec<&str> {
    tasks
        .iter()
        .map(|task| task["id"].as_str().unwrap())
        .collect()
}

#[test]
fn req_000_009_and_016_and_105_and_106_ready_surfaces_what_is_stale_beside_what_is_open() {
    let context = TestContext::list("prd.json", STORIES);
    let ready = |now: &str| told(context.at(now, &["tasks", "ready", "--json"]));
    assert_eq!(ids(&ready(NOON)), ["S-1"]);
    assert_eq!(
        ids(&ready("2026-01-31T13:00:00Z")),
        ["S-1"],
        "exactly the limit is not beyond it"
    );
    let late = ready("2026-01-31T13:00:01Z");
    assert_eq!(ids(&late), ["S-1", "S-2"]);
    assert_eq!(
        (&late[0]["stale"], &late[1]["stale"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(late[1]["status"], "in_progress");
    assert_eq!(late[1]["started_at"], NOON);
    assert!(
        late[1]["life"].as_str().unwrap().contains("3601 s"),
        "{}",
        late[1]
    );
    let people = context
        .at("2026-01-31T13:00:01Z", &["tasks", "stale"])
        .run()
        .expect(0)
        .out();
    assert!(people.starts_with("S-2  stale "), "{people}");
    // The limit is configured: by the user, by the environment, or not at all.
    context.user_settings("[tasks]\nstale_seconds = 60\n");
    assert_eq!(ids(&ready("2026-01-31T12:01:00Z")), ["S-1"]);
    assert_eq!(ids(&ready("2026-01-31T12:01:01Z")), ["S-1", "S-2"]);
    let never = context.at("2027-01-01T00:00:00Z", &["tasks", "ready", "--json"]);
    assert_eq!(ids(&told(never.env("FUSEBOX_STALE_SECONDS", "0"))), ["S-1"]);
    // A repository cannot have tasks taken from others earlier.
    context.put("fusebox.toml", "tasks.stale_seconds = 1\n");
    assert_eq!(ids(&ready("2026-01-31T12:00:30Z")), ["S-1"]);
}

#[test]
fn req_000_008_and_077_to_079_and_d_047_cub_leaves_tasks_alone_until_its_block_speaks_of_them() {
    let context = TestContext::list("prd.json", STORIES);
    let ready = |args: &[&str]| {
        let mut all = vec!["--preset", "cub"];
        all.extend(args);
        all.extend(["tasks", "ready", "--json"]);
        ids(&told(context.at("2026-02-28T12:00:00Z", &all))).join(" ")
    };
    assert_eq!(ready(&[]), "S-1", "disabled");
    for (block, expected) in [
        (
            r#"{"enabled": true, "stale_seconds": 3600, "action": "reopen"}"#,
            "S-1 S-2",
        ),
        ("{}", "S-1 S-2"),
        (r#"{"enabled": false}"#, "S-1"),
        (r#"{"stale_seconds": 99999999}"#, "S-1"),
    ] {
        let file = context.path("cub.json");
        std::fs::write(
            &file,
            format!(r#"{{"stagnation": {{"stale_task_recovery": {block}}}}}"#),
        )
        .unwrap();
        assert_eq!(
            ready(&["--config", file.to_str().unwrap()]),
            expected,
            "{block}"
        );
    }
}

#[test]
fn req_000_007_and_011_and_013_and_104_a_worker_that_is_killed_gives_its_task_back() {
    let context = TestContext::list("prd.json", STORIES);
    let mut worker = Command::new("sleep").arg("600").spawn().unwrap();
    let pid = worker.id().to_string();
    let claimed = context
        .fusebox(&["tasks", "claim", "S-1", "--pid", &pid])
        .run()
        .expect(0);
    assert_eq!(claimed.out(), "S-1\n", "for a shell to take as it is");
    let list = std::fs::read_to_string(context.work().join("prd.json")).unwrap();
    assert!(
        list.contains(r#""status": "in_progress", "startedAt": ""#),
        "{list}"
    );
    context.user_settings("[tasks]\nstale_seconds = 0\n");
    assert!(context.tasks("ready").is_empty());
    // A day later it is still alive, so it is still its task.
    let later = told(context.at("2099-01-01T00:00:00Z", &["tasks", "list", "--json"]));
    assert_eq!(later[0]["life"], json!(format!("process {pid} runs")));
    context
        .fusebox(&["tasks", "claim", "S-1"])
        .run()
        .expect(5)
        .says(&format!("process {pid} runs"));
    context
        .fusebox(&["tasks", "reopen", "S-1", "--reason", "impatience"])
        .run()
        .expect(5);
    context
        .fusebox(&["tasks", "release", "S-1"])
        .run()
        .expect(5)
        .says("its number is needed");
    worker.kill().unwrap();
    worker.wait().unwrap();
    let ready = context.tasks("ready");
    assert_eq!(
        (ids(&ready), &ready[0]["stale"]),
        (vec!["S-1"], &json!(true))
    );
    let next = context
        .fusebox(&["tasks", "next", "--as", "heir"])
        .run()
        .expect(0);
    assert_eq!(next.out(), "S-1\n");
    next.says(&format!("process {pid} is gone"));
    let now = &context.tasks("list")[0];
    assert_eq!(
        (&now["holder"], &now["reopens"], &now["claims"]),
        (&json!("heir"), &json!(1), &json!(2))
    );
    assert!(now["reopened_for"].as_str().unwrap().contains("is gone"));
}

#[test]
fn two_programs_at_once_and_exactly_one_gets_it() {
    let context = TestContext::list("fix_plan.md", "- [ ] T-1 a\n");
    for round in 0..12 {
        let claim = || {
            context
                .fusebox(&["tasks", "claim", "T-1", "--json"])
                .start()
        };
        let both = [claim(), claim()].map(|one| one.finish());
        let mut codes = both.each_ref().map(|one| one.code);
        codes.sort_unstable();
        assert_eq!(
            codes,
            [0, 5],
            "round {round}: {} {}",
            both[0].err(),
            both[1].err()
        );
        let winner = both.iter().find(|one| one.code == 0).unwrap();
        let fence = winner.json()[0]["fence"].to_string();
        context
            .fusebox(&["tasks", "release", "T-1", "--fence", &fence])
            .run()
            .expect(0);
    }
}

#[test]
fn nothing_is_done_because_somebody_says_so() {
    let context = TestContext::list("fix_plan.md", "- [ ] T-1 a\n- [ ] T-2 b\n");
    let done = |args: &[&str]| {
        let mut all = vec!["tasks", "done", "T-1"];
        all.extend(args);
        context.fusebox(&all)
    };
    done(&[])
        .run()
        .expect(5)
        .says("there is no evidence that T-1 is done");
    done(&["--evidence", "trust me"])
        .run()
        .expect(5)
        .says("needs a person");
    for (command, code) in [("test -e proof", 5), ("exit 7", 5), ("true", 0)] {
        context.user_settings(&format!("[evidence]\ntest = \"{command}\"\n"));
        let came = done(&["--json"]).run().expect(code);
        let plan = std::fs::read_to_string(context.work().join("fix_plan.md")).unwrap();
        assert_eq!(plan.contains("- [x] T-1"), code == 0, "{plan}");
        if code == 0 {
            assert_eq!(came.json()[0]["evidence"], "`true` succeeds");
        } else {
            came.says("so there is no evidence that the task is done");
        }
    }
    if nobody_can_play_a_person() {
        return;
    }
    context.hold_key();
    let words = ["tasks", "done", "T-2", "--evidence", "read it"];
    let by_person = context.fusebox(&words).env("FUSEBOX_OPERATOR_KEY", KEY);
    by_person.run().expect(0).says("read it (says somebody)");
}

#[test]
fn next_goes_through_the_list_and_says_when_there_is_nothing_more() {
    let context = TestContext::new();
    context
        .fusebox(&["tasks", "list"])
        .run()
        .expect(6)
        .says("no task list found here");
    for title in ["first", "second"] {
        context
            .fusebox(&["tasks", "add", title, "--kind", "chore"])
            .run()
            .expect(0);
    }
    for id in ["T-1", "T-2"] {
        assert_eq!(
            context.fusebox(&["tasks", "next"]).run().expect(0).out(),
            format!("{id}\n")
        );
    }
    let none = context
        .fusebox(&["tasks", "next", "--json"])
        .run()
        .expect(40);
    assert_eq!(none.json(), json!([]));
    context
        .fusebox(&["tasks", "block", "T-1", "--reason", "no way"])
        .run()
        .expect(0);
    let list = context.tasks("list");
    assert_eq!(
        (&list[0]["status"], &list[0]["blocked_for"]),
        (&json!("blocked"), &json!("no way"))
    );
    context
        .fusebox(&["tasks", "reopen", "T-1", "--reason", "a way"])
        .run()
        .expect(0);
    context
        .fusebox(&["tasks", "heartbeat", "T-2"])
        .run()
        .expect(0);
    context
        .fusebox(&["tasks", "release", "T-2"])
        .run()
        .expect(0);
    assert_eq!(ids(&context.tasks("ready")), ["T-1", "T-2"]);
    context
        .fusebox(&["tasks", "claim", "T-9"])
        .run()
        .expect(2)
        .says("no task `T-9`");
    context
        .fusebox(&["tasks", "claim", "T-1", "--pid", "2147483647"])
        .run()
        .expect(2);
    let patterns = context
        .fusebox(&["history", "--patterns", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(
        (&patterns["kind"], &patterns["tasks"]),
        (&json!("chore"), &json!(2))
    );
}

#[test]
fn a_shell_that_dies_gives_back_what_it_has_taken() {
    let context = TestContext::list("fix_plan.md", "- [ ] T-1 a\n");
    let script = "\"$0\" tasks next --pid $$ > ../taken && sleep 600";
    let shell = std::path::Path::new("/bin/sh");
    let mut running = context
        .call(shell, &["-c", script, crate::context::FUSEBOX])
        .start();
    wait_for("the claim", || {
        std::fs::read_to_string(context.path("taken")).is_ok_and(|text| text == "T-1\n")
    });
    assert!(context.tasks("ready").is_empty());
    running.signal(rustix::process::Signal::KILL);
    running.child.wait().unwrap();
    assert_eq!(ids(&context.tasks("ready")), ["T-1"]);
}

#[test]
fn a_task_is_not_added_where_nobody_would_see_it() {
    let context = TestContext::new();
    std::fs::write(context.work().join("fix_plan.md"), "- [ ] T-1 first\n").unwrap();
    context
        .fusebox(&["tasks", "add", "third"])
        .run()
        .expect(5)
        .says("the list in use here is fix_plan.md")
        .says("tasks.source");
    let listed = context
        .fusebox(&["tasks", "list", "--json"])
        .run()
        .expect(0);
    assert_eq!(listed.json().as_array().map(Vec::len), Some(1));
}

/// Whatever is asked about it: a task that there is not is said not to be there.
#[test]
fn a_task_that_there_is_not_is_told_by_every_verb() {
    let context = TestContext::new();
    context.fusebox(&["tasks", "add", "one"]).run().expect(0);
    for verb in [
        &["claim", "nope"][..],
        &["release", "nope"],
        &["heartbeat", "nope"],
        &["done", "nope"],
        &["done", "nope", "--evidence", "I saw it"],
        &["block", "nope", "--reason", "x"],
        &["reopen", "nope", "--reason", "x"],
    ] {
        let args = [&["tasks"], verb].concat();
        let told = context.fusebox(&args).run().expect(2).complains_once();
        told.says("no task `nope`");
    }
}
