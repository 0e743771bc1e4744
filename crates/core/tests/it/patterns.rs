//! Patterns across anomalies: what is counted, listed and shown.

use std::collections::BTreeSet;

use fusebox_core::patterns::{
    ANOMALIES_READ, Analysis, Anomaly, AnomalyKind, Details, Matching, Pattern, PatternRules,
    analyse,
};
use fusebox_core::policy::OutOfRange;

use AnomalyKind as Kind;
use Pattern::{
    AssumptionCascade, DebtAccumulation, ExternalServiceOutage, RetryCluster, SpecGapCluster,
    WorkaroundPattern,
};

/// An anomaly of `kind` in `task` with `text` in every field a rule could group
/// by.
fn anomaly(kind: Kind, task: &str, text: Option<&str>) -> Anomaly {
    let text = text.map(str::to_owned);
    let details = Details {
        error_pattern: text.clone(),
        root_cause: text.clone(),
        assumption: text.clone(),
        spec_ref: text.clone(),
        blocker_service: text,
        ..Details::default()
    };
    Anomaly {
        at_ms: 100,
        undated: false,
        task: task.into(),
        reporter: "coder-1".into(),
        kind,
        details,
    }
}

fn many(kind: Kind, texts: &[&str]) -> Vec<Anomaly> {
    let one = |(n, text): (usize, &&str)| anomaly(kind, &format!("task-{n}"), Some(text));
    texts.iter().enumerate().map(one).collect()
}

fn debts(flags: &[Option<bool>]) -> Vec<Anomaly> {
    let one = |(n, flag): (usize, &Option<bool>)| Anomaly {
        details: Details {
            what: Some(format!("shortcut {n}")),
            debt_created: *flag,
            ..Details::default()
        },
        ..anomaly(Kind::TradeOff, "t", None)
    };
    flags.iter().enumerate().map(one).collect()
}

fn read<'a>(anomalies: &'a [Anomaly], rules: &PatternRules) -> Analysis<'a> {
    analyse(anomalies, None, &BTreeSet::new(), rules)
}

fn found(anomalies: &[Anomaly], rules: &PatternRules) -> Vec<Pattern> {
    let analysis = read(anomalies, rules);
    analysis.matches().iter().map(|m| m.pattern).collect()
}

fn with(edit: fn(&mut PatternRules)) -> PatternRules {
    let mut rules = PatternRules::default();
    edit(&mut rules);
    rules
}

fn similar() -> PatternRules {
    with(|rules| {
        rules.matching = Matching::Similar;
    })
}

#[test]
fn req_002_019_to_026_and_031_to_036_each_pattern_at_its_threshold_and_not_before() {
    let yes = Some(true);
    for (anomalies, expected) in [
        (many(Kind::RetryLoop, &["e", "e", "e"]), Some(RetryCluster)),
        (many(Kind::RetryLoop, &["e", "e", "other"]), None),
        (debts(&[yes, yes, yes]), Some(DebtAccumulation)),
        (debts(&[yes, yes, Some(false)]), None),
        (debts(&[yes, yes, None]), None),
        (
            many(Kind::AssumptionViolated, &["a", "a"]),
            Some(AssumptionCascade),
        ),
        (many(Kind::AssumptionViolated, &["a", "b"]), None),
        (many(Kind::Workaround, &["c", "c"]), Some(WorkaroundPattern)),
        (many(Kind::TradeOff, &["c", "c"]), Some(WorkaroundPattern)),
        (many(Kind::Workaround, &["c", "d"]), None),
        (many(Kind::SpecAmbiguity, &["s", "s"]), Some(SpecGapCluster)),
        (many(Kind::SpecAmbiguity, &["s", "t"]), None),
        (
            many(Kind::ExternalBlocker, &["x", "x"]),
            Some(ExternalServiceOutage),
        ),
        (many(Kind::ExternalBlocker, &["x", "y"]), None),
    ] {
        let patterns = found(&anomalies, &PatternRules::default());
        assert_eq!(patterns, Vec::from_iter(expected), "{anomalies:?}");
    }
    let mixed = [
        anomaly(Kind::Workaround, "t", Some("c")),
        anomaly(Kind::TradeOff, "t", Some("c")),
    ];
    assert_eq!(found(&mixed, &PatternRules::default()), [WorkaroundPattern]);
}

