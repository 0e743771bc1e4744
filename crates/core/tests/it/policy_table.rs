//! The ways of working, axis by axis, as their documents set them.
//!
//! Each table is read across: what one preset grants and another denies is the
//! whole difference between them.

use fusebox_core::Policy;
use fusebox_core::policy::Bound::{self, Above, AtLeast};
use fusebox_core::policy::{
    Capabilities, Enforcement, ErrorIdentity, HaltMode, OutOfRange, Preset, ProbeRule,
    ProgressRule, StreakRule, ThresholdEdits, TickUnit,
};
use fusebox_core::signals::Signal;

use crate::harness::MINUTE;

use Preset::{Bmad, Cub, Liza, Native, Prp, Superkit};

/// A signal, and what it warns and trips at.
type Thresholds = (Signal, Option<Bound>, Option<Bound>);

#[test]
fn req_000_066_and_003_012_and_d_001_and_003_and_026_and_039_and_063_what_warns_and_trips_where() {
    let at = |bound: Bound| Some(bound);
    let table: [(Preset, &[Thresholds]); 6] = [
        (
            Native,
            &[
                (Signal::NoProgress, at(AtLeast(2)), at(AtLeast(3))),
                (Signal::RepeatedError, at(AtLeast(3)), at(AtLeast(5))),
                (Signal::TaskStuck, None, None),
                (Signal::Unproven, at(AtLeast(2)), at(AtLeast(3))),
                (Signal::DoneInARow, at(AtLeast(3)), None),
                (Signal::OutputDecline, at(AtLeast(70)), None),
                (Signal::Denials, at(AtLeast(2)), at(AtLeast(3))),
                (Signal::TestsOnly, at(Above(30)), None),
                (Signal::Circular, None, at(AtLeast(2))),
                (Signal::Score, at(AtLeast(4)), None),
                (Signal::TaskLoops, at(Above(20)), None),
                (Signal::FailedTasks, at(AtLeast(2)), None),
                (Signal::Returns, at(AtLeast(1)), at(AtLeast(2))),
                (Signal::Drift, at(AtLeast(30)), at(AtLeast(40))),
                (Signal::NeedsPerson, at(AtLeast(1)), at(AtLeast(2))),
                (Signal::Contradiction, at(AtLeast(2)), None),
                (Signal::Environment, None, None),
                (Signal::ProtectedLost, at(AtLeast(1)), at(AtLeast(2))),
                (Signal::Circling, at(AtLeast(1)), at(AtLeast(2))),
            ],
        ),
        (
            Cub,
            &[
                (Signal::NoProgress, None, at(AtLeast(3))),
                (Signal::RepeatedError, None, at(AtLeast(3))),
                (Signal::TaskStuck, None, at(AtLeast(5))),
                (Signal::Unproven, None, at(AtLeast(1))),
                (Signal::DoneInARow, None, None),
                (Signal::TestsOnly, at(Above(30)), None),
            ],
        ),
        (
            Prp,
            &[
                (Signal::NoProgress, at(AtLeast(2)), at(AtLeast(3))),
                (Signal::RepeatedError, None, at(AtLeast(5))),
            ],
        ),
        (Liza, &[]),
        (Bmad, &[(Signal::FailedSessions, None, at(AtLeast(5)))]),
        (
            Superkit,
            &[
                (Signal::NoProgress, None, at(AtLeast(3))),
                (Signal::RepeatedError, None, at(AtLeast(5))),
                (Signal::OutputDecline, None, at(AtLeast(70))),
                (Signal::Denials, None, at(AtLeast(3))),
                (Signal::TestsOnly, at(Above(30)), at(Above(80))),
                (Signal::Circular, None, at(AtLeast(2))),
                (Signal::Score, None, at(AtLeast(1))),
                (Signal::TaskLoops, at(Above(20)), None),
                (Signal::FailedTasks, None, at(AtLeast(2))),
                (Signal::ProtectedLost, None, at(AtLeast(2))),
            ],
        ),
    ];
    for (preset, expected) in table {
        let rules = Policy::of(preset).rules;
        let found: Vec<_> = rules
            .iter()
            .map(|(signal, rule)| (signal, rule.warn, rule.trip))
            .collect();
        assert_eq!(found, expected, "{preset}");
    }
}

