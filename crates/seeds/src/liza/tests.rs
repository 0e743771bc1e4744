//! The printed examples of the blackboard go in and come out.

mod reports;

use std::collections::BTreeSet;

use fusebox_core::patterns::{AnomalyKind, Pattern, PatternRules, Severity, analyse};

use super::board::MOST_ANOMALIES;
use super::*;

/// The example of the anomalies section, with the rest of a board around it.
const BOARD: &str = r##"version: 1
sprint:
  id: sprint-2
  timeline: {started: 2025-01-18T09:00:00Z}   # from here on
anomalies:
  - timestamp: 2025-01-18T14:32:00Z
    task: task-3
    reporter: code-reviewer-1
    type: retry_loop
    details:
      count: 3
      error_pattern: "serialization failure on nested entity"
      root_cause_hypothesis: "data model doesn't support nesting"

  - timestamp: 2025-01-18T15:10:00Z
    task: task-3
    reporter: coder-1
    type: trade_off
    details:
      what: "flatten entity instead of fixing serializer"
      why: "unblock task within iteration limit"
      debt_created: true

  - timestamp: 2025-01-18T16:45:00Z
    task: task-5
    reporter: coder-2
    type: assumption_violated
    details:
      assumption: "API supports pagination"
      reality: "API returns max 100, no cursor"
      spec_ref: "specs/requirements.md#FR-012"
config: {mode: x}
"##;

/// The example of the breaker's own section.
const SECTION: &str = r##"circuit_breaker:
  last_check: 2025-01-18T17:30:00Z
  status: TRIGGERED  # OK, TRIGGERED
  current_trigger:
    timestamp: 2025-01-18T17:30:00Z
    pattern: retry_cluster
    severity: ARCHITECTURE_FLAW
    report_file: .liza/circuit_breaker_report.md
  history:
    - timestamp: 2025-01-17T12:00:00Z
      pattern: null
      result: OK
    - timestamp: 2025-01-18T17:30:00Z
      pattern: retry_cluster
      severity: ARCHITECTURE_FLAW
      result: TRIGGERED
"##;

const CHECKED_MS: i64 = 1_737_221_400_000; // 2025-01-18T17:30:00Z
const RESOLVED_MS: i64 = 1_737_226_800_000; // 2025-01-18T19:00:00Z

fn trigger() -> Trigger {
    Trigger {
        at_ms: CHECKED_MS,
        pattern: Some(Pattern::RetryCluster),
        severity: Some(Severity::ArchitectureFlaw),
    }
}

