//! Patterns: one incident each, whoever sees it first, and no further than it reaches.

use std::thread;

use fusebox_fleet::{Coordinator, Event, Mark};

use super::support::{Fleet, enrolled};

fn marked(number: u64, pattern: &str, key: &str, member: &str) -> Event {
    Event {
        number,
        kind: "anomaly".into(),
        task: Some(member.into()),
        fence: None,
        fields: serde_json::json!({}),
        marks: vec![Mark {
            pattern: pattern.into(),
            key: key.into(),
            member: member.into(),
        }],
    }
}

#[test]
fn each_pattern_halts_at_its_own_number_and_not_before() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    for (pattern, threshold) in [
        ("error_cluster", 3),
        ("service_down", 3),
        ("retry_cluster", 3),
        ("debt_accumulation", 3),
        ("assumption_cascade", 2),
        ("workaround_pattern", 2),
        ("spec_gap_cluster", 2),
        ("external_service_outage", 2),
    ] {
        let repository = format!("r-{pattern}");
        let worker = enrolled(&mut coordinator, &repository);
        for number in 1..=threshold {
            let scope = format!("repo:{repository}");
            let halts = coordinator.overview().unwrap().halts;
            assert!(
                !halts.iter().any(|halt| halt.scope == scope),
                "{pattern} at {number}"
            );
            // Something else in common is something else.
            let other = marked(number * 2 - 1, pattern, &format!("other {number}"), "T");
            coordinator
                .deliver(&worker, number * 2 - 1, &[other])
                .unwrap();
            let event = marked(number * 2, pattern, "key", &format!("T-{number}"));
            coordinator.deliver(&worker, number * 2, &[event]).unwrap();
        }
        let overview = coordinator.overview().unwrap();
        let scope = format!("repo:{repository}");
        assert!(
            overview.halts.iter().any(|halt| halt.scope == scope),
            "{pattern}"
        );
    }
    assert_eq!(coordinator.overview().unwrap().incidents.len(), 8);
}

/// Each of three sees only itself unless they are made to wait for each other.
#[test]
fn three_that_arrive_at_the_same_moment_are_three() {
    let Some(fleet) = Fleet::new() else { return };
    for round in 0..10 {
        let repository = format!("r-{round}");
        thread::scope(|scope| {
            for task in ["T-1", "T-2", "T-3"] {
                let (fleet, repository) = (&fleet, &repository);
                scope.spawn(move || {
                    let mut mine = fleet.coordinator();
                    let worker = enrolled(&mut mine, repository);
                    mine.deliver(&worker, 1, &[marked(1, "error_cluster", "E", task)])
                        .unwrap();
                });
            }
        });
        let incidents = fleet.coordinator().overview().unwrap().incidents;
        let scope = format!("repo:{repository}");
        let here = incidents.iter().filter(|one| one.scope == scope).count();
        assert_eq!(here, 1, "round {round}");
    }
}

#[test]
fn a_pattern_that_this_schema_does_not_know_is_no_reason_to_fail() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let worker = enrolled(&mut coordinator, "r");
    let event = marked(1, "of_a_later_release", "k", "m");
    assert_eq!(coordinator.deliver(&worker, 1, &[event]).unwrap(), 1);
}