#[test]
fn req_d_002_and_004_and_025_what_a_tick_is_what_gains_and_when_errors_are_the_same() {
    use ErrorIdentity::{Exact, FirstLine, Normalised, Placed};
    use ProgressRule::{AnyGain, BeyondTests, Features, PhaseMetrics};
    use StreakRule::Unbroken;
    use TickUnit::{Analysis, Iteration, PhaseAction, Session};
    let since_gain = StreakRule::SinceGain {
        excused: 10,
        mended: 50,
    };
    for (preset, unit, progress, errors, streaks) in [
        (Native, Iteration, AnyGain, Placed, since_gain),
        (Cub, Iteration, AnyGain, FirstLine, Unbroken),
        (Prp, PhaseAction, PhaseMetrics, Exact, Unbroken),
        (Liza, Analysis, AnyGain, Normalised, Unbroken),
        (Bmad, Session, Features, Normalised, Unbroken),
        (Superkit, Iteration, BeyondTests, Normalised, Unbroken),
    ] {
        let policy = Policy::of(preset);
        let same = (policy.errors, policy.streaks);
        let found = (policy.unit, policy.progress, same);
        assert_eq!(found, (unit, progress, (errors, streaks)), "{preset}");
    }
}

#[test]
fn req_004_126_to_127_and_d_008_to_010_and_051_how_each_halts_and_who_may_release() {
    use HaltMode::{Checkpoint, Exit, Pause, Prompt, Wait};
    use ProbeRule::{PositiveScore, Progress};
    use ThresholdEdits::{Free, Reevaluate, TightenOnly};
    for (preset, halt, edits, probe, ways) in [
        (
            Native,
            Pause,
            Free,
            Progress,
            "person cooldown correction retry",
        ),
        (Cub, Pause, Free, Progress, "person retry"),
        (Prp, Prompt, Free, Progress, "person"),
        (Liza, Checkpoint, Free, Progress, "correction"),
        (Bmad, Exit, Reevaluate, Progress, "person"),
        (Superkit, Wait, TightenOnly, PositiveScore, "cooldown"),
    ] {
        let policy = Policy::of(preset);
        let release = policy.release;
        let found = [
            (release.person, "person"),
            (release.cooldown, "cooldown"),
            (release.correction, "correction"),
            (release.retry, "retry"),
        ];
        let found: Vec<&str> = found
            .into_iter()
            .filter(|way| way.0)
            .map(|way| way.1)
            .collect();
        assert_eq!(found.join(" "), ways, "{preset}");
        let found = (policy.halt, policy.edits, release.probe);
        assert_eq!(found, (halt, edits, probe), "{preset}");
    }
}

#[test]
fn req_004_097_and_d_034_how_long_each_waits_and_how_often_it_tries() {
    for (preset, hours, probes) in [(Native, Some(24), Some(3)), (Superkit, None, None)] {
        let recovery = Policy::of(preset).recovery;
        assert_eq!(recovery.cooldown_ms, 30 * MINUTE);
        assert_eq!(
            recovery.longest_ms,
            hours.map(|hours: u64| hours * 60 * MINUTE)
        );
        assert_eq!((recovery.probes, recovery.watched), (probes, 3));
    }
}