#[test]
fn req_002_027_and_028_a_planner_s_matters_never_trip() {
    let rules = with(|rules| {
        rules.count_related = true;
        rules.matching = Matching::Similar;
    });
    for kind in [Kind::HypothesisExhaustion, Kind::ReviewDeadlock] {
        let all = many(kind, &["same"; 9]);
        assert_eq!(found(&all, &rules), []);
        assert!(
            read(&all, &rules)
                .findings
                .iter()
                .all(|f| f.related.is_empty())
        );
    }
}

#[test]
fn req_002_023_and_025_and_029_and_d_015_related_kinds_are_listed_and_counted_only_on_request() {
    let counting = with(|rules| {
        rules.count_related = true;
    });
    for (kind, pattern) in [
        (Kind::ScopeDeviation, WorkaroundPattern),
        (Kind::DebtCreated, DebtAccumulation),
        (Kind::SpecGap, SpecGapCluster),
    ] {
        let all = many(kind, &["same"; 3]);
        assert_eq!(found(&all, &PatternRules::default()), []);
        let plain = read(&all, &PatternRules::default());
        for finding in &plain.findings {
            let listed = if finding.pattern == pattern { 3 } else { 0 };
            assert_eq!(
                finding.related.len(),
                listed,
                "{kind:?} {:?}",
                finding.pattern
            );
            assert!(finding.groups.is_empty());
        }
        assert_eq!(found(&all, &counting), [pattern]);
    }
}

#[test]
fn req_002_030_and_d_059_only_the_current_sprint_counts() {
    let mut all = many(Kind::AssumptionViolated, &["a", "a"]);
    all[0].at_ms = 99;
    for (start, count) in [(None, 1), (Some(99), 1), (Some(100), 0), (Some(101), 0)] {
        let analysis = analyse(&all, start, &BTreeSet::new(), &PatternRules::default());
        assert_eq!(analysis.matches().len(), count, "{start:?}");
    }
    let late = analyse(&all, Some(100), &BTreeSet::new(), &PatternRules::default());
    assert_eq!(late.before_window, 1);
}

#[test]
fn req_002_039_what_is_missing_twice_is_not_the_same() {
    for kind in Kind::ALL {
        for text in [None, Some(""), Some("  ")] {
            let all = vec![anomaly(kind, "t", text); 4];
            for rules in [PatternRules::default(), similar()] {
                assert_eq!(found(&all, &rules), [], "{kind:?} {text:?}");
            }
        }
    }
}

#[test]
fn req_002_040_to_046_exact_counts_with_near_misses_beside_them() {
    let texts = ["timeout", "connection timeout", "timeout", "timeouts"];
    let all = many(Kind::RetryLoop, &texts);
    let analysis = read(&all, &PatternRules::default());
    let groups = &analysis.findings[0].groups;
    let counts: Vec<_> = groups
        .iter()
        .map(|g| (g.factor.unwrap(), g.count))
        .collect();
    assert_eq!(
        counts,
        [("timeout", 2), ("connection timeout", 1), ("timeouts", 1)]
    );
    let near: Vec<_> = groups[0]
        .near_misses
        .iter()
        .map(|c| c.anomaly.task.as_str())
        .collect();
    assert_eq!(
        near,
        ["task-1", "task-3"],
        "a person can judge 2 exact + 1 similar"
    );
    assert_eq!(analysis.primary(), None);

    let read_alike = read(&all, &similar());
    let alike = &read_alike.findings[0].groups;
    assert_eq!((alike[0].count, alike.len()), (3, 2));
    assert_eq!(found(&all, &similar()), [RetryCluster]);
    // The measure is the first of the group, not whatever joined it last.
    let drifting = ["abcdefghij", "abcdefgxyz", "abcdxyzxyz"];
    assert_eq!(found(&many(Kind::RetryLoop, &drifting), &similar()), []);
    // `same` never means merely alike, but case and spacing are no difference.
    let refs = ["specs/a.md#1", "specs/a.md#2"];
    assert_eq!(found(&many(Kind::SpecAmbiguity, &refs), &similar()), []);
    let refs = ["Specs/A.md  x", " specs/a.md x"];
    assert_eq!(
        found(&many(Kind::SpecAmbiguity, &refs), &similar()),
        [SpecGapCluster]
    );
    assert_eq!(
        found(&many(Kind::SpecAmbiguity, &refs), &PatternRules::default()),
        []
    );
}

