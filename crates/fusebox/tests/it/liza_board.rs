//! Blackboards that are broken, interrupted, or judged wrongly elsewhere.

use std::fs;

use crate::context::TestContext;
use crate::liza::{Liza, NOW, SECTION, anomaly, board, retries};

#[test]
fn req_002_049_and_056_a_person_triggers_by_hand() {
    let liza = Liza::new(&board(""));
    let args = [
        "trigger",
        "--severity",
        "VISION_FLAW",
        "--reason",
        "nobody wants | this",
    ];
    liza.at(NOW, &args).expect(0);
    assert!(
        liza.text()
            .contains("    pattern: manual\n    severity: VISION_FLAW\n"),
        "{}",
        liza.text()
    );
    let report = fs::read_to_string(liza.0.work().join(".liza/circuit_breaker_report.md")).unwrap();
    assert!(
        report.contains("Stop, revisit goal and brief") && report.contains("nobody wants \\| this"),
        "{report}"
    );
    liza.at(NOW, &["check"]).expect(48);
    liza.at(NOW, &["trigger", "--severity", "BAD"])
        .expect(2)
        .says("EXTERNAL_DEPENDENCY");
    let named = Liza::new(&board(""));
    named
        .at(
            NOW,
            &[
                "trigger",
                "--pattern",
                "debt_accumulation",
                "--severity",
                "SCOPE_FLAW",
            ],
        )
        .expect(0);
    assert!(named.text().contains("pattern: debt_accumulation"));
    // One that changes nothing says so.
    let text = named.text();
    let again = ["trigger", "--severity", "VISION_FLAW", "--reason", "later"];
    named
        .at(NOW, &again)
        .expect(0)
        .says("the breaker was open already, and stays so for what opened it first")
        .says("this trigger is in no report: resolve that one first, then trigger again");
    assert_eq!(named.text(), text);
}

#[test]
fn bad_blackboards_are_refused_with_their_line_and_left_as_they_are() {
    let too_large = format!("anomalies: []\n#{}\n", "x".repeat(50 << 20));
    for (text, says) in [
        ("anomalies:\n  - type: \"retry\n", "line"),
        (
            "anomalies: []\nanomalies: []\n",
            "line 2: `anomalies` is there twice",
        ),
        ("anomalies:\n\t- type: x\n", "line 2"),
        ("anomalies: {a: 1}\n", "line 1: `anomalies` is not a list"),
        (
            "anomalies:\n  - type: trade_off\n    details: {debt_created: 7}\n",
            "line 3",
        ),
        (
            "{\"anomalies\": []}\n",
            "not written as one section below the other",
        ),
        (too_large.as_str(), "larger than"),
    ] {
        let liza = Liza::new(text);
        liza.at(NOW, &["analyze"])
            .expect(4)
            .complains_once()
            .says(says);
        liza.at(NOW, &["check"]).expect(4);
        assert!(liza.text() == text, "{says}");
        assert!(!liza.has("CHECKPOINT"));
        // Anyone may trip, whatever is wrong.
        liza.at(NOW, &["trip", "--reason", "x"]).expect(0);
    }
    let liza = Liza::new(&board(&retries(&["e"; 3])));
    fs::create_dir(liza.0.work().join(".liza/CHECKPOINT")).unwrap();
    let before = liza.text();
    liza.at(NOW, &["analyze"])
        .expect(4)
        .complains_once()
        .says("not a regular file");
    assert_eq!(liza.text(), before);
    let none = TestContext::new();
    none.fusebox(&["--preset", "liza", "analyze"])
        .run()
        .expect(6)
        .says("there is no .liza/state.yaml");
    none.fusebox(&["--preset", "cub", "analyze"])
        .run()
        .expect(5)
        .says("looks for no patterns");
}

/// The memory comes first: where the board cannot be written, the halt holds, and
/// the board is told as soon as it can be.
#[test]
fn req_002_061_an_interruption_at_any_point_leaves_everybody_halted() {
    let Some(context) = TestContext::unprivileged() else {
        return;
    };
    let directory = context.work().join(".liza");
    fs::create_dir(&directory).unwrap();
    let before = board(&retries(&["no nesting"; 3]));
    fs::write(directory.join("state.yaml"), &before).unwrap();
    let mode = |mode: u32| {
        let permissions = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(mode);
        fs::set_permissions(&directory, permissions).unwrap();
    };
    // As others than its owner may write it too.
    let shared = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666);
    fs::set_permissions(directory.join("state.yaml"), shared).unwrap();
    mode(0o555);
    let at = |args: &[&str]| {
        let args: Vec<&str> = ["--preset", "liza"].iter().chain(args).copied().collect();
        context.at(NOW, &args).run()
    };
    at(&["analyze"]).expect(4).says("the decision is stored");
    assert_eq!(
        fs::read_to_string(directory.join("state.yaml")).unwrap(),
        before
    );
    mode(0o777);
    at(&["check"]).expect(48);
    let told = fs::read_to_string(directory.join("state.yaml")).unwrap();
    assert_eq!(told, format!("{before}{SECTION}"));
    assert!(directory.join("CHECKPOINT").exists());
    // Killed between the section and the checkpoint.
    for name in ["CHECKPOINT", "circuit_breaker_report.md"] {
        fs::remove_file(directory.join(name)).unwrap();
    }
    at(&["check"]).expect(48);
    assert!(directory.join("CHECKPOINT").exists());
}

/// What the scripts of the original decide wrongly, and what is right.
#[test]
fn what_the_original_decides_wrongly() {
    let blocked = |service: &str, n| {
        anomaly(
            n,
            &format!("t{n}"),
            "external_blocker",
            &format!("blocker_service: {service}"),
        )
    };
    let vague = |n| anomaly(n, &format!("t{n}"), "spec_ambiguity", "question: what");
    let assumed = |n| {
        anomaly(
            n,
            &format!("t{n}"),
            "assumption_violated",
            "assumption: paging, reality: none",
        )
    };
    for (name, anomalies, code, says) in [
        // It trips: three in all, and any two alike.
        (
            "two alike and another",
            retries(&["a", "a", "b"]),
            0,
            "2 of 3",
        ),
        // It trips: nothing equals nothing.
        (
            "two without the field",
            vague(1) + &vague(2),
            0,
            "spec_gap_cluster         0 of 2",
        ),
        // It reports the outage alone, the last that matches.
        (
            "the gravest leads",
            assumed(1) + &assumed(2) + &blocked("api", 3) + &blocked("api", 4),
            48,
            "Pattern: assumption_cascade",
        ),
        // It looks at every sprint there ever was.
        (
            "an earlier sprint",
            retries(&["a"; 3]).replace("2025-01-18T14", "2025-01-17T14"),
            0,
            "3 more: from before the sprint",
        ),
        // It exits 0 whatever it found.
        (
            "a trigger is no success",
            retries(&["a"; 3]),
            48,
            "TRIGGERED",
        ),
    ] {
        let liza = Liza::new(&board(&anomalies));
        let found = liza.at(NOW, &["analyze"]).expect(code);
        assert!(found.out().contains(says), "{name}: {}", found.out());
        assert!(
            !liza.text().contains(&liza.0.work().display().to_string()),
            "no absolute path"
        );
    }
    // Without the section of anomalies it stumbles, and says OK.
    Liza::new("version: 1\n").at(NOW, &["analyze"]).expect(0);
}
