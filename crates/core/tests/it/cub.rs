//! Three loops without change, and what a person may do about it.

use fusebox_core::circuit::{Cause, State};
use fusebox_core::decision::{DeniedBy, Gate, Transition};
use fusebox_core::journal::Event;
use fusebox_core::machine::Refused;
use fusebox_core::observation::{Claims, TestCounts, WorkType};
use fusebox_core::policy::{Enforcement, Preset};
use fusebox_core::signals::{Level, Signal};
use fusebox_core::{Fact, Observation};

use crate::harness::{Loop, MINUTE, claiming_done, failing_as, files, reading, states, work};

#[test]
fn a_refuted_claim_is_told_with_the_iteration_that_made_it_and_the_check_that_failed() {
    let mut it = Loop::new(Preset::Cub);
    let mut claim = work();
    claim.claimed.complete = Some(true);
    claim.checks_failed = Fact::measured(Some(1));
    it.record(claim);
    it.record(work());
    let said = vec!["the test command fails".to_owned()];
    assert_eq!(it.circuit.refuted(), Some((1, said)));
}

#[test]
fn req_000_001_to_002_and_018_to_019_and_029_and_037_and_040_to_041_and_097_cub_trips_at_three() {
    let mut it = Loop::new(Preset::Cub);
    assert_eq!(states(&it.record(files(0))), []);
    assert_eq!(states(&it.record(files(0))), []);
    assert_eq!(states(&it.record(files(0))), [State::Open]);
    assert_eq!(it.opening().reason.as_str(), "No progress for 3 iterations");
    assert!(matches!(it.check().decision.gate, Gate::Deny(_)));
    let mut it = Loop::new(Preset::Cub);
    for line in 1..=3 {
        it.record(failing_as("TypeError", &format!("x at line {line}")));
    }
    assert_eq!(
        (it.state(), it.opening().reason.as_str()),
        (State::Open, "Same error repeated 3 times")
    );
}

#[test]
fn req_000_030_cub_trips_when_a_task_takes_five_iterations() {
    let mut it = Loop::new(Preset::Cub);
    for n in 1..=5 {
        assert_eq!(it.state(), State::Closed, "{n}");
        it.record(Observation {
            task: Some("T-1".into()),
            ..files(1)
        });
    }
    assert_eq!(it.state(), State::Open);
}

#[test]
fn req_000_072_each_signal_of_cub_can_be_off_and_then_never_trips() {
    let stuck = Observation {
        task: Some("T-1".into()),
        ..files(1)
    };
    let claim = Observation {
        criteria_unmet: Fact::Measured(1),
        ..claiming_done()
    };
    for (signal, facts) in [
        (Signal::NoProgress, files(0)),
        (Signal::RepeatedError, failing_as("TypeError", "x")),
        (Signal::TaskStuck, stuck),
        (Signal::Unproven, claim),
    ] {
        for (off, state) in [(false, State::Open), (true, State::Closed)] {
            let mut it = Loop::new(Preset::Cub);
            if off {
                it.policy.rules.switch_off(signal);
            }
            it.repeat(20, &facts);
            assert_eq!(it.state(), state, "{signal:?} off: {off}");
        }
    }
}

#[test]
fn req_000_038_and_050_and_d_005_cub_continue_closes_and_retry_probes_once() {
    let mut it = Loop::new(Preset::Cub);
    let trip = |it: &mut Loop| it.repeat(3, &files(0));
    trip(&mut it);
    it.wait(999 * MINUTE);
    assert!(
        matches!(it.check().decision.gate, Gate::Deny(_)),
        "no clock releases it"
    );
    it.reset().unwrap();
    assert_eq!(
        (it.state(), it.circuit.core.counters.no_progress),
        (State::Closed, 0)
    );
    trip(&mut it);
    it.wait(MINUTE);
    it.retry(false).unwrap();
    let since = it.circuit.core.phase.opening().map(|opening| opening.since);
    assert_eq!(since, Some(it.now), "it is open anew");
    let probe = it.check().decision;
    assert_eq!((probe.gate, it.state()), (Gate::AllowOnce, State::Probing));
    let change = Transition {
        from: State::Open,
        to: State::Probing,
    };
    assert_eq!(probe.transitions, [change]);
    it.record(files(1));
    assert_eq!(it.state(), State::Closed);
}

