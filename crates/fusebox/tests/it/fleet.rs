//! Several loops that share budgets, tasks and halts, in a directory of this machine.

use serde_json::Value;
use tempfile::TempDir;

use crate::call::{Call, Finished};
use crate::context::{KEY, TestContext, nobody_can_play_a_person};

/// A fleet without a server.
pub(crate) struct Fleet {
    pub(crate) directory: TempDir,
}

impl Fleet {
    pub(crate) fn new() -> Self {
        let fleet = Self {
            directory: TempDir::new().unwrap(),
        };
        let context = TestContext::new();
        fleet.run(&context, &["fleet", "init"]).expect(0);
        fleet
    }

    fn url(&self) -> String {
        format!("file://{}/fleet", self.directory.path().display())
    }

    pub(crate) fn call(&self, context: &TestContext, args: &[&str]) -> Call {
        context.fusebox(args).env("FUSEBOX_FLEET", self.url())
    }

    pub(crate) fn run(&self, context: &TestContext, args: &[&str]) -> Finished {
        self.call(context, args).run()
    }

    fn status(&self, context: &TestContext) -> Value {
        self.run(context, &["fleet", "status", "--json"])
            .expect(0)
            .json()
    }
}

#[test]
fn calls_are_shared_and_a_refusal_says_when() {
    let fleet = Fleet::new();
    let (ann, bob) = (TestContext::new(), TestContext::new());
    fleet
        .run(
            &ann,
            &["fleet", "budget", "repo:work", "calls", "2", "--per", "1h"],
        )
        .expect(0)
        .says("repo:work may use 2 calls");
    let grant = fleet.run(&ann, &["limit", "take"]).expect(0).out();
    assert_eq!(grant.trim().len(), 32, "{grant}");
    fleet.run(&bob, &["limit", "take"]).expect(0);
    let refused = fleet.run(&ann, &["limit", "take", "--json"]).expect(44);
    let wait = refused.json()["refused"]["wait_ms"].as_u64().unwrap();
    assert!((3_500_000..=3_630_000).contains(&wait), "{wait}");
    refused.says("the calls of repo:work are used up; free in 1 h");
    // Another repository has its own.
    fleet
        .call(&bob, &["limit", "take"])
        .env("FUSEBOX_FLEET_REPOSITORY", "other")
        .run()
        .expect(0);
    // Raising it is a release.
    fleet
        .run(&bob, &["fleet", "budget", "repo:work", "calls", "9"])
        .expect(5);
    fleet
        .run(&bob, &["fleet", "budget", "repo:work", "calls", "1"])
        .expect(0);
}

#[test]
fn what_was_reserved_is_settled_by_its_name() {
    let fleet = Fleet::new();
    let ann = TestContext::new();
    fleet
        .run(&ann, &["fleet", "budget", "fleet", "tokens", "1000"])
        .expect(0);
    let take = ["limit", "take", "--tokens", "800"];
    let grant = fleet.run(&ann, &take).expect(0).out();
    fleet
        .run(&ann, &take)
        .expect(45)
        .says("the tokens of fleet are used up");
    fleet
        .run(&ann, &["limit", "settle", grant.trim(), "--tokens", "100"])
        .expect(0);
    fleet.run(&ann, &take).expect(0);
    let budget = &fleet.status(&ann)["budgets"][0];
    assert_eq!(
        (&budget["used"], &budget["reserved"]),
        (&900.into(), &800.into())
    );
}

#[test]
fn a_run_takes_before_each_iteration_and_ends_when_the_fleet_has_no_more() {
    let fleet = Fleet::new();
    let Some(ann) = TestContext::with_repository() else {
        return;
    };
    fleet
        .run(&ann, &["fleet", "budget", "fleet", "calls", "2"])
        .expect(0);
    let came = ann
        .supervise(&["--json", "--max-iterations", "5"], "echo x >> a.txt")
        .env("FUSEBOX_FLEET", fleet.url())
        .run()
        .expect(44);
    let lines = came.json_lines();
    let ended = lines.last().unwrap();
    assert_eq!(ended["reason"], "fleet_limited", "{ended}");
    assert_eq!(
        std::fs::read_to_string(ann.work().join("a.txt")).unwrap(),
        "one\ntwo\nx\nx\n"
    );
    let workers = fleet
        .run(&ann, &["fleet", "workers", "--json"])
        .expect(0)
        .json();
    assert!(workers[0]["delivered"].as_u64().unwrap() >= 4, "{workers}");
}

