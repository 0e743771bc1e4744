//! Phases where `run` measures them itself.

use serde_json::json;

use crate::context::{TestContext, nobody_can_play_a_person};
use crate::phases::Phased;

/// An agent that says which phase it is in; the suite passes as many tests as
/// the file says.
const IN_GREEN: &str = "printf -- '---PRP_PHASE_STATUS---\\nPHASE: GREEN\\nSTATUS: IN_PROGRESS\\n\
    EXIT_SIGNAL: false\\n---END_PRP_PHASE_STATUS---\\n'";

#[test]
fn req_001_046_to_047_and_109_a_run_measures_what_a_phase_gains() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let it = Phased { context };
    let run = |script: &str, most: &str| {
        let options = [
            "--preset",
            "prp",
            "--skip-preflight",
            "--max-iterations",
            most,
        ];
        let suite = ["--test", "cat ../suite; exit 1"];
        let script = format!("{script}; {IN_GREEN}");
        it.context
            .supervise(&[&options[..], &suite].concat(), &script)
            .run()
    };
    let gains = "echo \"==== $((9 - FUSEBOX_ITERATION)) failed, $FUSEBOX_ITERATION passed in 0.1s ====\" > ../suite";
    run(gains, "4").expect(45);
    let file = it.json();
    let green = &file["last_progress_metric"]["GREEN"];
    assert_eq!(
        (&file["state"], &green["tests_passing"]),
        (&json!("CLOSED"), &json!(4)),
        "{file}"
    );
    // Files change and the agent is full of hope, but no further test passes.
    let busy = "echo $FUSEBOX_ITERATION >> a.txt";
    run(busy, "9")
        .expect(43)
        .says("CIRCUIT OPEN: Execution halted after 2 no-progress iterations");
}

#[test]
fn req_001_053_and_087_and_109_only_what_the_phase_gains_is_called_progress() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let options = ["--json", "--preset", "prp", "--max-iterations", "2"];
    let run = context.supervise(&options, "echo $FUSEBOX_ITERATION >> a.txt");
    let ended = run.run().expect(45).json_lines();
    let ended = ended.last().expect("how it ended");
    assert_eq!(
        (&ended["iterations"], &ended["with_progress"]),
        (&json!(2), &json!(0)),
        "{ended}"
    );
}

#[test]
fn req_001_009_to_010_and_017_and_021_and_093_a_run_that_nobody_watches_emits_its_blocks() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let options = ["--preset", "prp"];
    let opened = context.supervise(&options, "true").run().expect(43);
    let (out, err) = (opened.out(), opened.err());
    assert_eq!(
        err.matches("\n---CIRCUIT_BREAKER_OPEN---\nPHASE: RED\n")
            .count(),
        1,
        "{err}"
    );
    assert_eq!(out.matches("---PRP_PHASE_STATUS---\n").count(), 3, "{out}");
    assert!(out.contains("\nSTATUS: BLOCKED\n"), "{out}");
    let denied = context.supervise(&options, "true").run().expect(42);
    denied.says("---END_CIRCUIT_BREAKER_OPEN---\n");
}

#[test]
fn req_001_096_and_098_the_agent_is_told_its_phase_and_what_a_person_wants() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let it = Phased { context };
    let once = |options: &[&str], script: &str| {
        let options = [&["--preset", "prp", "--max-iterations", "1"], options].concat();
        it.context
            .supervise(&options, script)
            .run()
            .expect(45)
            .out()
    };
    it.phase(&["start", "RED"]).expect(0);
    it.as_person(&["reset", "--reason", "r", "--guidance", "split the parser"])
        .expect(0);
    let told = "echo \"[$FUSEBOX_PHASE] [$FUSEBOX_GUIDANCE] [${FUSEBOX_STRATEGY-none}]\"";
    let out = once(&[], told);
    assert!(out.contains("[RED] [split the parser] [none]\n"), "{out}");
    it.as_person(&["phase", "skip", "--reason", "known"])
        .expect(0);
    std::fs::write(it.context.path("goal"), "Go on.").unwrap();
    let out = once(&["--prompt-file", "../goal"], "cat");
    for line in [
        "Go on.",
        "The phase is GREEN.\n",
        "RED was skipped by a person: it is complete, and its failing tests are known failures.\n",
    ] {
        assert!(out.contains(line), "{line} is not in {out}");
    }
}

