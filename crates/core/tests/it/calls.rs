//! The rolling limit at the gate.

use fusebox_core::circuit::GrantId;
use fusebox_core::decision::{Denial, DeniedBy, Gate};
use fusebox_core::machine::{self, Claim};
use fusebox_core::policy::Preset;

use crate::harness::{Loop, MINUTE, work};

#[test]
fn req_004_047_and_051_and_d_043_the_hundred_and_first_call_is_told_when_to_come_back() {
    let mut it = Loop::new(Preset::Native);
    for n in 0..100 {
        let step = it.iterate(work());
        assert_eq!(step.decision.calls.near, n >= 79);
        it.wait(1_000);
    }
    let denied = it.check();
    assert!(denied.entries.is_empty());
    let expected = it.now.wall_after(3_600_000 - 100_000);
    assert_eq!(
        denied.decision.gate,
        Gate::Deny(Denial {
            by: DeniedBy::CallLimit,
            retry_at_ms: Some(expected)
        })
    );
    it.wait(3_500_000);
    assert!(it.check().decision.grant.is_some());
}

#[test]
fn req_004_050_and_d_071_no_probe_is_spent_when_few_calls_are_left() {
    let mut it = Loop::new(Preset::Native);
    it.open();
    it.wait(29 * MINUTE);
    let step = machine::take(&it.circuit, &it.policy, 85, &it.now);
    it.take(step);
    it.wait(MINUTE);
    let denied = it.check().decision;
    assert!(
        matches!(
            denied.gate,
            Gate::Deny(Denial {
                by: DeniedBy::CallsScarce,
                ..
            })
        ),
        "{denied:?}"
    );
    it.wait(59 * MINUTE);
    assert_eq!(it.check().decision.gate, Gate::AllowOnce);
}

#[test]
fn req_d_071_where_requests_are_limited_each_of_an_iterations_requests_counts() {
    let requests = |calls| {
        let mut facts = work();
        facts.usage.calls = Some(calls);
        facts
    };
    for (preset, used) in [(Preset::Superkit, 40), (Preset::Native, 1)] {
        let mut it = Loop::new(preset);
        let step = it.iterate(requests(40));
        assert_eq!(step.decision.calls.used, used, "{preset}");
    }
    let mut it = Loop::new(Preset::Superkit);
    it.iterate(work());
    it.iterate(requests(0));
    assert_eq!(
        it.check().decision.calls.used,
        3,
        "an iteration is one at least"
    );
    it.check();
    let step = it.record(requests(1));
    assert!(
        step.entries
            .iter()
            .all(|entry| entry.outcome.granted.is_none()),
        "there was no further one to write down: {:?}",
        step.entries
    );
    let before = it.check().decision.calls.used;
    it.record(requests(1));
    let step = it.record(requests(4));
    assert_eq!(
        step.decision.calls.used,
        before + 4,
        "nothing was taken beforehand for a report without a check"
    );
    // One was taken for an iteration that is no longer waited for, and none for one that never was.
    for (grant, further) in [(GrantId(1), 4), (GrantId(99), 5)] {
        let before = machine::status(&it.circuit, &it.policy, &it.now).calls.used;
        let claim = Claim {
            grant: Some(grant),
            secret: None,
        };
        let step = it.record_by(claim, requests(5));
        assert_eq!(step.decision.calls.used, before + further, "{grant:?}");
    }
    it.check();
    let step = it.record(requests(u32::MAX));
    assert_eq!(step.decision.calls.left, 0);
    assert!(
        serde_json::to_string(&step.circuit).unwrap().len() < 16_384,
        "and is kept small"
    );
    it.wait(61 * MINUTE);
    assert!(it.check().decision.grant.is_some(), "the window rolls on");
}
