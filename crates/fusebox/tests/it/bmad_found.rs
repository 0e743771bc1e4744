//! A progress file that the workflow wrote before fusebox came to it.

use std::fs;

use crate::bmad::{Bmad, IN_VAIN, LIST};
use crate::context::nobody_can_play_a_person;

const FILE: &str = "claude-progress.txt";

/// A project whose progress file says `lines`.
fn found(lines: &str) -> Option<Bmad> {
    let bmad = Bmad::new()?;
    bmad.write(FILE, lines);
    Some(bmad)
}

#[test]
fn req_003_046_and_061_and_d_064_numbers_that_make_no_sense_stop_everything_and_stay() {
    for (lines, what) in [
        (
            "consecutive_failures=\"4\"\ncircuit_breaker_status=\"TRIGGERED\"\n",
            "line 1: `consecutive_failures` is not a whole number",
        ),
        (
            "circuit_breaker_status=TRIGGERED # see report\n",
            "line 1: `circuit_breaker_status` is not HEALTHY, TRIGGERED or COMPLETE",
        ),
        (
            "session_count=9\ncircuit_breaker_status=triggered\n",
            "line 2: `circuit_breaker_status` is not",
        ),
        (
            "consecutive_failures=99999999999\n",
            "`consecutive_failures` is not",
        ),
        (
            "consecutive_failures=5 # x\n",
            "`consecutive_failures` is not",
        ),
        ("consecutive_failures=-1\n", "`consecutive_failures` is not"),
        (
            "circuit_breaker_threshold=many\n",
            "`circuit_breaker_threshold` is not a whole number",
        ),
    ] {
        let Some(bmad) = found(lines) else {
            return;
        };
        bmad.run(&["--once"], "touch ../ran").expect(34).says(what);
        assert!(!bmad.0.path("ran").exists(), "{lines}");
        for args in [&["check"][..], &["check", "--peek"], &["import"]] {
            let args = [&["--preset", "bmad"], args].concat();
            bmad.call(&args).expect(34).says(what);
        }
        assert_eq!(bmad.read(FILE), lines);
        bmad.call(&["--preset", "bmad", "validate", "--strict"])
            .expect(20);
    }
    // And the same for what becomes of it later.
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.run(&["--once"], IN_VAIN).expect(0);
    let ours = bmad.read(FILE);
    for status in ["triggered", "\"TRIGGERED\"", "TRIGGERED # look", "UNKNOWN"] {
        let edited = ours.replace("status=HEALTHY", &format!("status={status}"));
        bmad.write(FILE, &edited);
        bmad.call(&["check"])
            .expect(34)
            .says("treated as OPEN, and the file is left as it is");
        assert_eq!(bmad.read(FILE), edited);
    }
}

#[test]
fn req_003_044_to_046_what_had_triggered_before_is_told_as_that() {
    for lines in [
        "consecutive_failures=5\ncircuit_breaker_status=TRIGGERED\n",
        "consecutive_failures=2\ncircuit_breaker_status=TRIGGERED\n",
    ] {
        let Some(bmad) = found(lines) else {
            return;
        };
        let told = bmad.call(&["--preset", "bmad", "check"]).expect(42).out();
        let already = "Circuit breaker already TRIGGERED\nReset via EDIT mode before resuming\n";
        assert!(told.contains(already), "{told}");
        assert!(!told.contains("═══"), "{told}");
    }
    // What the numbers alone say has not been told yet.
    let Some(bmad) = found("consecutive_failures=5\ncircuit_breaker_status=HEALTHY\n") else {
        return;
    };
    let told = bmad.call(&["--preset", "bmad", "check"]).expect(42).out();
    assert!(told.contains("  CIRCUIT BREAKER TRIGGERED\n"), "{told}");
}

#[test]
fn req_003_059_and_067_and_096_forgetting_failures_closes_what_a_file_had_said() {
    if nobody_can_play_a_person() {
        return;
    }
    let lines = "consecutive_failures=2\ncircuit_breaker_status=TRIGGERED\n";
    let Some(bmad) = found(lines) else {
        return;
    };
    bmad.call(&["--preset", "bmad", "check"]).expect(42);
    bmad.edit("C,F,fixed,X").expect(0);
    bmad.says(&["consecutive_failures=0", "circuit_breaker_status=HEALTHY"]);
    bmad.call(&["validate", "--strict"]).expect(0);
    bmad.call(&["check"]).expect(0);
}