#[test]
fn req_001_096_and_105_what_was_known_to_fail_dooms_no_later_phase() {
    if nobody_can_play_a_person() {
        return;
    }
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let it = Phased { context };
    let end = [
        "end",
        "GREEN",
        "--tests-passing",
        "8",
        "--tests-failing",
        "2",
    ];
    for code in [0, 0, 42] {
        it.phase(&end).expect(code);
    }
    it.as_person(&["phase", "skip", "--reason", "known"])
        .expect(0);
    let run = |failed: u32, most: &str| {
        let suite = format!("echo '==== {failed} failed, 8 passed in 0.1s ===='; exit 1");
        let options = [
            "--preset",
            "prp",
            "--max-iterations",
            most,
            "--test",
            &suite,
        ];
        let script = "echo \"fn f$FUSEBOX_ITERATION() {}\" >> a.rs";
        it.context.supervise(&options, script).run()
    };
    run(2, "6").expect(45);
    assert_eq!(it.json()["no_progress_count"], 0);
    // One more than was known is no improvement of the code.
    run(3, "9").expect(43);
    // What follows the last phase is nothing, and the block says so.
    it.as_person(&["phase", "skip", "--reason", "enough"])
        .expect(0);
    let done = it
        .as_person(&["phase", "skip", "--reason", "enough"])
        .expect(0);
    assert!(
        done.out().contains("PHASE: DOCUMENT\nSTATUS: COMPLETE\n"),
        "{}",
        done.out()
    );
    it.phase(&["start", "GREEN"])
        .expect(0)
        .says("GREEN was skipped by a person and is complete; work on it begins anew");
}

/// An agent that has finished says so in vain when the same action opened the breaker: what is
/// halted is not complete, and the block, the file and the exit code say one thing.
#[test]
fn req_001_008_to_010_and_017_to_021_and_084_what_opens_the_breaker_is_no_completion() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let it = Phased { context };
    let done = "printf -- '---PRP_PHASE_STATUS---\\nPHASE: GREEN\\nSTATUS: COMPLETE\\n\
        EXIT_SIGNAL: true\\n---END_PRP_PHASE_STATUS---\\n'";
    let run = || {
        let suite = "echo '==== 0 failed, 8 passed in 0.1s ===='";
        let options = ["--preset", "prp", "--test", suite];
        it.context.supervise(&options, done).run()
    };
    run().expect(0);
    let once_in_vain = run().expect(0);
    once_in_vain.says("complete · the agent says so");
    let opened = run().expect(43);
    let (out, err) = (opened.out(), opened.err());
    let at = |text: &str| {
        err.find(text)
            .unwrap_or_else(|| panic!("{text} is not in {err}"))
    };
    let halted = at("CIRCUIT OPEN: Execution halted after 2 no-progress iterations");
    let done = at("the agent says that the work is complete");
    let asked = at("\n---CIRCUIT_BREAKER_OPEN---\nPHASE: GREEN\n");
    assert!(halted < done && done < asked, "{err}");
    assert!(!err.contains("fusebox: complete"), "{err}");
    let block = out.rsplit("---PRP_PHASE_STATUS---\n").next().unwrap();
    for line in [
        "STATUS: BLOCKED\n",
        "  CAN_EXIT: false\n",
        "EXIT_SIGNAL: false\n",
        "RECOMMENDATION: Circuit breaker opened. Review and provide guidance.\n",
    ] {
        assert!(block.contains(line), "{line} is not in {block}");
    }
    assert_eq!(it.json()["state"], "OPEN");
    run().expect(42);
}

#[test]
fn req_001_093_a_block_tells_files_apart_that_were_created_modified_and_deleted() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    std::fs::write(context.work().join("gone.rs"), "fn gone() {}\n").unwrap();
    std::fs::write(context.work().join("stays.rs"), "fn stays() {}\n").unwrap();
    let options = ["--preset", "prp", "--max-iterations", "1"];
    let script = "echo 'fn a() {}' > a.rs; echo 'fn b() {}' > b.rs; rm gone.rs; \
        echo 'fn more() {}' >> stays.rs";
    let out = context.supervise(&options, script).run().expect(45).out();
    let files = "\nFILES:\n  CREATED: 2\n  MODIFIED: 1\n  DELETED: 1\n";
    assert!(out.contains(files), "{out}");
    // Whoever reports a block of their own has told them apart as well.
    let end = ["--preset", "prp", "phase", "end", "RED", "-"];
    let told = "---PRP_PHASE_STATUS---\nPHASE: RED\nSTATUS: IN_PROGRESS\n\nFILES:\n  CREATED: 3\n\
        \x20 MODIFIED: 5\n  DELETED: 4\n\nEXIT_SIGNAL: false\n---END_PRP_PHASE_STATUS---\n";
    let out = context.fusebox(&end).input(told).run().expect(0).out();
    let files = "\nFILES:\n  CREATED: 3\n  MODIFIED: 5\n  DELETED: 4\n";
    assert!(out.contains(files), "{out}");
}
