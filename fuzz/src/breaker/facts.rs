//! What is said of an iteration.

use fusebox_core::observation::{
    Claims, Ended, Environment, ErrorReport, Extra, FeatureCounts, FileChanges, PhaseMetrics,
    Shift, TestCounts, Usage, WorkPhase, WorkType,
};
use fusebox_core::patterns::{Anomaly, AnomalyKind, Details};
use fusebox_core::{Fact, Observation};

use crate::bytes::Bytes;

const ENVIRONMENTS: [Environment; 5] = [
    Environment::Limit,
    Environment::Overload,
    Environment::Auth,
    Environment::Network,
    Environment::Disk,
];

const KINDS_OF_WORK: [WorkType; 5] = [
    WorkType::Implementation,
    WorkType::Testing,
    WorkType::Documentation,
    WorkType::Refactoring,
    WorkType::Other,
];

/// More than are kept of one iteration.
const MOST_ERRORS: u8 = 40;

pub(super) fn phase(bytes: &mut Bytes<'_>) -> WorkPhase {
    bytes.of(&WorkPhase::ALL)
}

/// Whatever may be told of an iteration; most of them tell little.
pub(super) fn observation(bytes: &mut Bytes<'_>) -> Observation {
    let mut facts = Observation::default();
    for _ in 0..bytes.byte() % 16 {
        tell(&mut facts, bytes);
    }
    facts
}

fn tell(facts: &mut Observation, bytes: &mut Bytes<'_>) {
    match bytes.byte() % 26 {
        0 => facts.files = fact(bytes, files),
        1 => facts.tests = fact(bytes, tests),
        2 => facts.errors = fact(bytes, errors),
        3 => facts.task = Some(bytes.text()),
        4 => facts.phase = Some(phase(bytes)),
        5 => facts.work_type = Some(bytes.of(&KINDS_OF_WORK)),
        6 => facts.approach = Some(bytes.text()),
        7 => facts.metrics = metrics(bytes),
        8 => facts.tree = fact(bytes, Bytes::text),
        9 => {
            facts.shift = fact(bytes, |bytes| Shift {
                from: bytes.text(),
                by: bytes.number(),
            });
        }
        10 => facts.tasks_completed = fact(bytes, Bytes::count),
        11 => facts.features_passed = fact(bytes, Bytes::count),
        12 => {
            facts.features = fact(bytes, |bytes| FeatureCounts {
                pass: bytes.count(),
                pending: bytes.count(),
                fail: bytes.count(),
                blocked: bytes.count(),
            });
        }
        13 => facts.checks_failed = fact(bytes, Bytes::count),
        14 => facts.required_missing = fact(bytes, Bytes::count),
        15 => facts.criteria_unmet = fact(bytes, Bytes::count),
        16 => {
            let lack = bytes.text();
            facts.lacks = vec![lack; usize::from(bytes.byte() % MOST_ERRORS)];
        }
        17 => facts.build_errors = fact(bytes, Bytes::count),
        18 => facts.output_lines = fact(bytes, Bytes::number),
        19 => facts.permission_denials = fact(bytes, Bytes::count),
        20 => {
            facts.environment = bytes.maybe(|bytes| bytes.of(&ENVIRONMENTS));
            facts.retry_at_ms = bytes.maybe(|bytes| moment(bytes.number()));
            facts.retry_is_guess = bytes.flag();
        }
        21 => facts.ended = Some(ended(bytes)),
        22 => facts.duration_ms = Some(bytes.number()),
        23 => facts.usage = usage(bytes),
        24 => facts.claimed = claims(bytes),
        _ => facts.extra.push(Extra {
            name: bytes.text(),
            value: bytes.text(),
        }),
    }
}

pub(super) fn moment(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MIN)
}

fn fact<'a, T>(bytes: &mut Bytes<'a>, read: impl FnOnce(&mut Bytes<'a>) -> T) -> Fact<T> {
    match bytes.byte() % 4 {
        0 => Fact::Unknown,
        1 => Fact::Claimed(read(bytes)),
        _ => Fact::Measured(read(bytes)),
    }
}

fn files(bytes: &mut Bytes<'_>) -> FileChanges {
    let path = bytes.text();
    FileChanges {
        count: bytes.number(),
        created: bytes.maybe(Bytes::number),
        deleted: bytes.maybe(Bytes::number),
        paths: vec![path; usize::from(bytes.byte() % 80)],
    }
}

fn tests(bytes: &mut Bytes<'_>) -> TestCounts {
    TestCounts {
        passed: bytes.count(),
        failed: bytes.count(),
        skipped: bytes.count(),
    }
}

fn errors(bytes: &mut Bytes<'_>) -> Vec<ErrorReport> {
    let first = ErrorReport {
        kind: bytes.maybe(Bytes::text),
        message: bytes.text(),
        file: bytes.maybe(Bytes::text),
        line: bytes.maybe(Bytes::count),
        test: bytes.maybe(Bytes::text),
        output: bytes.maybe(Bytes::number),
    };
    let others = bytes.byte() % MOST_ERRORS;
    let others = (0..others).map(|number| ErrorReport {
        message: format!("{}{}", char::from(b'a' + number % 26), first.message),
        ..first.clone()
    });
    others.chain([first.clone()]).collect()
}

fn metrics(bytes: &mut Bytes<'_>) -> PhaseMetrics {
    PhaseMetrics {
        tests_generated: bytes.maybe(Bytes::number),
        criteria_covered: bytes.maybe(Bytes::number),
        tests_passing: bytes.maybe(Bytes::number),
        tests_failing: bytes.maybe(Bytes::number),
        tests_total: bytes.maybe(Bytes::number),
        patterns_applied: bytes.maybe(Bytes::number),
        pattern_applied: bytes.maybe(Bytes::flag),
        ..PhaseMetrics::default()
    }
}

fn ended(bytes: &mut Bytes<'_>) -> Ended {
    match bytes.byte() % 8 {
        0 => Ended::Exited(0),
        1 => Ended::Exited(1),
        2 => Ended::Signaled(9),
        3 => Ended::TimedOut,
        4 => Ended::Idle,
        5 => Ended::Circling,
        6 => Ended::Interrupted,
        _ => Ended::NotStarted,
    }
}

fn usage(bytes: &mut Bytes<'_>) -> Usage {
    Usage {
        calls: bytes.maybe(Bytes::count),
        input_tokens: bytes.maybe(Bytes::number),
        cached_tokens: bytes.maybe(Bytes::number),
        output_tokens: bytes.maybe(Bytes::number),
        micro_usd: bytes.maybe(Bytes::number),
    }
}

fn claims(bytes: &mut Bytes<'_>) -> Claims {
    Claims {
        complete: bytes.maybe(Bytes::flag),
        exit_signal: bytes.maybe(Bytes::flag),
        needs_person: bytes.maybe(Bytes::flag),
        files_modified: bytes.maybe(Bytes::number),
    }
}

/// Two of them about the same service make a pattern.
pub(super) fn anomaly(bytes: &mut Bytes<'_>) -> Anomaly {
    Anomaly {
        at_ms: moment(bytes.number()),
        undated: bytes.flag(),
        task: bytes.text(),
        reporter: bytes.text(),
        kind: bytes.of(&[
            AnomalyKind::ExternalBlocker,
            AnomalyKind::RetryLoop,
            AnomalyKind::TradeOff,
        ]),
        details: Details {
            blocker_service: bytes.maybe(Bytes::text),
            error_pattern: bytes.maybe(Bytes::text),
            debt_created: bytes.maybe(Bytes::flag),
            ..Details::default()
        },
    }
}
