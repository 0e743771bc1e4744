//! Protected files that were lost.

use fusebox_core::circuit::{Cause, Release, State};
use fusebox_core::decision::Gate;
use fusebox_core::journal::Losses;
use fusebox_core::machine;
use fusebox_core::policy::{Enforcement, Preset};
use fusebox_core::signals::Signal;

use crate::harness::{Loop, work};

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
