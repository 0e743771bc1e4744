//! What is kept of an iteration whose supervisor nobody has heard of since.

use fusebox_core::machine::{self, Beginning, Claim, Start};
use fusebox_core::observation::Shift;
use fusebox_core::policy::Preset;
use fusebox_core::{Fact, Moment, Observation};

use crate::harness::{Loop, MINUTE, files};

const SECRET: u64 = 41;

fn supervised() -> Loop {
    let mut it = Loop::new(Preset::Native);
    let start = Start {
        secret: Some(SECRET),
        standpoint: Some("there".into()),
        standing: Some("two open".into()),
        ..Start::default()
    };
    assert!(it.check_with(start).decision.grant.is_some());
    it
}

fn guarded_from(it: &Loop) -> Option<&str> {
    it.circuit.core.guarded_from(&it.now)
}

fn settle(
    it: &mut Loop,
    by: fn(&fusebox_core::Circuit, &fusebox_core::Policy, &Moment) -> machine::Step,
) {
    let step = by(&it.circuit, &it.policy, &it.now);
    it.take(step);
}

#[test]
fn only_its_supervisor_says_that_an_iteration_is_over() {
    for (secret, over) in [
        (Some(SECRET), true),
        (Some(SECRET + 1), false),
        (None, false),
    ] {
        let mut it = supervised();
        assert_eq!(guarded_from(&it), Some("there"));
        let grant = it.circuit.core.pending.as_ref().map(|pending| pending.id);
        it.record_by(Claim { grant, secret }, files(1));
        assert_eq!(guarded_from(&it).is_none(), over, "{secret:?}");
    }
}

#[test]
fn what_a_supervisor_has_under_way_outlasts_a_reset_and_an_end_of_counting() {
    let mut it = supervised();
    it.trip("stop");
    it.reset().unwrap();
    assert_eq!(guarded_from(&it), Some("there"));
    assert_eq!(
        it.circuit.core.pending, None,
        "the report is not waited for"
    );
    it.wait(24 * 60 * MINUTE);
    assert_eq!(guarded_from(&it), None);
}

#[test]
fn how_tasks_stood_is_kept_of_what_nobody_saw_the_end_of_and_not_of_what_never_began() {
    let unseen = |it: &Loop| it.circuit.core.unseen.clone();
    let mut it = supervised();
    settle(&mut it, machine::withdraw);
    assert_eq!(unseen(&it), None);

    let mut it = supervised();
    settle(&mut it, machine::abandon);
    let kept = Some("two open".to_owned());
    assert_eq!(unseen(&it), kept);
    it.trip("stop");
    it.reset().unwrap();
    assert_eq!(unseen(&it), kept, "a reset looks at no task");
    for (takes_tasks, left) in [(false, kept), (true, None)] {
        let begins = Beginning {
            plan: String::new(),
            pid: 1,
            takes_tasks,
        };
        let step = machine::begin_run(&it.circuit, &it.policy, begins, &it.now);
        it.take(step);
        assert_eq!(unseen(&it), left);
    }
}

#[test]
fn where_the_work_stands_is_known_after_a_reset() {
    let mut it = Loop::new(Preset::Native);
    it.record(Observation {
        tree: Fact::Measured("t1".into()),
        shift: Fact::Measured(Shift {
            from: "t0".into(),
            by: 5,
        }),
        ..files(1)
    });
    let work = it.circuit.core.work;
    assert!(work.is_some());
    it.trip("stop");
    it.reset().unwrap();
    assert_eq!(it.circuit.core.work, work);
}
