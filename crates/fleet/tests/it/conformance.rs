//! Both coordinators answer alike.

use std::thread;
use std::time::{Duration, Instant};

use fusebox_fleet::{
    Amounts, Claimed, Coordinator, Directory, Event, LeaseEnd, Local, Mark, PatternChange, Scope,
    Taken, Unit, Used,
};
use tempfile::TempDir;

use super::support::{Fleet, TTL, enrolled, is_granted, request, yours};

/// Runs the same story against both.
fn both(story: fn(&mut dyn Coordinator)) {
    let home = TempDir::new().unwrap();
    let directory = Directory {
        path: home.path().join("fleet"),
        witnesses: Some(home.path().join("witnesses")),
    };
    story(&mut Local::found(&directory).unwrap());
    if let Some(fleet) = Fleet::new() {
        story(&mut fleet.coordinator());
    }
}

#[test]
fn budgets() {
    both(|fleet| {
        let worker = enrolled(fleet, "r");
        let hour = Duration::from_secs(3_600);
        fleet
            .set_budget(&Scope::Fleet, Unit::Calls, Some(3), hour)
            .unwrap();
        let team = Scope::Team("a".into());
        fleet
            .set_budget(&team, Unit::Tokens, Some(100), hour)
            .unwrap();
        let scopes = [Scope::Fleet, team.clone()];
        let amounts = Amounts {
            calls: 1,
            tokens: 60,
            micro_usd: 5,
        };
        let first = request(&worker, &scopes, amounts);
        assert!(is_granted(&fleet.take(&first).unwrap()));
        // The same name again is the same grant.
        assert!(is_granted(&fleet.take(&first).unwrap()));
        let second = request(&worker, &scopes, amounts);
        let Taken::Refused(refusal) = fleet.take(&second).unwrap() else {
            panic!("more tokens than there are");
        };
        assert_eq!(
            (refusal.scope.as_str(), refusal.unit),
            ("team:a", Unit::Tokens)
        );
        // An hour and its 30 s for whoever is slow to begin, twice where nobody settles.
        let wait = refusal.wait.unwrap().as_secs();
        assert!((7_200..=7_230).contains(&wait), "{wait}");
        let used = Used {
            tokens: Some(10),
            micro_usd: None,
        };
        fleet.settle(&first.name, &used).unwrap();
        assert!(is_granted(&fleet.take(&second).unwrap()));
        let budgets = fleet.overview().unwrap().budgets;
        let mut told: Vec<_> = budgets
            .iter()
            .map(|one| (one.scope.as_str(), one.used, one.reserved))
            .collect();
        told.sort_unstable();
        assert_eq!(told, [("fleet", 2, 0), ("team:a", 70, 60)]);
        fleet.set_budget(&team, Unit::Tokens, None, hour).unwrap();
        assert_eq!(fleet.overview().unwrap().budgets.len(), 1);
    });
}

/// What a step used counts from when it is told, however long that took, and whoever died
/// meanwhile makes no room.
#[test]
fn what_is_settled_late() {
    both(|fleet| {
        let worker = enrolled(fleet, "r");
        let span = Duration::from_secs(2);
        let teams = ["a", "b"].map(|name| Scope::Team(name.into()));
        let ask = |team: &Scope, tokens| {
            let amounts = Amounts {
                tokens,
                ..Amounts::default()
            };
            request(&worker, std::slice::from_ref(team), amounts)
        };
        let mut slow = Vec::new();
        for team in &teams {
            fleet
                .set_budget(team, Unit::Tokens, Some(100), span)
                .unwrap();
            let dead = ask(team, 50);
            assert!(is_granted(&fleet.take(&dead).unwrap()));
            slow.push(ask(team, 50));
            assert!(is_granted(&fleet.take(&slow[slow.len() - 1]).unwrap()));
        }
        thread::sleep(span * 2 + span / 10 + Duration::from_millis(100));
        // In one of them somebody else goes on meanwhile.
        assert!(is_granted(&fleet.take(&ask(&teams[1], 50)).unwrap()));
        let told = Instant::now();
        let used = Used {
            tokens: Some(100),
            micro_usd: None,
        };
        for (team, slow) in teams.iter().zip(&slow) {
            fleet.settle(&slow.name, &used).unwrap();
            let taken = fleet.take(&ask(team, 50)).unwrap();
            // On a machine that stood still for so long, the next window has begun.
            if told.elapsed() < span {
                assert!(!is_granted(&taken), "{team}: {taken:?}");
            }
        }
    });
}