#[test]
fn a_halt_stops_every_loop_at_its_next_take_until_a_person_releases_it() {
    let fleet = Fleet::new();
    let Some(ann) = TestContext::with_repository() else {
        return;
    };
    let bob = TestContext::new();
    fleet
        .run(&bob, &["fleet", "halt", "--reason", "the API is down"])
        .expect(0);
    let halted = ann
        .supervise(&["--json", "--once"], "true")
        .env("FUSEBOX_FLEET", fleet.url())
        .run()
        .expect(42);
    assert_eq!(
        halted.json_lines().last().unwrap()["reason"],
        "fleet_halted"
    );
    halted.says("repo:work is halted: the API is down");
    fleet.run(&bob, &["limit", "take"]).expect(42);
    let status = fleet.run(&bob, &["status"]).expect(0).out();
    assert!(
        status.contains("2 workers · repo:work is HALTED: the API is down"),
        "{status}"
    );
    let resume = ["fleet", "resume", "--reason", "it is back"];
    fleet.run(&ann, &resume).expect(5);
    if nobody_can_play_a_person() {
        return;
    }
    ann.hold_key();
    let released = fleet.call(&ann, &resume).env("FUSEBOX_OPERATOR_KEY", KEY);
    released.run().expect(0);
    fleet.run(&bob, &["limit", "take"]).expect(0);
    assert_eq!(fleet.status(&ann)["halts"], serde_json::json!([]));
}

#[test]
fn the_same_error_on_three_tasks_halts_their_repository_and_no_other() {
    let fleet = Fleet::new();
    let loops: Vec<TestContext> = (0..3).map(|_| TestContext::new()).collect();
    for (number, one) in loops.iter().enumerate() {
        fleet.run(one, &["limit", "take"]).expect(0);
        one.fusebox(&["check"]).run().expect(0);
        let report = format!(
            r#"{{"task": "T-{number}", "files_changed": 0,
                "errors": [{{"type": "E0425", "message": "cannot find value at line {number}; token=ghp_0123456789abcdefghij0123456789abcdef"}}]}}"#
        );
        one.fusebox(&["record", "-"]).input(report).run().expect(0);
        fleet.run(one, &["fleet", "deliver"]).expect(0);
        fleet
            .run(one, &["fleet", "deliver"])
            .expect(0)
            .says("0 events delivered");
    }
    let status = fleet.status(&loops[0]);
    let incident = &status["incidents"][0];
    assert_eq!(incident["pattern"], "error_cluster");
    assert_eq!(
        incident["members"],
        serde_json::json!(["T-0", "T-1", "T-2"])
    );
    let key = incident["key"].as_str().unwrap();
    assert!(
        key.starts_with("E0425 cannot find value") && !key.contains("ghp_"),
        "{key}"
    );
    fleet
        .run(&loops[0], &["limit", "take"])
        .expect(42)
        .says("Same error on several tasks");
    fleet
        .call(&loops[0], &["limit", "take"])
        .env("FUSEBOX_FLEET_REPOSITORY", "other")
        .run()
        .expect(0);
}

#[test]
fn anomalies_of_several_loops_make_the_patterns_of_a_sprint() {
    let fleet = Fleet::new();
    let loops: Vec<TestContext> = (0..2).map(|_| TestContext::new()).collect();
    for (number, one) in loops.iter().enumerate() {
        assert_eq!(fleet.status(one)["halts"], serde_json::json!([]));
        let task = format!("T-{number}");
        one.fusebox(&[
            "--preset",
            "liza",
            "anomaly",
            "add",
            "--type",
            "external_blocker",
            "--task",
            &task,
            "--reporter",
            "coder",
            "--detail",
            "blocker_service=npm",
        ])
        .run()
        .expect(0);
        fleet.run(one, &["fleet", "deliver"]).expect(0);
    }
    let status = fleet.status(&loops[0]);
    assert_eq!(status["incidents"][0]["pattern"], "external_service_outage");
    assert_eq!(status["halts"][0]["scope"], "repo:work");
}

#[test]
fn a_task_is_claimed_on_one_machine_at_a_time_and_done_once() {
    let fleet = Fleet::new();
    let (ann, bob) = (TestContext::new(), TestContext::new());
    for one in [&ann, &bob] {
        std::fs::write(
            one.work().join("fix_plan.md"),
            "- [ ] first\n- [ ] second\n",
        )
        .unwrap();
    }
    let ready = fleet
        .run(&ann, &["tasks", "ready", "--json"])
        .expect(0)
        .json();
    let id = ready[0]["id"].as_str().unwrap().to_owned();
    fleet.run(&ann, &["tasks", "claim", &id]).expect(0);
    fleet
        .run(&bob, &["tasks", "claim", &id])
        .expect(5)
        .says("whose lease ends in");
    // Whoever asks for the next one gets another.
    let next = fleet.run(&bob, &["tasks", "next"]).expect(0).out();
    assert_ne!(next.trim(), id);
    fleet.run(&ann, &["tasks", "heartbeat", &id]).expect(0);
    fleet.run(&ann, &["tasks", "release", &id]).expect(0);
    fleet.run(&bob, &["tasks", "claim", &id]).expect(0);
    fleet.run(&ann, &["tasks", "release", &id]).expect(5);
    assert_eq!(fleet.status(&ann)["tasks"]["running"], 2);
}

