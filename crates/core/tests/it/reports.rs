//! Whose report counts, and how much of it is kept.

use fusebox_core::circuit::{Cause, Core, GrantId, Release, State};
use fusebox_core::decision::Gate;
use fusebox_core::machine::{Claim, Start};
use fusebox_core::observation::{ErrorReport, Extra, FeatureCounts, Usage};
use fusebox_core::policy::Preset;
use fusebox_core::{Fact, Observation, Policy};

use crate::harness::{Loop, idle, work};

#[test]
fn req_d_066_no_fact_at_all_and_no_report_at_all_are_no_progress() {
    let mut it = Loop::new(Preset::Native);
    it.iterate(Observation::default());
    it.check();
    it.check();
    let denied = it.check().decision;
    assert_eq!(
        denied.state,
        State::Open,
        "one empty report, two iterations never reported"
    );
    let found: Vec<_> = it
        .opening()
        .evidence
        .iter()
        .map(|e| e.found.as_str())
        .collect();
    assert_eq!(
        found,
        [
            "file changes unknown",
            "started and never reported",
            "started and never reported"
        ]
    );
}

#[test]
fn req_d_054_late_results_are_remembered_and_cannot_close() {
    let mut it = Loop::new(Preset::Native);
    it.check();
    it.trip("looks wrong");
    let step = it.record(work());
    assert_eq!((step.decision.state, step.entries.len()), (State::Open, 1));
    assert!(step.entries[0].outcome.row.is_some() && it.circuit.rows.is_empty());

    let mut it = Loop::new(Preset::Native);
    it.check();
    it.check();
    let first = Claim {
        grant: Some(GrantId(1)),
        secret: None,
    };
    it.record_by(first, work());
    assert_eq!(
        it.circuit.core.counters.no_progress, 1,
        "it was already counted as unreported"
    );
    assert!(
        it.circuit.core.pending.is_some(),
        "the iteration under way is not settled by it"
    );
}

#[test]
fn a_report_that_came_too_late_moves_nothing_whoever_is_at_work_by_then() {
    let first = Claim {
        grant: Some(GrantId(1)),
        secret: None,
    };
    let features = |pass| FeatureCounts {
        pass,
        ..FeatureCounts::default()
    };
    let seen = |tree: &str, pass| Observation {
        tree: Fact::Measured(tree.into()),
        features: Fact::Measured(features(pass)),
        ..work()
    };
    for secret in [None, Some(7)] {
        let mut it = Loop::new(Preset::Native);
        it.record(seen("now", 3));
        it.check();
        it.check_with(Start {
            secret,
            ..Start::default()
        });
        assert_eq!(it.circuit.core.iterations, 3);
        let before = it.circuit.clone();
        for grant in [1, 2] {
            let grant = Some(GrantId(grant));
            it.record_by(Claim { grant, ..first }, seen("then", 9));
        }
        let (before, after) = (&before.core, &it.circuit.core);
        assert_eq!(
            (after.totals.reported, after.totals.progress),
            (before.totals.reported + 2, before.totals.progress + 2),
            "they are remembered"
        );
        let told = Core {
            totals: before.totals,
            ..after.clone()
        };
        assert_eq!(&told, before, "{secret:?}");
    }
}

#[test]
fn a_huge_report_leaves_a_small_state() {
    let mut it = Loop::new(Preset::Native);
    let error = |n: usize| ErrorReport {
        message: format!("{n} {}", "x".repeat(100_000)),
        ..ErrorReport::default()
    };
    for _ in 0..20 {
        let mut facts = work();
        facts.errors = Fact::Measured((0..500).map(error).collect());
        facts.task = Some("t".repeat(1_000_000));
        let step = it.record(facts);
        let bytes = serde_json::to_vec(&step.entries).unwrap().len();
        assert!(bytes < 256 * 1024, "{bytes}");
    }
    assert!(serde_json::to_vec(&it.circuit).unwrap().len() < 64 * 1024);
}

#[test]
fn req_x_009_a_report_in_the_supervisors_place_opens_the_breaker_at_once() {
    let supervised = |it: &mut Loop| {
        let start = Start {
            secret: Some(7),
            ..Start::default()
        };
        it.check_with(start)
    };
    for claim in [
        Claim::default(),
        Claim {
            grant: Some(GrantId(1)),
            secret: None,
        },
        Claim {
            grant: Some(GrantId(1)),
            secret: Some(8),
        },
        Claim {
            grant: Some(GrantId(0)),
            secret: None,
        },
        Claim {
            grant: Some(GrantId(9)),
            secret: None,
        },
    ] {
        let mut it = Loop::new(Preset::Native);
        supervised(&mut it);
        it.record_by(claim, work());
        assert_eq!(it.state(), State::Open, "{claim:?}");
        let release = it.opening().release;
        assert_eq!(release, Release::Person);
        assert_eq!(it.opening().rule, "X.9");
    }
    let mut it = Loop::new(Preset::Native);
    assert!(supervised(&mut it).decision.grant.is_some());
    let beside = it.check();
    assert_eq!(
        (beside.decision.grant, beside.entries.len()),
        (None, 0),
        "nothing beside it"
    );
    assert_eq!(
        beside.decision.gate,
        Gate::Allow,
        "its own grant covers what happens inside"
    );
    let claim = Claim {
        grant: Some(GrantId(1)),
        secret: Some(7),
    };
    it.record_by(claim, work());
    assert_eq!(
        (it.state(), it.circuit.core.totals.progress),
        (State::Closed, 1)
    );
}