#[test]
fn req_002_010_to_018_the_printed_anomalies_are_read_field_by_field() {
    let board = Board::read(BOARD).unwrap();
    assert_eq!(
        board.sprint_ms.map(written_moment).as_deref(),
        Some("2025-01-18T09:00:00Z")
    );
    assert_eq!(
        (board.passed.len(), board.status.clone()),
        (0, BoardStatus::Absent)
    );
    let [retry, trade, assumed] = &board.anomalies[..] else {
        panic!("{:?}", board.anomalies)
    };
    assert_eq!(written_moment(retry.at_ms), "2025-01-18T14:32:00Z");
    assert_eq!(
        (retry.task.as_str(), retry.reporter.as_str()),
        ("task-3", "code-reviewer-1")
    );
    assert_eq!(retry.kind, AnomalyKind::RetryLoop);
    assert_eq!(retry.details.count, Some(3));
    assert_eq!(
        retry.details.error_pattern.as_deref(),
        Some("serialization failure on nested entity")
    );
    assert_eq!(
        retry.details.root_cause_hypothesis.as_deref(),
        Some("data model doesn't support nesting")
    );
    assert_eq!(
        trade.details.what.as_deref(),
        Some("flatten entity instead of fixing serializer")
    );
    assert_eq!(
        trade.details.why.as_deref(),
        Some("unblock task within iteration limit")
    );
    assert_eq!(trade.details.debt_created, Some(true));
    assert_eq!(
        assumed.details.assumption.as_deref(),
        Some("API supports pagination")
    );
    assert_eq!(
        assumed.details.reality.as_deref(),
        Some("API returns max 100, no cursor")
    );
    assert_eq!(
        assumed.details.spec_ref.as_deref(),
        Some("specs/requirements.md#FR-012")
    );
    // And what is printed to be put onto a board is the example again.
    let printed: String = board.anomalies.iter().map(entry).collect();
    for line in BOARD
        .lines()
        .skip(5)
        .take(25)
        .filter(|line| !line.is_empty() && !line.starts_with("config"))
    {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    let again = Board::read(&format!("anomalies:\n{printed}"))
        .unwrap()
        .anomalies;
    assert_eq!(again, board.anomalies);
}

#[test]
fn req_002_070_to_078_the_printed_section_comes_out_of_an_empty_one() {
    let mut section = Section::of(None);
    section
        .checked(CHECKED_MS - 106_200_000, Check::Clean, false)
        .unwrap();
    assert_eq!(
        section.text(),
        "circuit_breaker:\n  last_check: 2025-01-17T12:00:00Z\n  status: OK\n  current_trigger: null\n  history:\n    - timestamp: 2025-01-17T12:00:00Z\n      pattern: null\n      result: OK\n"
    );
    section
        .checked(CHECKED_MS, Check::Triggered(trigger()), false)
        .unwrap();
    assert_eq!(section.text(), SECTION.replace("  # OK, TRIGGERED", ""));
}

#[test]
fn req_002_076_and_081_to_082_a_resolution_completes_the_entry_and_keeps_the_comments() {
    let mut section = Section::of(Some(SECTION));
    section
        .resolved(RESOLVED_MS, "ADR-003 created, specs updated")
        .unwrap();
    let expected = SECTION
        .replace("status: TRIGGERED  #", "status: OK  #")
        .replace("  current_trigger:\n    timestamp: 2025-01-18T17:30:00Z\n    pattern: retry_cluster\n    severity: ARCHITECTURE_FLAW\n    report_file: .liza/circuit_breaker_report.md\n", "  current_trigger: null\n")
        + "      resolution: \"ADR-003 created, specs updated\"\n      resolved_at: 2025-01-18T19:00:00Z\n";
    assert_eq!(section.text(), expected);
    let text = format!("{BOARD}{}", section.text());
    let board = Board::read(&text).unwrap();
    assert_eq!((&board.status, &board.trigger), (&BoardStatus::Ok, &None));
    assert_eq!(
        board.resolution(CHECKED_MS),
        Some("ADR-003 created, specs updated")
    );
    // Whoever dumps the whole blackboard anew spells moments differently.
    let spelled = text.replace("2025-01-18T17:30:00Z", "2025-01-18 17:30:00+00:00");
    assert_eq!(
        Board::read(&spelled).unwrap().resolution(CHECKED_MS + 500),
        Some("ADR-003 created, specs updated")
    );
    // Opened once more before it was resolved, and after that.
    assert!(board.resolution(CHECKED_MS + 1_000).is_some());
    assert_eq!(board.resolution(RESOLVED_MS + 1_000), None);
    assert_eq!(board.with_section(&text, section.text()), text);
}

/// A trigger that was put there by hand has no entry of ours to complete.
#[test]
fn a_trigger_without_an_entry_is_moved_as_it_is() {
    let mut section = Section::of(Some(
        "circuit_breaker:\n  status: TRIGGERED\n  current_trigger: {timestamp: 2025-01-18T17:30:00Z, pattern: retry_cluster, severity: SPEC_FLAW}\n  mine: kept\n",
    ));
    section.resolved(RESOLVED_MS, "a \"quoted\" word").unwrap();
    assert_eq!(
        section.text(),
        "circuit_breaker:\n  status: OK\n  current_trigger: null\n  mine: kept\n  history:\n    - timestamp: 2025-01-18T17:30:00Z\n      pattern: retry_cluster\n      severity: SPEC_FLAW\n      result: TRIGGERED\n      resolution: \"a \\\"quoted\\\" word\"\n      resolved_at: 2025-01-18T19:00:00Z\n"
    );
}

#[test]
fn req_002_077_and_087_while_triggered_a_check_moves_nothing_but_its_date() {
    for (check, entries) in [(Check::Clean, 3), (Check::StillThere, 2)] {
        let mut section = Section::of(Some(SECTION));
        section.checked(RESOLVED_MS, check, true).unwrap();
        let board = Board::read(section.text()).unwrap();
        assert_eq!(
            (&board.status, board.history.len()),
            (&BoardStatus::Triggered, entries)
        );
        assert!(board.trigger.is_some());
        assert!(section.text().contains("last_check: 2025-01-18T19:00:00Z"));
        let last = &board.history[entries - 1];
        assert_eq!(
            last.severity.is_some(),
            check == Check::StillThere,
            "only a trigger has one"
        );
    }
}

#[test]
fn what_has_another_shape_is_refused_with_its_line() {
    for (text, line, what) in [
        ("anomalies: 3\n", 1, "`anomalies` is not a list"),
        ("anomalies:\n  - word\n", 2, "not a list of names"),
        (
            "anomalies:\n  - type: retry_loop\n    details: word\n",
            3,
            "`details`",
        ),
        ("anomalies:\n  - type: [a]\n", 2, "`type`"),
        (
            "anomalies:\n  - type: trade_off\n    details: {debt_created: perhaps}\n",
            3,
            "neither true nor false",
        ),
        (
            "sprint:\n  timeline:\n    started: soon\n",
            3,
            "not a moment",
        ),
        ("circuit_breaker: on\n", 1, "`circuit_breaker`"),
        ("circuit_breaker:\n  history: yes\n", 2, "history"),
        ("just words\n", 1, "not a list of sections"),
    ] {
        let broken = Board::read(text).unwrap_err();
        assert_eq!(broken.line, line, "{text:?}: {broken}");
        assert!(broken.what.contains(what), "{text:?}: {broken}");
    }
    let board =
        Board::read("anomalies:\n  - type: no_such_type\n  - task: t\n  - type: workaround\n")
            .unwrap();
    assert_eq!((board.anomalies.len(), board.passed.len()), (1, 2));
    assert_eq!(
        board.passed[1],
        Passed {
            line: 3,
            why: "it has no type".into()
        }
    );
}

#[test]
fn more_anomalies_than_are_read_are_refused_and_the_work_of_others_is_not() {
    let board = |anomalies: usize| {
        format!(
            "tasks:\n{}anomalies:\n{}",
            "  - t\n".repeat(250_000),
            "  - {}\n".repeat(anomalies)
        )
    };
    let read = Board::read(&board(MOST_ANOMALIES)).unwrap();
    assert_eq!(read.passed.len(), MOST_ANOMALIES);
    let broken = Board::read(&board(MOST_ANOMALIES + 1)).unwrap_err();
    assert_eq!(broken.line, 250_000 + 2 + MOST_ANOMALIES + 1);
    assert!(
        broken.what.contains("more than 50000 anomalies"),
        "{broken}"
    );
}

/// However long what two texts begin with alike.
#[test]
fn req_002_040_to_041_texts_that_differ_far_behind_their_beginning_are_not_the_same() {
    let board = |ends: [&str; 3]| {
        let entry = |end| {
            let text = "x".repeat(2_000);
            format!("  - {{type: retry_loop, details: {{error_pattern: {text}{end}}}}}\n")
        };
        Board::read(&format!("anomalies:\n{}", ends.map(entry).concat())).unwrap()
    };
    for (ends, groups) in [(["a", "b", "c"], 3), (["a", "a", "a"], 1)] {
        let read = board(ends);
        let rules = PatternRules::default();
        let analysis = analyse(&read.anomalies, None, &BTreeSet::new(), &rules);
        assert_eq!(analysis.findings[0].groups.len(), groups, "{ends:?}");
        let kept = read.anomalies[0].details.error_pattern.as_ref().unwrap();
        assert!(kept.len() < 1_100, "{kept}");
    }
}

/// As tools dump what a program holds twice.
#[test]
fn anomalies_may_refer_to_one_another_and_a_document_may_say_that_it_ends() {
    let board = Board::read(
        "anomalies:\n  - &one\n    type: retry_loop\n    details: &what {error_pattern: e}\n  - *one\n  - type: retry_loop\n    details: *what\n...\n# the end\n",
    )
    .unwrap();
    let patterns = board
        .anomalies
        .iter()
        .map(|one| one.details.error_pattern.as_deref());
    assert_eq!(patterns.collect::<Vec<_>>(), [Some("e"); 3]);
    let text = "tasks: []\n...\n";
    let board = Board::read(text).unwrap();
    let added = board.with_section(text, "circuit_breaker:\n  status: OK\n");
    assert_eq!(added, "tasks: []\ncircuit_breaker:\n  status: OK\n...\n");
    let board = Board::read(&added).unwrap();
    assert_eq!(board.status, BoardStatus::Ok);
    let again = board.section(&added).unwrap().replace("OK", "TRIGGERED");
    assert_eq!(
        board.with_section(&added, &again),
        "tasks: []\ncircuit_breaker:\n  status: TRIGGERED\n...\n"
    );
    // A few lines can stand for more than there is room for.
    let doubled = |n: u32| format!("  - &a{n} [*a{0}, *a{0}]\n", n - 1);
    let laughs: String = (1..40).map(doubled).collect();
    let broken = Board::read(&format!("anomalies:\n  - &a0 [x]\n{laughs}")).unwrap_err();
    assert!(broken.what.contains("anomaly"), "{broken}");
    let laughs: String = (1..40)
        .map(|n| format!("      a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1))
        .collect();
    let broken = Board::read(&format!(
        "anomalies:\n  - type: workaround\n    more:\n      a0: &a0 [x]\n{laughs}"
    ))
    .unwrap_err();
    assert!(
        broken.what.contains("references stand for more than"),
        "{broken}"
    );
}

/// The sprint may stand below what was met in it.
#[test]
fn an_anomaly_without_a_moment_is_of_the_sprint() {
    let board = Board::read(
        "anomalies:\n  - type: workaround\n  - {type: workaround, timestamp: 2025-01-18T17:30:00Z}\nsprint: {timeline: {started: 2025-01-18T19:00:00Z}}\n",
    )
    .unwrap();
    let moments: Vec<i64> = board
        .anomalies
        .iter()
        .map(|anomaly| anomaly.at_ms)
        .collect();
    assert_eq!(moments, [RESOLVED_MS, CHECKED_MS]);
}
