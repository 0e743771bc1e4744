//! The stream of events, and the line for a prompt.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::context::{FUSEBOX, KEY, TestContext, nobody_can_play_a_person};

fn events(context: &TestContext, args: &[&str]) -> Vec<Value> {
    let args = [&["events"], args].concat();
    context.fusebox(&args).run().expect(0).json_lines()
}

fn words(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| event["event"].as_str())
        .collect()
}

#[test]
fn events_tell_everything_in_order_and_go_on_from_a_cursor() {
    let context = TestContext::new();
    assert_eq!(events(&context, &[]), [] as [Value; 0]);
    context.fusebox(&["check"]).run().expect(0);
    context.open_breaker();
    let told = events(&context, &[]);
    assert_eq!(
        words(&told),
        ["granted", "reported", "reported", "reported"]
    );
    let last = &told[3];
    assert_eq!(
        (&last["schema"], &last["state"], &last["circuit"]),
        (&json!(1), &json!("Open"), &json!("default"))
    );
    assert_eq!(
        last["opened"]["rule"].as_str().map(str::is_empty),
        Some(false)
    );
    assert_eq!(last["opened"]["evidence"].as_array().map(Vec::len), Some(3));
    assert_eq!(last["iteration"]["files"], 0);
    let cursor = told[1]["cursor"].as_str().unwrap();
    let rest = events(&context, &["--since", cursor]);
    assert_eq!(rest, told[2..]);
    let none = last["cursor"].as_str().unwrap();
    assert_eq!(events(&context, &["--since", none]), [] as [Value; 0]);
    assert_eq!(events(&context, &["--since", "1h"]), told);
    assert_eq!(
        events(&context, &["--since", "2999-01-01T00:00:00Z"]).len(),
        0
    );
}

#[test]
fn a_cursor_of_a_log_that_was_started_afresh_is_told_as_lost() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    context.open_breaker();
    let told = events(&context, &[]);
    std::fs::remove_file(context.store().log).unwrap();
    context.fusebox(&["events"]).run().expect(4);
    context.reset().expect(0);
    let cursor = told[0]["cursor"].as_str().unwrap();
    let args = ["events", "--since", cursor];
    let afresh = context.fusebox(&args).run().expect(0);
    let afresh = afresh.says("not in the log any more");
    assert_eq!(words(&afresh.json_lines()), ["reset"]);
}

