//! What `run` does when the breaker opens: pause, alert, abort or escalate.

use serde_json::json;

use crate::context::{FUSEBOX, KEY, TestContext, nobody_can_play_a_person};
use crate::stand_in::{IDLE, WORK};

/// `escalate` says what to do when the work stands still, and of nothing else.
#[test]
fn another_model_is_not_tried_on_what_a_person_must_look_at() {
    let trip = format!("{FUSEBOX} trip --reason 'I look at this first'");
    for (script, open_before, code, calls) in [(trip.as_str(), false, 43, 1), (IDLE, true, 42, 0)] {
        let Some(context) = TestContext::with_claude(script) else {
            return;
        };
        if open_before {
            context.open_breaker();
        }
        let run = context
            .run_claude(&["--on-stagnation", "escalate"])
            .run()
            .expect(code);
        assert!(!run.err().contains("escalated"), "{}", run.err());
        assert_eq!(context.calls().len(), calls, "{script}");
        context.fusebox(&["check"]).run().expect(42);
    }
}

#[test]
fn req_000_022_to_024_and_044_to_045_and_099_exactly_one_action_follows_a_trip() {
    for (preset, options, variable, code, calls, says) in [
        ("cub", &[][..], None, 43, 3, "paused · the breaker is open"),
        (
            "cub",
            &["--on-stagnation", "pause"],
            None,
            43,
            3,
            "paused · ",
        ),
        (
            "cub",
            &["--on-stagnation", "abort"],
            None,
            42,
            3,
            "stopped · the breaker is open",
        ),
        (
            "cub",
            &["--on-stagnation", "alert", "--max-iterations", "5"],
            None,
            45,
            5,
            "warning: OPEN · No progress for 3 iterations",
        ),
        (
            "cub",
            &["--on-stagnation", "escalate"],
            None,
            43,
            5,
            "escalated · opus",
        ),
        (
            "cub",
            &["--stagnation-threshold", "2"],
            None,
            43,
            2,
            "No progress for 2 iterations",
        ),
        (
            "cub",
            &[],
            Some(("FUSEBOX_ON_STAGNATION", "abort")),
            42,
            3,
            "stopped · ",
        ),
        (
            "cub",
            &[],
            Some(("FUSEBOX_STAGNATION_THRESHOLD", "4")),
            43,
            4,
            "for 4 iterations",
        ),
        (
            "native",
            &["--on-stagnation", "abort"],
            None,
            42,
            3,
            "stopped · ",
        ),
        (
            "native",
            &["--on-stagnation", "escalate"],
            None,
            43,
            5,
            "escalated · opus",
        ),
    ] {
        let Some(context) = TestContext::with_claude(IDLE) else {
            return;
        };
        let mut arguments = vec!["--preset", preset];
        arguments.extend(options);
        let call = context.run_claude(&arguments);
        let call = match variable {
            Some((name, value)) => call.env(name, value),
            None => call,
        };
        call.run().expect(code).says(says);
        assert_eq!(context.calls().len(), calls, "{arguments:?} {variable:?}");
    }
    let context = TestContext::new();
    context
        .run_claude(&["--on-stagnation", "panic"])
        .run()
        .expect(2)
        .says("pause");
}

/// A run without a terminal stays halted; one that finds the breaker open has
/// not begun.
#[test]
fn req_000_021_and_x_008_without_a_terminal_it_stays_halted() {
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    context
        .run_claude(&["--preset", "cub"])
        .run()
        .expect(43)
        .says("there is no terminal to prompt on");
    context
        .run_claude(&["--preset", "cub"])
        .run()
        .expect(42)
        .says("stopped · the breaker is open");
    assert_eq!(context.calls().len(), 3);
    context.fusebox(&["check"]).run().expect(42);
}

/// Scripts answer beforehand. Only the operator's key makes an answer a release.
#[test]
fn req_000_050_and_052_to_053_and_x_009_an_answer_given_beforehand_needs_the_key_to_release() {
    for (answers, key, code, models) in [
        ("c", true, 43, &["haiku"; 6][..]),
        ("c,a", true, 42, &["haiku"; 6]),
        ("r", true, 43, &["haiku", "haiku", "haiku", "sonnet"]),
        (
            "r,r,r",
            true,
            43,
            &["haiku", "haiku", "haiku", "sonnet", "opus"],
        ),
        ("a", false, 42, &["haiku"; 3]),
        ("h", false, 43, &["haiku"; 3]),
        // Whoever could correct it may be gone when it is needed.
        ("c", false, 5, &[]),
        ("a,r", false, 5, &[]),
        ("x", false, 2, &[]),
        // Only where a clock releases is there anything to wait for.
        ("w", false, 2, &[]),
    ] {
        if key && nobody_can_play_a_person() {
            continue;
        }
        let Some(context) = TestContext::with_claude(IDLE) else {
            return;
        };
        context.hold_key();
        let call = context.run_claude(&["--preset", "cub", "--answer", answers]);
        let call = if key {
            call.env("FUSEBOX_OPERATOR_KEY", KEY)
        } else {
            call
        };
        call.run().expect(code);
        assert_eq!(context.models(), models, "--answer {answers}");
    }
}