#[test]
fn req_000_065_and_d_073_the_ladder_is_climbed_in_order_and_ends() {
    let mut it = Loop::new(Preset::Cub);
    it.repeat(3, &files(0));
    for rung in 1..=2 {
        it.retry(true).unwrap();
        assert_eq!(it.circuit.core.rung, rung);
        it.check();
        it.record(files(0));
        assert_eq!(it.state(), State::Open);
    }
    assert_eq!(it.retry(true), Err(Refused::TopOfTheLadder));
    it.retry(false).unwrap();
    it.check();
    it.record(files(1));
    assert_eq!(
        (it.state(), it.circuit.core.rung),
        (State::Closed, 0),
        "after success back to the base"
    );
}

#[test]
fn req_000_055_and_x_002_and_d_021_alert_goes_on_while_open_and_speaks_again_every_threshold_iterations()
 {
    let mut it = Loop::new(Preset::Cub);
    it.policy.enforcement = Enforcement::Announce;
    let mut spoke = Vec::new();
    for n in 1..=9 {
        if !states(&it.record(files(0))).is_empty() {
            spoke.push(n);
        }
        assert_eq!(it.check().decision.gate, Gate::Allow);
    }
    assert_eq!(spoke, [3, 6, 9]);
    assert_eq!(states(&it.record(files(1))), [State::Closed]);
}

#[test]
fn req_d_021_an_opening_that_was_only_announced_halts_whoever_did_not_ask_for_that() {
    for enforcement in [Enforcement::Announce, Enforcement::Observe] {
        let mut it = Loop::new(Preset::Native);
        it.policy.enforcement = enforcement;
        it.repeat(3, &files(0));
        assert_eq!(it.check().decision.gate, Gate::Allow);
        assert!(it.opening().advisory);
        it.policy.enforcement = Enforcement::Halt;
        let Gate::Deny(denial) = it.check().decision.gate else {
            panic!("it goes on");
        };
        assert!(matches!(denial.by, DeniedBy::Open { .. }), "{denial:?}");
        // Nor does a report that nobody was to make close it.
        it.record(files(1));
        assert_eq!(it.state(), State::Open, "{enforcement:?}");
        it.policy.enforcement = enforcement;
        assert_eq!(it.check().decision.gate, Gate::Allow);
        it.record(files(1));
        assert_eq!(it.state(), State::Closed, "{enforcement:?}");
    }
}

#[test]
fn req_000_017_and_031_to_033_and_d_027_cub_trips_on_the_first_claim_that_is_not_borne_out() {
    let tests = Fact::Measured(TestCounts {
        passed: 1,
        failed: 1,
        skipped: 0,
    });
    let unproven = Cause::Signal(Signal::Unproven);
    for (facts, cause) in [
        (claiming_done(), None),
        (
            Observation {
                tests,
                ..claiming_done()
            },
            Some(unproven),
        ),
        (
            Observation {
                required_missing: Fact::Measured(1),
                ..claiming_done()
            },
            Some(unproven),
        ),
        (
            Observation {
                criteria_unmet: Fact::Measured(1),
                ..claiming_done()
            },
            Some(unproven),
        ),
    ] {
        let mut it = Loop::new(Preset::Cub);
        it.record(facts.clone());
        let opening = it.circuit.core.phase.opening();
        assert_eq!(opening.map(|opening| opening.cause), cause, "{facts:?}");
    }
}