#[test]
fn events_of_all_loops_of_the_machine_come_together() {
    let context = TestContext::new();
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    let other = context.path("other");
    std::fs::create_dir(&other).unwrap();
    for circuit in ["a", "b"] {
        let record = ["record", "--files-changed", "1", "--circuit", circuit];
        context.fusebox(&record).inside(&other).run().expect(0);
    }
    let told = events(&context, &["--all"]);
    let names: Vec<_> = told
        .iter()
        .map(|event| {
            (
                event["workspace"] == json!(other),
                event["circuit"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(names, [(false, "default"), (true, "a"), (true, "b")]);
    let ids: std::collections::BTreeSet<_> =
        told.iter().map(|event| event["loop"].to_string()).collect();
    assert_eq!(ids.len(), 3);
    context
        .fusebox(&["events", "--all", "--since", "1-00000000"])
        .run()
        .expect(2)
        .complains_once();
    context
        .fusebox(&["events", "--since", "yesterday"])
        .run()
        .expect(2)
        .complains_once();
}

#[test]
fn whoever_follows_hears_at_once_and_leaves_with_the_reader() {
    let context = TestContext::new();
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    let mut follower = Command::new(FUSEBOX)
        .args(["events", "--follow"])
        .env_clear()
        .envs(context.environment())
        .current_dir(context.work())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["event"], "reported");
    context
        .fusebox(&["trip", "--reason", "enough"])
        .run()
        .expect(0);
    let trip = next();
    assert_eq!(
        (&trip["event"], &trip["reason"]),
        (&json!("tripped"), &json!("enough"))
    );
    drop(lines);
    context.fusebox(&["limit", "take", "1"]).run();
    crate::call::wait_for("the follower to leave", || {
        follower.try_wait().unwrap().is_some()
    });
    assert_eq!(follower.wait().unwrap().code(), Some(0));
}

#[test]
fn the_status_line_says_how_things_stand_and_touches_nothing() {
    let context = TestContext::new();
    let line = |format: &str| {
        let args = ["statusline", "--format", format];
        context.fusebox(&args).run().expect(0).out()
    };
    assert_eq!(line("shell"), "", "nothing to say where nothing happened");
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    assert_eq!(line("shell"), "● CLOSED iteration 1\n");
    context.open_breaker();
    let before = context.memory();
    assert_eq!(line("shell"), "✖ OPEN iteration 4\n");
    assert_eq!(line("tmux"), "#[fg=red,bold]✖ OPEN#[default] iteration 4\n");
    assert_eq!(
        line("claude"),
        "\u{1b}[1m\u{1b}[31m✖ OPEN\u{1b}[0m iteration 4\n"
    );
    assert_eq!(context.memory(), before);
    let plain = ["statusline", "--format", "claude", "--color", "never"];
    assert_eq!(context.fusebox(&plain).run().out(), line("shell"));
    let ascii = context.fusebox(&["statusline"]).env("LANG", "C").run();
    assert_eq!(ascii.out(), "X OPEN iteration 4\n");
    let data = context.fusebox(&["statusline", "--json"]).run().json();
    assert_eq!(
        (&data["state"], &data["label"]),
        (&json!("Open"), &json!("OPEN"))
    );
    assert_eq!(
        (&data["iteration"], &data["running"]),
        (&json!(4), &json!(false))
    );
}

#[test]
fn an_agent_says_where_it_is_and_damage_is_told() {
    let context = TestContext::new();
    context.open_breaker();
    let elsewhere = context.path("home");
    let told = json!({"cwd": "/", "workspace": {"project_dir": context.work()}}).to_string();
    for (input, expected) in [
        (told.as_str(), "✖ OPEN iteration 3"),
        ("not json", ""),
        ("{}", ""),
    ] {
        let args = ["statusline", "--format", "claude", "--color", "never"];
        let call = context.fusebox(&args).inside(&elsewhere).input(input);
        assert_eq!(call.run().expect(0).out().trim(), expected, "{input}");
    }
    // What somebody else found is told; it is not looked for with every prompt.
    std::fs::remove_file(context.store().log).unwrap();
    context.fusebox(&["check"]).run().expect(4);
    let line = context.fusebox(&["statusline"]).run().expect(0).out();
    assert_eq!(line, "✖ fusebox cannot be read\n");
    let data = context.fusebox(&["statusline", "--json"]).run().json();
    assert_eq!(
        (&data["state"], &data["readable"]),
        (&json!("Open"), &json!(false))
    );
}

#[test]
fn events_and_history_give_the_same_reasons() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    context.fusebox(&["check"]).run().expect(0);
    context.fusebox(&["limit", "take", "3"]).run().expect(0);
    let trip = ["trip", "--reason", "enough"];
    context.fusebox(&trip).run().expect(0);
    context.reset().expect(0);
    let change = context.fusebox(&["presets", "use", "cub"]);
    change.env("FUSEBOX_OPERATOR_KEY", KEY).run().expect(0);
    let history = context.fusebox(&["history", "--json"]).run().expect(0);
    let reasons = |lines: &[Value]| -> Vec<Value> {
        let reasons = lines.iter().map(|line| line["reason"].clone());
        reasons.collect()
    };
    let told = reasons(&events(&context, &[]));
    assert_eq!(told, reasons(&history.json_lines()));
    assert!(told.contains(&json!("native to cub")), "{told:?}");
}

/// A trip is a trip, whoever it was that opened the breaker.
#[test]
fn every_kind_of_history_can_be_asked_for_and_trips_are_all_of_them() {
    let context = TestContext::new();
    context.open_breaker();
    let rows = |kind: &str| {
        let history = ["history", "--json", "--kind", kind];
        context.fusebox(&history).run().expect(0).json_lines()
    };
    let opened = rows("tripped");
    assert_eq!(opened.len(), 1, "{opened:?}");
    assert_eq!(
        (&opened[0]["kind"], &opened[0]["state"]),
        (&json!("reported"), &json!("Open"))
    );
    let history = ["history", "--kind", "tripped"];
    let told = context.fusebox(&history).run().expect(0).out();
    assert!(told.contains("No progress for 3 iterations"), "{told}");
    context
        .fusebox(&["trip", "--reason", "enough", "--circuit", "b"])
        .run()
        .expect(0);
    let other = ["history", "--json", "--kind", "tripped", "--circuit", "b"];
    let other = context.fusebox(&other).run().expect(0).json_lines();
    assert_eq!(other.len(), 1, "{other:?}");
    assert_eq!(other[0]["reason"], "enough");
    for kind in [
        "run_began",
        "protected_file_lost",
        "task_blocked",
        "imported",
    ] {
        assert_eq!(rows(kind).len(), 0, "{kind}");
    }
    // What events are called there is what they are called here.
    let all = context
        .fusebox(&["history", "--json"])
        .run()
        .expect(0)
        .json_lines();
    let events = context.fusebox(&["events"]).run().expect(0).json_lines();
    let names =
        |rows: &[Value], key: &str| rows.iter().map(|row| row[key].clone()).collect::<Vec<_>>();
    assert_eq!(names(&all, "name"), names(&events, "event"));
}
