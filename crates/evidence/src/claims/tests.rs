use proptest::prelude::*;

use super::*;

fn ralph(fields: &str) -> String {
    format!("---RALPH_STATUS---\n{fields}\n---END_RALPH_STATUS---\n")
}

fn said(text: &str) -> Option<(Option<Status>, Option<bool>)> {
    read(text.as_bytes()).map(|claims| (claims.status, claims.exit_signal))
}

const WHOLE: &str = "STATUS: COMPLETE\nTASKS_COMPLETED_THIS_LOOP: 2\nFILES_MODIFIED: 5\n\
                     TESTS_STATUS: PASSING\nWORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: true\n\
                     RECOMMENDATION: All done: ship it";

#[test]
fn the_whole_block_is_read() {
    let claims = read(ralph(WHOLE).as_bytes()).unwrap();
    assert_eq!(
        claims,
        Claims {
            status: Some(Status::Complete),
            exit_signal: Some(true),
            files_modified: Some(5),
            tasks_completed: Some(2),
            tests: Some(TestsStatus::Passing),
            work: Some(WorkType::Implementation),
            recommendation: Some("All done: ship it".to_owned()),
            ..Claims::default()
        }
    );
    assert_eq!(
        (claims.complete(), claims.needs_person()),
        (Some(true), Some(false))
    );
}

#[test]
fn phase_blocks_have_sections_and_lists() {
    let text = "---PRP_PHASE_STATUS---\nTIMESTAMP: 2026-01-13T11:00:00Z\nPHASE: GREEN\n\
                STATUS: BLOCKED\nITERATION: 8\nPROGRESS_PERCENT: 60\n\nTESTS:\n  TOTAL: 10\n\
                \x20 PASSING: 6\n  FAILING: 4\n  SKIPPED: 0\n\nFILES:\n  CREATED: 3\n\
                \x20 MODIFIED: 5\n  DELETED: 0\n\nCIRCUIT_BREAKER:\n  STATE: OPEN\n\nBLOCKERS:\n\
                \x20 - No progress on test: edge_case\n\nEXIT_SIGNAL: false\n\
                RECOMMENDATION: Split it\n---END_PRP_PHASE_STATUS---\n";
    let field = |name: &str, value: &str| Field {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    assert_eq!(
        read(text.as_bytes()).unwrap(),
        Claims {
            status: Some(Status::Blocked),
            exit_signal: Some(false),
            files_modified: Some(8),
            files_created: Some(3),
            files_deleted: Some(0),
            test_counts: Some(TestCounts {
                total: 10,
                passing: 6,
                failing: 4,
                skipped: 0
            }),
            phase: Some(Phase::Green),
            iteration: Some(8),
            progress_percent: Some(60),
            recommendation: Some("Split it".to_owned()),
            blockers: vec!["No progress on test: edge_case".to_owned()],
            other: vec![
                field("TIMESTAMP", "2026-01-13T11:00:00Z"),
                field("CIRCUIT_BREAKER.STATE", "OPEN"),
            ],
            ..Claims::default()
        }
    );
}

#[test]
fn only_a_closed_block_claims_anything() {
    let done = ralph("STATUS: COMPLETE\nEXIT_SIGNAL: true");
    let working = ralph("STATUS: IN_PROGRESS\nEXIT_SIGNAL: false");
    let template = ralph("STATUS: [IN_PROGRESS | COMPLETE]\nEXIT_SIGNAL: false | true");
    let (complete, in_progress) = (
        Some((Some(Status::Complete), Some(true))),
        Some((Some(Status::InProgress), Some(false))),
    );
    for (text, expected) in [
        (
            "EXIT_SIGNAL: true\nSTATUS: COMPLETE\nall done!".to_owned(),
            None,
        ),
        ("---RALPH_STATUS---\nSTATUS: COMPLETE\n".to_owned(), None),
        (
            "the ---RALPH_STATUS--- block\nSTATUS: COMPLETE\n---END_RALPH_STATUS---".to_owned(),
            None,
        ),
        (
            "---RALPH_STATUS---\nSTATUS: COMPLETE\n---END_PRP_PHASE_STATUS---".to_owned(),
            None,
        ),
        (done.clone(), complete),
        (done.replace('\n', "\r\n"), complete),
        (format!("  {}", done.replace('\n', "\n  ")), complete),
        (format!("{done}{working}"), in_progress),
        (format!("{working}\nI fixed it.\n{done}"), complete),
        // One that was begun anew, and one that was never ended.
        (
            format!("---RALPH_STATUS---\nEXIT_SIGNAL: false\n{done}"),
            complete,
        ),
        (
            format!("{working}---RALPH_STATUS---\nEXIT_SIGNAL: true\n"),
            in_progress,
        ),
        // Quotations.
        (template.clone(), None),
        (format!("{working}{template}"), in_progress),
        (
            format!("I shall end with\n```\n{done}```\nNow I begin."),
            None,
        ),
        (format!("```\n{done}```\nNot yet.\n{working}"), in_progress),
        (format!("{working}```\n{done}```\n"), in_progress),
        (format!("Here it is:\n```text\n{done}```\n\n"), complete),
        (
            "```\n---RALPH_STATUS---\n```\nSTATUS: COMPLETE\n---END_RALPH_STATUS---".to_owned(),
            None,
        ),
    ] {
        assert_eq!(said(&text), expected, "{text}");
    }
}

#[test]
fn values_are_taken_or_refused_one_by_one() {
    for (line, expected) in [
        ("EXIT_SIGNAL: TRUE", Some(true)),
        ("EXIT_SIGNAL: true (all tasks done)", Some(true)),
        ("**EXIT_SIGNAL:** true", Some(true)),
        ("`EXIT_SIGNAL`: `false`", Some(false)),
        ("exit_signal: false.", Some(false)),
        ("EXIT_SIGNAL: truest", None),
        ("EXIT_SIGNAL: yes", None),
        ("EXIT_SIGNAL: true | false", None),
        ("EXIT_SIGNAL: [true]", None),
        ("NO_EXIT_SIGNAL: true", None),
        ("EXIT SIGNAL: true", None),
    ] {
        let text = ralph(&format!("STATUS: IN_PROGRESS\n{line}"));
        let claims = read(text.as_bytes()).unwrap();
        assert_eq!(claims.exit_signal, expected, "{line}");
        assert_eq!(claims.status, Some(Status::InProgress), "{line}");
    }
    let absurd = "STATUS: DONE\nFILES_MODIFIED: 99999999999999999999\nTASKS_COMPLETED: -1\n\
                  ITERATION: 1000001\nPROGRESS_PERCENT: 250\nTESTS_STATUS: PASSING\nMOOD: good";
    let claims = read(ralph(absurd).as_bytes()).unwrap();
    let names: Vec<&str> = claims.refused.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "STATUS",
            "FILES_MODIFIED",
            "TASKS_COMPLETED",
            "ITERATION",
            "PROGRESS_PERCENT"
        ]
    );
    assert_eq!(claims.tests, Some(TestsStatus::Passing));
    assert_eq!(claims.other[0].name, "MOOD");
}

