//! The configuration of preset cub in its own words: the documented block, its
//! file in the repository, its variables.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::call::Finished;
use crate::context::TestContext;

/// The configuration as its documentation prints it.
const DOCUMENTED: &str = include_str!("../../../seeds/tests/cub_documented.json");

impl TestContext {
    /// A file of the user's own, outside of the work tree.
    fn json_config(&self, text: &str) -> String {
        let path = self.path("cub.json");
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The file in the repository, which may be the agent's.
    fn repository_config(&self, text: &str) -> PathBuf {
        let directory = self.work().join(".cub");
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("config.json");
        fs::write(&path, text).unwrap();
        path
    }
}

/// After how many idle iterations the breaker opens; at most five are tried.
fn opens_after(record: impl Fn() -> Finished) -> Option<usize> {
    (1..=5).find(|_| record().code == 42)
}

const IDLE: [&str; 3] = ["record", "--files-changed", "0"];

/// The values that `config show` tells, each with its source and place.
fn shown(call: crate::call::Call) -> BTreeMap<String, (Value, Value, Value)> {
    let rows = call.run().expect(0).json_lines().into_iter();
    rows.map(|mut row| {
        let key = row["key"].as_str().unwrap().to_owned();
        let mut take = |name: &str| row[name].take();
        (key, (take("written"), take("source"), take("place")))
    })
    .collect()
}

#[test]
fn req_000_066_to_071_and_073_and_075_to_076_and_080_the_documented_block_says_what_holds_without_it()
 {
    let context = TestContext::new();
    let file = context.json_config(DOCUMENTED);
    let bare = shown(context.cub(&["config", "show", "--json"]));
    let set = shown(context.cub(&["--config", &file, "config", "show", "--json"]));
    for (key, value, line) in [
        ("stagnation.threshold", "3", 3),
        ("signals.no_progress.trip", "3", 3),
        ("signals.repeated_error.trip", "3", 3),
        ("stagnation.action", "\"pause\"", 4),
        ("signals.no_progress.enabled", "true", 6),
        ("signals.repeated_error.enabled", "true", 7),
        ("signals.task_stuck.trip", "5", 8),
        ("signals.unproven_completion.enabled", "true", 9),
        ("stagnation.escalation", "true", 12),
        ("notifications.desktop", "true", 16),
    ] {
        let expected = (json!(value), json!("preset"), Value::Null);
        assert_eq!(bare.get(key), Some(&expected), "{key}");
        let place = json!(format!("{file}:{line}"));
        let expected = (json!(value), json!("user"), place);
        assert_eq!(set.get(key), Some(&expected), "{key}");
    }
    for rows in [&bare, &set] {
        assert!(!rows.contains_key("notifications.webhook"));
    }
    let ladder = r#"["haiku", "sonnet", "opus"]"#;
    assert_eq!(set["agent.models"].0, json!(ladder));
}

#[test]
fn req_000_073_to_074_the_ladder_and_whether_it_is_climbed() {
    let context = TestContext::new();
    let plan = |config: &str| {
        let file = context.json_config(config);
        let run = ["run", "--agent", "claude", "--prompt", "x", "--dry-run"];
        let args = [
            &["--config", &file],
            &run[..],
            &["--on-stagnation", "escalate"],
        ]
        .concat();
        context.cub(&args).run().expect(0).out()
    };
    let documented = plan(DOCUMENTED);
    let none = plan("{\"stagnation\": {}}");
    for plan in [&documented, &none] {
        assert!(plan.contains("haiku, then sonnet, then opus"), "{plan}");
        assert!(plan.contains("then        escalate\n"), "{plan}");
    }
    let off = plan(
        r#"{"stagnation": {"escalation": {"enabled": false, "model_progression": ["b", "a"]}}}"#,
    );
    assert!(off.contains("b, then a"), "{off}");
    assert!(off.contains("then        pause\n"), "{off}");
}

#[test]
fn req_000_063_and_074_and_d_076_one_model_is_where_the_ladder_is_begun() {
    let context = TestContext::new();
    let ladder =
        r#"{"stagnation": {"escalation": {"model_progression": ["small", "middle", "big"]}}}"#;
    let config = context.json_config(ladder);
    let plan = |config: &[&str], model: &str| {
        let run = ["run", "--agent", "claude", "--prompt", "x", "--dry-run"];
        let how = ["--on-stagnation", "escalate", "--model", model];
        let args = [config, &run[..], &how[..]].concat();
        context.cub(&args).run().expect(0).out()
    };
    let configured = ["--config", config.as_str()];
    for (config, model, models, then) in [
        (&configured[..], "middle", "middle, then big", "escalate"),
        (
            &configured,
            "small",
            "small, then middle, then big",
            "escalate",
        ),
        (&configured, "big,small", "big, then small", "escalate"),
        // The last one, and one that is not on it, have none above them.
        (&configured, "big", "big", "pause"),
        (&configured, "sonnet", "sonnet", "pause"),
        (&[], "sonnet", "sonnet, then opus", "escalate"),
    ] {
        let plan = plan(config, model);
        assert!(
            plan.contains(&format!("with {models}\n")),
            "{model}: {plan}"
        );
        assert!(
            plan.contains(&format!("then        {then}\n")),
            "{model}: {plan}"
        );
    }
}

#[test]
fn req_000_072_each_signal_can_be_switched_off_in_the_block() {
    let error = ["record", "--files-changed", "1", "--error", "Error: x"];
    let task = [
        "record",
        "--files-changed",
        "1",
        "--task",
        "t",
        "--no-errors",
    ];
    for (switch, report, count) in [
        ("\"no_file_changes\": false", &IDLE[..], 3),
        ("\"repeated_errors\": false", &error, 3),
        ("\"task_timeout_iterations\": 0", &task, 5),
    ] {
        let context = TestContext::new();
        assert_eq!(
            opens_after(|| context.cub(report).run()),
            Some(count),
            "{switch}"
        );
        let context = TestContext::new();
        let file = context.json_config(&format!(
            "{{\"stagnation\": {{\"signals\": {{{switch}}}}}}}"
        ));
        let report = [&["--config", &file], report].concat();
        assert_eq!(opens_after(|| context.cub(&report).run()), None, "{switch}");
    }
    let all = r#"{"stagnation": {"signals": {"no_file_changes": false, "repeated_errors": false,
        "task_timeout_iterations": 0, "completion_without_evidence": false}}}"#;
    let context = TestContext::new();
    let file = context.json_config(all);
    let refused = context.cub(&["--config", &file, "check"]).run().expect(3);
    refused.says("every signal that trips is switched off");
}

