//! Never more than the limit in any window, whatever happens meanwhile.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fusebox_fleet::{Amounts, Coordinator, Scope, Taken, Unit, Used};

use super::support::{Fleet, enrolled, is_granted, request};

/// The most grants of a budget that any window held.
const MOST_IN_A_WINDOW: &str = "
    select coalesce(max(n), 0) from (
        select count(*) over (order by at range between interval '1 second' preceding and current row) n
        from fusebox.budget_grant where scope = 'fleet' and unit = 'calls') w";

#[test]
fn sixteen_clients_never_exceed_the_limit_through_a_crash() {
    let Some(cluster) = postgres_fixture::shared() else {
        return;
    };
    // A server of its own: the other tests are not to be crashed with it.
    let _ = cluster;
    let cluster = postgres_fixture::Cluster::start(postgres_fixture::Care::Quick).unwrap();
    let url = cluster.database().unwrap();
    let mut admin = super::support::at(&url);
    admin.migrate().unwrap();
    let limit = 50;
    let second = Duration::from_secs(1);
    admin
        .set_budget(&Scope::Fleet, Unit::Calls, Some(limit), second)
        .unwrap();
    let worker = enrolled(&mut admin, "r");
    let granted = AtomicU64::new(0);
    let until = Instant::now() + Duration::from_secs(5);
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let mut mine = super::support::at(&url);
                while Instant::now() < until {
                    let take = request(&worker, &[Scope::Fleet], Amounts::calls(1));
                    // An answer that was lost is asked for again under the same name.
                    while Instant::now() < until {
                        match mine.take(&take) {
                            Ok(Taken::Granted(_)) => granted.fetch_add(1, Ordering::Relaxed),
                            Ok(_) => 0,
                            Err(error) if error.is_passing() => {
                                thread::sleep(Duration::from_millis(20));
                                continue;
                            }
                            Err(error) => panic!("{error}"),
                        };
                        break;
                    }
                }
            });
        }
        thread::sleep(Duration::from_millis(1_500));
        cluster.crash().unwrap();
        cluster.resume().unwrap();
    });
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    let most: i64 = client.query_one(MOST_IN_A_WINDOW, &[]).unwrap().get(0);
    let kept: i64 = client
        .query_one("select count(*) from fusebox.budget_grant", &[])
        .unwrap()
        .get(0);
    let acknowledged = i64::try_from(granted.into_inner()).unwrap();
    assert!(
        most <= i64::try_from(limit).unwrap(),
        "{most} in one window"
    );
    assert!(acknowledged >= 100, "{acknowledged} granted");
    // What was acknowledged is kept; what was kept and not acknowledged was lost on the way.
    assert!(
        (acknowledged..acknowledged + 17).contains(&kept),
        "{acknowledged} {kept}"
    );
}

#[test]
fn a_refused_take_says_when_and_is_granted_then() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let worker = enrolled(&mut coordinator, "r");
    let scopes = [Scope::Fleet, Scope::Repository("r".into())];
    coordinator
        .set_budget(&scopes[1], Unit::Calls, Some(2), Duration::from_secs(1))
        .unwrap();
    let mut take = |calls| {
        coordinator
            .take(&request(&worker, &scopes, Amounts::calls(calls)))
            .unwrap()
    };
    assert!(is_granted(&take(2)));
    let Taken::Refused(refusal) = take(1) else {
        panic!("granted beyond the limit");
    };
    assert_eq!(
        (refusal.scope.as_str(), refusal.unit),
        ("repo:r", Unit::Calls)
    );
    let wait = refusal.wait.unwrap();
    assert!(
        wait > Duration::from_millis(800) && wait <= Duration::from_millis(1_101),
        "{wait:?}"
    );
    thread::sleep(wait);
    assert!(is_granted(&take(2)));
    let Taken::Refused(never) = take(3) else {
        panic!("granted beyond the limit");
    };
    assert_eq!(never.wait, None);
}

#[test]
fn all_budgets_are_taken_from_or_none() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let worker = enrolled(&mut coordinator, "r");
    let hour = Duration::from_secs(3_600);
    let agent = Scope::Agent("claude".into());
    coordinator
        .set_budget(&Scope::Fleet, Unit::Calls, Some(10), hour)
        .unwrap();
    coordinator
        .set_budget(&agent, Unit::Tokens, Some(100), hour)
        .unwrap();
    let amounts = |tokens| Amounts {
        calls: 1,
        tokens,
        micro_usd: 0,
    };
    let scopes = [Scope::Fleet, agent];
    assert!(is_granted(
        &coordinator
            .take(&request(&worker, &scopes, amounts(80)))
            .unwrap()
    ));
    assert!(!is_granted(
        &coordinator
            .take(&request(&worker, &scopes, amounts(30)))
            .unwrap()
    ));
    let used: Vec<(String, u64)> = coordinator
        .overview()
        .unwrap()
        .budgets
        .into_iter()
        .map(|budget| (budget.scope, budget.used))
        .collect();
    assert_eq!(
        used,
        [("agent:claude".to_owned(), 80), ("fleet".to_owned(), 1)]
    );
}

