//! What people are told of a loop: sums, numbers, and the case for whoever is called.

use fusebox_core::observation::Claims;
use fusebox_core::policy::Preset;
use fusebox_core::signals::Signal;
use fusebox_core::{Fact, Observation};

use crate::harness::{Loop, files, idle, reading, work};

#[test]
fn iterations_that_nobody_reported_are_summed_up_on_their_own() {
    let mut it = Loop::new(Preset::Native);
    it.iterate(work());
    it.iterate(work());
    let sums = |it: &Loop| {
        (
            it.circuit.core.totals.reported,
            it.circuit.core.totals.unreported,
        )
    };
    assert_eq!(sums(&it), (2, 0));
    it.check();
    it.check();
    assert_eq!(sums(&it), (2, 1));
    it.record(idle());
    let reading = |it: &mut Loop| {
        let decision = it.check().decision;
        let reading = reading(&decision, Signal::NoProgress).unwrap();
        (reading.value, reading.unreported)
    };
    assert_eq!(reading(&mut it), (2, 1));
    assert_eq!(reading(&mut it), (3, 2));
}

#[test]
fn a_score_is_told_as_it_is_and_everything_else_as_it_is_counted() {
    for (signal, value, told) in [
        (Signal::Score, 3, "-3"),
        (Signal::Score, 1, "-1"),
        (Signal::Score, 0, "0"),
        (Signal::NoProgress, 3, "3"),
    ] {
        assert_eq!(signal.shown(value), told, "{signal:?}");
    }
}

#[test]
fn the_reason_of_an_opening_names_the_task_it_is_about() {
    let mut it = Loop::new(Preset::Cub);
    let on = |task: &str| Observation {
        task: Some(task.into()),
        ..work()
    };
    it.repeat(5, &on("cub-a12"));
    let reason = &it.opening().reason;
    assert_eq!(reason, "Task cub-a12 in progress for 5 iterations");
}

/// The agent says that it is done, and lacks so many things.
fn claiming(lacks: u32, failed_checks: u32) -> Observation {
    Observation {
        claimed: Claims {
            complete: Some(true),
            ..Claims::default()
        },
        lacks: (0..lacks).map(|n| format!("lack {n}")).collect(),
        criteria_unmet: Fact::Measured(lacks),
        checks_failed: Fact::Measured(failed_checks),
        ..files(1)
    }
}

#[test]
fn what_speaks_against_a_completion_is_told_as_far_as_there_is_room() {
    for (lacks, failed_checks, told) in [
        (1, 0, &["lack 0"][..]),
        (1, 1, &["lack 0", "the test command fails"]),
        (3, 0, &["lack 0", "lack 1", "lack 2"]),
        (5, 0, &["lack 0", "lack 1", "lack 2", "and 2 more"]),
    ] {
        let mut it = Loop::new(Preset::Native);
        it.record(claiming(lacks, failed_checks));
        let (iteration, against) = it.circuit.refuted().unwrap();
        let against: Vec<&str> = against.iter().map(String::as_str).collect();
        assert_eq!((iteration, &against[..]), (1, told));
    }
}
