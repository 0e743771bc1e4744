//! The file goes in and comes out, and edits of it are understood.

use fusebox_core::machine::{self, Claim, Step};
use fusebox_core::observation::{ErrorReport, PhaseMetrics, WorkPhase};
use fusebox_core::policy::{Bound, SignalRule, SignalRules};
use fusebox_core::signals::Signal;
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy};

use super::*;

const NOW: Moment = Moment {
    wall_ms: 1_768_302_000_000,
    boot_ms: 1_000,
    boot: BootId(1),
};

/// Everything that a file can say, as another tool might lay it out.
const THEIRS: &str = r#"{
    "version": 3,
    "state": "HALF_OPEN", "no_progress_count": 2, "same_error_count": 1,
    "last_progress_metric": {
        "RED": {"tests_generated": 4, "criteria_covered": 2},
        "GREEN": {"tests_passing": 3, "tests_failing": 7, "tests_total": 10},
        "REFACTOR": {"patterns_applied": 1, "complexity_score": 12.5},
        "DOCUMENT": {"docs_generated": 2, "diagrams_valid": 1},
        "QA": {"checks_passing": 9}
    },
    "last_error_hash": "5e0d940273a16bc378d516a0aad01a269f257ca9baf5e1d4e85d5e1cdf7f4e43",
    "opened_at": null,
    "open_reason": null,
    "history": [
        {"timestamp": "2026-01-13 10:59:00", "event": "state_change", "from_state": "CLOSED", "to_state": "HALF_OPEN", "reason": "No progress for 2 iterations"}
    ]
}"#;

fn policy() -> Policy {
    Policy::of(Preset::Prp)
}

fn adopted() -> Circuit {
    let adoption = read(THEIRS).unwrap().adoption();
    let about = (String::new(), String::new());
    machine::adopt(&Circuit::default(), &policy(), &adoption, about, &NOW).circuit
}

fn scene<'a>(policy: &'a Policy, circuit: &'a Circuit, step: Option<&'a Step>) -> Scene<'a> {
    Scene {
        policy,
        circuit,
        entries: step.map_or(&[], |step| &step.entries),
        now_ms: NOW.wall_ms,
        beside: &[],
    }
}