#[test]
fn req_d_013_and_028_and_069_what_each_may_do_besides_deciding() {
    for (preset, expected) in [
        (Native, "advise block notify report restore skip switch"),
        (Cub, "advise block notify off switch"),
        (Prp, "skip"),
        (Liza, "report"),
        (Bmad, "block report"),
        (Superkit, "restore"),
    ] {
        let Capabilities {
            block_task,
            switch_model,
            notify,
            skip_phase,
            report,
            restore_files,
            switch_off_signals,
            advise_only,
        } = Policy::of(preset).capabilities;
        let granted = [
            (advise_only, "advise"),
            (block_task, "block"),
            (notify, "notify"),
            (switch_off_signals, "off"),
            (report, "report"),
            (restore_files, "restore"),
            (skip_phase, "skip"),
            (switch_model, "switch"),
        ];
        let found: Vec<&str> = granted
            .into_iter()
            .filter(|one| one.0)
            .map(|one| one.1)
            .collect();
        assert_eq!(found.join(" "), expected, "{preset}");
        let enforcement = Policy::of(preset).enforcement;
        assert_eq!(enforcement, Enforcement::Halt, "nobody is lenient unasked");
    }
}

#[test]
fn req_d_011_to_012_and_022_words_and_exit_codes() {
    for (preset, complete, exits) in [
        (Native, None, (42, 43, 0)),
        (Cub, None, (42, 43, 0)),
        (Prp, None, (42, 43, 0)),
        (Liza, None, (48, 43, 0)),
        (Bmad, Some("COMPLETE"), (42, 42, 30)),
        (Superkit, None, (42, 43, 0)),
    ] {
        let Policy {
            labels, exits: map, ..
        } = Policy::of(preset);
        assert_eq!(labels.complete, complete, "{preset}");
        assert_eq!((map.open, map.paused, map.shift), exits, "{preset}");
    }
}

#[test]
fn req_004_047_and_d_071_a_hundred_calls_an_hour_and_a_warning_at_eighty() {
    for preset in Preset::ALL {
        let policy = Policy::of(preset);
        assert_eq!(
            (policy.calls.limit, policy.calls.window_ms),
            (100, 60 * MINUTE)
        );
        assert_eq!(policy.calls.warn_percent, 80);
        assert_eq!(policy.iteration_limit_ms, 30 * MINUTE);
        assert_eq!((policy.tokens, policy.micro_usd), (None, None));
        let looks_for_patterns = policy.patterns.is_some();
        assert_eq!(
            looks_for_patterns,
            matches!(preset, Liza | Native),
            "{preset}"
        );
    }
}

#[test]
fn req_d_035_a_file_counts_once_in_native_and_each_time_in_superkit() {
    for (preset, per_file, floor) in [(Native, false, 20), (Superkit, true, 0)] {
        let policy = Policy::of(preset);
        assert_eq!(
            (policy.score.per_file, policy.output_floor),
            (per_file, floor)
        );
    }
}

#[test]
fn req_000_022_and_003_013_and_d_028_one_threshold_moves_what_shares_it() {
    for (preset, signal, moved) in [
        (Native, Signal::NoProgress, true),
        (Native, Signal::RepeatedError, false),
        (Native, Signal::Denials, false),
        (Cub, Signal::NoProgress, true),
        (Cub, Signal::RepeatedError, true),
        (Cub, Signal::TaskStuck, false),
        (Prp, Signal::NoProgress, true),
        (Prp, Signal::RepeatedError, false),
        (Bmad, Signal::FailedSessions, true),
        (Superkit, Signal::RepeatedError, false),
    ] {
        let trip = |policy: &Policy| policy.rules.get(signal).map(|rule| rule.trip_at(None));
        let policy = Policy::of(preset);
        let edited = policy.clone().with_stagnation_threshold(9).unwrap();
        let expected = if moved {
            Some(Some(AtLeast(9)))
        } else {
            trip(&policy)
        };
        assert_eq!(trip(&edited), expected, "{preset} {signal:?}");
    }
    for (preset, threshold) in [
        (Native, Some(3)),
        (Prp, Some(3)),
        (Liza, None),
        (Bmad, None),
    ] {
        assert_eq!(
            Policy::of(preset).stagnation_threshold(),
            threshold,
            "{preset}"
        );
    }
    for refused in [0, 100] {
        let edited = Policy::of(Bmad).with_stagnation_threshold(refused);
        assert_eq!(edited, Err(OutOfRange), "{refused}");
    }
}

