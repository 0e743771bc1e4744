//! Who ends a halt beside a blackboard, and how.

use std::fs;

use crate::context::{TestContext, nobody_can_play_a_person};
use crate::liza::{LATER, Liza, NOW, SECTION, anomaly, board, retries};

#[test]
fn req_002_076_and_081_to_084_and_086_a_resolution_moves_the_trigger_and_its_evidence_is_settled() {
    if nobody_can_play_a_person() {
        return;
    }
    let before = board(&retries(&["no nesting"; 3]));
    let liza = Liza::new(&before);
    liza.at(NOW, &["analyze"]).expect(48);
    liza.at(NOW, &["reset", "--reason", "x"])
        .expect(5)
        .says("fusebox resolve --resolution");
    liza.resolve().expect(0);
    let resolved = SECTION
        .replace("status: TRIGGERED", "status: OK")
        .replace("  current_trigger:\n    timestamp: 2025-01-18T17:30:00Z\n    pattern: retry_cluster\n    severity: ARCHITECTURE_FLAW\n    report_file: .liza/circuit_breaker_report.md\n", "  current_trigger: null\n")
        + "      resolution: \"ADR-003 created, specs updated\"\n      resolved_at: 2025-01-18T19:00:00Z\n";
    assert_eq!(liza.text(), format!("{before}{resolved}"));
    assert!(!liza.has("CHECKPOINT"));
    liza.at(LATER, &["check"]).expect(0);
    let again = liza.at(LATER, &["analyze"]).expect(0);
    assert!(
        again
            .out()
            .contains("3 more: acknowledged by an earlier resolution"),
        "{}",
        again.out()
    );
    liza.resolve().expect(5).says("not open");
    // Three new ones are a new matter, told as such.
    let text = liza.text().replace(
        "\n# last words",
        &format!(
            "{}\n# last words",
            retries(&["no nesting"; 3]).replace("T14:", "T16:")
        ),
    );
    liza.write(&text);
    liza.at(LATER, &["analyze"]).expect(48);
}

/// Nor does one without a time count again when the next sprint begins, to which it is taken to
/// belong.
#[test]
fn req_002_030_and_086_what_was_acknowledged_without_a_time_stays_so_in_the_next_sprint() {
    if nobody_can_play_a_person() {
        return;
    }
    let blocked =
        ["a", "b"].map(|task| anomaly(1, task, "external_blocker", "blocker_service: api"));
    let undated = blocked
        .concat()
        .replace("2025-01-18T14:01:00Z", "\"18 Jan 14:01\"");
    let liza = Liza::new(&board(&undated));
    liza.at(NOW, &["analyze"]).expect(48);
    liza.resolve().expect(0);
    liza.at(LATER, &["analyze"]).expect(0);
    let next = liza.text().replace(
        "started: 2025-01-18T09:00:00Z",
        "started: 2025-01-18T18:30:00Z",
    );
    liza.write(&next);
    let told = liza.at(LATER, &["analyze"]).expect(0).out();
    assert!(told.contains("2 more: acknowledged"), "{told}");
}

/// The two commands that the documents give, done with any other tool.
fn released_by_hand(text: &str) -> String {
    text.replace("status: TRIGGERED", "status: OK").replace(
        "  current_trigger:\n    timestamp: 2025-01-18T17:30:00Z\n    pattern: retry_cluster\n    severity: ARCHITECTURE_FLAW\n    report_file: .liza/circuit_breaker_report.md\n",
        "  current_trigger: null\n",
    ) + "    - timestamp: 2025-01-18T17:30:00Z\n      pattern: retry_cluster\n      severity: ARCHITECTURE_FLAW\n      report_file: .liza/circuit_breaker_report.md\n      resolution: \"ADR-003 created\"\n      resolved_at: \"2025-01-18T19:00:00Z\"\n"
}

#[test]
fn req_002_080_and_083_to_084_and_d_024_a_person_may_release_on_the_blackboard_itself() {
    let liza = Liza::new(&board(&retries(&["no nesting"; 3])));
    // What a role asked before leaves nobody at work that a breaker could know of.
    liza.at(NOW, &["check"]).expect(0);
    liza.at(NOW, &["analyze"]).expect(48);
    let edited = released_by_hand(&liza.text());
    liza.write(&edited);
    for args in [&["check"][..], &["analyze"], &["check", "--peek"]] {
        liza.at(LATER, args).expect(48);
        assert_eq!(
            liza.text(),
            edited,
            "the edit stays while the checkpoint does"
        );
    }
    fs::remove_file(liza.0.work().join(".liza/CHECKPOINT")).unwrap();
    liza.at(LATER, &["check", "--peek"]).expect(0);
    // A tool that writes all of it anew spells moments in its own way.
    let spelled = edited.replace("2025-01-18T17:30:00Z", "2025-01-18 17:30:00+00:00");
    assert_ne!(spelled, edited);
    liza.write(&spelled);
    liza.at(LATER, &["check"])
        .expect(0)
        .says("released by an edit of .liza/state.yaml: ADR-003 created");
    assert_eq!(liza.text(), spelled, "nothing is put there twice");
    liza.at(LATER, &["analyze"]).expect(0);
    let history = liza.at(LATER, &["history", "--json"]).json_lines();
    assert!(
        history
            .iter()
            .any(|row| row["kind"] == "resolved" && row["reason"] == "ADR-003 created")
    );
}