#[test]
fn contradictions_are_refused() {
    let blocked = read(ralph("STATUS: BLOCKED\nEXIT_SIGNAL: true").as_bytes()).unwrap();
    assert_eq!(
        (blocked.exit_signal, blocked.needs_person()),
        (None, Some(true))
    );
    assert_eq!(blocked.complete(), Some(false));
    let sums = "PHASE: RED\nTESTS:\n  TOTAL: 9\n  PASSING: 9\n  FAILING: 9";
    let sums = read(ralph(sums).as_bytes()).unwrap();
    assert_eq!((sums.test_counts, sums.refused.len()), (None, 1));
}

#[test]
fn blocked_in_prose_needs_nobody() {
    assert_eq!(read(b"I am blocked on a human. STATUS: BLOCKED\n"), None);
}

proptest! {
    #[test]
    fn any_text_is_read(text in proptest::collection::vec(any::<u8>(), 0..300)) {
        read(&text);
    }

    #[test]
    fn any_block_is_read(
        lines in proptest::collection::vec("[A-Z_]{0,12}:? ?[-a-z0-9:|`* ]{0,20}", 0..20),
    ) {
        read(ralph(&lines.join("\n")).as_bytes());
    }
}

#[test]
fn what_is_printed_again_of_the_prompt_claims_nothing() {
    let done = ralph("STATUS: COMPLETE\nEXIT_SIGNAL: true");
    let prompt = format!("Work.\nEnd with:\n\n{done}\nBegin.\n");
    let claimed = |text: &str| {
        read_printed(text.as_bytes(), &prompt).is_some_and(|claims| claims.complete() == Some(true))
    };
    let work = "one more line\n".repeat(30);
    for (text, expected) in [
        (prompt.clone(), false),
        (format!("{prompt}{work}"), false),
        (format!("{prompt}All done.\n{done}"), true),
        (format!("{prompt}{done}"), true),
        (done.clone(), true),
        (format!("All done.\n{done}12 tokens\n"), true),
        (format!("All done.\n{done}{work}"), false),
        // In other words, it is nobody's but its own.
        (
            format!(
                "End with:\n{}",
                ralph("STATUS: COMPLETE\nEXIT_SIGNAL: true\nFILES_MODIFIED: 1")
            ),
            true,
        ),
    ] {
        assert_eq!(claimed(&text), expected, "{text}");
    }
}