#[test]
fn a_wrong_block_is_told_by_key_and_line_and_stops() {
    let context = TestContext::new();
    for (text, what) in [
        (
            "{\"stagnation\": {\n \"threshold\": true}}",
            "`stagnation.threshold` must be a whole number",
        ),
        (
            "{\"stagnation\": {\n \"threshold\": 100}}",
            "`stagnation.threshold` must be a whole number from 1 to 99",
        ),
        (
            "  {\"stagnation\": {\n \"action\": \"nap\"}}",
            "`stagnation.action` must be one of",
        ),
        (
            "{\"stagnation\": {\n \"threshold\": 3,}}",
            "this is not valid JSON",
        ),
    ] {
        let file = context.json_config(text);
        let place = format!("{file}:2:");
        let refused = context.cub(&["--config", &file, "check"]).run().expect(3);
        refused.complains_once().says(what).says(&place);
    }
    let file = context.json_config("{\"stagnation\": {\"treshold\": 2}, \"budget\": {}}");
    let check = context.cub(&["--config", &file, "check"]).run().expect(0);
    check.says("not known, and without effect: stagnation.treshold");
    let file = context.json_config("{\"budget\": {}}");
    let check = context.cub(&["--config", &file, "check"]).run().expect(0);
    check.says("there is no `stagnation` block in it");
}

