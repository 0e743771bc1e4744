//! One engine, six ways of working, through the command line.

use serde_json::json;

use crate::context::{KEY, TestContext, nobody_can_play_a_person};

/// Reports `count` iterations in which nothing was gained.
fn idle(context: &TestContext, preset: &str, count: usize) -> i32 {
    let report = ["--preset", preset, "record", "--files-changed", "0"];
    (0..count).fold(0, |_, _| context.fusebox(&report).run().code)
}

#[test]
fn req_001_077_and_003_012_and_030_and_038_and_090_and_x_001_each_preset_trips_at_its_own_count_with_its_own_words_and_code()
 {
    for (preset, count, code, label) in [
        ("native", 3, 42, "OPEN"),
        ("cub", 3, 42, "OPEN"),
        ("prp", 3, 42, "OPEN"),
        ("bmad", 5, 42, "TRIGGERED"),
        ("superkit", 3, 42, "OPEN"),
    ] {
        let context = TestContext::new();
        assert_eq!(
            idle(&context, preset, count - 1),
            0,
            "{preset} tripped early"
        );
        assert_eq!(idle(&context, preset, 1), code, "{preset}");
        let status = context
            .fusebox(&["status", "--json"])
            .run()
            .expect(0)
            .json();
        assert_eq!(
            (&status["label"], &status["preset"]),
            (&json!(label), &json!(preset))
        );
    }
}

#[test]
fn req_x_010_an_open_breaker_is_forty_eight_in_liza() {
    let context = TestContext::new();
    let trip = ["--preset", "liza", "trip", "--reason", "retry_cluster"];
    context.fusebox(&trip).run().expect(0).says("TRIGGERED");
    context.fusebox(&["check"]).run().expect(48);
}

#[test]
fn req_001_002_and_003_046_and_004_014_no_run_starts_anything_while_the_breaker_is_open() {
    for (preset, code) in [
        ("native", 42),
        ("cub", 42),
        ("prp", 42),
        ("liza", 48),
        ("bmad", 42),
        ("superkit", 42),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let trip = ["--preset", preset, "trip", "--reason", "x"];
        context.fusebox(&trip).run().expect(0);
        let run = context
            .supervise(&["--once", "--no-wait"], "touch ran")
            .run();
        assert_eq!(run.code, code, "{preset}: {}", run.err());
        assert!(!context.work().join("ran").exists(), "{preset}");
    }
}

#[test]
fn req_003_001_a_run_of_sessions_that_pass_no_feature_is_stopped() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    std::fs::write(context.work().join("app_spec.txt"), "A shop.").unwrap();
    let options = ["--preset", "bmad", "--max-iterations", "9"];
    let script = "echo $FUSEBOX_ITERATION >> a.txt; echo x >> ../count";
    context.supervise(&options, script).run().expect(42);
    let count = std::fs::read_to_string(context.path("count")).unwrap();
    assert_eq!(count.lines().count(), 5);
}

/// No threshold means never, and no option is an off switch.
#[test]
fn req_003_099_nothing_switches_the_breaker_off() {
    let context = TestContext::new();
    let run = ["run", "--preset", "bmad", "--once", "--", "touch", "ran"];
    for never in ["0", "-1", "100", "none", "off"] {
        let flag = format!("--stagnation-threshold={never}");
        let with_flag = [&["run", &flag], &run[1..]].concat();
        context.fusebox(&with_flag).run().expect(32);
        let variable = context.fusebox(&run);
        variable
            .env("FUSEBOX_STAGNATION_THRESHOLD", never)
            .run()
            .expect(32);
    }
    assert!(!context.work().join("ran").exists());
    let help = context.fusebox(&["run", "--help"]).run().expect(0).out();
    let help = help
        .replace("--no-wait", "")
        .replace("--skip-preflight", "");
    for word in ["disable", "--off", "--no-", "--force", "--skip"] {
        assert!(!help.contains(word), "{word} in:\n{help}");
    }
}

#[test]
fn a_circuit_keeps_the_preset_it_was_begun_with() {
    let context = TestContext::new();
    context
        .fusebox(&["--preset", "superkit", "check"])
        .run()
        .expect(0);
    let other = ["--preset", "native", "check"];
    context
        .fusebox(&other)
        .run()
        .expect(3)
        .says("begun with preset `superkit`");
    let status = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(status["preset"], "superkit");
    context
        .fusebox(&["--circuit", "b", "--preset", "native", "check"])
        .run()
        .expect(0);
    context
        .fusebox(&["--preset", "nativ", "check"])
        .run()
        .expect(2)
        .says("superkit");
}

