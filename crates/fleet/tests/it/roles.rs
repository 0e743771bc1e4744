//! A worker's password is worth no more than a worker may do.

use std::time::Duration;

use fusebox_fleet::{Amounts, Coordinator, FleetError, PatternChange, Scope, Unit};
use postgres::{Client, NoTls};

use super::support::{Fleet, TTL, at, enrolled, request};

#[test]
fn a_worker_takes_and_halts_and_neither_releases_nor_raises_nor_reads() {
    let Some(fleet) = Fleet::new() else { return };
    let database = fleet.url.rsplit('/').next().unwrap();
    let (ann, olga) = (format!("ann_{database}"), format!("olga_{database}"));
    fleet
        .admin()
        .batch_execute(&format!(
            "create role {ann} login in role fusebox_worker; create role {olga} login in role fusebox_operator"
        ))
        .unwrap();
    let mut worker = at(&fleet.url_for(&ann));
    let mut operator = at(&fleet.url_for(&olga));
    let hour = Duration::from_secs(3_600);
    let me = enrolled(&mut worker, "r");
    worker
        .take(&request(&me, &[Scope::Fleet], Amounts::calls(1)))
        .unwrap();
    worker.claim(&me, Some("T-1"), TTL).unwrap();
    worker.deliver(&me, 1, &[]).unwrap();
    worker.halt(&Scope::Fleet, "stop", "ann").unwrap();
    let refused = [
        worker.resume(&Scope::Fleet, "go", "ann").map(drop),
        worker.set_budget(&Scope::Fleet, Unit::Calls, Some(1_000_000), hour),
        worker.reopen("r", "T-1").map(drop),
        worker
            .set_pattern("error_cluster", &PatternChange::default())
            .map(drop),
    ];
    for refused in refused {
        assert!(
            matches!(refused, Err(FleetError::NotAllowed(_))),
            "{refused:?}"
        );
    }
    let mut client = Client::connect(&fleet.url_for(&ann), NoTls).unwrap();
    for statement in [
        "select * from fusebox.budget",
        "update fusebox.breaker set open = false",
        "delete from fusebox.event",
        "select fusebox.forget_abandoned(null, now())",
        "select nextval('fusebox.halt_epoch')",
        "create table fusebox.mine()",
    ] {
        let error = client.batch_execute(statement).unwrap_err();
        assert_eq!(error.code().unwrap().code(), "42501", "{statement}");
    }
    assert_eq!(worker.patterns().unwrap(), operator.patterns().unwrap());
    assert_eq!(worker.leases().unwrap().len(), 1);
    let change = PatternChange::default();
    assert!(operator.set_pattern("error_cluster", &change).unwrap());
    assert!(operator.resume(&Scope::Fleet, "go", "olga").unwrap());
    operator
        .set_budget(&Scope::Fleet, Unit::Calls, Some(5), hour)
        .unwrap();
}

#[test]
fn a_database_that_is_not_ours_yet_or_no_longer_is_told_apart() {
    let Some(cluster) = postgres_fixture::shared() else {
        return;
    };
    let url = cluster.database().unwrap();
    let said = |url: &str| at(url).overview().unwrap_err().to_string();
    assert!(said(&url).contains("fusebox fleet init"), "{}", said(&url));
    let applied = at(&url).migrate().unwrap();
    assert_eq!(
        applied.steps.len(),
        usize::try_from(applied.version).unwrap()
    );
    assert!(at(&url).migrate().unwrap().steps.is_empty());
    let mut admin = Client::connect(&url, NoTls).unwrap();
    admin
        .batch_execute("insert into fusebox.migration values (99, 'later')")
        .unwrap();
    assert!(said(&url).contains("install a later one"), "{}", said(&url));
    admin
        .batch_execute("delete from fusebox.migration where version > 1")
        .unwrap();
    assert!(
        said(&url).contains("fusebox fleet migrate"),
        "{}",
        said(&url)
    );
}
