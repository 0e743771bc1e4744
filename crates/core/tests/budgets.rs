//! Budgets at the gate: what is granted, denied and settled.

use fusebox_core::budget::Resource;
use fusebox_core::circuit::{GrantId, State};
use fusebox_core::decision::{Denial, DeniedBy, Gate};
use fusebox_core::machine::{self, Claim, Start, Step};
use fusebox_core::observation::{FileChanges, Usage};
use fusebox_core::policy::{Preset, WindowLimit};
use fusebox_core::{BootId, Circuit, Fact, Moment, Observation, Policy};

const RULE: WindowLimit = WindowLimit {
    limit: 100,
    window_ms: 6_200,
    reserve: 40,
    warn_percent: 80,
};

fn up(boot_ms: u64) -> Moment {
    Moment {
        wall_ms: 0,
        boot_ms,
        boot: BootId(1),
    }
}

fn with_budgets(tokens: Option<u64>, micro_usd: Option<u64>) -> Policy {
    let rule = |limit| WindowLimit { limit, ..RULE };
    Policy {
        tokens: tokens.map(rule),
        micro_usd: micro_usd.map(rule),
        ..Policy::native()
    }
}

fn spent(tokens: u64, micro_usd: u64) -> Observation {
    Observation {
        files: Fact::Measured(FileChanges {
            count: 1,
            paths: vec![],
        }),
        usage: Usage {
            input_tokens: Some(tokens),
            micro_usd: Some(micro_usd),
            ..Usage::default()
        },
        ..Observation::default()
    }
}

fn by(grant: Option<GrantId>) -> Claim {
    Claim {
        grant,
        secret: None,
    }
}

fn iterate(circuit: &Circuit, policy: &Policy, facts: Observation, now: &Moment) -> Step {
    let granted = machine::check(circuit, policy, Start::default(), now);
    assert!(granted.decision.grant.is_some(), "{:?}", granted.decision);
    let step = machine::record(
        &granted.circuit,
        policy,
        facts,
        by(granted.decision.grant),
        now,
    );
    let mut replayed = circuit.clone();
    for entry in granted.entries.iter().chain(&step.entries) {
        let line = serde_json::to_string(entry).expect("an entry can be written");
        replayed.fold(&serde_json::from_str(&line).expect("and read"));
    }
    assert_eq!(replayed, step.circuit);
    step
}

#[test]
fn the_gate_shuts_when_either_budget_has_no_share_left() {
    for (tokens, money, resource, reason) in [
        (
            Some(100),
            None,
            Resource::Tokens,
            "The token budget is used up",
        ),
        (
            None,
            Some(100),
            Resource::Money,
            "The money budget is used up",
        ),
        (
            Some(1_000),
            Some(100),
            Resource::Money,
            "The money budget is used up",
        ),
    ] {
        let policy = with_budgets(tokens, money);
        let first = iterate(&Circuit::default(), &policy, spent(30, 30), &up(100));
        assert_eq!(first.decision.gate, Gate::Allow);
        let second = iterate(&first.circuit, &policy, spent(31, 31), &up(200));
        let Gate::Deny(Denial {
            by,
            retry_at_ms: Some(at),
        }) = second.decision.gate
        else {
            panic!("{:?}", second.decision)
        };
        assert_eq!(by, DeniedBy::Budget(resource));
        assert_eq!(
            (second.decision.state, second.decision.reason.as_str()),
            (State::Closed, reason)
        );
        let wait = u64::try_from(at).unwrap();
        let denied = machine::check(
            &second.circuit,
            &policy,
            Start::default(),
            &up(200 + wait - 1),
        );
        assert!(denied.decision.grant.is_none() && denied.entries.is_empty());
        let granted = machine::check(&second.circuit, &policy, Start::default(), &up(200 + wait));
        assert!(granted.decision.grant.is_some());
    }
}

#[test]
fn an_iteration_that_never_reports_has_used_its_share() {
    let policy = with_budgets(Some(100), None);
    let one = machine::check(&Circuit::default(), &policy, Start::default(), &up(0));
    let two = machine::check(&one.circuit, &policy, Start::default(), &up(10));
    let three = machine::check(&two.circuit, &policy, Start::default(), &up(20));
    assert!(two.decision.grant.is_some());
    let Gate::Deny(denial) = three.decision.gate else {
        panic!("{:?}", three.decision)
    };
    assert_eq!(denial.by, DeniedBy::Budget(Resource::Tokens));
    // Its late report moves nothing but the budget.
    let late = machine::record(
        &three.circuit,
        &policy,
        spent(9, 0),
        by(Some(GrantId(1))),
        &up(30),
    );
    assert_eq!(late.decision.budgets[0].1.used, 89);
}

#[test]
fn nobody_but_the_supervisor_settles_its_iteration() {
    let policy = with_budgets(Some(100), None);
    let start = Start {
        secret: Some(7),
        ..Start::default()
    };
    let granted = machine::check(&Circuit::default(), &policy, start, &up(0));
    let claim = by(granted.decision.grant);
    let forged = machine::record(&granted.circuit, &policy, spent(0, 0), claim, &up(10));
    assert_eq!(forged.decision.budgets[0].1.used, 40);
}

#[test]
fn a_probe_needs_a_share_too() {
    let mut policy = with_budgets(Some(100), None);
    policy.recovery.cooldown_ms = 0;
    let trip = machine::Trip {
        reason: "x".into(),
        by: fusebox_core::journal::Actor {
            user: "t".into(),
            proof: fusebox_core::journal::AuthorityProof::NotNeeded,
        },
        cause: fusebox_core::circuit::Cause::Supervisor,
    };
    policy.release.person = false;
    let used = iterate(&Circuit::default(), &policy, spent(80, 0), &up(0));
    let open = machine::trip(&used.circuit, &policy, trip, &up(1));
    let denied = machine::check(&open.circuit, &policy, Start::default(), &up(2));
    assert!(
        matches!(denied.decision.gate, Gate::Deny(d) if d.by == DeniedBy::Budget(Resource::Tokens))
    );
    let probe = machine::check(&open.circuit, &policy, Start::default(), &up(6_400));
    assert_eq!(probe.decision.gate, Gate::AllowOnce);
}

#[test]
fn no_preset_has_a_budget_of_its_own() {
    for preset in Preset::ALL {
        assert_eq!(Policy::of(preset).budgets().count(), 0);
        let step = iterate(
            &Circuit::default(),
            &Policy::of(preset),
            spent(u64::MAX, u64::MAX),
            &up(0),
        );
        assert!(
            !serde_json::to_string(&step.entries)
                .unwrap()
                .contains("spent")
        );
    }
}