/// What each number stands for depends on what is shown when the question is asked.
#[test]
fn an_answer_that_turns_out_to_be_none_ends_the_run_with_its_summary() {
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    let ended = context.run_claude(&["--answer", "5"]).run().expect(42);
    let ended = ended.says("`--answer 5` is not among the choices here");
    ended
        .says("stopped · the breaker is open")
        .says("done  3 iterations");
}

#[test]
fn req_000_059_to_062_and_101_an_aborted_run_blocks_its_task_and_can_be_taken_up() {
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    let task = [
        "--task",
        "beads-abc123",
        "--task-title",
        "Implement authentication",
    ];
    let options = [&["--preset", "cub", "--on-stagnation", "abort"][..], &task].concat();
    context
        .run_claude(&options)
        .run()
        .expect(42)
        .says("or a person allows one trial iteration: `fusebox run --resume`");
    let history = context.fusebox(&["history"]).run().expect(0).out();
    assert!(history.contains("task blocked"), "{history}");

    // Going on is a release, and a release is a person's.
    context
        .among_stand_ins(&["run", "--resume"])
        .run()
        .expect(5);
    assert_eq!(context.calls().len(), 3);
    if nobody_can_play_a_person() {
        return;
    }
    context.hold_key();
    context
        .among_stand_ins(&["run", "--resume"])
        .env("FUSEBOX_OPERATOR_KEY", KEY)
        .run()
        .expect(42)
        .says("task beads-abc123 had been given up; it is taken up again")
        .says("resuming: the breaker is OPEN");
    assert_eq!(context.calls().len(), 4, "one iteration may try");
    assert!(context.calls()[3].contains("--model haiku"));
}

#[test]
fn req_000_063_to_065_and_074_and_102_and_d_044_escalation_climbs_with_the_context_and_then_pauses()
{
    let script = "fail 'npm test' 'TypeError: undefined is not a function'; finish 'Stuck.'";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    let run = context
        .run_claude(&["--preset", "cub", "--on-stagnation", "escalate"])
        .run()
        .expect(43)
        .says("escalated · sonnet gets one try")
        .says("escalated · opus gets one try");
    assert_eq!(
        context.models(),
        ["haiku", "haiku", "haiku", "sonnet", "opus"]
    );
    assert_eq!(context.told(1), "Do the task.", "all is well so far");
    for escalated in [4, 5] {
        let told = context.told(escalated);
        assert!(told.starts_with("Do the task."), "{told}");
        assert!(told.contains("No progress for 3 iterations"), "{told}");
        assert!(
            told.contains("TypeError: undefined is not a function"),
            "{told}"
        );
    }
    assert!(run.err().contains("paused · "), "{}", run.err());
}

/// After success the ladder returns to the cheaper model.
#[test]
fn req_000_063_and_073_what_a_better_model_solved_the_cheaper_one_goes_on_with() {
    let script = format!("case \"$*\" in *haiku*) {IDLE};; *) {WORK};; esac");
    let Some(context) = TestContext::with_claude(&script) else {
        return;
    };
    let options = [
        "--json",
        "--on-stagnation",
        "escalate",
        "--max-iterations",
        "6",
    ];
    let run = context.run_claude(&options).run().expect(45);
    assert_eq!(
        context.models(),
        ["haiku", "haiku", "haiku", "sonnet", "haiku", "haiku"]
    );
    let fourth = &run.json_lines()[4];
    assert_eq!(fourth["answer"]["state"], json!("Closed"), "{fourth}");
}

/// A ladder is for climbing: whoever asks for none keeps the model they have chosen.
#[test]
fn the_agent_keeps_its_own_model_unless_another_is_asked_for() {
    for (options, model) in [
        (&[][..], "none"),
        (&["--model", "opus"], "opus"),
        (&["--on-stagnation", "escalate"], "haiku"),
    ] {
        let Some(context) = TestContext::with_claude(WORK) else {
            return;
        };
        let args = [&["--once"], options].concat();
        let run = context.run_claude(&args).run().expect(0);
        assert_eq!(context.models(), [model], "{options:?}");
        // Nobody is there to approve an edit, and that is told where the run begins.
        run.says("unless they allow edits, each is denied")
            .says("`--permissions edits` lets it edit files");
    }
}

#[test]
fn req_000_053_and_063_a_ladder_of_ones_own_is_climbed_in_its_order() {
    for (ladder, models) in [
        ("small,large", &["small", "small", "small", "large"][..]),
        ("only", &["only"; 3]),
    ] {
        let Some(context) = TestContext::with_claude(IDLE) else {
            return;
        };
        let options = [
            "--preset",
            "cub",
            "--on-stagnation",
            "escalate",
            "--model",
            ladder,
        ];
        context.run_claude(&options).run().expect(43);
        assert_eq!(context.models(), models);
    }
}
