//! Answers of the database as what they mean.

use std::time::Duration;

use postgres::Row;

use crate::boot_clock::BootInstant;
use crate::terms::{Claimed, Grant, Held, Refusal, Taken, Unit};
use crate::views::{LeaseView, PatternView, WorkerView};

/// An answer to a take, and the time at which it was given.
pub(super) fn taken(row: &Row, asked: BootInstant) -> Result<(Taken, i64), postgres::Error> {
    let at_us: i64 = row.try_get("at_us")?;
    let text = |name: &str| -> Result<String, postgres::Error> {
        Ok(row.try_get::<_, Option<String>>(name)?.unwrap_or_default())
    };
    let taken = match row.try_get::<_, &str>("verdict")? {
        "granted" => {
            let fresh = Duration::from_millis(count(row.try_get("fresh_ms")?));
            Taken::Granted(Grant {
                good_until: asked.after(fresh),
                at_us,
            })
        }
        "halted" => Taken::Halted {
            scope: text("scope")?,
            reason: text("reason")?,
            epoch: count(row.try_get("epoch")?),
        },
        _ => {
            let wait: Option<i64> = row.try_get("wait_ms")?;
            Taken::Refused(Refusal {
                scope: text("scope")?,
                unit: text("unit")?.parse().unwrap_or(Unit::Calls),
                wait: wait.map(|ms| Duration::from_millis(count(ms))),
            })
        }
    };
    Ok((taken, at_us))
}

pub(super) fn claimed(row: &Row, good_until: BootInstant) -> Result<Claimed, postgres::Error> {
    let text = |name: &str| -> Result<String, postgres::Error> {
        Ok(row.try_get::<_, Option<String>>(name)?.unwrap_or_default())
    };
    Ok(match row.try_get::<_, &str>("verdict")? {
        "claimed" => Claimed::Yours {
            held: Held {
                task: text("task")?,
                fence: count(row.try_get("fence")?),
            },
            attempt: small(row.try_get("attempt")?),
            overdue: row
                .try_get::<_, Option<i64>>("wait_ms")?
                .map(|ms| Duration::from_millis(count(ms))),
            good_until,
        },
        "taken" => Claimed::Taken {
            owner: text("owner")?,
            wait: Duration::from_millis(count(row.try_get("wait_ms")?)),
        },
        "over" => Claimed::Over(text("reason")?),
        "halted" => Claimed::Halted(text("reason")?),
        _ => Claimed::Nothing,
    })
}

pub(super) fn worker(row: &Row) -> Result<WorkerView, postgres::Error> {
    Ok(WorkerView {
        id: row.try_get("id")?,
        host: row.try_get("host")?,
        version: row.try_get("version")?,
        repository: row.try_get("repository")?,
        agent: row.try_get("agent")?,
        seen_ms: count(row.try_get("seen_ms")?),
        delivered: count(row.try_get("delivered")?),
        tasks: row.try_get("tasks")?,
    })
}

pub(super) fn lease(row: &Row) -> Result<LeaseView, postgres::Error> {
    Ok(LeaseView {
        repository: row.try_get("repository")?,
        task: row.try_get("task")?,
        owner: row.try_get("owner")?,
        host: row.try_get("host")?,
        fence: count(row.try_get("fence")?),
        attempt: small(row.try_get("attempt")?),
        left_ms: row.try_get("left_ms")?,
    })
}

pub(super) fn pattern(row: &Row) -> Result<PatternView, postgres::Error> {
    Ok(PatternView {
        name: row.try_get("name")?,
        threshold: small(row.try_get("threshold")?),
        span_ms: count(row.try_get("span_ms")?),
        severity: row.try_get("severity")?,
        halts: row.try_get("halts")?,
        about: row.try_get("about")?,
    })
}

fn small(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

/// A number as the server knows it: more than it can hold is as good as the most.
pub(super) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

pub(super) fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}