#[test]
fn the_largest_numbers_overflow_nothing() {
    let mut it = Loop::new(Preset::Native);
    for lines in [u64::MAX, u64::MAX, 1] {
        let mut facts = work();
        facts.output_lines = Fact::Measured(lines);
        facts.metrics.tests_passing = Some(u64::MAX);
        facts.metrics.tests_failing = Some(5);
        facts.duration_ms = Some(u64::MAX);
        facts.tasks_completed = Fact::Measured(u32::MAX);
        it.record(facts);
    }
    let decline = it
        .record(work())
        .decision
        .readings
        .iter()
        .map(|reading| reading.value)
        .max();
    assert!(decline.is_some());
}

#[test]
fn req_003_083_sums_over_the_life_of_a_circuit() {
    let mut it = Loop::new(Preset::Native);
    let costly = Observation {
        duration_ms: Some(10),
        usage: Usage {
            input_tokens: Some(3),
            output_tokens: Some(4),
            micro_usd: Some(5),
            ..Usage::default()
        },
        ..work()
    };
    it.repeat(2, &costly);
    it.repeat(3, &idle());
    it.check();
    it.trip("once more");
    it.reset().unwrap();
    it.trip("again");
    it.reset().unwrap();
    it.check();
    it.check();
    let totals = it.circuit.core.totals;
    assert_eq!(
        (totals.reported, totals.progress),
        (5, 2),
        "one was never reported"
    );
    assert_eq!(totals.trips, 2, "an open breaker does not open");
    assert_eq!(
        (totals.duration_ms, totals.tokens, totals.micro_usd),
        (20, 14, 10)
    );
}

#[test]
fn what_is_kept_at_hand_is_bounded() {
    let mut it = Loop::new(Preset::Native);
    for n in 0..300 {
        let tree = Fact::Measured(format!("tree {n}"));
        it.record(Observation { tree, ..work() });
    }
    let extra = |n| Extra {
        name: format!("field {n}"),
        value: String::new(),
    };
    it.record(Observation {
        extra: (0..20).map(extra).collect(),
        ..work()
    });
    assert_eq!(it.circuit.core.strangers.len(), 16);
    assert_eq!((it.circuit.rows.len(), it.circuit.trees.len()), (24, 128));
    assert_eq!(it.circuit.rows.last().map(|row| row.iteration), Some(301));
    assert_eq!(
        it.circuit.trees.last().map(|tree| tree.iteration),
        Some(300)
    );
}

#[test]
fn a_forged_report_is_counted_once_and_hides_no_earlier_opening() {
    let mut it = Loop::new(Preset::Native);
    let start = Start {
        secret: Some(7),
        ..Start::default()
    };
    it.check_with(start);
    it.record(work());
    assert_eq!(it.opening().cause, Cause::Supervisor);
    assert_eq!(it.circuit.core.totals.trips, 1);
    let before = it.opening().clone();
    it.record(work());
    assert_eq!((it.opening(), it.circuit.core.totals.trips), (&before, 1));
}

#[test]
fn req_x_006_a_quiet_loop_is_told_so_and_a_warning_is_told_with_its_rule() {
    let mut it = Loop::new(Preset::Native);
    let quiet = it.record(work()).decision;
    assert_eq!(
        (quiet.reason.as_str(), quiet.rule),
        ("No problems detected", None)
    );
    assert!(
        quiet
            .readings
            .iter()
            .all(|reading| reading.evidence.is_empty())
    );
    it.record(idle());
    let warned = it.record(idle()).decision;
    assert_eq!(warned.reason, "No progress for 2 iterations");
    assert_eq!(warned.rule.as_deref(), Some("004.15"));
}

#[test]
fn a_circuit_keeps_the_preset_it_was_begun_with() {
    let mut it = Loop::new(Preset::Cub);
    it.open();
    it.policy = Policy::of(Preset::Prp);
    it.reset().unwrap();
    assert_eq!(it.circuit.core.preset, Some(Preset::Cub));
}

#[test]
fn a_release_forgets_the_trouble_and_not_the_past() {
    let mut it = Loop::new(Preset::Native);
    let seen = |tree: &str| Observation {
        tree: Fact::Measured(tree.into()),
        extra: vec![Extra {
            name: "mood".into(),
            value: "good".into(),
        }],
        ..work()
    };
    it.iterate(seen("a"));
    it.iterate(seen("b"));
    it.trip("asked");
    it.reset().unwrap();
    let core = &it.circuit.core;
    assert_eq!((core.iterations, core.totals.reported), (2, 2));
    assert_eq!(core.strangers, ["mood"]);
    it.iterate(seen("b"));
    let row = it.circuit.rows.last().unwrap();
    assert_eq!(
        (row.iteration, row.returned_to),
        (3, None),
        "it stood there"
    );
}
