//! What an analysis of anomalies brings about, and how a person ends it.

use std::collections::BTreeSet;

use fusebox_core::Policy;
use fusebox_core::circuit::{Cause, Release, State};
use fusebox_core::decision::{Gate, Place};
use fusebox_core::journal::Event;
use fusebox_core::machine::{self, Adoption, Refused, Step, Trip};
use fusebox_core::patterns::{
    Anomaly, AnomalyKind as Kind, Details, EntryHash, Pattern, Severity, analyse,
};
use fusebox_core::policy::{Enforcement, HaltMode, Preset};

use crate::harness::{Loop, MINUTE, idle, person};

/// One anomaly of `kind` for each text, which stands in every field a rule could
/// group by.
fn many(kind: Kind, texts: &[&str]) -> Vec<Anomaly> {
    let one = |(n, text): (usize, &&str)| Anomaly {
        at_ms: 100,
        undated: false,
        task: format!("task-{n}"),
        reporter: "coder-1".into(),
        kind,
        details: Details {
            error_pattern: Some((*text).into()),
            assumption: Some((*text).into()),
            blocker_service: Some((*text).into()),
            ..Details::default()
        },
    };
    texts.iter().enumerate().map(one).collect()
}

/// The loop of a sprint, and the anomalies that were reported in it.
struct Board {
    it: Loop,
    anomalies: Vec<Anomaly>,
}

impl Board {
    fn new(anomalies: Vec<Anomaly>) -> Self {
        let it = Loop::new(Preset::Liza);
        Self { it, anomalies }
    }

    fn analyse(&mut self) -> Step {
        let Self { it, anomalies } = self;
        it.wait(MINUTE);
        let rules = it.policy.patterns.unwrap_or_default();
        let analysis = analyse(anomalies, None, &it.circuit.anomalies.set(), &rules);
        let step = machine::analysed(&it.circuit, &it.policy, &analysis, &it.now);
        it.take(step)
    }

    fn resolve(&mut self) -> Result<Step, Refused> {
        let (it, text) = (&mut self.it, "ADR-7, specs/b.md updated".to_owned());
        let step = machine::resolve(&it.circuit, &it.policy, text, person(), &it.now)?;
        Ok(it.take(step))
    }
}

#[test]
fn req_002_009_and_x_006_a_match_opens_with_its_proof_and_nothing_goes_on() {
    let mut board = Board::new(many(Kind::RetryLoop, &["no nesting"; 3]));
    board
        .anomalies
        .extend(many(Kind::ExternalBlocker, &["api", "api"]));
    let step = board.analyse();
    assert_eq!(step.decision.state, State::Open);
    assert_eq!(
        step.decision.reason,
        "Same error type recurring across tasks (no nesting): 3 anomalies, 3 tasks; 1 more found"
    );
    assert_eq!(step.decision.rule.as_deref(), Some("002.31"));
    assert!(matches!(step.decision.gate, Gate::Deny(_)));
    assert_eq!(step.decision.transitions.len(), 1);
    let opening = board.it.circuit.core.phase.opening().unwrap();
    let cause = Cause::Pattern {
        pattern: Some(Pattern::RetryCluster),
        severity: Severity::ArchitectureFlaw,
    };
    assert_eq!((opening.cause, opening.release), (cause, Release::Person));
    let shown: Vec<_> = opening
        .evidence
        .iter()
        .map(|e| (&e.place, e.found.as_str()))
        .collect();
    assert_eq!(
        shown[0],
        (&Place::Task("task-0".into()), "retry_loop: no nesting")
    );
    assert_eq!(shown.len(), 3);
    assert_eq!(
        board.it.circuit.anomalies.cited().len(),
        5,
        "of every match"
    );
    assert_eq!(board.it.circuit.core.totals.trips, 1);
    assert!(board.it.check().decision.grant.is_none());
}

