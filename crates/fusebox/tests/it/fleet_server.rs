//! The same with a server, and with one that goes away.

use std::time::{Duration, Instant};

use postgres_fixture::{Care, Cluster};

use crate::context::TestContext;

/// A prepared database; `None`, and a word about it, where PostgreSQL is not installed.
fn database(context: &TestContext) -> Option<String> {
    let url = postgres_fixture::shared()?.database().unwrap();
    context
        .fusebox(&["fleet", "init", "--fleet", &url])
        .run()
        .expect(0)
        .says("fusebox_worker");
    Some(url)
}

#[test]
fn a_database_is_prepared_once_and_told_from_one_that_is_not() {
    let context = TestContext::new();
    let Some(cluster) = postgres_fixture::shared() else {
        return;
    };
    let bare = cluster.database().unwrap();
    let fleet = |url: &str, verb: &str| context.fusebox(&["fleet", verb, "--fleet", url]).run();
    fleet(&bare, "status")
        .expect(6)
        .says("`fusebox fleet init`");
    fleet(&bare, "init").expect(0).says("schema");
    fleet(&bare, "migrate").expect(0).says("is ready");
    let told = fleet(&bare, "status").expect(0).out();
    assert!(told.contains("0 present, 0 known"), "{told}");
}

#[test]
fn tasks_of_a_run_are_leased_and_done_in_the_fleet() {
    let Some(context) = TestContext::with_claude(
        r"echo x >> a.txt; finish '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'",
    ) else {
        return;
    };
    let Some(url) = database(&context) else {
        return;
    };
    context.put("fix_plan.md", "- [ ] first\n- [ ] second\n");
    context
        .among_stand_ins(&[
            "run", "--tasks", "--agent", "claude", "--test", "true", "--fleet", &url,
        ])
        .run()
        .expect(0);
    let status = context
        .fusebox(&["fleet", "status", "--json", "--fleet", &url])
        .run()
        .expect(0)
        .json();
    assert_eq!(status["tasks"], serde_json::json!({"done": 2}));
    assert!(status["events"].as_u64().unwrap() >= 4, "{status}");
    // A second machine with the same list, where both are still open, begins with neither.
    context.put("fix_plan.md", "- [ ] first\n- [ ] second\n");
    context
        .among_stand_ins(&[
            "run", "--tasks", "--agent", "claude", "--test", "true", "--fleet", &url,
        ])
        .run()
        .expect(43);
}

#[test]
fn a_run_pauses_while_the_server_is_away_and_goes_on_when_it_is_back() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    if postgres_fixture::shared().is_none() {
        return;
    }
    // A server of its own: the others are not to be crashed with it.
    let cluster = Cluster::start(Care::Quick).unwrap();
    let url = cluster.database().unwrap();
    context
        .fusebox(&["fleet", "init", "--fleet", &url])
        .run()
        .expect(0);
    let mut running = context
        .supervise(
            &["--fleet", &url, "--max-iterations", "3", "--plain"],
            "echo x >> a.txt; sleep 1",
        )
        .start();
    running.wait_to_say("iteration 1");
    cluster.crash().unwrap();
    running.wait_to_say("paused · no coordinator since");
    cluster.resume().unwrap();
    running.finish().expect(45);
    let text = std::fs::read_to_string(context.work().join("a.txt")).unwrap();
    assert_eq!(text, "one\ntwo\nx\nx\nx\n");
    let until = Instant::now() + Duration::from_secs(10);
    let events = || {
        let deliver = context
            .fusebox(&["fleet", "deliver", "--fleet", &url])
            .run();
        deliver.expect(0);
        let status = context
            .fusebox(&["fleet", "status", "--json", "--fleet", &url])
            .run();
        status.expect(0).json()["events"].as_u64().unwrap()
    };
    while events() < 6 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(events() >= 6);
}

#[test]
fn a_simulation_loses_nothing_and_says_what_the_server_would_hold() {
    let context = TestContext::new();
    let Some(url) = database(&context) else {
        return;
    };
    let told = context
        .fusebox(&[
            "fleet",
            "simulate",
            "--fleet",
            &url,
            "--workers",
            "20",
            "--machines",
            "4",
            "--for",
            "4s",
            "--lease",
            "2s",
            "--json",
        ])
        .run()
        .expect(0);
    let data = told.json();
    for name in [
        "lost",
        "duplicates",
        "over_budget",
        "events_missing",
        "grants_lost",
    ] {
        assert_eq!(data[name], 0, "{name}: {data}");
    }
    assert!(data["takes_per_second"].as_f64().unwrap() > 1.0);
    assert_eq!(data["held"].as_array().unwrap().len(), 3);
}
