//! The documented block, and what people and hostile repositories write instead.

use serde_json::{Value, json};

use super::config::{Action, Config, Setting, StaleAction, StaleTaskRecovery, read};

/// The block as its documentation prints it.
const DOCUMENTED: &str = include_str!("../../tests/cub_documented.json");

/// A block with these contents.
fn block(inside: &str) -> Result<Option<Config>, Vec<String>> {
    let text = format!("{{\"harness\": {{\"name\": [1]}},\n \"stagnation\": {inside}}}");
    read(&text).map_err(|wrong| wrong.into_iter().map(|wrong| wrong.what).collect())
}

/// What a configuration says, put back into JSON, path by path.
fn written(config: &Config) -> Value {
    let mut document = json!({});
    let mut put = |path: &str, value: Value| {
        let pointer: Vec<_> = path.split('.').collect();
        let (last, above) = pointer.split_last().unwrap();
        let place = above.iter().fold(&mut document, |place, name| {
            if place[name].is_null() {
                place[name] = json!({});
            }
            &mut place[name]
        });
        place[last] = value;
    };
    for placed in &config.settings {
        let value = match &placed.what {
            Setting::Threshold(count) | Setting::TaskTimeoutIterations(count) => json!(count),
            Setting::Action(action) => json!(format!("{action:?}").to_lowercase()),
            Setting::NoFileChanges(on)
            | Setting::RepeatedErrors(on)
            | Setting::CompletionWithoutEvidence(on)
            | Setting::EscalationEnabled(on)
            | Setting::Desktop(on) => json!(on),
            Setting::ModelProgression(models) => json!(models),
            Setting::Webhook(address) => json!(address),
        };
        put(placed.what.path(), value);
    }
    if let Some(stale) = config.stale_task_recovery {
        let action = format!("{:?}", stale.action).to_lowercase();
        let (enabled, seconds) = (stale.enabled, stale.stale_seconds);
        let stale = json!({"enabled": enabled, "stale_seconds": seconds, "action": action});
        put("stagnation.stale_task_recovery", stale);
    }
    document
}

#[test]
fn req_000_080_the_documented_block_goes_in_and_comes_out_whole() {
    let config = read(DOCUMENTED).unwrap().unwrap();
    assert_eq!(config.unknown, []);
    let document: Value = serde_json::from_str(DOCUMENTED).unwrap();
    assert_eq!(written(&config), document);
}

#[test]
fn every_setting_knows_where_it_stands() {
    let config = read(DOCUMENTED).unwrap().unwrap();
    let at = |path: &str| {
        let mut settings = config.settings.iter();
        let placed = settings.find(|placed| placed.what.path() == path).unwrap();
        &DOCUMENTED[placed.span.clone()]
    };
    assert_eq!(at("stagnation.action"), "\"pause\"");
    assert_eq!(at("stagnation.signals.task_timeout_iterations"), "5");
    assert_eq!(at("stagnation.notifications.webhook"), "null");
    assert_eq!(
        at("stagnation.escalation.model_progression"),
        "[\"haiku\", \"sonnet\", \"opus\"]"
    );
}

#[test]
fn req_000_077_to_079_stale_tasks_are_taken_care_of_where_the_block_mentions_them() {
    let stale = |inside| block(inside).unwrap().unwrap().stale_task_recovery;
    assert_eq!(stale("{}"), None);
    let shown = StaleTaskRecovery {
        enabled: true,
        stale_seconds: 3_600,
        action: StaleAction::Reopen,
    };
    assert_eq!(stale("{\"stale_task_recovery\": {}}"), Some(shown));
    assert_eq!(
        stale("{\"stale_task_recovery\": {\"stale_seconds\": 60, \"enabled\": false}}"),
        Some(StaleTaskRecovery {
            enabled: false,
            stale_seconds: 60,
            ..shown
        })
    );
}

#[test]
fn req_000_072_what_is_switched_off_or_null_is_no_mistake() {
    let set = |inside| {
        let config = block(inside).unwrap().unwrap_or_default();
        assert_eq!(config.unknown, [], "{inside}");
        let settings: Vec<_> = config.settings.into_iter().map(|one| one.what).collect();
        (settings, config.stale_task_recovery)
    };
    let off = vec![Setting::TaskTimeoutIterations(0)];
    let timeout = r#"{"signals": {"task_timeout_iterations": false}}"#;
    assert_eq!(set(timeout), (off, None));
    for nothing in [
        "null",
        r#"{"threshold": null, "signals": null, "stale_task_recovery": null}"#,
        r#"{"signals": {"task_timeout_iterations": null, "no_file_changes": null}}"#,
    ] {
        assert_eq!(set(nothing), (Vec::new(), None), "{nothing}");
    }
}