#[test]
fn req_002_060_and_087_and_d_019_neither_a_clean_analysis_nor_time_releases() {
    let mut board = Board::new(many(Kind::RetryLoop, &["e"; 3]));
    board.analyse();
    let before = board.it.circuit.core.clone();
    board.anomalies.clear();
    let clean = board.analyse();
    assert!(matches!(&clean.entries[0].event, Event::Analysed { matched } if matched.is_empty()));
    board.anomalies = many(Kind::AssumptionViolated, &["a", "a"]);
    let other = board.analyse();
    assert!(matches!(&other.entries[0].event, Event::Analysed { matched } if matched.len() == 1));
    assert!(clean.decision.transitions.is_empty() && other.decision.transitions.is_empty());
    assert_eq!(board.it.circuit.core, before, "the first finding stands");
    assert_eq!(board.it.circuit.anomalies.cited().len(), 3);
    board.it.wait(1_000_000_000);
    assert_eq!(board.it.reset().unwrap_err(), Refused::OnlyACorrection);
    let gate = machine::peek(&board.it.circuit, &board.it.policy, &board.it.now).gate;
    assert!(matches!(gate, Gate::Deny(denial) if denial.retry_at_ms.is_none()));
}

/// Somebody's sign to halt, which says nothing of why.
fn sign_to_halt(board: &mut Board) {
    let it = &mut board.it;
    let sign = Adoption {
        open: Some("CHECKPOINT is there".into()),
        placeholder: true,
        ..Adoption::default()
    };
    let from = ("state.yaml".to_owned(), "a checkpoint".to_owned());
    let step = machine::adopt(&it.circuit, &it.policy, &sign, from, &it.now);
    it.take(step);
}

#[test]
fn req_002_060_and_081_a_mere_sign_to_halt_gives_way_to_a_reason_and_to_nothing_else() {
    let mut board = Board::new(Vec::new());
    sign_to_halt(&mut board);
    assert_eq!(board.analyse().decision.state, State::Open, "found nothing");
    board.anomalies = many(Kind::RetryLoop, &["e"; 3]);
    let found = board.analyse();
    assert!(found.decision.transitions.is_empty(), "it was never closed");
    let cause = |board: &Board| board.it.circuit.core.phase.opening().unwrap().cause;
    let pattern = Some(Pattern::RetryCluster);
    assert!(matches!(cause(&board), Cause::Pattern { pattern: by, .. } if by == pattern));
    assert_eq!(board.it.circuit.core.totals.trips, 1, "one halt");
    board.anomalies = many(Kind::AssumptionViolated, &["a", "a"]);
    board.analyse();
    assert!(matches!(cause(&board), Cause::Pattern { pattern: by, .. } if by == pattern));

    // Where openings are only told, it halts as before.
    let mut board = Board::new(Vec::new());
    board.it.policy.enforcement = Enforcement::Announce;
    sign_to_halt(&mut board);
    board.anomalies = many(Kind::RetryLoop, &["e"; 3]);
    board.analyse();
    assert!(matches!(cause(&board), Cause::Pattern { pattern: by, .. } if by == pattern));
    assert_eq!(board.it.check().decision.grant, None);

    let mut board = Board::new(Vec::new());
    sign_to_halt(&mut board);
    let severity = Severity::VisionFlaw;
    let trip = Trip::by_judgement("the brief".into(), person(), None, severity);
    let step = machine::trip(&board.it.circuit, &board.it.policy, trip, &board.it.now);
    board.it.take(step);
    let judged = Cause::Pattern {
        pattern: None,
        severity,
    };
    assert_eq!(cause(&board), judged);
}

#[test]
fn req_002_086_and_d_018_a_resolution_closes_and_its_evidence_never_counts_again() {
    let mut board = Board::new(many(Kind::RetryLoop, &["e"; 3]));
    board.analyse();
    let resolved = board.resolve().unwrap();
    assert_eq!(resolved.decision.state, State::Closed);
    assert_eq!(resolved.decision.transitions.len(), 1);
    assert_eq!(resolved.decision.gate, Gate::Allow);
    let again = board.analyse();
    assert_eq!(again.decision.state, State::Closed);
    // New ones start from nothing, and an edited entry is a new one.
    board.anomalies.extend(many(Kind::RetryLoop, &["e"; 2]));
    board.anomalies[3].at_ms = 500;
    board.anomalies[4].at_ms = 501;
    assert_eq!(board.analyse().decision.state, State::Closed);
    board.anomalies[0].reporter = "coder-2".into();
    assert_eq!(board.analyse().decision.state, State::Open);
    assert_eq!(board.it.circuit.anomalies.cited().len(), 3);
    let hashes: BTreeSet<EntryHash> = board.anomalies[1..3].iter().map(EntryHash::of).collect();
    assert!(board.it.circuit.anomalies.set().is_superset(&hashes));
}