#[test]
fn what_the_tools_of_another_system_are_given() {
    use fusebox_core::circuit::State::{Closed, Complete, Open, Probing, Watching};
    let cub = Policy::of(Cub);
    assert_eq!(cub.artifacts, Some(".cub/runs"));
    let codes = [Closed, Watching, Open, Probing, Complete].map(|state| cub.state_code(state));
    assert_eq!(codes, [0, 0, 1, 2, 0].map(Some));
    assert_eq!(Policy::of(Native).state_code(Open), None);
    assert_eq!(Policy::of(Native).artifacts, None);
}

#[test]
fn where_no_clock_releases_a_person_who_goes_on_lets_one_iteration_try() {
    let resumed = Preset::ALL.map(|preset| Policy::of(preset).resumes_by_person());
    let by_hand = Preset::ALL.map(|preset| {
        let release = Policy::of(preset).release;
        (release.retry, release.cooldown)
    });
    for (resumed, (retry, cooldown)) in resumed.into_iter().zip(by_hand) {
        assert_eq!(resumed, matches!((retry, cooldown), (true, false)));
    }
    assert!(Policy::of(Cub).resumes_by_person());
    assert!(!Policy::of(Superkit).resumes_by_person());
    assert!(!Policy::of(Native).resumes_by_person());
}

#[test]
fn req_004_004_superkit_says_at_the_start_that_it_is_there() {
    let announced = Policy::of(Superkit).announcement.unwrap();
    assert!(announced.starts_with("Circuit breaker is active"));
    assert_eq!(Policy::of(Native).announcement, None);
}

/// What is looked for inside a session and across anomalies, and what is done about
/// tasks by itself: of these the documents of other systems ask for little.
#[test]
fn req_d_046_and_080_what_goes_beyond_a_document_is_left_to_native() {
    use fusebox_core::calls::Level;
    for (preset, highest, patterns, recovers, attempts) in [
        (Native, Level::Trip, true, true, None),
        (Cub, Level::Observe, false, false, None),
        (Prp, Level::Observe, false, false, None),
        (Liza, Level::Observe, true, false, None),
        (Bmad, Level::Observe, false, false, None),
        (Superkit, Level::Observe, false, false, Some(3)),
    ] {
        let policy = Policy::of(preset);
        assert_eq!(policy.in_session.highest, Some(highest), "{preset}");
        assert_eq!(policy.patterns.is_some(), patterns, "{preset}");
        let tasks = policy.tasks;
        assert_eq!(
            (tasks.recover, tasks.attempts),
            (recovers, attempts),
            "{preset}"
        );
        assert_eq!((tasks.stale_seconds, tasks.reopens), (3_600, 2), "{preset}");
        let mut told = policy;
        told.enforcement = Enforcement::Announce;
        let most = told.calls_in_force().highest;
        assert_eq!(most, Some(highest.min(Level::Steer)), "{preset}");
    }
}

#[test]
fn req_000_008_and_d_047_a_claim_is_believed_in_for_good_unless_both_are_set() {
    use fusebox_core::policy::TaskRules;
    for (recover, stale_seconds, stale_ms) in [
        (true, 3_600, Some(3_600_000)),
        (true, 1, Some(1_000)),
        (true, 0, None),
        (false, 3_600, None),
        (false, 0, None),
    ] {
        let rules = TaskRules {
            recover,
            stale_seconds,
            ..TaskRules::LEFT_ALONE
        };
        assert_eq!(rules.stale_ms(), stale_ms, "{recover} {stale_seconds}");
    }
}

#[test]
fn req_004_066_commands_append_to_protected_files_everywhere_but_in_superkit() {
    for preset in Preset::ALL {
        let may = Policy::of(preset).commands_may_append;
        assert_eq!(may, preset != Superkit, "{preset}");
    }
}
