//! What an analysis of anomalies brings about, and how a person ends it.

use std::collections::BTreeSet;

use fusebox_core::circuit::{Cause, Release, State};
use fusebox_core::decision::{Gate, Place};
use fusebox_core::journal::{Actor, AuthorityProof, Event};
use fusebox_core::machine::{self, Refused, Start, Step, Trip};
use fusebox_core::patterns::{
    Anomaly, AnomalyKind as Kind, Details, EntryHash, Pattern, Severity, analyse,
};
use fusebox_core::policy::Preset;
use fusebox_core::{BootId, Circuit, Moment, Policy};

/// One anomaly of `kind` for each text, which stands in every field a rule could
/// group by.
fn many(kind: Kind, texts: &[&str]) -> Vec<Anomaly> {
    let one = |(n, text): (usize, &&str)| Anomaly {
        at_ms: 100,
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

struct Board {
    circuit: Circuit,
    policy: Policy,
    now: Moment,
    anomalies: Vec<Anomaly>,
}

impl Board {
    fn new(anomalies: Vec<Anomaly>) -> Self {
        Self {
            circuit: Circuit::default(),
            policy: Policy::of(Preset::Liza),
            now: Moment {
                wall_ms: 1_000,
                boot_ms: 9_000,
                boot: BootId(1),
            },
            anomalies,
        }
    }

    fn take(&mut self, step: Step) -> Step {
        let mut replayed = self.circuit.clone();
        for entry in &step.entries {
            let line = serde_json::to_string(entry).expect("an entry can be written");
            replayed.fold(&serde_json::from_str(&line).expect("and read"));
        }
        if !step.entries.is_empty() {
            assert_eq!(replayed, step.circuit);
        }
        self.circuit = step.circuit.clone();
        step
    }

    fn analyse(&mut self) -> Step {
        self.now.boot_ms += 60_000;
        self.now.wall_ms += 60_000;
        let rules = self.policy.patterns.unwrap_or_default();
        let anomalies = self.anomalies.clone();
        let analysis = analyse(&anomalies, None, &self.circuit.anomalies.set(), &rules);
        let step = machine::analysed(&self.circuit, &self.policy, &analysis, &self.now);
        self.take(step)
    }

    fn resolve(&mut self) -> Result<Step, Refused> {
        let text = "ADR-7, specs/b.md updated".to_owned();
        let step = machine::resolve(&self.circuit, &self.policy, text, person(), &self.now)?;
        Ok(self.take(step))
    }
}

fn person() -> Actor {
    Actor {
        user: "ada".into(),
        proof: AuthorityProof::Terminal,
    }
}

#[test]
fn req_002_009_a_match_opens_with_its_proof_and_nothing_goes_on() {
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
    let opening = board.circuit.core.phase.opening().unwrap();
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
    assert_eq!(board.circuit.anomalies.cited().len(), 5, "of every match");
    assert_eq!(board.circuit.core.totals.trips, 1);
    let check = machine::check(&board.circuit, &board.policy, Start::default(), &board.now);
    assert!(check.decision.grant.is_none());
}

#[test]
fn req_002_060_and_087_neither_a_clean_analysis_nor_time_releases() {
    let mut board = Board::new(many(Kind::RetryLoop, &["e"; 3]));
    board.analyse();
    let before = board.circuit.core.clone();
    board.anomalies.clear();
    let clean = board.analyse();
    assert!(matches!(&clean.entries[0].event, Event::Analysed { matched } if matched.is_empty()));
    board.anomalies = many(Kind::AssumptionViolated, &["a", "a"]);
    let other = board.analyse();
    assert!(matches!(&other.entries[0].event, Event::Analysed { matched } if matched.len() == 1));
    assert!(clean.decision.transitions.is_empty() && other.decision.transitions.is_empty());
    assert_eq!(board.circuit.core, before, "the first finding stands");
    assert_eq!(board.circuit.anomalies.cited().len(), 3);
    board.now.boot_ms += 1_000_000_000;
    board.now.wall_ms += 1_000_000_000;
    let reset = machine::reset(
        &board.circuit,
        &board.policy,
        "x".into(),
        person(),
        &board.now,
    );
    assert_eq!(reset.unwrap_err(), Refused::OnlyACorrection);
    let gate = machine::peek(&board.circuit, &board.policy, &board.now).gate;
    assert!(matches!(gate, Gate::Deny(denial) if denial.retry_at_ms.is_none()));
}

#[test]
fn req_002_086_a_resolution_closes_and_its_evidence_never_counts_again() {
    let mut board = Board::new(many(Kind::RetryLoop, &["e"; 3]));
    board.analyse();
    let resolved = board.resolve().unwrap();
    assert_eq!(resolved.decision.state, State::Closed);
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
    assert_eq!(board.circuit.anomalies.cited().len(), 3);
    let hashes: BTreeSet<EntryHash> = board.anomalies[1..3].iter().map(EntryHash::of).collect();
    assert!(board.circuit.anomalies.set().is_superset(&hashes));
}

#[test]
fn a_resolution_needs_an_opening_and_a_policy_that_knows_it() {
    let mut board = Board::new(Vec::new());
    assert_eq!(board.resolve().unwrap_err(), Refused::NotOpen);
    for preset in Preset::ALL.into_iter().filter(|p| *p != Preset::Liza) {
        let mut board = Board::new(many(Kind::RetryLoop, &["e"; 3]));
        board.policy = Policy::of(preset);
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
        let step = machine::trip(&board.circuit, &board.policy, trip, &board.now);
        let step = board.take(step);
        assert_eq!(step.decision.rule.as_deref(), Some("002.49"));
        let opening = board.circuit.core.phase.opening().unwrap();
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