#[test]
fn req_000_039_and_043_and_081_its_own_variables_count_in_its_own_preset() {
    let count = |preset: &str, variables: &[(&str, &str)], config: Option<&str>| {
        let context = TestContext::new();
        if let Some(text) = config {
            context.repository_config(text);
        }
        opens_after(|| {
            let call = context.fusebox(&[&["--preset", preset], &IDLE[..]].concat());
            let set = variables.iter();
            set.fold(call, |call, (name, value)| call.env(name, value))
                .run()
        })
    };
    let theirs = ("CUB_STAGNATION_THRESHOLD", "2");
    let ours = ("FUSEBOX_STAGNATION_THRESHOLD", "4");
    let file = Some(r#"{"stagnation": {"threshold": 1}}"#);
    for (preset, variables, config, expected) in [
        ("cub", &[][..], None, 3),
        ("cub", &[], file, 1),
        ("cub", &[theirs], file, 2),
        ("cub", &[theirs, ours], file, 4),
        ("native", &[theirs], file, 3),
        ("native", &[("CUB_STAGNATION_THRESHOLD", "none")], None, 3),
        ("cub", &[("CUB_STAGNATION_THRESHOLD", "")], None, 3),
        ("cub", &[("CUB_ON_STAGNATION", "")], None, 3),
        ("cub", &[("STALE_SECONDS", "")], None, 3),
        ("prp", &[("BP_RATE_LIMIT_HOURLY", "")], None, 3),
        ("prp", &[("PRP_SESSION_DIR", "")], None, 3),
    ] {
        let found = count(preset, variables, config);
        assert_eq!(found, Some(expected), "{preset} {variables:?} {config:?}");
    }
    let context = TestContext::new();
    let check = context
        .cub(&["check"])
        .env("CUB_STAGNATION_THRESHOLD", "none");
    check
        .run()
        .expect(3)
        .says("CUB_STAGNATION_THRESHOLD is `none`, and must be a whole number");
}

#[test]
fn req_000_043_and_081_the_action_comes_from_variable_flag_or_file() {
    for (variable, options, config, code) in [
        (None, &[][..], None, 43),
        (Some("abort"), &[], None, 42),
        (Some(""), &[], None, 43),
        (Some("abort"), &["--on-stagnation", "pause"], None, 43),
        (
            None,
            &[],
            Some(r#"{"stagnation": {"action": "abort"}}"#),
            42,
        ),
        // It goes on, until as many iterations are done as are allowed.
        (Some("alert"), &["--max-iterations", "4"], None, 45),
        // A repository's file may only tighten.
        (
            None,
            &["--max-iterations", "4"],
            Some(r#"{"stagnation": {"action": "alert"}}"#),
            43,
        ),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        if let Some(text) = config {
            context.repository_config(text);
        }
        let call = context.supervise(&[&["--preset", "cub"], options].concat(), "true");
        let call = match variable {
            Some(action) => call.env("CUB_ON_STAGNATION", action),
            None => call,
        };
        let run = call.run();
        assert_eq!(
            run.code,
            code,
            "{variable:?} {options:?} {config:?}: {}",
            run.err()
        );
    }
}

#[test]
fn a_repositorys_block_tightens_and_neither_sends_nor_starts_anything() {
    let context = TestContext::new();
    let path = context.repository_config(
        r#"{"stagnation": {"threshold": 9, "signals": {"repeated_errors": false},
            "escalation": {"model_progression": ["evil"]},
            "notifications": {"desktop": false, "webhook": "http://127.0.0.1:9/"}}}"#,
    );
    let name = path.display();
    let check = context.cub(&["check"]).run().expect(0);
    for line in [
        format!("{name}:1: `stagnation.threshold = 9` would loosen it and is ignored"),
        format!(
            "{name}:1: `signals.repeated_error.enabled = false` would loosen it and is ignored"
        ),
        format!(
            "{name}: a repository may not set stagnation.escalation.model_progression, \
             stagnation.notifications.desktop, stagnation.notifications.webhook, so that is ignored"
        ),
    ] {
        assert_eq!(
            check.err().matches(&line).count(),
            1,
            "{line}\n{}",
            check.err()
        );
    }
    let rows = shown(context.cub(&["config", "show", "--json"]));
    for key in ["agent.models", "notifications.webhook"] {
        assert!(!rows.contains_key(key), "{key}");
    }
    assert_eq!(rows["notifications.desktop"].0, json!("true"));
    assert_eq!(rows["stagnation.threshold"].0, json!("3"));
}

#[test]
fn a_broken_or_linked_file_stops_its_own_preset_and_no_other() {
    let context = TestContext::new();
    let path = context.repository_config("{");
    context
        .cub(&["--circuit", "a", "check"])
        .run()
        .expect(3)
        .says("this is not valid JSON");
    context
        .cub(&["--circuit", "a", "trip", "--reason", "x"])
        .run()
        .expect(0);
    context
        .fusebox(&["--circuit", "b", "check"])
        .run()
        .expect(0);

    let elsewhere = context.path("elsewhere");
    fs::rename(path.parent().unwrap(), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, context.work().join(".cub")).unwrap();
    let refused = context.cub(&["--circuit", "c", "check"]).run().expect(3);
    refused.says("behind one, and a repository's are not followed");
    context
        .fusebox(&["--circuit", "b", "check"])
        .run()
        .expect(0);
}

#[test]
fn what_the_file_said_at_first_outlasts_the_file() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context.repository_config(r#"{"stagnation": {"threshold": 2}}"#);
    // What is removed was changed by the first iteration, and nothing by the others.
    let script = "rm -rf .cub/config.json; echo x >> ../count";
    let options = ["--preset", "cub", "--on-stagnation", "abort"];
    context.supervise(&options, script).run().expect(42);
    let count = fs::read_to_string(context.path("count")).unwrap();
    assert_eq!(count.lines().count(), 3);
}

#[test]
fn req_000_008_and_024_its_other_variables_count_and_an_unknown_action_is_wrong_usage() {
    let context = TestContext::new();
    let show = || context.cub(&["config", "show", "--json"]);
    let rows = shown(show().env("STALE_SECONDS", "120"));
    let row = |key: &str| rows[key].0.clone();
    assert_eq!(row("tasks.stale_seconds"), json!("120"));
    assert_eq!(row("tasks.recover"), json!("true"));
    for variable in ["CUB_ON_STAGNATION", "FUSEBOX_ON_STAGNATION"] {
        for args in [&["check"][..], &["run", "--", "true"]] {
            context.cub(args).env(variable, "foo").run().expect(2);
        }
    }
}
