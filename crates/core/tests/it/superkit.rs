//! Six conditions, a score, and a cooldown nobody can override.

use fusebox_core::circuit::{Cause, Release, State};
use fusebox_core::decision::{Denial, Evidence, Gate, Place, Risk};
use fusebox_core::machine::Refused;
use fusebox_core::observation::{ErrorReport, TestCounts, WorkType};
use fusebox_core::policy::Preset;
use fusebox_core::recovery::{self, Escalation};
use fusebox_core::signals::Signal;
use fusebox_core::{Fact, Observation};

use crate::harness::{Loop, MINUTE, files};

#[test]
fn req_004_095_and_d_009_nobody_overrides_superkit_and_the_cooldown_is_the_only_way_out() {
    let mut it = Loop::new(Preset::Superkit);
    it.repeat(3, &files(0));
    assert_eq!(it.reset(), Err(Refused::OnlyTheCooldown));
    assert_eq!(it.retry(false), Err(Refused::OnlyTheCooldown));
    it.wait(30 * MINUTE);
    assert_eq!(it.check().decision.gate, Gate::AllowOnce);
    assert_eq!(it.reset(), Err(Refused::OnlyTheCooldown));
    let mut it = Loop::new(Preset::Superkit);
    it.trip("asked");
    assert!(matches!(it.opening().release, Release::Cooldown(_)));
}

#[test]
fn req_004_039_a_probe_of_superkit_must_score_above_zero() {
    for (facts, closed) in [
        (files(1), true),
        (files(0), false),
        (
            Observation {
                tasks_completed: Fact::Measured(1),
                ..files(0)
            },
            true,
        ),
        (Observation::default(), false),
    ] {
        let mut it = Loop::new(Preset::Superkit);
        it.probe();
        it.record(facts.clone());
        assert_eq!(it.state() == State::Closed, closed, "{facts:?}");
    }
}

#[test]
fn req_004_019_to_025_and_034_to_035_and_109_to_110_and_117_and_d_036_and_046_and_072_the_other_conditions_of_superkit_open_at_once()
 {
    let lines = |lines| Observation {
        output_lines: Fact::Measured(lines),
        ..files(1)
    };
    let tests = || Observation {
        work_type: Some(WorkType::Testing),
        tasks_completed: Fact::Measured(1),
        ..files(1)
    };
    let tried = |name: &str| Observation {
        approach: Some(name.into()),
        ..files(1)
    };
    let denied = |run| Observation {
        permission_denials: Fact::Measured(run),
        ..files(1)
    };
    let attempt = |task: char| Observation {
        task: Some(task.into()),
        ..files(1)
    };
    for (signal, ticks) in [
        (Signal::OutputDecline, vec![lines(10), lines(4), lines(3)]),
        (Signal::Denials, vec![denied(2), denied(3)]),
        (Signal::TestsOnly, vec![tests(), tests(), tests()]),
        (
            Signal::Circular,
            vec![
                tried("patch"),
                tried("rewrite"),
                tried("Patch "),
                tried("rewrite"),
            ],
        ),
        (Signal::Score, vec![files(0), files(0), files(1)]),
        (Signal::FailedTasks, "aaabbb".chars().map(attempt).collect()),
    ] {
        let mut it = Loop::new(Preset::Superkit);
        let last = ticks.len() - 1;
        for (n, facts) in ticks.into_iter().enumerate() {
            assert_eq!(it.state(), State::Closed, "{signal:?} opened early");
            it.record(facts);
            assert_eq!(it.state() == State::Open, n == last, "{signal:?} at {n}");
        }
        assert_eq!(it.opening().cause, Cause::Signal(signal));
    }
}

#[test]
fn req_004_016_and_022_and_043_and_098_work_on_tests_is_judged_by_its_share_alone() {
    let of_kind = |kind: char| {
        let (count, work) = match kind {
            'i' => (9, WorkType::Implementation),
            't' => (9, WorkType::Testing),
            _ => (0, WorkType::Implementation),
        };
        Observation {
            work_type: Some(work),
            ..files(count)
        }
    };
    for (kinds, cause) in [
        ("ttt", Some(Signal::TestsOnly)),
        ("ittt", None),
        ("iittt", None),
        ("itttt", None),
        ("ittttt", Some(Signal::TestsOnly)),
        // It makes up for no iteration in which nothing changed.
        ("0t0t0", Some(Signal::NoProgress)),
        ("0t0i0", None),
    ] {
        let mut it = Loop::new(Preset::Superkit);
        let last = kinds.len() - 1;
        for (n, kind) in kinds.chars().enumerate() {
            it.record(of_kind(kind));
            let opened = n == last && cause.is_some();
            assert_eq!(it.state() == State::Open, opened, "{kinds} at {n}");
        }
        assert_eq!(
            it.circuit.core.totals.progress,
            kinds.matches('i').count() as u64
        );
        if let Some(signal) = cause {
            assert_eq!(it.opening().cause, Cause::Signal(signal), "{kinds}");
            let counted = match signal {
                Signal::NoProgress => '0',
                _ => 't',
            };
            let counted = kinds.matches(counted).count();
            assert_eq!(it.opening().evidence.len(), counted, "{kinds}");
        }
    }
    let mut it = Loop::new(Preset::Superkit);
    (0..3).for_each(|_| drop(it.record(of_kind('t'))));
    it.recover(None).unwrap();
    let told = recovery::strategy_for_the_agent(&it.circuit.core);
    assert!(
        told.is_some_and(|told| told.to_lowercase().contains("test assumptions")),
        "{told:?}"
    );
}