#[test]
fn what_is_reserved_counts_until_it_is_settled_and_what_was_used_after_that() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let worker = enrolled(&mut coordinator, "r");
    let money = |micro_usd| Amounts {
        micro_usd,
        ..Amounts::default()
    };
    let set = |most| {
        (
            &Scope::Fleet,
            Unit::MicroUsd,
            Some(most),
            Duration::from_secs(3_600),
        )
    };
    let (scope, unit, most, span) = set(100);
    coordinator.set_budget(scope, unit, most, span).unwrap();
    let first = request(&worker, &[Scope::Fleet], money(60));
    let second = request(&worker, &[Scope::Fleet], money(60));
    assert!(is_granted(&coordinator.take(&first).unwrap()));
    assert!(!is_granted(&coordinator.take(&second).unwrap()));
    let used = |micro_usd| Used {
        tokens: None,
        micro_usd,
    };
    coordinator.settle(&first.name, &used(Some(40))).unwrap();
    coordinator.settle(&first.name, &used(Some(40))).unwrap();
    assert!(is_granted(&coordinator.take(&second).unwrap()));
    // Not knowing is all of it; an overrun counts as what it is.
    coordinator.settle(&second.name, &used(None)).unwrap();
    let budget = &coordinator.overview().unwrap().budgets[0];
    assert_eq!((budget.used, budget.reserved), (100, 0));
    let (scope, unit, most, span) = set(200);
    coordinator.set_budget(scope, unit, most, span).unwrap();
    let third = request(&worker, &[Scope::Fleet], money(10));
    assert!(is_granted(&coordinator.take(&third).unwrap()));
    coordinator.settle(&third.name, &used(Some(250))).unwrap();
    assert_eq!(coordinator.overview().unwrap().budgets[0].used, 350);
}

#[test]
fn a_reservation_that_nobody_settles_is_let_go_after_two_windows() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let worker = enrolled(&mut coordinator, "r");
    let tokens = |tokens| Amounts {
        tokens,
        ..Amounts::default()
    };
    let second = Duration::from_secs(1);
    coordinator
        .set_budget(&Scope::Fleet, Unit::Tokens, Some(10), second)
        .unwrap();
    let mut take = || {
        coordinator
            .take(&request(&worker, &[Scope::Fleet], tokens(10)))
            .unwrap()
    };
    assert!(is_granted(&take()));
    thread::sleep(Duration::from_millis(1_300));
    let Taken::Refused(refusal) = take() else {
        panic!("a reservation was forgotten early");
    };
    thread::sleep(refusal.wait.unwrap() + Duration::from_millis(20));
    assert!(is_granted(&take()));
}

#[test]
fn a_clock_that_goes_back_frees_nothing() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let worker = enrolled(&mut coordinator, "r");
    let second = Duration::from_secs(1);
    coordinator
        .set_budget(&Scope::Fleet, Unit::Calls, Some(1), second)
        .unwrap();
    // As after a failover to a server whose clock is an hour behind: what is kept was
    // granted in its future.
    fleet
        .admin()
        .batch_execute(
            "update fusebox.budget set last_at = clock_timestamp() + interval '1 hour',
                 used_at = array[clock_timestamp() + interval '1 hour'], used = array[1]",
        )
        .unwrap();
    thread::sleep(Duration::from_millis(1_200));
    let taken = coordinator
        .take(&request(&worker, &[Scope::Fleet], Amounts::calls(1)))
        .unwrap();
    assert!(!is_granted(&taken), "{taken:?}");
}

#[test]
fn many_small_uses_keep_a_row_small_and_within_the_limit() {
    let Some(fleet) = Fleet::new() else { return };
    let mut coordinator = fleet.coordinator();
    let worker = enrolled(&mut coordinator, "r");
    let second = Duration::from_secs(1);
    coordinator
        .set_budget(&Scope::Fleet, Unit::Calls, Some(1_000), second)
        .unwrap();
    let until = Instant::now() + Duration::from_millis(1_500);
    while Instant::now() < until {
        coordinator
            .take(&request(&worker, &[Scope::Fleet], Amounts::calls(3)))
            .unwrap();
    }
    let row = fleet
        .admin()
        .query_one("select cardinality(used_at), (select sum(u) from unnest(used) u)::bigint from fusebox.budget", &[])
        .unwrap();
    let (uses, sum): (i32, i64) = (row.get(0), row.get(1));
    assert!(uses <= 100, "{uses} uses are kept apart");
    assert!(sum <= 1_000, "{sum}");
}
