//! The pause screen, in a real terminal, with somebody at its keys.

use crate::call::wait_for;
use crate::context::{TestContext, nobody_can_play_a_person};
use crate::stand_in::IDLE;
use crate::terminal::Terminal;

/// A run of the preset whose document draws the screen.
const RUN: &str = r#"PATH="$PWD/../bin:$PATH" "$FUSEBOX" run --preset cub --agent claude \
    --prompt 'Do the task.' --task beads-abc123 --task-title 'Implement authentication'"#;

/// Fails in the same place each time, and changes nothing.
const STUCK: &str = r"fail 'npm test' 'TypeError: undefined is not a function\n    at login (src/auth.js:42:13)'
finish 'It fails.'";

/// The screen as it is written, line by line.
const SCREEN: &str = r#"
[STAGNATION DETECTED] No progress for 3 iterations
Task: beads-abc123 "Implement authentication"
Last error: TypeError: undefined is not a function in src/auth.js:42

Options:
  [c] Continue (reset counter)
  [s] Skip task (mark as blocked)
  [a] Abort run
  [r] Retry with different model
  [h] Get help (show context)

Choice:"#;

/// How many questions the terminal shows.
fn questions(terminal: &Terminal<'_>) -> usize {
    terminal.screen().matches("Choice:").count()
}

#[track_caller]
fn wait_for_question(terminal: &Terminal<'_>, number: usize) {
    wait_for(&format!("question {number}"), || {
        questions(terminal) == number
    });
}

#[test]
fn req_000_046_to_049_and_054_the_pause_screen_line_by_line_and_help_asks_again() {
    let Some(context) = TestContext::with_claude(STUCK) else {
        return;
    };
    let Some(terminal) = Terminal::open(&context, RUN) else {
        return;
    };
    wait_for_question(&terminal, 1);
    let screen = terminal.screen();
    assert!(screen.contains(SCREEN), "{screen}");
    terminal.enter("h");
    wait_for_question(&terminal, 2);
    let screen = terminal.screen();
    let help = screen.split("Choice:").nth(1).unwrap();
    assert!(help.contains("iteration 3: no file changed"), "{help}");
    assert!(help.contains("rule     000.37"), "{help}");
    assert_eq!(context.calls().len(), 3, "help is no choice");
    // What is no choice is asked about again.
    terminal.enter("w");
    wait_for_question(&terminal, 3);
    terminal.enter("a");
    terminal.wait_for("[exit 42]");
}

#[test]
fn req_000_051_to_052_skip_and_abort_end_the_run_with_its_task_blocked() {
    for key in ["s", "a", "A"] {
        let Some(context) = TestContext::with_claude(IDLE) else {
            return;
        };
        let Some(terminal) = Terminal::open(&context, RUN) else {
            return;
        };
        wait_for_question(&terminal, 1);
        assert!(!terminal.screen().contains("Last error:"), "there is none");
        terminal.enter(key);
        terminal.wait_for("[exit 42]");
        let history = context.fusebox(&["history"]).run().expect(0).out();
        assert!(
            history.contains("task blocked  Open      beads-abc123 · No progress for 3"),
            "{history}"
        );
        assert_eq!(context.calls().len(), 3);
    }
}

#[test]
fn req_000_038_and_050_and_053_continue_counts_anew_and_retry_takes_the_next_model() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    let Some(terminal) = Terminal::open(&context, RUN) else {
        return;
    };
    wait_for_question(&terminal, 1);
    terminal.enter("c");
    wait_for_question(&terminal, 2);
    assert_eq!(context.models(), ["haiku"; 6]);
    terminal.enter("r");
    wait_for_question(&terminal, 3);
    assert_eq!(context.models()[6..], ["sonnet"]);
    terminal.enter("r");
    wait_for_question(&terminal, 4);
    assert_eq!(context.models()[7..], ["opus"]);
    terminal.enter("r");
    wait_for_question(&terminal, 5);
    terminal.wait_for("no other model to retry with");
    assert_eq!(context.models().len(), 8);
    terminal.enter("a");
    terminal.wait_for("[exit 42]");
}

/// It may have been meant for something else, or be queued by what the agent has run.
#[test]
fn what_was_typed_before_the_question_is_no_answer_to_it() {
    let Some(context) = TestContext::with_claude(IDLE) else {
        return;
    };
    let Some(terminal) = Terminal::open(&context, &format!("sleep 1; {RUN}")) else {
        return;
    };
    terminal.enter("c");
    wait_for_question(&terminal, 1);
    terminal.enter("h");
    wait_for_question(&terminal, 2);
    assert_eq!(context.calls().len(), 3, "{}", terminal.screen());
    assert_eq!(context.state(), "Open");
    terminal.enter("a");
    terminal.wait_for("[exit 42]");
}

#[test]
fn the_question_may_be_answered_from_another_terminal() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(context) = TestContext::with_claude(STUCK) else {
        return;
    };
    let Some(terminal) = Terminal::open(&context, RUN) else {
        return;
    };
    wait_for_question(&terminal, 1);
    // Whoever releases proves elsewhere that they may; the loop only looks.
    context.reset().expect(0);
    terminal.wait_for("answered from another terminal");
    wait_for_question(&terminal, 2);
    assert_eq!(context.calls().len(), 6, "three more iterations");
}

#[test]
fn the_task_may_be_skipped_from_another_terminal() {
    let Some(context) = TestContext::with_claude(STUCK) else {
        return;
    };
    let Some(terminal) = Terminal::open(&context, RUN) else {
        return;
    };
    wait_for_question(&terminal, 1);
    context.fusebox(&["stop", "--skip-task"]).run().expect(0);
    terminal.wait_for("[exit 42]");
    let events = context.fusebox(&["events"]).run().expect(0).json_lines();
    let blocked = events.iter().find(|event| event["event"] == "task_blocked");
    assert_eq!(blocked.unwrap()["task"], "beads-abc123");
    // Where no task is worked on, there is none to skip.
    let other = ["stop", "--skip-task", "--circuit", "other"];
    context.fusebox(&other).run().expect(6).complains_once();
}

/// Going on is not for another terminal to say while a question is open, and is not
/// taken for heard.
#[test]
fn a_question_is_not_answered_by_asking_the_loop_to_go_on() {
    let Some(context) = TestContext::with_claude(STUCK) else {
        return;
    };
    let Some(terminal) = Terminal::open(&context, RUN) else {
        return;
    };
    wait_for_question(&terminal, 1);
    context
        .fusebox(&["resume"])
        .run()
        .expect(6)
        .complains_once()
        .says("the loop does not answer");
    assert_eq!(context.calls().len(), 3);
    terminal.enter("a");
    terminal.wait_for("[exit 42]");
}

/// Going on is no word against what was asked for before.
#[test]
fn what_a_person_wants_done_differently_survives_continue() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script = "\"$FUSEBOX\" run -- sh -c 'echo \"$FUSEBOX_GUIDANCE\" >> ../guidance'";
    let Some(terminal) = Terminal::open(&context, script) else {
        return;
    };
    wait_for_question(&terminal, 1);
    let recover = context.fusebox(&["recover", "--note", "split the parser"]);
    recover.run().expect(0);
    terminal.enter("c");
    wait_for_question(&terminal, 2);
    let told = std::fs::read_to_string(context.path("guidance")).unwrap();
    let told: Vec<&str> = told.lines().collect();
    assert_eq!(told[3..], ["split the parser"; 3]);
    terminal.enter("a");
    terminal.wait_for("[exit 42]");
}