fn projected(found: Option<&str>, scene: &Scene<'_>) -> String {
    match Prp.project(STATE_FILE, found, scene).unwrap() {
        Content::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn req_001_066_and_d_057_a_file_of_another_tool_is_taken_over_and_stays_as_it_is() {
    let (policy, circuit) = (policy(), adopted());
    let scene = scene(&policy, &circuit, None);
    assert_eq!(projected(Some(THEIRS), &scene), THEIRS, "not a byte");
    assert_eq!(Prp.edit(STATE_FILE, THEIRS, &scene), Ok(Edit::default()));
    let green = circuit.core.counters.last_metrics(WorkPhase::Green);
    let expected = PhaseMetrics {
        tests_passing: Some(3),
        tests_failing: Some(7),
        tests_total: Some(10),
        ..PhaseMetrics::default()
    };
    assert_eq!(green, expected);
    let refactor = circuit.core.counters.last_metrics(WorkPhase::Refactor);
    assert_eq!(refactor.complexity_milli, Some(12_500));
}

#[test]
fn req_d_024_each_value_is_stricter_or_laxer_than_what_is_known() {
    let (policy, circuit) = (policy(), adopted());
    let scene = scene(&policy, &circuit, None);
    for (from, to, tightens, relaxes) in [
        ("HALF_OPEN\", \"no", "OPEN\", \"no", Some("OPEN"), None),
        (
            "HALF_OPEN\", \"no",
            "CLOSED\", \"no",
            None,
            Some("CLOSED instead of HALF_OPEN"),
        ),
        (
            "count\": 2",
            "count\": 5",
            Some("no_progress_count 5"),
            None,
        ),
        (
            "count\": 2",
            "count\": 1",
            None,
            Some("no_progress_count 1 instead of 2"),
        ),
        ("count\": 1", "count\": 4", Some("same_error_count 4"), None),
        (
            "count\": 1",
            "count\": 0",
            None,
            Some("same_error_count 0 instead of 1"),
        ),
        (
            "passing\": 3",
            "passing\": 4",
            Some("higher last values of GREEN"),
            None,
        ),
        (
            "passing\": 3",
            "passing\": 0",
            None,
            Some("other last values of GREEN"),
        ),
        (
            "failing\": 7",
            "failing\": 6",
            Some("higher last values of GREEN"),
            None,
        ),
        (
            "failing\": 7",
            "failing\": 8",
            None,
            Some("other last values of GREEN"),
        ),
        ("12.5", "12.4", Some("higher last values of REFACTOR"), None),
        ("12.5", "99", None, Some("other last values of REFACTOR")),
        (
            "\"docs_generated\": 2",
            "\"docs_generated\": 0",
            None,
            Some("other last values of DOCUMENT"),
        ),
        ("\"version\": 3", "\"version\": 4", None, None),
        (
            "\"open_reason\": null",
            "\"open_reason\": \"x\"",
            None,
            None,
        ),
    ] {
        let text = THEIRS.replacen(from, to, 1);
        assert_ne!(text, THEIRS, "{from}");
        let edit = Prp.edit(STATE_FILE, &text, &scene).unwrap();
        let words = edit.tightens.as_ref().map(|(_, words)| words.as_str());
        assert_eq!(
            (words, edit.relaxes.as_deref()),
            (tightens, relaxes),
            "{to}"
        );
    }
    let both = THEIRS
        .replacen("HALF_OPEN", "OPEN", 1)
        .replacen("count\": 2", "count\": 0", 1);
    let edit = Prp.edit(STATE_FILE, &both, &scene).unwrap();
    assert!(
        edit.tightens.is_some() && edit.relaxes.is_some(),
        "{edit:?}"
    );
}

#[test]
fn req_001_055_and_067_the_hash_is_of_the_message_and_then_the_type() {
    let policy = policy();
    let facts = Observation {
        phase: Some(WorkPhase::Red),
        errors: Fact::Measured(vec![ErrorReport {
            kind: Some("TypeError".to_owned()),
            message: "x is undefined".to_owned(),
            ..ErrorReport::default()
        }]),
        ..Observation::default()
    };
    let step = machine::record(&Circuit::default(), &policy, facts, Claim::default(), &NOW);
    let text = projected(None, &scene(&policy, &step.circuit, Some(&step)));
    // printf 'x is undefinedTypeError' | sha256sum
    let hash = "953e1c6c0c80054eb8649dad1bc9a4c94e46d4d9bd4bc3db4214d4e2c7dd6b60";
    assert!(text.contains(hash), "{text}");
    // What is read back is the same error, and goes on being counted.
    let said = read(&text).unwrap().adoption();
    let about = (String::new(), String::new());
    let taken = machine::adopt(&Circuit::default(), &policy, &said, about, &NOW).circuit;
    assert_eq!(
        taken.core.counters.errors,
        step.circuit.core.counters.errors
    );
}

#[test]
fn req_001_102_to_104_the_block_tells_only_what_is_known() {
    let policy = policy();
    let step = machine::trip(
        &Circuit::default(),
        &policy,
        machine::Trip {
            reason: "by\nhand\u{1b}[2J".to_owned(),
            by: fusebox_core::journal::Actor {
                user: String::new(),
                proof: fusebox_core::journal::AuthorityProof::NotNeeded,
            },
            cause: fusebox_core::circuit::Cause::Asked,
        },
        &NOW,
    );
    let closed = Circuit::default();
    assert_eq!(
        Prp.menu(&scene(&policy, &closed, None)),
        None,
        "nothing is open"
    );
    let menu = Prp.menu(&scene(&policy, &step.circuit, None)).unwrap();
    for line in [
        "REASON: by hand [2J\n",
        "ITERATIONS: 0\n",
        "TESTS_PASSING: unknown\n",
        "LAST_ERROR: none\n",
    ] {
        assert!(menu.text.contains(line), "{line} is not in {}", menu.text);
    }
    let keys: String = menu.choices.iter().map(|(key, _)| *key).collect();
    assert_eq!(keys, "rsam");
}

/// A circuit that actions of GREEN were reported to, one after the other, and the last step.
fn after(policy: &Policy, actions: &[Observation]) -> Step {
    let mut circuit = Circuit::default();
    let mut last = None;
    for facts in actions {
        let step = machine::record(&circuit, policy, facts.clone(), Claim::default(), &NOW);
        circuit = step.circuit.clone();
        last = Some(step);
    }
    last.unwrap()
}

fn action(phase: WorkPhase, metrics: PhaseMetrics, errors: &[&str]) -> Observation {
    let error = |message: &&str| ErrorReport {
        message: (*message).to_owned(),
        ..ErrorReport::default()
    };
    Observation {
        phase: Some(phase),
        metrics,
        errors: Fact::Measured(errors.iter().map(error).collect()),
        ..Observation::default()
    }
}

fn green(passing: u64, failing: u64) -> Observation {
    let metrics = PhaseMetrics {
        tests_passing: Some(passing),
        tests_failing: Some(failing),
        ..PhaseMetrics::default()
    };
    action(WorkPhase::Green, metrics, &[])
}

#[test]
fn req_001_056_and_067_count_and_hash_are_of_one_error() {
    let policy = policy();
    let wrote = |count, errors: &[&str]| {
        let metrics = PhaseMetrics {
            tests_generated: Some(count),
            ..PhaseMetrics::default()
        };
        action(WorkPhase::Red, metrics, errors)
    };
    let actions = [
        wrote(1, &["A"]),
        wrote(2, &["B", "A"]),
        wrote(3, &["C", "A"]),
    ];
    let step = after(&policy, &actions);
    let text = projected(None, &scene(&policy, &step.circuit, Some(&step)));
    let hash = history::hash(&ErrorReport {
        message: "A".to_owned(),
        ..ErrorReport::default()
    });
    assert!(text.contains("\"same_error_count\": 3"), "{text}");
    assert!(text.contains(&hash), "{text}");
}

#[test]
fn req_001_103_a_number_is_unchanged_only_if_it_is_the_same() {
    let policy = policy();
    for (counts, line) in [
        (
            &[(3, 7), (3, 7), (3, 7)][..],
            "TESTS_PASSING: 3/10 (no change)\n",
        ),
        (
            &[(5, 5), (3, 7), (1, 9)],
            "TESTS_PASSING: 1/10 (5 before)\n",
        ),
        (
            &[(5, 5), (4, 6), (4, 6)],
            "TESTS_PASSING: 4/10 (5 before)\n",
        ),
    ] {
        let actions: Vec<Observation> = counts
            .iter()
            .map(|(passing, failing)| green(*passing, *failing))
            .collect();
        let step = after(&policy, &actions);
        let menu = Prp.menu(&scene(&policy, &step.circuit, Some(&step)));
        let text = menu.expect("it is open").text;
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

#[test]
fn req_001_027_and_073_to_075_what_a_person_closes_is_told_as_a_persons_doing() {
    let policy = policy();
    let red = action(WorkPhase::Red, PhaseMetrics::default(), &[]);
    let warned = after(&policy, &[red.clone(), red]).circuit;
    let person = || fusebox_core::journal::Actor {
        user: String::new(),
        proof: fusebox_core::journal::AuthorityProof::NotNeeded,
    };
    for step in [
        machine::reset(&warned, &policy, "x".to_owned(), person(), &NOW).unwrap(),
        machine::skip_phase(&warned, &policy, "x".to_owned(), person(), &NOW).unwrap(),
    ] {
        let scene = scene(&policy, &step.circuit, Some(&step));
        assert_eq!(Prp.log(&scene)[0], "Circuit reset by user");
        let text = projected(None, &scene);
        assert!(
            text.contains("\"reason\": \"Circuit reset by user\""),
            "{text}"
        );
        assert!(!text.contains("Progress detected"), "{text}");
    }
}

#[test]
fn req_001_013_and_075_a_warning_names_the_number_that_it_came_at() {
    let mut policy = policy();
    for (warn, actions) in [(1, 1), (2, 2), (5, 5)] {
        policy.rules = SignalRules::only([(
            Signal::NoProgress,
            SignalRule::silent("001.15")
                .warns(Bound::AtLeast(warn))
                .trips(Bound::AtLeast(9)),
        )]);
        let red = action(WorkPhase::Red, PhaseMetrics::default(), &[]);
        let step = after(&policy, &vec![red; actions]);
        let scene = scene(&policy, &step.circuit, Some(&step));
        assert_eq!(
            Prp.log(&scene),
            [format!(
                "WARNING: No progress detected for {warn} iterations"
            )]
        );
        let text = projected(None, &scene);
        let reason = format!("\"reason\": \"No progress for {warn} iterations\"");
        assert!(text.contains(&reason), "{text}");
    }
}

/// A breaker that another tool had opened, as that tool left it.
const OPENED_THERE: &str = r#"{"state": "OPEN", "no_progress_count": 3, "same_error_count": 4,
  "last_progress_metric": {"RED": null, "GREEN": {"tests_passing": 3}},
  "last_error_hash": null, "opened_at": "2026-01-13T10:59:00Z", "open_reason": "theirs",
  "history": [{"timestamp": "2026-01-13T10:59:00Z", "event": "state_change", "from_state": "HALF_OPEN", "to_state": "OPEN", "reason": "theirs"}]}"#;

#[test]
fn req_001_061_and_068_and_078_what_was_open_before_keeps_its_time_its_counts_and_its_history() {
    let policy = policy();
    let fresh = Circuit::default();
    let edit = Prp
        .edit(STATE_FILE, OPENED_THERE, &scene(&policy, &fresh, None))
        .unwrap();
    let (adoption, words) = edit.tightens.unwrap();
    let about = (STATE_FILE.to_owned(), words);
    let step = machine::adopt(&fresh, &policy, &adoption, about, &NOW);
    let text = projected(
        Some(OPENED_THERE),
        &scene(&policy, &step.circuit, Some(&step)),
    );
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["opened_at"], "2026-01-13T10:59:00Z");
    assert_eq!(file["same_error_count"], 4);
    assert_eq!(file["history"].as_array().unwrap().len(), 1, "{text}");
    // It stays so the next time, and goes when it closes.
    let again = projected(Some(&text), &scene(&policy, &step.circuit, None));
    assert_eq!(again, text);
    let closed = projected(Some(&text), &scene(&policy, &fresh, None));
    let closed: serde_json::Value = serde_json::from_str(&closed).unwrap();
    assert!(closed["opened_at"].is_null());
}

#[test]
fn req_001_055_the_count_of_an_error_is_kept_whatever_its_hash_looks_like() {
    let hash = "953e1c6c0c80054eb8649dad1bc9a4c94e46d4d9bd4bc3db4214d4e2c7dd6b60";
    let counted = |hash: &str| {
        let text =
            format!(r#"{{"state": "CLOSED", "same_error_count": 2, "last_error_hash": {hash}}}"#);
        let adoption = read(&text).unwrap().adoption();
        adoption.error.unwrap()
    };
    let plain = counted(&format!("\"{hash}\""));
    assert_eq!(counted(&format!("\"sha256:{hash}\"")), plain);
    for other in ["null", "\"953e\"", "\"\""] {
        let (identity, count) = counted(other);
        assert!(identity != plain.0 && count == 2, "{other}");
    }
}

#[test]
fn a_null_says_as_little_as_a_key_that_is_not_there() {
    for text in [
        r#"{"state": "CLOSED", "last_progress_metric": null}"#,
        r#"{"state": "CLOSED", "last_progress_metric": {"GREEN": null}}"#,
        r#"{"state": "CLOSED", "history": null, "no_progress_count": null, "same_error_count": null}"#,
    ] {
        assert_eq!(
            read(text).unwrap(),
            read(r#"{"state": "CLOSED"}"#).unwrap(),
            "{text}"
        );
        let (policy, circuit) = (policy(), adopted());
        let file = projected(Some(text), &scene(&policy, &circuit, None));
        let file: serde_json::Value = serde_json::from_str(&file).unwrap();
        assert_eq!(file["last_progress_metric"]["GREEN"]["tests_passing"], 3);
    }
    let wrong = read(r#"{"state": "CLOSED", "last_progress_metric": 7}"#).unwrap_err();
    assert_eq!(
        wrong.what,
        "this is not what belongs there: invalid type: integer `7`, expected an object with the phases"
    );
}
