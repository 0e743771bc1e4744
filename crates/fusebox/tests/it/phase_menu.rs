//! The menu of an open breaker between two phases, in a real terminal.

use crate::call::wait_for;
use crate::context::{TestContext, nobody_can_play_a_person};
use crate::phases::Phased;
use crate::terminal::Terminal;

/// A run whose agent does nothing at all.
const RUN: &str = r#""$FUSEBOX" --preset prp run --skip-preflight --prompt-file ../goal -- \
    sh -c 'cat >> ../prompts; true'"#;

#[test]
fn req_001_010_and_021_and_095_to_098_and_d_050_the_person_at_the_terminal_chooses() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    std::fs::write(context.path("goal"), "Go on.").unwrap();
    let it = Phased { context };
    let Some(terminal) = Terminal::open(&it.context, RUN) else {
        return;
    };
    let asked = |number: usize| {
        wait_for(&format!("question {number}"), || {
            terminal.screen().matches("Enter choice:").count() == number
        });
    };
    asked(1);
    let screen = terminal.screen();
    assert!(
        screen.contains("2. [S]kip RED phase (mark tests as known failures)"),
        "{screen}"
    );
    assert!(
        screen.contains("REASON: No progress for 3 iterations"),
        "{screen}"
    );
    // What is no choice is asked about again, and nothing runs meanwhile.
    terminal.enter("c");
    asked(2);
    assert_eq!(it.context.state(), "Open");
    terminal.enter("R");
    asked(3);
    terminal.enter("s");
    // GREEN opens a tick earlier than RED.
    terminal.wait_for("2. [S]kip GREEN phase");
    asked(4);
    terminal.enter("m");
    terminal.wait_for("New guidance:");
    terminal.enter("split the parser first");
    asked(5);
    let history = it
        .context
        .fusebox(&["history", "-n", "99"])
        .run()
        .expect(0)
        .out();
    assert_eq!(
        history.matches("reported").count(),
        3 + 3 + 2 + 2,
        "{history}"
    );
    let prompts = std::fs::read_to_string(it.context.path("prompts")).unwrap();
    let told = "Note from the user: split the parser first";
    assert_eq!(prompts.matches(told).count(), 2, "{prompts}");
    terminal.enter("a");
    terminal.wait_for("[exit 42]");
    assert_eq!(it.json()["state"], "OPEN");
    assert_eq!(it.context.state(), "Open");
}

#[test]
fn the_two_lines_of_a_workflow_ask_the_person_at_the_terminal_as_well() {
    if nobody_can_play_a_person() {
        return;
    }
    let it = Phased::new();
    it.open_green().expect(42);
    let start = "\"$FUSEBOX\" phase start GREEN";
    let Some(terminal) = Terminal::open(&it.context, start) else {
        return;
    };
    terminal.wait_for("Enter choice:");
    terminal.enter("4");
    terminal.wait_for("New guidance:");
    terminal.enter("try the other library");
    terminal.wait_for("[exit 0]");
    assert_eq!(it.json()["state"], "CLOSED");
    assert_eq!(it.json()["no_progress_count"], 0);
    // The action was granted as well, so that one which nobody reports is counted.
    it.phase(&["start", "GREEN"])
        .expect(0)
        .says("guidance: try the other library");
    assert_eq!(it.json()["no_progress_count"], 1);
}

#[test]
fn req_001_096_a_phase_that_is_skipped_where_an_action_was_to_begin_is_not_worked_on() {
    if nobody_can_play_a_person() {
        return;
    }
    let it = Phased::new();
    it.open_green().expect(42);
    let action = "\"$FUSEBOX\" phase start GREEN && touch ran; \"$FUSEBOX\" phase end GREEN";
    let Some(terminal) = Terminal::open(&it.context, action) else {
        return;
    };
    terminal.wait_for("Enter choice:");
    terminal.enter("s");
    terminal.wait_for("GREEN was skipped by a person: there is nothing to do in it");
    terminal.wait_for("[exit 40]");
    assert!(!it.context.work().join("ran").exists());
    let status = it.context.fusebox(&["status", "--json"]).run().expect(0);
    assert_eq!(status.json()["phase"], "REFACTOR");
    // It begins anew for whoever starts it again.
    it.phase(&["start", "GREEN"])
        .expect(0)
        .says("work on it begins anew");
    it.phase(&["end", "GREEN"]).expect(0);
    assert_eq!(it.json()["no_progress_count"], 1);
}
