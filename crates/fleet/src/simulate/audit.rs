//! What the database itself says when everything is over.

use postgres::{Client, NoTls};

use super::tally::Seen;
use super::{Plan, WINDOW};
use crate::error::FleetError;

/// What was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Audit {
    pub(super) done: u64,
    /// The most grants in any window.
    pub(super) most_in_a_window: u64,
    pub(super) grants: u64,
    pub(super) events: u64,
    pub(super) events_missing: u64,
    pub(super) events_twice: u64,
}

pub(super) fn look(plan: &Plan, seen: &Seen) -> Result<Audit, FleetError> {
    let failed = |error: postgres::Error| FleetError::Failed(error.to_string());
    let mut client: Client = plan.server.connect(NoTls).map_err(failed)?;
    let scope = plan.scope().to_string();
    let mut number = |sql: &str, text: &str| -> Result<u64, postgres::Error> {
        let row = client.query_one(sql, &[&text])?;
        Ok(u64::try_from(row.get::<_, i64>(0)).unwrap_or(0))
    };
    let window = format!(
        "select coalesce(max(n), 0) from (select count(*) over (
             order by at range between interval '{} seconds' preceding and current row) n
         from fusebox.budget_grant where scope = $1) w",
        WINDOW.as_secs()
    );
    let mut audit = Audit {
        done: number(
            "select count(*) from fusebox.task where repository = $1 and state = 'done'",
            &plan.repository,
        )
        .map_err(failed)?,
        most_in_a_window: number(&window, &scope).map_err(failed)?,
        grants: number(
            "select count(*) from fusebox.budget_grant where scope = $1",
            &scope,
        )
        .map_err(failed)?,
        ..Audit::default()
    };
    let rows = client
        .query(
            "select worker, count(*), count(distinct number), max(number) from fusebox.event
             where repository = $1 group by worker",
            &[&plan.repository],
        )
        .map_err(failed)?;
    let mut there = 0;
    for row in rows {
        let whole = |at: usize| u64::try_from(row.get::<_, i64>(at)).unwrap_or(0);
        let written = seen
            .written
            .get(row.get::<_, &str>(0))
            .copied()
            .unwrap_or(0);
        audit.events += whole(1);
        audit.events_twice += whole(1) - whole(2);
        // More than was written would be as wrong as less.
        audit.events_missing += written.abs_diff(whole(2));
        there += written;
    }
    let all: u64 = seen.written.values().sum();
    audit.events_missing += all.saturating_sub(there);
    Ok(audit)
}