#[test]
fn removing_the_checkpoint_alone_releases_nothing() {
    let liza = Liza::new(&board(&retries(&["no nesting"; 3])));
    liza.at(NOW, &["analyze"]).expect(48);
    fs::remove_file(liza.0.work().join(".liza/CHECKPOINT")).unwrap();
    liza.at(LATER, &["check"]).expect(48);
    assert!(liza.text().contains("status: TRIGGERED"));
}

/// While a supervised agent is alive, an edit may be its doing.
#[test]
fn req_d_024_no_edit_releases_while_something_guarded_is_alive() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::create_dir(context.work().join(".liza")).unwrap();
    let liza = Liza(context);
    liza.write(&board(&retries(&["no nesting"; 3])));
    liza.at(NOW, &["analyze"]).expect(48);
    let edited = released_by_hand(&liza.text());
    liza.write(&edited);
    fs::remove_file(liza.0.work().join(".liza/CHECKPOINT")).unwrap();
    // What a supervisor of this circuit holds as long as it lives.
    let lock = liza.0.store().workspace.join("run-default.lock");
    let guarded = hold(&lock);
    liza.at(LATER, &["check"]).expect(48);
    drop(guarded);
    liza.at(LATER, &["check"]).expect(0);
}

/// An agent that is halted and takes the halt back finds it there again.
#[test]
fn req_d_024_what_a_supervised_agent_takes_back_is_told_again() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::create_dir(context.work().join(".liza")).unwrap();
    let liza = Liza(context);
    liza.write(&board(""));
    let script = format!(
        "echo x >> ../sessions; {} --preset liza trigger --severity SPEC_FLAW && rm .liza/CHECKPOINT && sed -i 's/status: TRIGGERED/status: OK/; /current_trigger:/,/report_file/d' .liza/state.yaml",
        crate::context::FUSEBOX
    );
    let run = liza
        .0
        .supervise(&["--preset", "liza", "--max-iterations", "5"], &script)
        .run()
        .expect(48);
    assert!(
        run.err().contains("while an agent was at work"),
        "{}",
        run.err()
    );
    assert_eq!(
        fs::read_to_string(liza.0.path("sessions"))
            .unwrap()
            .lines()
            .count(),
        1
    );
    assert!(
        liza.text().contains("status: TRIGGERED") && liza.has("CHECKPOINT"),
        "{}",
        liza.text()
    );
    liza.0.fusebox(&["check"]).run().expect(48);
}

fn hold(lock: &std::path::Path) -> fs::File {
    let file = fs::File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(lock)
        .unwrap();
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    file
}

#[test]
fn req_002_060_and_087_nothing_releases_by_itself() {
    let liza = Liza::new(&board(&retries(&["no nesting"; 3])));
    liza.at(NOW, &["analyze"]).expect(48);
    // The anomalies are gone, and a week passes.
    let emptied = liza.text().replace(&retries(&["no nesting"; 3]), "");
    liza.write(&emptied);
    let clean = liza.at("2025-01-25T17:30:00Z", &["analyze"]).expect(48);
    assert!(
        clean
            .out()
            .contains("stays so until a person has resolved it"),
        "{}",
        clean.out()
    );
    let text = liza.text();
    assert!(text.contains("status: TRIGGERED") && liza.has("CHECKPOINT"));
    assert!(text.contains("last_check: 2025-01-25T17:30:00Z"));
    assert!(text.ends_with(
        "    - timestamp: 2025-01-25T17:30:00Z\n      pattern: null\n      result: OK\n"
    ));
}

/// A checkpoint that people put up to look halts everybody and hides nothing.
#[test]
fn req_002_058_and_068_somebody_else_s_checkpoint_halts_and_is_theirs_to_remove() {
    if nobody_can_play_a_person() {
        return;
    }
    let liza = Liza::new(&board(&retries(&["no nesting"; 3])));
    let checkpoint = liza.0.work().join(".liza/CHECKPOINT");
    fs::write(&checkpoint, "2025-01-18T17:00:00Z\n").unwrap();
    liza.at(NOW, &["check"])
        .expect(48)
        .says("CHECKPOINT is there");
    liza.at(NOW, &["check", "--peek"]).expect(48);
    liza.at(NOW, &["analyze"]).expect(48);
    assert!(
        liza.text().contains("pattern: retry_cluster"),
        "{}",
        liza.text()
    );
    liza.resolve()
        .expect(48)
        .says("nothing goes on until it is removed");
    assert!(liza.text().contains("status: OK"), "{}", liza.text());
    assert_eq!(
        fs::read_to_string(&checkpoint).unwrap(),
        "2025-01-18T17:00:00Z\n"
    );
    liza.at(LATER, &["check"]).expect(48);
    fs::remove_file(&checkpoint).unwrap();
    liza.at(LATER, &["check"]).expect(0);
}

