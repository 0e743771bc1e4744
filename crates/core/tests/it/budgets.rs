//! Budgets at the gate: what is granted, denied and settled.

use fusebox_core::budget::Resource;
use fusebox_core::circuit::{GrantId, State};
use fusebox_core::decision::{Denial, DeniedBy, Gate};
use fusebox_core::machine::{self, Claim, Start, Step};
use fusebox_core::observation::{FileChanges, Usage};
use fusebox_core::policy::{Preset, WindowLimit};
use fusebox_core::{Circuit, Fact, Moment, Observation, Policy};

use crate::harness::{Loop, RULE, up};

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
            ..FileChanges::default()
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

/// An open breaker whose wait is over, after so much was used.
fn due_for_a_probe(tokens: Option<u64>, micro_usd: Option<u64>, reserve: u64, used: u64) -> Loop {
    let mut policy = with_budgets(tokens, micro_usd);
    for rule in [&mut policy.tokens, &mut policy.micro_usd] {
        *rule = rule.map(|rule| WindowLimit { reserve, ..rule });
    }
    let mut it = Loop::under(policy);
    it.policy.recovery.cooldown_ms = 10;
    it.iterate(spent(used, used));
    it.repeat(3, &spent_idling());
    it.wait(10);
    it
}

fn spent_idling() -> Observation {
    let files = Fact::Measured(FileChanges::default());
    Observation {
        files,
        ..spent(0, 0)
    }
}

#[test]
fn a_probe_needs_a_share_too() {
    let mut it = due_for_a_probe(Some(100), None, 40, 70);
    let denied = it.check().decision.gate;
    assert!(matches!(denied, Gate::Deny(d) if d.by == DeniedBy::Budget(Resource::Tokens)));
    it.wait(6_400);
    assert_eq!(it.check().decision.gate, Gate::AllowOnce);
}

#[test]
fn req_004_100_and_d_071_from_eighty_percent_of_a_budget_on_no_probe_is_spent() {
    for (tokens, money, resource) in [
        (Some(100), None, Resource::Tokens),
        (None, Some(100), Resource::Money),
        (Some(1_000), Some(100), Resource::Money),
    ] {
        assert_eq!(
            due_for_a_probe(tokens, money, 1, 79).check().decision.gate,
            Gate::AllowOnce,
            "below it there is no reason to wait"
        );
        let mut it = due_for_a_probe(tokens, money, 1, 80);
        let left = it.check().decision;
        let Gate::Deny(Denial {
            by,
            retry_at_ms: Some(at),
        }) = left.gate
        else {
            panic!("{left:?}")
        };
        assert_eq!(by, DeniedBy::BudgetScarce(resource));
        assert_eq!(left.rule.as_deref(), Some("D71"));
        assert!(
            left.budgets
                .iter()
                .any(|(of, left)| *of == resource && left.near)
        );
        let wait = u64::try_from(at - it.now.wall_ms).unwrap();
        it.wait(wait - 1);
        assert!(it.check().decision.grant.is_none());
        it.wait(1);
        assert_eq!(it.check().decision.gate, Gate::AllowOnce);
    }
}

#[test]
fn req_004_050_and_d_071_from_eighty_percent_on_the_task_under_way_goes_on_and_no_other_begins() {
    let on = |task: &str| Observation {
        task: Some(task.into()),
        ..spent(1, 1)
    };
    let start = |task: &str| Start {
        task: Some(task.into()),
        ..Start::default()
    };
    let by_calls = || Loop::under(Policy::native());
    let by_tokens = || {
        let mut it = Loop::under(with_budgets(Some(1_000), None));
        it.policy.tokens = it
            .policy
            .tokens
            .map(|rule| WindowLimit { reserve: 1, ..rule });
        it
    };
    for (mut it, scarce) in [
        (by_calls(), DeniedBy::CallsScarce),
        (by_tokens(), DeniedBy::BudgetScarce(Resource::Tokens)),
    ] {
        it.check_with(start("one"));
        it.record(on("one"));
        assert!(it.check_with(start("two")).decision.grant.is_some());
        it.record(on("two"));
        let step = machine::take(&it.circuit, &it.policy, 77, &it.now);
        if scarce == DeniedBy::CallsScarce {
            it.take(step);
        } else {
            it.iterate(Observation {
                task: Some("two".into()),
                ..spent(900, 0)
            });
        }
        it.check_with(start("two"));
        it.record(on("two"));
        let other = it.check_with(start("three"));
        assert!(other.entries.is_empty());
        let Gate::Deny(denial) = other.decision.gate else {
            panic!("{:?}", other.decision)
        };
        assert_eq!(denial.by, scarce);
        assert!(denial.retry_at_ms.is_some());
        assert!(it.check_with(start("two")).decision.grant.is_some());
        it.record(on("two"));
        assert!(it.check().decision.grant.is_some(), "nobody said which");
    }
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