#[test]
fn req_004_095_superkit_refuses_even_the_operator_and_names_the_way_out() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    context.hold_key();
    assert_eq!(idle(&context, "superkit", 3), 42);
    let reset = context.fusebox(&["reset", "--reason", "let me"]);
    reset
        .env("FUSEBOX_OPERATOR_KEY", KEY)
        .run()
        .expect(5)
        .says("cooldown alone");
    let status = context.fusebox(&["status"]).run().expect(0);
    assert!(!status.out().contains("fusebox reset"), "{}", status.out());
}

#[test]
fn req_004_045_recover_takes_the_strategies_in_order() {
    let context = TestContext::new();
    let recover = ["recover", "--note", "another way"];
    context.fusebox(&recover).run().expect(5).says("not open");
    assert_eq!(idle(&context, "superkit", 3), 42);
    for words in [
        "Regenerate plan",
        "Break stuck task",
        "Skip to next task",
        "Escalate to user",
    ] {
        context.fusebox(&recover).run().expect(0).says(words);
    }
    context
        .fusebox(&recover)
        .run()
        .expect(5)
        .says("no further one");
    context.fusebox(&["check"]).run().expect(42);
}

#[test]
fn bmad_moves_the_first_six_codes_out_of_the_way() {
    let context = TestContext::new();
    let wrong = ["--preset", "bmad", "record", "-"];
    context.fusebox(&wrong).input("{").run().expect(32);
    // Also where the command line itself makes no sense, and where the circuit says so.
    let wrong = ["--preset", "bmad", "record", "--no-such-flag"];
    context.fusebox(&wrong).run().expect(32);
    let variable = context.fusebox(&["stauts"]).env("FUSEBOX_PRESET", "bmad");
    variable.run().expect(32);
    context.fusebox(&["stauts"]).run().expect(2);
    let begin = ["--preset", "bmad", "check"];
    context.fusebox(&begin).run();
    context
        .fusebox(&["recover", "--strategy", "9"])
        .run()
        .expect(32);
    context.fusebox(&["--help"]).run().expect(0);
}

/// Where nothing names the preset but the user's file, codes mean what they mean in it before
/// the first session too, and however wrong the rest of that file is.
#[test]
fn req_003_091_codes_stand_aside_where_the_configuration_alone_names_the_preset() {
    let chosen = |rest: &str| {
        let context = TestContext::new();
        let path = context.path("config/fusebox/config.toml");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("preset = \"bmad\"\n{rest}")).unwrap();
        context
    };
    let context = chosen("");
    for (args, code) in [
        (&["stauts"][..], 32),
        (&["record", "--no-such-flag"], 32),
        (&["check", "--circuit", "../x"], 32),
        (&["run", "--agent", "nosuch"], 32),
        (&["phase", "start", "RED"], 35),
        (&["tasks", "list"], 36),
        (&["--preset", "native", "stauts"], 2),
    ] {
        context.fusebox(args).run().expect(code);
    }
    for rest in ["nonsense = 1\n", "[signals\n"] {
        chosen(rest).fusebox(&["check"]).run().expect(33);
    }
    // It is not for a repository to choose.
    let context = TestContext::new();
    std::fs::write(context.work().join("fusebox.toml"), "preset = \"bmad\"\n").unwrap();
    context.fusebox(&["stauts"]).run().expect(2);
}

#[test]
fn presets_are_shown_and_compared_as_data() {
    let context = TestContext::new();
    let all = context
        .fusebox(&["presets", "--json"])
        .run()
        .expect(0)
        .json_lines();
    assert_eq!(all.len(), 6);
    assert_eq!(all[5]["values"]["signal score"], "trips at 1 (rule 004.34)");
    assert_eq!(all[5]["calls"]["limit"], json!(100));
    let signals = all[5]["signals"].as_array().unwrap();
    let score = signals
        .iter()
        .find(|signal| signal["name"] == "score")
        .unwrap();
    assert_eq!(
        (&score["trip"], &score["rule"]),
        (&json!({"at_least": 1}), &json!("004.34"))
    );
    assert_eq!(all[0]["states"]["probing"], "PROBING");
    assert_eq!(all[3]["exit_when_open"], 48);
    assert_eq!(all[4]["exit_shift"], 30);
    assert_eq!(all[0]["release"]["cooldown_ms"], 1_800_000);
    let diff = context
        .fusebox(&["presets", "diff", "native", "native"])
        .run()
        .expect(0);
    assert_eq!(diff.out().lines().count(), 1, "nothing but the heading");
    let diff = context
        .fusebox(&["presets", "diff", "cub", "superkit"])
        .run()
        .expect(0);
    assert!(diff.out().contains("HALF-OPEN"), "{}", diff.out());
}

#[test]
fn a_check_by_the_agent_takes_nothing_from_its_supervisor() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let agent = format!("echo x >> a.txt; {} check", crate::context::FUSEBOX);
    let run = ["run", "--max-iterations", "4", "--", "sh", "-c", &agent];
    context
        .fusebox(&run)
        .run()
        .expect(45)
        .says("4 with progress");
}