#[test]
fn req_004_045_strategies_are_taken_in_order_and_end_with_the_fourth() {
    let mut it = Loop::new(Preset::Superkit);
    assert_eq!(it.recover(None), Err(Refused::NotOpen));
    it.repeat(3, &files(0));
    let gate = it.check().decision.gate;
    for number in 1..=4 {
        assert_eq!(recovery::escalation(&it.circuit.core, &it.policy), None);
        it.recover(None).unwrap();
        let core = &it.circuit.core;
        assert_eq!(core.strategies, number);
        // The last one is no advice to the agent.
        let told = recovery::strategy_for_the_agent(core);
        assert_eq!(told.is_some(), number < 4, "{told:?}");
    }
    assert_eq!(
        it.check().decision.gate,
        gate,
        "a strategy changes the probe, not the wait"
    );
    assert_eq!(
        recovery::escalation(&it.circuit.core, &it.policy),
        Some(Escalation::LastStrategy)
    );
    assert_eq!(it.recover(None), Err(Refused::NoSuchStrategy));
    assert_eq!(it.recover(Some(0)), Err(Refused::NoSuchStrategy));
    it.recover(Some(2)).unwrap();
}

#[test]
fn req_004_042_to_045_the_last_strategy_comes_with_the_evidence_it_names() {
    let error = |message: String| ErrorReport {
        message,
        ..ErrorReport::default()
    };
    let failing = |n: usize| Observation {
        errors: Fact::Measured(vec![
            error(format!("Error: boom at line {n}")),
            error(format!("Error: {}", ["a", "b", "c", "d", "e"][n])),
        ]),
        tasks_completed: Fact::Measured(1),
        ..files(1)
    };
    let testing = |n: usize| Observation {
        work_type: Some(WorkType::Testing),
        tests: Fact::Measured(TestCounts {
            passed: 3,
            failed: u32::try_from(n).unwrap(),
            skipped: 0,
        }),
        tasks_completed: Fact::Measured(1),
        ..files(1)
    };
    // More of them than the opening itself shows.
    let tried = [
        "read", "ask", "build", "patch", "rewrite", "patch", "rewrite",
    ];
    let trying = |n: usize| Observation {
        approach: Some(tried[n].into()),
        ..files(1)
    };
    type Facts<'a> = &'a dyn Fn(usize) -> Observation;
    let errors = ["Error: boom at line 4", "Error: e"];
    let tests = ["worked on tests alone", "3 passed, 2 failed, 0 skipped"];
    let stories: [(Signal, usize, Facts<'_>, &[&str]); 4] = [
        (Signal::RepeatedError, 5, &failing, &errors),
        (Signal::TestsOnly, 3, &testing, &tests),
        (Signal::Circular, tried.len(), &trying, &["tried: rewrite"]),
        (Signal::NoProgress, 3, &|_| files(0), &["no file changed"]),
    ];
    for (signal, ticks, facts, last) in stories {
        let mut it = Loop::new(Preset::Superkit);
        (0..ticks).for_each(|n| drop(it.record(facts(n))));
        assert_eq!(it.opening().cause, Cause::Signal(signal));
        let case = recovery::case(&it.circuit);
        let of = |n: usize| {
            let of = move |row: &&Evidence| row.place == Place::Iteration(n as u64 + 1);
            case.iter().filter(of).map(|row| row.found.as_str())
        };
        assert!((0..ticks).all(|n| of(n).count() == last.len()), "{case:?}");
        assert_eq!(of(ticks - 1).collect::<Vec<_>>(), last, "{signal:?}");
    }
}

#[test]
fn req_d_072_what_has_no_strategy_goes_to_a_person_at_once() {
    let denied = Observation {
        permission_denials: Fact::Measured(3),
        ..files(1)
    };
    let mut it = Loop::new(Preset::Superkit);
    it.record(denied.clone());
    let wanted = |it: &Loop| recovery::escalation(&it.circuit.core, &it.policy);
    assert_eq!(wanted(&it), Some(Escalation::NoStrategy));
    let mut it = Loop::new(Preset::Superkit);
    it.trip("a person asked");
    assert_eq!(wanted(&it), None);
    // Elsewhere every way out names a person.
    let mut it = Loop::new(Preset::Native);
    it.record(denied);
    assert_eq!((it.state(), wanted(&it)), (State::Open, None));
}

#[test]
fn req_004_006_to_007_and_010_to_014_and_033_and_038_and_116_and_118_to_125_superkit_step_by_step()
{
    let mut it = Loop::new(Preset::Superkit);
    for (count, score) in [(2, 2), (0, -3), (0, -3)] {
        let closed = it.check().decision;
        assert_eq!((closed.state, closed.gate), (State::Closed, Gate::Allow));
        it.record(files(count));
        assert_eq!(it.circuit.rows.last().unwrap().score, Some(score));
    }
    let opened = it.check().decision;
    assert_eq!(opened.state, State::Open);
    for (cooldown, files_changed, then) in [(30, 0, State::Open), (60, 1, State::Closed)] {
        let denied = it.check().decision;
        assert!(!denied.reason.is_empty() && denied.grant.is_none());
        let Gate::Deny(Denial { retry_at_ms, .. }) = denied.gate else {
            panic!("{denied:?}");
        };
        assert_eq!(retry_at_ms, Some(it.now.wall_after(cooldown * MINUTE)));
        it.wait((cooldown - 1) * MINUTE);
        assert!(it.check().decision.grant.is_none());
        it.wait(MINUTE);
        let probe = it.check().decision;
        assert_eq!((probe.state, probe.gate), (State::Probing, Gate::AllowOnce));
        assert!(
            it.check().decision.grant.is_none(),
            "one probe and no second"
        );
        it.record(files(files_changed));
        assert_eq!(it.state(), then);
    }
    assert_eq!(it.check().decision.gate, Gate::Allow);
}

#[test]
fn req_004_016_and_098_and_d_038_neither_files_nor_tasks_is_no_progress_and_tests_alone_are_neither()
 {
    let tasks = |facts: Observation, tasks| Observation {
        tasks_completed: Fact::Measured(tasks),
        ..facts
    };
    let testing = |facts: Observation| Observation {
        work_type: Some(WorkType::Testing),
        ..facts
    };
    for (facts, idle) in [
        (tasks(files(0), 0), 2),
        (tasks(files(0), 1), 0),
        (tasks(files(1), 0), 0),
        (testing(files(0)), 2),
        (testing(files(1)), 1),
        (testing(tasks(files(1), 1)), 0),
    ] {
        let mut it = Loop::new(Preset::Superkit);
        it.record(files(0));
        it.record(facts.clone());
        assert_eq!(it.circuit.core.counters.no_progress, idle, "{facts:?}");
    }
}

#[test]
fn req_d_037_the_risk_rises_one_tick_before_the_trip() {
    let mut it = Loop::new(Preset::Superkit);
    for (facts, risk) in [
        (files(9), Risk::Low),
        (files(0), Risk::Medium),
        (files(0), Risk::High),
        (files(0), Risk::High),
    ] {
        assert_eq!(it.state(), State::Closed);
        assert_eq!(it.record(facts).decision.risk, risk);
    }
    assert_eq!(it.state(), State::Open);
    it.wait(30 * MINUTE);
    assert_eq!(it.check().decision.risk, Risk::High, "a probe is no relief");
}

#[test]
fn req_d_072_scores_from_before_a_close_are_forgotten() {
    let mut it = Loop::new(Preset::Superkit);
    it.probe();
    it.record(files(1));
    it.record(files(0));
    it.record(files(0));
    assert_eq!(it.state(), State::Closed, "two scores are no window");
    assert_eq!(it.circuit.counted_rows().len(), 2);
    it.record(files(0));
    assert_eq!(it.state(), State::Open);
}

#[test]
fn req_004_030_the_same_error_counts_however_many_others_come_before_it() {
    let failing = |messages: [&str; 4]| Observation {
        errors: Fact::Measured(
            messages
                .map(|message| ErrorReport {
                    message: message.into(),
                    ..ErrorReport::default()
                })
                .into(),
        ),
        ..files(1)
    };
    for (second, score) in [
        (["d", "e", "f", "the same"], -1),
        (["d", "e", "f", "another"], 1),
    ] {
        let mut it = Loop::new(Preset::Superkit);
        it.record(failing(["a", "b", "c", "the same"]));
        it.record(failing(second));
        let row = it.circuit.rows.last().unwrap();
        assert_eq!(row.score, Some(score), "{second:?}");
    }
}
