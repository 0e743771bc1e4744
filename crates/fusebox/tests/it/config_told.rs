//! What is told of the configuration, and that it can be told back.

use std::fs;

use serde_json::{Value, json};

use crate::context::TestContext;

/// The commented file is good where the help says to put it, and changes nothing there.
#[test]
fn the_default_file_is_accepted_as_the_projects_and_as_the_users_in_every_preset() {
    for preset in ["native", "cub", "prp", "liza", "bmad", "superkit"] {
        let context = TestContext::new();
        let shown = || {
            let show = ["--preset", preset, "config", "show", "--json"];
            let rows = context.fusebox(&show).run().expect(0);
            assert_eq!(rows.err(), "", "{preset}");
            let rows = rows.json_lines().into_iter();
            let told = |row: Value| (row["key"].clone(), row["value"].clone());
            rows.map(told).collect::<Vec<_>>()
        };
        let before = shown();
        let default = ["--preset", preset, "config", "default"];
        let text = context.fusebox(&default).run().expect(0).out();
        assert!(text.contains(&format!("preset = \"{preset}\"\n")), "{text}");
        let path = context.project_config(&text);
        assert_eq!(shown(), before);
        let check = ["--preset", preset, "check", "--peek"];
        context.fusebox(&check).run().expect(0);
        fs::remove_file(path).unwrap();
        context.user_config(&text);
        assert_eq!(shown(), before);
    }
}

/// Values have the types that they have in a file.
#[test]
fn what_is_shown_as_json_is_typed() {
    let context = TestContext::new();
    context.user_config(
        "agent.models = [\"one\", \"two\"]\nagent.args = [\"-x\"]\nevidence.test = \"make test\"\nlimits.money.limit_usd = 2.5\n",
    );
    for (key, value, written) in [
        ("preset", json!("native"), json!("\"native\"")),
        ("stagnation.threshold", json!(3), json!("3")),
        ("stagnation.action", json!("pause"), json!("\"pause\"")),
        ("run.wait", json!(false), json!("false")),
        ("run.timeout", json!("30m"), json!("\"30m\"")),
        ("run.max_iterations", json!(null), json!(null)),
        ("limits.money.limit_usd", json!(2.5), json!("2.5")),
        (
            "agent.models",
            json!(["one", "two"]),
            json!("[\"one\", \"two\"]"),
        ),
        ("agent.args", json!(["-x"]), json!("[\"-x\"]")),
        ("evidence.test", json!("make test"), json!("\"make test\"")),
    ] {
        let row = context.shown(key);
        assert_eq!(
            (&row["value"], &row["written"]),
            (&value, &written),
            "{key}"
        );
    }
}

/// A switch in a variable is what people write into variables.
#[test]
fn switches_in_variables_are_read_as_people_write_them() {
    let context = TestContext::new();
    for (word, on) in [
        ("1", true),
        ("yes", true),
        ("ON", true),
        ("0", false),
        ("no", false),
    ] {
        let status = context.fusebox(&["status"]).env("FUSEBOX_JSON", word);
        assert_eq!(status.run().expect(0).out().starts_with('{'), on, "{word}");
        let check = context
            .fusebox(&["check", "--peek"])
            .env("FUSEBOX_JSON", word);
        assert_eq!(check.run().expect(0).out().starts_with('{'), on, "{word}");
        let show = context
            .fusebox(&["config", "show", "--json"])
            .env("FUSEBOX_WAIT", word);
        let rows = show.run().expect(0).json_lines();
        let row = rows.iter().find(|row| row["key"] == "run.wait").unwrap();
        assert_eq!(row["value"], on, "{word}");
    }
    let status = context.fusebox(&["status"]).env("FUSEBOX_JSON", "perhaps");
    status.run().expect(2).says("FUSEBOX_JSON");
    let check = context.fusebox(&["check"]).env("FUSEBOX_WAIT", "perhaps");
    check.run().expect(3).says("FUSEBOX_WAIT is `perhaps`");
}

#[test]
fn a_time_without_a_unit_in_a_file_is_taken_for_seconds_with_a_warning() {
    let context = TestContext::new();
    context.user_config("[recovery]\ncooldown = \"1800\"\n");
    let shown = context.fusebox(&["config", "show"]).run().expect(0);
    shown.says("`recovery.cooldown` has no unit and is taken for seconds: write \"1800s\"");
    assert_eq!(context.shown("recovery.cooldown")["value"], "30m");
    context.fusebox(&["check"]).run().expect(0);
}

/// Who is told of something loosens nothing, wherever thresholds cannot be loosened.
#[test]
fn req_004_126_a_person_decides_who_is_told_where_nothing_can_be_loosened() {
    let context = TestContext::new();
    context.user_config("notifications.desktop = false\nnotifications.private = true\n");
    let superkit = ["--preset", "superkit"];
    let check = [&superkit[..], &["check", "--peek"]].concat();
    context.fusebox(&check).run().expect(0);
    let show = [&superkit[..], &["config", "show", "--json"]].concat();
    let rows = context.fusebox(&show).run().expect(0).json_lines();
    let row = rows
        .iter()
        .find(|row| row["key"] == "notifications.desktop");
    assert_eq!(row.unwrap()["value"], false);
}

/// What a repository's file says because its documentation prints it so is nothing to complain of.
#[test]
fn req_000_080_the_documented_block_of_a_repository_is_read_in_silence() {
    let context = TestContext::new();
    let documented = include_str!("../../../seeds/tests/cub_documented.json");
    crate::importing::put(&context, ".cub/config.json", documented);
    let check = ["--preset", "cub", "check", "--peek"];
    let told = context.fusebox(&check).run().expect(0);
    assert!(!told.err().contains("may not set"), "{}", told.err());
}