#[test]
fn req_000_005_cub_warns_of_more_than_three_tenths_of_work_on_tests_and_never_trips() {
    use WorkType::{Implementation, Testing};
    for (work, level) in [
        (
            &[Testing, Implementation, Implementation, Implementation][..],
            Level::Quiet,
        ),
        (&[Testing, Implementation, Implementation], Level::Warn),
        (&[Testing; 9], Level::Warn),
    ] {
        let mut it = Loop::new(Preset::Cub);
        for work_type in work {
            it.record(Observation {
                work_type: Some(*work_type),
                ..files(1)
            });
        }
        let decision = it.check().decision;
        let share = reading(&decision, Signal::TestsOnly);
        let found = share.map_or(Level::Quiet, |reading| reading.level);
        assert_eq!((found, decision.state), (level, State::Closed), "{work:?}");
    }
}

#[test]
fn req_d_021_an_alert_is_repeated_by_ticks_whatever_opened_it() {
    let mut it = Loop::new(Preset::Cub);
    it.policy.enforcement = Enforcement::Announce;
    // A claim without evidence trips at one, and would speak at every tick.
    let unproven = Observation {
        criteria_unmet: Fact::Measured(1),
        tasks_completed: Fact::Measured(0),
        ..claiming_done()
    };
    let unproven = Observation {
        files: files(0).files,
        ..unproven
    };
    assert_eq!(states(&it.record(unproven.clone())), [State::Open]);
    let told = it.opening().reason.clone();
    let spoke: Vec<bool> = (0..6)
        .map(|_| !states(&it.record(unproven.clone())).is_empty())
        .collect();
    assert_eq!(spoke, [false, false, true, false, false, true]);
    assert_eq!(it.opening().cause, Cause::Signal(Signal::Unproven));
    assert_eq!(
        it.opening().reason,
        told,
        "by now nothing changes either, but that is not what opened it"
    );
    for signal in [Signal::NoProgress, Signal::RepeatedError] {
        it.policy.rules.switch_off(signal);
    }
    assert_eq!(
        states(&it.record(unproven)),
        [State::Open],
        "no number to wait for"
    );
}

#[test]
fn a_repeated_alert_does_not_take_back_what_opened_it() {
    let mut it = Loop::new(Preset::Superkit);
    it.policy.enforcement = Enforcement::Announce;
    for signal in [Signal::NoProgress, Signal::RepeatedError, Signal::Score] {
        it.policy.rules.switch_off(signal);
    }
    let working_on = |work| Observation {
        work_type: Some(work),
        ..files(0)
    };
    it.repeat(3, &working_on(WorkType::Testing));
    assert_eq!(it.opening().cause, Cause::Signal(Signal::TestsOnly));
    let told = it.opening().reason.clone();
    let step = it.record(working_on(WorkType::Implementation));
    let share = reading(&step.decision, Signal::TestsOnly).unwrap();
    assert_eq!((share.value, share.level), (75, Level::Warn));
    assert_eq!(it.opening().reason, told, "the share has fallen since");
}

#[test]
fn req_000_040_and_055_and_d_021_a_repeated_alert_tells_the_number_by_then() {
    let mut it = Loop::new(Preset::Cub);
    it.policy.enforcement = Enforcement::Announce;
    for (tick, reason) in (1..=9).zip([
        None,
        None,
        Some("No progress for 3 iterations"),
        None,
        None,
        Some("No progress for 6 iterations"),
        None,
        None,
        Some("No progress for 9 iterations"),
    ]) {
        let spoke = !states(&it.record(files(0))).is_empty();
        assert_eq!(spoke, reason.is_some(), "tick {tick}");
        if let Some(reason) = reason {
            assert_eq!(it.opening().reason, reason);
        }
    }
}

#[test]
fn req_000_003_claims_of_completion_are_counted_and_kept_with_their_iteration() {
    let mut it = Loop::new(Preset::Cub);
    let done = Observation {
        claimed: Claims {
            exit_signal: Some(true),
            ..Claims::default()
        },
        ..files(1)
    };
    for count in 1..=3 {
        let step = it.record(done.clone());
        let Event::Reported(report) = &step.entries[0].event else {
            panic!("{:?}", step.entries)
        };
        assert_eq!(report.facts.claimed.exit_signal, Some(true));
        let value = reading(&step.decision, Signal::DoneInARow).map(|reading| reading.value);
        assert_eq!(value, Some(count));
    }
}