#[test]
fn a_resolution_needs_an_opening_and_a_policy_that_knows_it() {
    let mut board = Board::new(Vec::new());
    assert_eq!(board.resolve().unwrap_err(), Refused::NotOpen);
    for preset in [Preset::Cub, Preset::Prp, Preset::Bmad, Preset::Superkit] {
        let mut board = Board::new(many(Kind::RetryLoop, &["e"; 3]));
        board.it.policy = Policy::of(preset);
        assert_eq!(
            board.resolve().unwrap_err(),
            Refused::NotByCorrection,
            "{preset}"
        );
        assert!(
            board.analyse().entries.is_empty(),
            "{preset} knows no patterns"
        );
    }
}

#[test]
fn req_002_049_and_056_a_person_may_name_any_pattern_and_severity() {
    for (pattern, severity) in [
        (None, Severity::VisionFlaw),
        (None, Severity::TechStackFlaw),
        (Some(Pattern::DebtAccumulation), Severity::ScopeFlaw),
    ] {
        let mut board = Board::new(Vec::new());
        let trip = Trip::by_judgement(
            "two exact and one alike".into(),
            person(),
            pattern,
            severity,
        );
        let step = machine::trip(&board.it.circuit, &board.it.policy, trip, &board.it.now);
        let step = board.it.take(step);
        assert_eq!(step.decision.rule.as_deref(), Some("002.49"));
        let opening = board.it.circuit.core.phase.opening().unwrap();
        assert_eq!(opening.cause, Cause::Pattern { pattern, severity });
        assert_eq!(board.analyse().decision.state, State::Open);
        assert_eq!(board.resolve().unwrap().decision.state, State::Closed);
    }
}

#[test]
fn every_analysis_leaves_an_entry() {
    let mut board = Board::new(Vec::new());
    let clean = board.analyse();
    assert!(matches!(&clean.entries[..], [e] if e.event.kind() == 11));
    board.anomalies = many(Kind::RetryLoop, &["e"; 3]);
    let found = board.analyse();
    let Event::Analysed { matched } = &found.entries[0].event else {
        panic!("{:?}", found.entries)
    };
    assert_eq!(matched[0].pattern, Pattern::RetryCluster);
    assert_eq!(
        (matched[0].severity, matched[0].count),
        (Severity::ArchitectureFlaw, 3)
    );
    assert_eq!(board.resolve().unwrap().entries[0].event.kind(), 12);
}

#[test]
fn req_002_001_single_tasks_in_trouble_are_no_pattern() {
    let mut board = Board::new(many(Kind::RetryLoop, &["a", "b", "c"]));
    board.it.repeat(30, &idle());
    assert_eq!(board.analyse().decision.state, State::Closed);
    assert_eq!(board.it.check().decision.gate, Gate::Allow);
}

#[test]
fn req_002_037_and_057_an_outage_halts_the_sprint_with_its_severity_on_record() {
    let mut board = Board::new(many(Kind::ExternalBlocker, &["api", "api"]));
    let step = board.analyse();
    let Event::Analysed { matched } = &step.entries[0].event else {
        panic!("{:?}", step.entries)
    };
    assert_eq!(matched[0].severity, Severity::ExternalDependency);
    assert_eq!(board.it.policy.halt, HaltMode::Checkpoint);
    assert!(matches!(step.decision.gate, Gate::Deny(_)));
}

/// What is found in the own records of a project opens as what is found on a
/// blackboard does, and whichever way a person releases it, it stays dealt with.
#[test]
fn native_finds_patterns_too_and_a_release_settles_them() {
    for by_correction in [true, false] {
        let mut board = Board::new(many(Kind::RetryLoop, &["e"; 3]));
        board.it = Loop::new(Preset::Native);
        assert_eq!(board.analyse().decision.state, State::Open);
        if by_correction {
            board.resolve().unwrap();
        } else {
            board.it.reset().unwrap();
        }
        assert_eq!(board.it.circuit.state(), State::Closed);
        let again = board.analyse();
        assert_eq!(again.decision.state, State::Closed, "{by_correction}");
    }
}
