//! `fusebox notify test`, and what goes where.

use std::fs;

use serde_json::Value;

use crate::context::TestContext;
use crate::stand_in::IDLE;

/// A context whose user has these settings for notifications.
fn with_settings(settings: &str) -> TestContext {
    let context = TestContext::new();
    let directory = context.path("config/fusebox");
    fs::create_dir_all(&directory).unwrap();
    let text = format!("[notifications]\ndesktop = false\n{settings}\n");
    fs::write(directory.join("config.toml"), text).unwrap();
    context
}

/// A command that keeps what it is given, a line for each.
fn keeping(context: &TestContext, more: &str) -> String {
    let seen = context.path("seen").display().to_string();
    let script = context.script(
        "tell",
        &format!("#!/bin/sh\ncat >> '{seen}'; echo >> '{seen}'\n"),
    );
    format!("command = [\"{}\"]\n{more}", script.display())
}

fn seen(context: &TestContext) -> Vec<Value> {
    let text = fs::read_to_string(context.path("seen")).unwrap_or_default();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What a run would refuse is found before one is started, with the line to correct.
#[test]
fn what_is_wrong_with_a_way_to_notify_is_told_with_its_line() {
    for (settings, line, why) in [
        ("webhook = \"htp:/nowhere\"", 3, "webhook"),
        (
            "webhook = \"https://example.com/x\"\nsecret = \"short\"",
            4,
            "secret",
        ),
        (
            "command = [\"no-such-program-here\"]",
            3,
            "no-such-program-here",
        ),
        (
            "command = [\"true\"]\ncommand_for = [\"loudly\"]",
            4,
            "`loudly` is neither a severity nor an event",
        ),
    ] {
        let context = with_settings("");
        let file = context.path("config/fusebox/config.toml");
        let text = format!("[notifications]\ndesktop = false\n{settings}\n");
        fs::write(&file, text).unwrap();
        let place = format!("{}:{line}: ", file.display());
        let run = context.supervise(&["--once"], "touch ran").run().expect(3);
        run.complains_once().says(&place).says(why);
        assert!(!context.work().join("ran").exists(), "{settings}");
        let doctor = context.fusebox(&["doctor"]).run().expect(3);
        let told = doctor.out();
        assert!(told.contains(&place) && told.contains(why), "{told}");
        assert!(!told.contains("valid: preset"), "{told}");
    }
    let context = with_settings("");
    let run = context.supervise(&["--once", "--webhook", "htp:/nowhere"], "true");
    run.run().expect(3).says("--webhook: ");
}

#[test]
fn a_test_says_what_became_of_it_at_every_place() {
    let context = with_settings("");
    context
        .fusebox(&["notify", "test"])
        .run()
        .expect(6)
        .complains_once();
    let settings = keeping(
        &context,
        "command_for = [\"critical\"]\nwebhook = \"http://127.0.0.1:9/x\"",
    );
    fs::write(
        context.path("config/fusebox/config.toml"),
        format!("[notifications]\ndesktop = false\n{settings}\n"),
    )
    .unwrap();
    let told = context
        .fusebox(&["notify", "test", "--json"])
        .run()
        .expect(6)
        .json();
    let row = |sink: &str| {
        let mut rows = told.as_array().unwrap().iter();
        rows.find(|row| row["sink"].as_str().unwrap().contains(sink))
            .unwrap()
            .clone()
    };
    assert_eq!(row("command tell")["delivered"], true, "{told}");
    assert_eq!(row("webhook at 127.0.0.1")["delivered"], false, "{told}");
    assert!(row("webhook")["why"].is_string(), "{told}");
    assert_eq!(seen(&context)[0]["type"], "notify.test");
}

#[test]
fn req_000_103_a_command_of_the_user_hears_of_a_trip_and_of_what_it_asked_for_alone() {
    for (wanted, expected) in [
        ("", true),
        ("command_for = [\"critical\"]", true),
        ("command_for = [\"circuit.opened\"]", true),
        ("command_for = [\"run.finished\"]", false),
    ] {
        let context = with_settings("");
        let settings = keeping(&context, wanted);
        fs::write(
            context.path("config/fusebox/config.toml"),
            format!("[notifications]\ndesktop = false\n{settings}\n"),
        )
        .unwrap();
        let run = ["run", "--on-stagnation", "abort", "--", "sh", "-c", IDLE];
        context.fusebox(&run).run().expect(42);
        let opened = seen(&context)
            .iter()
            .any(|one| one["type"] == "circuit.opened");
        assert_eq!(opened, expected, "{wanted}: {:?}", seen(&context));
    }
}

#[test]
fn a_word_that_is_no_event_and_a_program_that_is_none_are_said_at_once() {
    for settings in [
        "command = [\"/bin/true\"]\ncommand_for = [\"loud\"]",
        "command = [\"./here\"]",
        "command = [\"nonexistent-program\"]",
    ] {
        let context = with_settings(settings);
        context
            .fusebox(&["notify", "test"])
            .run()
            .expect(3)
            .complains_once();
    }
}

#[test]
fn a_repository_names_no_command() {
    let context = with_settings("");
    let text = "[notifications]\ncommand = [\"/bin/true\"]\n";
    fs::write(context.work().join("fusebox.toml"), text).unwrap();
    context.fusebox(&["notify", "test"]).run().expect(3);
}
