//! Going on with the next model without a person.

use fusebox_core::journal::{Actor, AuthorityProof, Losses};
use fusebox_core::machine::{self, Refused, Retry, Step};
use fusebox_core::policy::Preset;

use crate::harness::{Loop, files, person};

/// What a loop does that was told beforehand to try stronger models.
fn climb(it: &mut Loop) -> Result<Step, Refused> {
    let wish = Retry {
        note: "the next model".into(),
        by: Actor {
            proof: AuthorityProof::NotNeeded,
            ..person()
        },
        escalate: true,
        rungs: 3,
    };
    let step = machine::retry(&it.circuit, &it.policy, wish, &it.now)?;
    Ok(it.take(step))
}

fn stand_still(it: &mut Loop) {
    it.repeat(3, &files(0));
}

#[test]
fn another_model_tries_where_the_work_stood_still() {
    for preset in [Preset::Native, Preset::Cub] {
        let mut it = Loop::new(preset);
        stand_still(&mut it);
        climb(&mut it).unwrap();
        assert_eq!(it.circuit.core.rung, 1, "{preset}");
    }
}

#[test]
fn another_model_does_not_try_on_what_a_person_must_look_at() {
    let asked = |it: &mut Loop| {
        it.trip("I look at this first");
    };
    let lost = |it: &mut Loop| {
        let losses = Losses {
            missing: 1,
            ..Losses::default()
        };
        let step = machine::lost(&it.circuit, &it.policy, losses, &it.now);
        it.take(step);
    };
    let relapsed = |it: &mut Loop| {
        it.probe();
        it.record(files(1));
        stand_still(it);
    };
    for (name, open) in [
        ("asked", asked as fn(&mut Loop)),
        ("lost", lost),
        ("relapsed", relapsed),
    ] {
        let mut it = Loop::new(Preset::Native);
        open(&mut it);
        assert_eq!(climb(&mut it), Err(Refused::OnlyAPerson), "{name}");
        it.retry(true).unwrap();
    }
}