#[test]
fn req_002_047_and_048_thresholds_are_adjustable_and_counts_are_shown_below_them() {
    let all = many(Kind::RetryLoop, &["e", "e"]);
    let rules = PatternRules::default();
    assert_eq!(read(&all, &rules).findings[0].groups[0].count, 2);
    assert_eq!(read(&all, &rules).findings[0].threshold, 3);
    let lower = rules.with_threshold(RetryCluster, 2).unwrap();
    assert_eq!(found(&all, &lower), [RetryCluster]);
    for count in [0, 100] {
        assert_eq!(rules.with_threshold(RetryCluster, count), Err(OutOfRange));
    }
    let names: Vec<Pattern> = read(&[], &rules)
        .findings
        .iter()
        .map(|f| f.pattern)
        .collect();
    assert_eq!(names, Pattern::ALL);
}

#[test]
fn req_d_016_tasks_are_shown_and_counted_on_request() {
    let all = vec![anomaly(Kind::ExternalBlocker, "t", Some("api")); 2];
    let analysis = read(&all, &PatternRules::default());
    assert_eq!(analysis.primary().unwrap().group.tasks.len(), 1);
    let distinct = with(|rules| {
        rules.distinct_tasks = true;
    });
    assert_eq!(found(&all, &distinct), []);
    assert_eq!(
        found(&many(Kind::ExternalBlocker, &["api", "api"]), &distinct),
        [ExternalServiceOutage]
    );
}

#[test]
fn req_002_088_and_d_017_all_matches_are_reported_and_the_gravest_leads() {
    let mut all = many(Kind::ExternalBlocker, &["x", "x"]);
    all.extend(many(Kind::RetryLoop, &["e", "f", "e", "f", "e", "f"]));
    all.extend(many(Kind::SpecAmbiguity, &["s", "s"]));
    all.extend(many(Kind::AssumptionViolated, &["a", "a"]));
    let rules = PatternRules::default();
    let expected = [
        AssumptionCascade,
        SpecGapCluster,
        RetryCluster,
        RetryCluster,
        ExternalServiceOutage,
    ];
    assert_eq!(found(&all, &rules), expected);
    all.reverse();
    assert_eq!(
        found(&all, &rules),
        expected,
        "whatever order they were written in"
    );
    assert_eq!(
        read(&all, &rules).primary().unwrap().pattern,
        AssumptionCascade
    );
}

/// However many other errors there were before; of more than can be compared it is told.
#[test]
fn req_002_043_and_d_077_likeness_is_found_among_many_strangers() {
    let strangers = |count: u32| {
        let letter = |n: u32| char::from_u32(0x4e00 + n).unwrap();
        let text = |n: u32| (n * 8..n * 8 + 8).map(letter).collect();
        (0..count).map(text).collect::<Vec<String>>()
    };
    let alike = [
        "serialization failure",
        "serialisation failure",
        "serialization failures",
    ];
    for (count, uncompared) in [(31, 0), (32, 0), (400, 0), (600, 88)] {
        let strangers = strangers(count);
        let mut texts: Vec<&str> = strangers.iter().map(String::as_str).collect();
        texts.extend(alike);
        let all = many(Kind::RetryLoop, &texts);
        let analysis = read(
            &all,
            &with(|rules| {
                rules.matching = Matching::Similar;
            }),
        );
        let group = analysis.findings[0]
            .groups
            .iter()
            .find(|one| one.factor == Some(alike[0]));
        assert_eq!(group.unwrap().count, 3, "{count}");
        assert_eq!(analysis.findings[0].uncompared, uncompared, "{count}");
    }
}

#[test]
fn a_flood_is_read_from_its_newest_end() {
    let mut all: Vec<Anomaly> = (0..2 * ANOMALIES_READ)
        .map(|n| {
            let text = format!("{n} is {}", "x".repeat(n % 40));
            anomaly(Kind::RetryLoop, "t", Some(&text))
        })
        .collect();
    for old in &mut all[..ANOMALIES_READ] {
        old.at_ms = 1;
        old.details.error_pattern = Some("long ago".into());
    }
    let analysis = read(&all, &PatternRules::default());
    assert_eq!(analysis.left_out, ANOMALIES_READ);
    assert_eq!(analysis.primary(), None);
    assert!(read(&all, &similar()).primary().is_some());
}