#[test]
fn leases() {
    both(|fleet| {
        let (ann, bob) = (enrolled(fleet, "r"), enrolled(fleet, "r"));
        let held = yours(fleet.claim(&ann, Some("T-1"), TTL).unwrap());
        assert_eq!((held.task.as_str(), held.fence), ("T-1", 1));
        let Claimed::Taken { owner, wait } = fleet.claim(&bob, Some("T-1"), TTL).unwrap() else {
            panic!("taken from somebody who lives");
        };
        assert_eq!(owner, ann.id.to_string());
        assert!(wait <= TTL && wait > TTL / 2, "{wait:?}");
        assert!(!fleet.finish(&bob, &held, LeaseEnd::Done, "").unwrap());
        assert_eq!(
            fleet.beat(&ann, std::slice::from_ref(&held), TTL).unwrap(),
            ["T-1"]
        );
        assert!(
            fleet
                .finish(&ann, &held, LeaseEnd::Done, "tests pass")
                .unwrap()
        );
        assert!(
            fleet
                .finish(&ann, &held, LeaseEnd::Done, "tests pass")
                .unwrap()
        );
        let over = fleet.claim(&bob, Some("T-1"), TTL).unwrap();
        assert_eq!(over, Claimed::Over("done: tests pass".into()));
        assert!(fleet.reopen("r", "T-1").unwrap());
        let again = yours(fleet.claim(&bob, Some("T-1"), TTL).unwrap());
        assert!(again.fence > held.fence);
        assert!(!fleet.finish(&ann, &held, LeaseEnd::Done, "").unwrap());
        assert_eq!(fleet.offer("r", &["T-1".into(), "T-2".into()]).unwrap(), 1);
        assert_eq!(yours(fleet.claim(&ann, None, TTL).unwrap()).task, "T-2");
        assert_eq!(fleet.claim(&ann, None, TTL).unwrap(), Claimed::Nothing);
        assert_eq!(fleet.overview().unwrap().tasks["running"], 2);
        let leases = fleet.leases().unwrap();
        let told: Vec<_> = leases
            .iter()
            .map(|one| (one.task.as_str(), one.owner.clone(), one.fence, one.attempt))
            .collect();
        let (ann, bob) = (ann.id.to_string(), bob.id.to_string());
        assert_eq!(told, [("T-1", bob, again.fence, 2), ("T-2", ann, 1, 1)]);
        let whole = i64::try_from(TTL.as_millis()).unwrap();
        for lease in leases {
            assert_eq!(
                (lease.repository.as_str(), lease.host.as_deref()),
                ("r", Some("host"))
            );
            assert!((whole / 2..=whole).contains(&lease.left_ms), "{lease:?}");
        }
    });
}