/// As Liza's own script leaves a blackboard, or a person who does what it does.
const HALTED_BY_HAND: &str = "\
circuit_breaker:
  last_check: 2025-01-18T17:00:00Z
  status: TRIGGERED
  current_trigger:
    timestamp: 2025-01-18T17:00:00Z
    pattern: retry_cluster
    severity: ARCHITECTURE_FLAW
  history: []
";

#[test]
fn req_002_060_and_081_and_087_and_d_019_an_analysis_ends_no_halt_that_was_put_on_the_blackboard() {
    for checked_before in [true, false] {
        for checkpoint in [true, false] {
            let liza = Liza::new(&format!("{}{HALTED_BY_HAND}", board("")));
            let path = liza.0.work().join(".liza/CHECKPOINT");
            if checkpoint {
                fs::write(&path, "").unwrap();
            }
            if checked_before {
                liza.at(NOW, &["check"]).expect(48);
            }
            liza.at(NOW, &["analyze"]).expect(48);
            let halt = &HALTED_BY_HAND[HALTED_BY_HAND.find("  status").unwrap()
                ..HALTED_BY_HAND.find("  history").unwrap()];
            assert!(liza.text().contains(halt), "{}", liza.text());
            liza.at(NOW, &["check"]).expect(48);
            if checkpoint {
                fs::remove_file(&path).unwrap();
            }
            liza.at(LATER, &["check"]).expect(48);
            let history = liza.at(LATER, &["history", "--json"]).json_lines();
            assert!(!history.iter().any(|row| row["kind"] == "resolved"));
            // It is for whoever put it there to take back.
            let edited = liza.text().replace(halt, "  status: OK\n");
            liza.write(&edited);
            liza.at(LATER, &["check"]).expect(0);
        }
    }
}

#[test]
fn req_002_058_and_081_what_is_looked_for_at_a_bare_checkpoint_releases_nothing() {
    let liza = Liza::new(&board(""));
    let checkpoint = liza.0.work().join(".liza/CHECKPOINT");
    fs::write(&checkpoint, "2025-01-18T17:00:00Z\n").unwrap();
    let clean = liza.at(NOW, &["analyze"]).expect(48);
    assert!(
        clean.out().ends_with("OK — no patterns detected\n"),
        "{}",
        clean.out()
    );
    assert!(
        clean.err().contains("CHECKPOINT is there"),
        "{}",
        clean.err()
    );
    assert!(liza.text().contains("status: OK"), "{}", liza.text());
    let history = liza.at(NOW, &["history", "--json"]).json_lines();
    assert!(!history.iter().any(|row| row["kind"] == "resolved"));
    liza.at(LATER, &["check"]).expect(48);
    fs::remove_file(&checkpoint).unwrap();
    liza.at(LATER, &["check"]).expect(0);
}

/// Under a supervisor, a halt that a person puts up is the end of it, whatever the agent asks.
#[test]
fn req_002_081_no_agent_analyses_a_person_s_halt_away() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::create_dir(context.work().join(".liza")).unwrap();
    let liza = Liza(context);
    liza.write(&board(""));
    let halted = format!("{}{HALTED_BY_HAND}", board(""));
    fs::write(liza.0.path("halted.yaml"), halted).unwrap();
    let fusebox = crate::context::FUSEBOX;
    let script = format!(
        "echo x >> ../sessions; cp ../halted.yaml .liza/state.yaml; {fusebox} --preset liza check; {fusebox} --preset liza analyze; true"
    );
    liza.0
        .supervise(&["--preset", "liza", "--max-iterations", "3"], &script)
        .run()
        .expect(48);
    let sessions = fs::read_to_string(liza.0.path("sessions")).unwrap();
    assert_eq!(sessions.lines().count(), 1);
    assert!(liza.text().contains("status: TRIGGERED"), "{}", liza.text());
    liza.0.fusebox(&["check"]).run().expect(48);
}

#[test]
fn req_002_074_and_088_a_pattern_found_while_another_stands_is_not_told_as_the_reason() {
    let liza = Liza::new(&board(&retries(&["no nesting"; 3])));
    liza.at(NOW, &["analyze"]).expect(48);
    let debt: String = (0..3)
        .map(|n| {
            anomaly(
                n,
                "task-9",
                "trade_off",
                "what: w, why: y, debt_created: true",
            )
        })
        .collect();
    let text = liza
        .text()
        .replace("\n# last words", &format!("{debt}\n# last words"));
    liza.write(&text);
    let again = liza.at(LATER, &["analyze"]).expect(48);
    let out = again.out();
    assert!(
        out.contains("stays so until a person has resolved it\n"),
        "{out}"
    );
    assert!(
        out.contains("Found meanwhile: debt_accumulation (SCOPE_FLAW)\n"),
        "{out}"
    );
    assert!(!out.contains("\nPattern: "), "{out}");
}