/// What the workflow's own log has of its sessions.
const LOG: &str = "
# SESSION LOGS (Human-readable - append-only)

## Session 3: Coding (2026-02-26 03:00:00)
- F1
## Session 4: Coding (2026-02-26 04:00:00)
## Session 5: Coding (2026-02-26 05:00:00)
## Session 6: Coding (2026-02-26 06:00:00)
## Session 7: Coding (2026-02-26 07:00:00)
";

#[test]
fn req_003_034_and_056_the_report_goes_on_with_the_sessions_of_the_file() {
    let lines = |failures: u32, status: &str| {
        format!(
            "session_count=7\nconsecutive_failures={failures}\ncircuit_breaker_status={status}\n{LOG}"
        )
    };
    let Some(bmad) = found(&lines(4, "HEALTHY")) else {
        return;
    };
    bmad.run(&["--max-iterations", "9"], IN_VAIN).expect(42);
    bmad.says(&["session_count=8"]);
    let sessions = |bmad: &Bmad| {
        let report = bmad.read("autonomous_summary_report.md");
        let rows = report.lines().filter(|line| line.starts_with("- Session "));
        rows.map(|row| row.chars().take(19).collect())
            .collect::<Vec<String>>()
    };
    let told = sessions(&bmad);
    let older = [
        "- Session 4: Coding",
        "- Session 5: Coding",
        "- Session 6: Coding",
        "- Session 7: Coding",
    ];
    assert_eq!(told[..4], older);
    assert!(told[4].starts_with("- Session 8 ("), "{told:?}");
    // Of one that had triggered before, the log knows all of them.
    let Some(bmad) = found(&lines(5, "TRIGGERED")) else {
        return;
    };
    bmad.call(&["--preset", "bmad", "check"]).expect(42);
    assert_eq!(sessions(&bmad).len(), 5, "{:?}", sessions(&bmad));
    assert_eq!(sessions(&bmad)[0], "- Session 3: Coding");
}

#[test]
fn req_003_018_and_020_and_097_a_raised_threshold_waits_for_a_person_at_first_sight() {
    let lines =
        "consecutive_failures=6\ncircuit_breaker_threshold=10\ncircuit_breaker_status=HEALTHY\n";
    let Some(bmad) = found(lines) else {
        return;
    };
    let what = "its threshold of 10 is less strict than 5; a person confirms it with `fusebox edit`, [C] and [T], and `fusebox import` goes on with 5";
    bmad.call(&["--preset", "bmad", "check"])
        .expect(34)
        .says(what);
    bmad.run(&["--once"], "touch ../ran").expect(34).says(what);
    assert!(!bmad.0.path("ran").exists());
    assert_eq!(bmad.read(FILE), lines);
    if nobody_can_play_a_person() {
        return;
    }
    bmad.call(&[
        "--preset",
        "bmad",
        "edit",
        "--answer",
        "C,T,10,features are large,X",
    ])
    .expect(0);
    bmad.call(&["check"]).expect(0);
    bmad.says(&[
        "consecutive_failures=6",
        "circuit_breaker_threshold=10",
        "circuit_breaker_status=HEALTHY",
    ]);
    bmad.run(&["--max-iterations", "9"], IN_VAIN).expect(42);
    // The check that nobody reported was one session of the four.
    assert_eq!(bmad.sessions(), 3);
    // Or goes on with the usual one, as an import says.
    let Some(bmad) = found(lines) else {
        return;
    };
    bmad.call(&["--preset", "bmad", "import"]).expect(0);
    bmad.call(&["check"]).expect(42);
    bmad.says(&["circuit_breaker_threshold=5", "consecutive_failures=6"]);
}

#[test]
fn req_003_009_and_066_a_list_that_is_done_already_is_counted_where_no_session_ran() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    bmad.write(
        "feature_list.json",
        &LIST
            .replace("pending", "pass")
            .replace("\"fail\"", "\"blocked\""),
    );
    bmad.run(&[], IN_VAIN).expect(0);
    assert!(fs::metadata(bmad.0.path("sessions")).is_err());
    bmad.says(&[
        "circuit_breaker_status=COMPLETE",
        "features_completed=2",
        "features_pending=0",
        "features_fail=0",
        "features_blocked=1",
    ]);
}