/// Two commands that begin at once, in a work tree that has never been in a fleet, are one
/// worker, and both of their leases are written down.
#[test]
fn claims_at_once_are_one_workers_and_none_of_their_leases_is_lost() {
    const TASKS: [&str; 4] = ["T-1", "T-2", "T-3", "T-4"];
    for round in 0..4 {
        let fleet = Fleet::new();
        let ann = TestContext::new();
        let list: String = TASKS.iter().map(|id| format!("- [ ] {id} x\n")).collect();
        std::fs::write(ann.work().join("fix_plan.md"), list).unwrap();
        let claims = TASKS.map(|id| fleet.call(&ann, &["tasks", "claim", id]).start());
        for claim in claims {
            claim.finish().expect(0);
        }
        let status = fleet.status(&ann);
        assert_eq!(status["tasks"]["running"], 4, "round {round}: {status}");
        let workers = fleet.run(&ann, &["fleet", "workers", "--json"]).json();
        assert_eq!(
            workers.as_array().map(Vec::len),
            Some(1),
            "round {round}: {workers}"
        );
        for id in TASKS {
            fleet.run(&ann, &["tasks", "release", id]).expect(0);
        }
    }
}

#[test]
fn a_repository_cannot_point_us_at_a_fleet() {
    let context = TestContext::new();
    let url = "postgres://u:hunter2@db.example/d";
    let text = format!("[fleet]\nurl = \"{url}\"\n");
    std::fs::write(context.work().join("fusebox.toml"), text).unwrap();
    let refused = context.fusebox(&["check"]).run().expect(3);
    refused.says("fleet.url");
}

#[test]
fn without_a_coordinator_nothing_is_granted_and_no_password_is_shown() {
    let context = TestContext::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let url = format!("postgres://worker:hunter2@127.0.0.1:{port}/fleet");
    for args in [
        &["limit", "take"][..],
        &["fleet", "status"],
        &["fleet", "init"],
        &["fleet", "halt", "--reason", "r"],
    ] {
        let refused = context
            .fusebox(args)
            .env("FUSEBOX_FLEET", &url)
            .run()
            .expect(6);
        let said = format!("{}{}", refused.out(), refused.err());
        assert!(said.contains("no coordinator since "), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
    for args in [
        &["run", "--help"][..],
        &["config", "show"],
        &["fleet", "--help"],
    ] {
        let told = context
            .fusebox(args)
            .env("FUSEBOX_FLEET", &url)
            .run()
            .expect(0);
        let said = format!("{}{}", told.out(), told.err());
        assert!(!said.contains("hunter2"), "{said}");
    }
    context
        .fusebox(&["fleet", "status"])
        .env("FUSEBOX_FLEET", format!("{url}?sslmode=require"))
        .run()
        .expect(3)
        .says("does not speak to a database");
    // The breaker of this machine needs nobody.
    context
        .fusebox(&["check"])
        .env("FUSEBOX_FLEET", &url)
        .run()
        .expect(0);
}

#[test]
fn a_directory_that_is_no_fleet_is_not_taken_for_an_empty_one() {
    let context = TestContext::new();
    let mistyped = context.path("typo");
    let url = format!("file://{}", mistyped.display());
    for asked in [
        &["fleet", "status"][..],
        &["fleet", "halt", "--reason", "the API is down"],
        &["limit", "take"],
        &["run", "--once", "--", "true"],
    ] {
        let refused = context.fusebox(asked).env("FUSEBOX_FLEET", &url).run();
        refused
            .expect(6)
            .says("there is no fleet in ")
            .says("fusebox fleet init");
        assert!(!mistyped.exists(), "{asked:?} made {mistyped:?}");
    }
}

#[test]
fn a_simulation_without_a_server_says_what_it_needs() {
    let context = TestContext::new();
    let directory = format!("file://{}", context.path("shared").display());
    for fleet in [&[][..], &["--fleet", &directory]] {
        let args = [&["fleet", "simulate", "--json"], fleet].concat();
        let needed = context.fusebox(&args).run().expect(6).complains_once();
        needed.says("postgres://");
    }
}