#[test]
fn a_wrong_value_is_told_with_its_path() {
    for (inside, expected) in [
        ("3", "`stagnation` must be an object"),
        (
            "{\"threshold\": \"3\"}",
            "`stagnation.threshold` must be a whole number",
        ),
        (
            "{\"threshold\": -1}",
            "`stagnation.threshold` must be a whole number",
        ),
        (
            "{\"threshold\": 1e400}",
            "`stagnation.threshold` must be a whole number",
        ),
        (
            "{\"action\": \"PAUSE\"}",
            "`stagnation.action` must be one of \"pause\", \"alert\", \"abort\", \"escalate\"",
        ),
        (
            "{\"signals\": []}",
            "`stagnation.signals` must be an object",
        ),
        (
            "{\"signals\": {\"task_timeout_iterations\": true}}",
            "`stagnation.signals.task_timeout_iterations` must be a whole number, or false",
        ),
        (
            "{\"signals\": {\"no_file_changes\": 1}}",
            "`stagnation.signals.no_file_changes` must be true or false",
        ),
        (
            "{\"escalation\": {\"model_progression\": [\"a\", 2]}}",
            "`stagnation.escalation.model_progression` must be a list of texts",
        ),
        (
            "{\"notifications\": {\"webhook\": false}}",
            "`stagnation.notifications.webhook` must be an address in quotes, or null",
        ),
        (
            "{\"stale_task_recovery\": {\"action\": \"delete\"}}",
            "`stagnation.stale_task_recovery.action` must be \"reopen\"",
        ),
        (
            "{\"threshold\": 3, \"threshold\": 9}",
            "`stagnation.threshold` is there twice",
        ),
        (
            "{}, \"stagnation\": {\"threshold\": 9}",
            "`stagnation` is there twice",
        ),
    ] {
        assert_eq!(block(inside), Err(vec![expected.to_owned()]), "{inside}");
    }
    let both = "{\"threshold\": true, \"action\": 0}";
    assert_eq!(block(both).unwrap_err().len(), 2);
}

#[test]
fn broken_json_is_told_with_its_place() {
    for (text, line) in [
        ("{\"stagnation\": {\n\"threshold\": 3\n", 2),
        ("{\n\"stagnation\": {\"threshold\": 03}}", 1),
        ("{\"a\": 1,\n}", 1),
        ("", 0),
        ("[]", 0),
        ("{} {}", 0),
    ] {
        let wrong = read(text).unwrap_err();
        assert!(
            wrong[0].what.starts_with(match text {
                // There is nothing wrong with it as JSON.
                "[]" => "this is not what belongs there: ",
                _ => "this is not valid JSON: ",
            }),
            "{text}"
        );
        assert!(!wrong[0].what.contains(" line "), "{}", wrong[0].what);
        let before = &text[..wrong[0].span.start];
        assert_eq!(before.matches('\n').count(), line, "{text:?}");
    }
}

#[test]
fn what_is_not_known_is_kept_by_path_and_what_stands_beside_is_not_ours() {
    assert_eq!(read("{\"harness\": {\"stagnation\": 3}}"), Ok(None));
    let config =
        block("{\"treshold\": 2, \"signals\": {\"x\": {}}, \"signals.repeated_errors\": false}");
    let config = config.unwrap().unwrap();
    let unknown: Vec<_> = config.unknown.iter().map(|key| key.what.as_str()).collect();
    assert_eq!(
        unknown,
        [
            "stagnation.treshold",
            "stagnation.signals.x",
            "stagnation.signals.repeated_errors"
        ]
    );
    assert_eq!(config.settings, []);
    let set = block("{\"action\": \"alert\"}").unwrap().unwrap();
    assert_eq!(set.settings[0].what, Setting::Action(Action::Alert));
}

/// A file that is all nesting, or all mistakes, is still answered in no time and
/// in few words.
#[test]
fn hostile_files_are_answered_shortly() {
    let deep = format!("{{\"stagnation\": {}", "[".repeat(60_000));
    assert_eq!(read(&deep).unwrap_err().len(), 1);
    let deep = format!(
        "{{\"stagnation\": {}{}}}",
        "[".repeat(30_000),
        "]".repeat(30_000)
    );
    assert_eq!(read(&deep).unwrap_err().len(), 1);
    let wrong = "\"threshold\": 0.5, ".repeat(3_000);
    let many = format!("{{{wrong}\"action\": 1}}");
    assert_eq!(block(&many).unwrap_err().len(), 20);
}
