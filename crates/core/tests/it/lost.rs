//! Protected files that were lost.

use fusebox_core::circuit::{Cause, Release, State};
use fusebox_core::decision::Gate;
use fusebox_core::journal::Losses;
use fusebox_core::machine;
use fusebox_core::policy::{Enforcement, Preset};
use fusebox_core::signals::Signal;

use crate::harness::{Loop, MINUTE, idle, work};

fn losses(missing: u32, replaced: u32) -> Losses {
    Losses {
        missing,
        replaced,
        found: vec!["CLAUDE.md was deleted; it is back".into()],
    }
}

impl Loop {
    fn lose(&mut self, losses: Losses) -> State {
        let step = machine::lost(&self.circuit, &self.policy, losses, &self.now);
        self.take(step).decision.state
    }
}

#[test]
fn req_004_076_and_d_079_the_first_missing_file_opens_at_once() {
    for preset in [Preset::Native, Preset::Superkit] {
        let mut it = Loop::new(preset);
        it.iterate(work());
        assert_eq!(it.lose(losses(1, 0)), State::Open, "{preset}");
        let opening = it.opening();
        assert_eq!(opening.cause, Cause::Signal(Signal::ProtectedLost));
        assert_eq!(
            (opening.reason.as_str(), &*opening.rule),
            (
                "A protected file was lost: CLAUDE.md was deleted; it is back",
                "004.76"
            )
        );
        assert_eq!(opening.evidence.len(), 1);
        assert!(!opening.advisory);
        assert_eq!(it.circuit.core.totals.trips, 1);
        let opening = it.opening();
        // No clock closes it where a person can.
        let by_person = opening.release == Release::Person;
        assert_eq!(by_person, preset == Preset::Native);
    }
}

#[test]
fn req_d_079_the_second_emptied_or_replaced_file_trips() {
    let mut it = Loop::new(Preset::Native);
    assert_eq!(it.lose(losses(0, 1)), State::Watching);
    // Good work in between does not bring the file back.
    it.iterate(work());
    assert_eq!(it.circuit.core.counters.protected_lost, 1);
    assert_eq!(it.lose(losses(0, 1)), State::Open);
    let opening = it.opening();
    assert_eq!(
        (opening.reason.as_str(), &*opening.rule),
        ("2 protected files were emptied or replaced", "D79")
    );
}

#[test]
fn a_loss_is_written_down_where_nothing_opens_and_keeps_open_what_is() {
    for preset in [Preset::Cub, Preset::Prp, Preset::Bmad, Preset::Liza] {
        let mut it = Loop::new(preset);
        assert_eq!(it.lose(losses(1, 1)), State::Closed, "{preset}");
    }
    let mut it = Loop::new(Preset::Native);
    it.lose(losses(1, 0));
    let first = it.opening().clone();
    it.wait(1_000);
    assert_eq!(it.lose(losses(3, 0)), State::Open);
    assert_eq!(it.opening(), &first);
}

#[test]
fn the_first_replaced_file_is_a_state_only_where_warnings_are() {
    let mut it = Loop::new(Preset::Superkit);
    assert_eq!(it.lose(losses(0, 1)), State::Closed, "it does not warn");
    let mut it = Loop::new(Preset::Native);
    it.policy.labels.watching = None;
    assert_eq!(it.lose(losses(0, 1)), State::Closed, "it does not watch");
}

#[test]
fn where_openings_are_only_told_a_loss_is_only_told() {
    let mut it = Loop::new(Preset::Native);
    it.policy.enforcement = Enforcement::Announce;
    assert_eq!(it.lose(losses(1, 0)), State::Open);
    assert!(it.opening().advisory);
    assert_eq!(it.check().decision.gate, Gate::Allow);
}

#[test]
fn a_loss_does_not_make_an_announcement_of_what_somebody_opened() {
    for enforcement in [Enforcement::Announce, Enforcement::Observe] {
        let mut it = Loop::new(Preset::Superkit);
        it.policy.enforcement = enforcement;
        it.trip("stop");
        assert_eq!(it.check().decision.grant, None);
        assert_eq!(it.lose(losses(1, 0)), State::Open);
        assert!(!it.opening().advisory);
        assert_eq!(it.check().decision.grant, None);
    }
}

#[test]
fn req_004_040_and_125_a_loss_in_a_failed_probe_leaves_the_wait_as_long_as_it_has_become() {
    let mut it = Loop::new(Preset::Superkit);
    it.open();
    for (failed, minutes) in [(0, 30), (1, 60), (2, 120), (3, 240)] {
        let wait = Release::Cooldown(minutes * MINUTE);
        assert_eq!(it.opening().release, wait);
        assert_eq!(it.circuit.core.failed_probes, failed);
        it.wait(minutes * MINUTE);
        it.iterate(idle());
        it.lose(losses(1, 0));
    }
}

#[test]
fn a_probe_that_loses_something_has_failed_whether_or_not_it_was_reported() {
    let mut it = Loop::new(Preset::Superkit);
    it.probe();
    assert_eq!(it.lose(losses(1, 0)), State::Open);
    assert_eq!(it.circuit.core.totals.probes, 1);
    assert_eq!(it.opening().release, Release::Cooldown(60 * MINUTE));
    it.record(work());
    assert_eq!(it.state(), State::Open, "what came of it is too late");
    assert_eq!(it.opening().release, Release::Cooldown(60 * MINUTE));
}

#[test]
fn a_loss_while_open_never_lets_the_next_probe_run_earlier() {
    let mut it = Loop::new(Preset::Superkit);
    it.open();
    for minutes in [30, 60, 120] {
        it.wait(minutes * MINUTE);
        it.iterate(idle());
    }
    it.wait(MINUTE);
    it.lose(losses(1, 0));
    assert_eq!(it.circuit.core.failed_probes, 3);
    assert_eq!(it.opening().release, Release::Cooldown(240 * MINUTE));
    it.wait(239 * MINUTE);
    assert_eq!(it.check().decision.grant, None);
    it.wait(MINUTE);
    it.iterate(idle());
    assert_eq!(it.opening().release, Release::Cooldown(480 * MINUTE));
}