#[test]
fn halts_and_patterns() {
    both(|fleet| {
        let workers: Vec<_> = (0..3).map(|_| enrolled(fleet, "r")).collect();
        let other = enrolled(fleet, "other");
        for (number, worker) in workers.iter().enumerate() {
            let scopes = [Scope::Fleet, Scope::Repository("r".into())];
            let taken = fleet
                .take(&request(worker, &scopes, Amounts::calls(1)))
                .unwrap();
            assert!(is_granted(&taken), "halted after {number} tasks");
            let event = error(&format!("T-{number}"));
            assert_eq!(
                fleet
                    .deliver(worker, 7, std::slice::from_ref(&event))
                    .unwrap(),
                7
            );
            assert_eq!(fleet.deliver(worker, 7, &[event]).unwrap(), 7);
        }
        let scopes = [Scope::Fleet, Scope::Repository("r".into())];
        let taken = fleet
            .take(&request(&workers[0], &scopes, Amounts::calls(1)))
            .unwrap();
        let Taken::Halted { scope, reason, .. } = taken else {
            panic!("{taken:?}");
        };
        assert_eq!(scope, "repo:r");
        assert_eq!(reason, "Same error on several tasks: E0425 (3)");
        assert!(matches!(
            fleet.claim(&workers[0], Some("T-9"), TTL).unwrap(),
            Claimed::Halted(_)
        ));
        assert!(matches!(
            fleet.claim(&other, Some("T-9"), TTL).unwrap(),
            Claimed::Yours { .. }
        ));
        let overview = fleet.overview().unwrap();
        assert_eq!(overview.incidents.len(), 1);
        assert_eq!(overview.incidents[0].members, ["T-0", "T-1", "T-2"]);
        let scope = Scope::Repository("r".into());
        assert!(fleet.resume(&scope, "fixed", "ann").unwrap());
        assert!(!fleet.resume(&scope, "fixed", "ann").unwrap());
        let taken = fleet
            .take(&request(&workers[0], &scopes, Amounts::calls(1)))
            .unwrap();
        assert!(is_granted(&taken));
        // What a person has looked at is evidence no longer.
        let event = Event {
            number: 8,
            ..error("T-3")
        };
        fleet.deliver(&workers[0], 8, &[event]).unwrap();
        assert!(fleet.overview().unwrap().incidents.is_empty());
        fleet.halt(&Scope::Fleet, "stop", "ann").unwrap();
        fleet.halt(&Scope::Fleet, "again", "bob").unwrap();
        let halts = fleet.overview().unwrap().halts;
        assert_eq!((halts.len(), halts[0].reason.as_str()), (1, "stop"));
        assert_eq!(fleet.workers().unwrap().len(), 4);
    });
}

#[test]
fn thresholds_of_patterns() {
    both(|fleet| {
        let worker = enrolled(fleet, "r");
        let patterns = fleet.patterns().unwrap();
        assert_eq!(patterns.len(), 8);
        assert!(patterns.is_sorted_by(|one, other| one.name < other.name));
        let change = PatternChange {
            threshold: Some(2),
            span_ms: Some(60_000),
            halts: Some(false),
        };
        assert!(fleet.set_pattern("error_cluster", &change).unwrap());
        assert!(!fleet.set_pattern("of_a_later_release", &change).unwrap());
        // What is not named stays.
        let quiet = PatternChange {
            threshold: Some(4),
            ..PatternChange::default()
        };
        assert!(fleet.set_pattern("service_down", &quiet).unwrap());
        let patterns = fleet.patterns().unwrap();
        let of = |name: &str| {
            let pattern = patterns.iter().find(|one| one.name == name).unwrap();
            (pattern.threshold, pattern.span_ms, pattern.halts)
        };
        assert_eq!(of("error_cluster"), (2, 60_000, false));
        assert_eq!(of("service_down"), (4, 3_600_000, true));
        for (number, task) in [(7, "T-1"), (8, "T-2")] {
            let event = Event {
                number,
                ..error(task)
            };
            fleet.deliver(&worker, number, &[event]).unwrap();
        }
        // Two are enough now, and stop nobody.
        let overview = fleet.overview().unwrap();
        assert_eq!((overview.incidents.len(), overview.halts.len()), (1, 0));
    });
}

fn error(task: &str) -> Event {
    Event {
        number: 7,
        kind: "reported".into(),
        task: Some(task.into()),
        fence: None,
        fields: serde_json::json!({}),
        marks: vec![Mark {
            pattern: "error_cluster".into(),
            key: "E0425".into(),
            member: task.into(),
        }],
    }
}
