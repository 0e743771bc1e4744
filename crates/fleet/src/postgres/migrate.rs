//! The schema, and how a database comes to have it.

use postgres::Error;

use super::line::Session;
use crate::error::FleetError;

/// Every step that the schema has taken, in order. Steps are only ever added.
const STEPS: [(&str, &str); 8] = [
    ("workers", include_str!("../../migrations/0001_workers.sql")),
    ("budgets", include_str!("../../migrations/0002_budgets.sql")),
    ("leases", include_str!("../../migrations/0003_leases.sql")),
    (
        "patterns",
        include_str!("../../migrations/0004_patterns.sql"),
    ),
    ("events", include_str!("../../migrations/0005_events.sql")),
    ("views", include_str!("../../migrations/0006_views.sql")),
    ("roles", include_str!("../../migrations/0007_roles.sql")),
    (
        "leases and patterns, seen",
        include_str!("../../migrations/0008_leases_and_patterns_seen.sql"),
    ),
];

/// The schema that this release speaks to.
pub(super) fn current() -> i32 {
    i32::try_from(STEPS.len()).unwrap_or(i32::MAX)
}

/// What bringing a database up to date came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The steps that were missing.
    pub steps: Vec<String>,
    /// Where the schema stands now.
    pub version: i32,
}

/// Brings the schema up to date, all of it or nothing.
pub(super) fn migrate(session: &mut Session) -> Result<Applied, Error> {
    let mut all = session.client().transaction()?;
    // One at a time, whoever else was told to do the same.
    all.batch_execute(
        "set local statement_timeout = '60s'; set local lock_timeout = '30s';
         select pg_advisory_xact_lock(hashtext('fusebox.migrate'));
         create schema if not exists fusebox;
         set local search_path = fusebox, pg_temp;
         create table if not exists migration(
             version int primary key, name text not null, at timestamptz not null default clock_timestamp());",
    )?;
    let had: Option<i32> = all
        .query_one("select max(version) from migration", &[])?
        .get(0);
    let had = usize::try_from(had.unwrap_or(0)).unwrap_or(0);
    let mut steps = Vec::new();
    for (at, (name, sql)) in STEPS.iter().enumerate().skip(had) {
        all.batch_execute(sql)?;
        let version = i32::try_from(at + 1).unwrap_or(i32::MAX);
        all.execute(
            "insert into migration(version, name) values ($1, $2)",
            &[&version, name],
        )?;
        steps.push((*name).to_owned());
    }
    all.commit()?;
    let version = i32::try_from(had.max(STEPS.len())).unwrap_or(i32::MAX);
    Ok(Applied { steps, version })
}

/// The schema that the database has: 0 is none.
pub(super) fn version(session: &mut Session) -> Result<i32, Error> {
    let client = session.client();
    let there = "select to_regclass('fusebox.migration') is not null";
    if !client.query_one(there, &[])?.get::<_, bool>(0) {
        return Ok(0);
    }
    let row = client.query_one(
        "select coalesce(max(version), 0) from fusebox.migration",
        &[],
    )?;
    Ok(row.get(0))
}

/// Says what is wrong with a schema that is not ours.
pub(super) fn refuse_other(version: i32) -> Result<(), FleetError> {
    let current = current();
    let what = match version {
        0 => "the database is not prepared for a fleet: `fusebox fleet init` does it".to_owned(),
        older if older < current => format!(
            "the database has schema {older}, and this release needs {current}: `fusebox fleet migrate` brings it there"
        ),
        newer if newer > current => {
            format!(
                "the database has schema {newer}, and this release knows {current}: install a later one"
            )
        }
        _ => return Ok(()),
    };
    Err(FleetError::Schema(what))
}
