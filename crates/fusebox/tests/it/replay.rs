//! Recorded sessions, judged through the command line.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::context::TestContext;

/// What comes of the calls of a session.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// The same call with the same error.
    Stuck,
    /// Another call each time, and an error.
    Failing,
    /// Another call each time, and something new.
    Well,
}

/// A session of so many calls.
fn session(name: &str, [termination, outcome]: [&str; 2], calls: usize, way: Way) -> String {
    let events = (0..calls).map(|call| {
        let number = if way == Way::Stuck { 0 } else { call };
        let failed = way != Way::Well;
        let result = match failed {
            true => format!("error: part {number} is missing"),
            false => format!("part {number} is built"),
        };
        json!({
            "kind": "call", "tool": "execute_bash", "args": {"command": format!("make part_{number}")},
            "say": "Let me try this.", "result": result, "result_len": result.len(),
            "result_sha": "x", "is_error": failed,
        })
    });
    let events: Vec<Value> = events.collect();
    let session = json!({
        "source": "tests", "session": name, "model": "m",
        "termination": termination, "outcome": outcome, "events": events,
    });
    format!("{session}\n")
}

fn file(context: &TestContext, name: &str, text: &str) -> PathBuf {
    let path = context.work().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

const STUCK: [&str; 2] = ["stuck", "unresolved"];
const SOLVED: [&str; 2] = ["finished", "resolved"];

#[test]
fn a_stuck_session_would_have_been_stopped_and_a_healthy_one_not() {
    let context = TestContext::new();
    file(
        &context,
        "a/stuck.jsonl",
        &session("astray", STUCK, 40, Way::Stuck),
    );
    file(
        &context,
        "a/b/well.jsonl",
        &session("well", SOLVED, 40, Way::Well),
    );
    file(&context, "a/notes.json", "{\"name\": 1}\n");
    let told = context.fusebox(&["replay", "a"]).run().expect(0);
    let table = told.out();
    assert!(table.starts_with("astray  tests · 40 calls\n"), "{table}");
    assert!(table.contains("  would stop after call "), "{table}");
    assert!(table.contains(" of 40 ("), "{table}");
    assert!(!table.contains("well  tests"), "{table}");
    assert!(
        table.contains(
            "2 sessions, 80 calls: 1 would have been warned, 1 would have been stopped\n"
        ),
        "{table}"
    );
    assert!(
        told.err()
            .contains("notes.json: it holds no session in a supported format")
    );
    let all = context
        .fusebox(&["replay", "--all", "a"])
        .run()
        .expect(0)
        .out();
    assert!(all.contains("well  tests"), "{all}");
}

#[test]
fn verdicts_are_a_line_each_as_data() {
    let context = TestContext::new();
    file(
        &context,
        "s.jsonl",
        &session("astray", STUCK, 40, Way::Stuck),
    );
    let lines = context
        .fusebox(&["replay", "--json", "s.jsonl"])
        .run()
        .expect(0)
        .json_lines();
    let levels: Vec<_> = lines
        .iter()
        .map(|line| line["level"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["warn", "trip"]);
    for line in &lines {
        assert_eq!(
            (&line["source"], &line["session"]),
            (&json!("tests"), &json!("astray"))
        );
        assert!(line["signal"].is_string() && line["reason"].is_string());
        let (call, saved) = (
            line["call"].as_u64().unwrap(),
            line["saved"]["calls"].as_u64().unwrap(),
        );
        assert_eq!(call + saved, 40);
    }
    assert!(lines[0]["call"].as_u64() <= lines[1]["call"].as_u64());
}

#[test]
fn the_report_is_one_page_in_which_hostile_text_stays_text() {
    let context = TestContext::new();
    let name = "<script>alert('x')</script>\u{202e}\u{1b}[31m";
    file(&context, "s.jsonl", &session(name, STUCK, 40, Way::Stuck));
    context
        .fusebox(&["replay", "s.jsonl", "--html", "r.html"])
        .run()
        .expect(0)
        .says("r.html");
    let page = fs::read_to_string(context.work().join("r.html")).unwrap();
    println!("proof: texts 1 on a page of replayed sessions");
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("&lt;script&gt;alert(&#39;x&#39;)"), "{page}");
    for hostile in [
        "<script", "\u{202e}", "\u{1b}", "http://", "https://", "src=",
    ] {
        assert!(!page.contains(hostile), "{hostile:?}");
    }
    assert!(
        page.contains("<svg ") && page.contains("class=\"t\""),
        "{page}"
    );
    let table = context
        .fusebox(&["replay", "s.jsonl"])
        .run()
        .expect(0)
        .out();
    assert!(!table.contains(['\u{202e}', '\u{1b}']), "{table}");
}

#[test]
fn what_cannot_be_done_is_said_with_its_code() {
    let context = TestContext::new();
    file(
        &context,
        "well.jsonl",
        &session("well", ["finished", "unresolved"], 9, Way::Well),
    );
    for (args, code, words) in [
        (&["replay"][..], 2, "PATH"),
        (
            &["replay", "nowhere"],
            6,
            "there is no file of sessions to read",
        ),
        (
            &["replay", "well.jsonl", "--set", "nonsense=1"],
            2,
            "the policy has no number `nonsense`",
        ),
        (
            &["--preset", "prp", "replay", "well.jsonl"],
            2,
            "preset `prp` only looks on while a session runs",
        ),
        (
            &["--preset", "prp", "eval", "well.jsonl"],
            2,
            "preset `prp` only looks on while a session runs",
        ),
        (
            &["--preset", "prp", "tune", "well.jsonl"],
            2,
            "preset `prp` only looks on while a session runs",
        ),
        (&["eval", "well.jsonl", "--folds", "1"], 2, "--folds"),
        (
            &["replay", "well.jsonl", "--set", "nonsense"],
            2,
            "is not a threshold",
        ),
        (
            &["replay", "well.jsonl", "--html", "/nowhere/r"],
            6,
            "cannot write ",
        ),
        (
            &["eval", "well.jsonl"],
            6,
            "of none of these sessions is known how it went",
        ),
        (
            &["eval", "well.jsonl", "--labels", "nowhere"],
            6,
            "cannot read the labels",
        ),
        (
            &["eval", "well.jsonl", "--sweep", "repeat.trip=9..4"],
            2,
            "is not a range",
        ),
    ] {
        let refused = context.fusebox(args).run().expect(code);
        assert!(refused.err().contains(words), "{args:?}: {}", refused.err());
    }
}

#[test]
fn verdicts_are_scored_with_intervals_and_drawn() {
    let context = TestContext::new();
    let stuck = (0..10).map(|number| session(&format!("s{number}"), STUCK, 40, Way::Stuck));
    let well = (0..10).map(|number| session(&format!("w{number}"), SOLVED, 40, Way::Well));
    file(
        &context,
        "all.jsonl",
        &stuck.chain(well).collect::<String>(),
    );
    let labels = "{\"session\":\"w1\",\"stop_at\":null}\n{\"session\":\"s1\",\"stop_at\":5}\n";
    file(&context, "labels.jsonl", labels);
    let args = [
        "eval",
        "all.jsonl",
        "--labels",
        "labels.jsonl",
        "--plot",
        "p.svg",
        "--inject",
    ];
    let table = context.fusebox(&args).run().expect(0).out();
    assert!(
        table.starts_with("sessions: stuck 10, limit 0, solved 10, supervised 0, unattended 0\n"),
        "{table}"
    );
    assert!(
        table.contains("100.0 (72.2–100.0)") && table.contains("0.0 (0.0–27.8)"),
        "{table}"
    );
    assert!(
        table.contains("beside a careful supervisor (2 sessions read):"),
        "{table}"
    );
    assert!(table.contains("frozen results"), "{table}");
    let plot = fs::read_to_string(context.work().join("p.svg")).unwrap();
    assert!(
        plot.starts_with("<svg ") && plot.contains("10 of 10"),
        "{plot}"
    );
    let data = context
        .fusebox(&["eval", "all.jsonl", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(data["chosen"]["trip"]["groups"]["stuck"]["hits"], json!(10));
    assert_eq!(data["chosen"]["trip"]["harmful"]["hits"], json!(0));
    let folded = [
        "eval",
        "all.jsonl",
        "--sweep",
        "repeat.trip=3..6",
        "--folds",
        "4",
    ];
    let table = context.fusebox(&folded).run().expect(0).out();
    assert!(
        table.contains("chosen on 3 of 4 parts, scored on the one left out:"),
        "{table}"
    );
    let data = context.fusebox(&[&folded[..], &["--json"]].concat());
    let folds = &data.run().expect(0).json()["folds"];
    assert_eq!(folds["parts"].as_array().unwrap().len(), 4);
    assert_eq!(folds["trip"]["groups"]["stuck"]["hits"], json!(10));
}

#[test]
fn thresholds_are_proposed_from_ones_own_sessions_and_nothing_is_changed() {
    let context = TestContext::new();
    for (name, way) in [("calm.jsonl", Way::Well), ("rough.jsonl", Way::Failing)] {
        let sessions = (0..20).map(|number| session(&format!("{number}"), SOLVED, 30, way));
        file(&context, name, &sessions.collect::<String>());
    }
    let told = context
        .fusebox(&["tune", "calm.jsonl"])
        .run()
        .expect(0)
        .out();
    assert!(told.contains("(all thresholds fit as they are)"), "{told}");
    let told = context
        .fusebox(&["tune", "rough.jsonl"])
        .run()
        .expect(0)
        .out();
    let proposed =
        "as proposed: 0.0 % (0.0–16.1) of the sessions would be warned, 0.0 % (0.0–16.1) stopped";
    assert!(
        told.contains(proposed) && told.contains("nothing was changed"),
        "{told}"
    );
    let data = context
        .fusebox(&["tune", "rough.jsonl", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(
        (&data["sessions"], &data["now"]["stopped"]),
        (&json!(20), &json!(100.0))
    );
    // What is printed for the configuration is read as it stands, key by key.
    let (_, tables) = told.split_once("write into your configuration:").unwrap();
    file(&context, "mine.toml", tables);
    let with_mine = |args: &[&str]| {
        let args = [&["--config", "mine.toml"], args].concat();
        context.fusebox(&args).run().expect(0)
    };
    let shown = with_mine(&["config", "show", "--json"]).json_lines();
    let mut settings = vec!["replay".to_owned(), "rough.jsonl".to_owned()];
    for proposal in data["proposals"].as_array().unwrap() {
        assert!(
            proposal["proposed"].as_u64() > proposal["now"].as_u64(),
            "{proposal}"
        );
        let (name, value) = (proposal["name"].as_str().unwrap(), &proposal["proposed"]);
        let row = shown.iter().find(|row| row["key"] == proposal["key"]);
        assert_eq!(row.unwrap()["value"], *value, "{name}");
        settings.extend(["--set".to_owned(), format!("{name}={value}")]);
    }
    let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
    let tried = context.fusebox(&settings).run().expect(0).out();
    let configured = with_mine(&["replay", "rough.jsonl"]).out();
    for replayed in [tried, configured] {
        assert!(
            replayed.contains("0 would have been warned, 0 would have been stopped"),
            "{replayed}"
        );
    }
    context
        .fusebox(&["tune", "calm.jsonl", "--stop", "101"])
        .run()
        .expect(2);
}

#[test]
fn where_there_is_no_session_there_is_nothing_to_judge() {
    let context = TestContext::new();
    let path = context.work().join("x.jsonl");
    fs::write(&path, "{\"a\": 1}\n").unwrap();
    let path = path.to_str().unwrap();
    for verb in ["replay", "eval", "tune"] {
        for json in [&[][..], &["--json"]] {
            let args = [&[verb, path], json].concat();
            let told = context.fusebox(&args).run().expect(6).complains_once();
            told.says("holds no session in a supported format");
        }
    }
}
