//! A coordinator on PostgreSQL, 13 or later, its primary.
//!
//! The rules are functions in the database (`migrations/`), where the lock and the clock
//! are. What is here asks them, each in one statement, and measures on this machine's
//! boot-time clock how long an answer is good for: from before the question was sent,
//! because the answer may have been long under way.

mod clock_watch;
mod line;
mod migrate;
mod rows;

use std::time::Duration;

use postgres::Config;

use self::clock_watch::ClockWatch;
use self::line::Line;
pub use self::migrate::Applied;
use self::rows::{claimed, count, lease, millis, pattern, taken, whole, worker};
use crate::boot_clock::BootInstant;
use crate::coordinator::{Coordinator, Worker};
use crate::error::FleetError;
use crate::identity::Id;
use crate::terms::{Claimed, Event, Held, LeaseEnd, PatternChange, Scope, Take, Taken, Unit, Used};
use crate::views::{LeaseView, Overview, PatternView, WorkerView};

/// What a lease is shorter by for its holder than for everybody else.
const MARGIN: Duration = Duration::from_millis(500);

/// A coordinator on PostgreSQL.
pub struct Postgres {
    line: Line,
    clock: ClockWatch,
    /// Whether the schema is known to be ours.
    ready: bool,
}

impl Postgres {
    /// The one at this address. Nothing is connected yet.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self {
            line: Line::new(config),
            clock: ClockWatch::default(),
            ready: false,
        }
    }

    /// Brings the schema up to date. Takes the rights of its owner.
    ///
    /// # Errors
    /// If the server cannot be reached, or does not allow it.
    pub fn migrate(&mut self) -> Result<Applied, FleetError> {
        self.line.ask(migrate::migrate)
    }

    /// The schema that the database has, 0 for none, and the one that this release needs.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub fn versions(&mut self) -> Result<(i32, i32), FleetError> {
        Ok((self.line.ask(migrate::version)?, migrate::current()))
    }

    fn line(&mut self) -> Result<&mut Line, FleetError> {
        if !self.ready {
            let version = self.line.ask(migrate::version)?;
            migrate::refuse_other(version)?;
            self.ready = true;
        }
        Ok(&mut self.line)
    }
}

impl Coordinator for Postgres {
    fn enrol(&mut self, worker: &Worker) -> Result<(), FleetError> {
        let Worker {
            id,
            host,
            version,
            repository,
            agent,
        } = worker.clone();
        self.line()?.ask(move |session| {
            let id = id.as_str();
            session
                .query(
                    "select fusebox.enrol($1, $2, $3, $4, $5)",
                    &[&id, &host, &version, &repository, &agent],
                )
                .map(drop)
        })
    }

    fn take(&mut self, take: &Take) -> Result<Taken, FleetError> {
        let asked = BootInstant::now();
        let scopes: Vec<String> = take.scopes.iter().map(ToString::to_string).collect();
        let first = scopes.first().cloned().unwrap_or_default();
        let (name, worker) = (take.name.to_string(), take.worker.to_string());
        let by = worker.clone();
        let [calls, tokens, money] = Unit::ALL.map(|unit| whole(take.amounts.of(unit)));
        let task = take.lease.as_ref().map(|lease| lease.task.clone());
        let fence = take.lease.as_ref().map(|lease| whole(lease.fence));
        let (taken, at_us) = self.line()?.ask(move |session| {
            let rows = session.query(
                "select * from fusebox.take($1, $2, $3, $4, $5, $6, $7, $8)",
                &[
                    &worker, &name, &scopes, &calls, &tokens, &money, &task, &fence,
                ],
            )?;
            taken(&rows[0], asked)
        })?;
        if let Err(jumped) = self.clock.look(at_us, BootInstant::now()) {
            // Told to people; whether that succeeds changes nothing here.
            let told = self.line.ask(move |session| {
                session.query(
                    "select fusebox.report_incident($1, $2, 'clock_jump', '', 'EXTERNAL_DEPENDENCY')",
                    &[&by, &first],
                )
            });
            drop(told);
            return Err(jumped);
        }
        Ok(taken)
    }

    fn settle(&mut self, name: &Id, used: &Used) -> Result<(), FleetError> {
        let name = name.to_string();
        let (tokens, money) = (used.tokens.map(whole), used.micro_usd.map(whole));
        self.line()?.ask(move |session| {
            session
                .query(
                    "select fusebox.settle($1, $2, $3)",
                    &[&name, &tokens, &money],
                )
                .map(drop)
        })
    }

    fn offer(&mut self, repository: &str, tasks: &[String]) -> Result<u64, FleetError> {
        let (repository, tasks) = (repository.to_owned(), tasks.to_vec());
        self.line()?.ask(move |session| {
            let rows = session.query("select fusebox.offer($1, $2)", &[&repository, &tasks])?;
            Ok(count(rows[0].try_get(0)?))
        })
    }

    fn claim(
        &mut self,
        worker: &Worker,
        task: Option<&str>,
        ttl: Duration,
    ) -> Result<Claimed, FleetError> {
        let asked = BootInstant::now();
        let (id, repository) = (worker.id.to_string(), worker.repository.clone());
        let task = task.map(str::to_owned);
        let ttl_ms = millis(ttl);
        let good_until = asked.after(ttl.saturating_sub(MARGIN));
        self.line()?.ask(move |session| {
            let rows = match task {
                Some(task) => session.query(
                    "select * from fusebox.claim($1, $2, $3, $4)",
                    &[&id, &repository, &task, &ttl_ms],
                )?,
                None => session.query(
                    "select * from fusebox.claim_any($1, $2, $3)",
                    &[&id, &repository, &ttl_ms],
                )?,
            };
            claimed(&rows[0], good_until)
        })
    }

    fn beat(
        &mut self,
        worker: &Worker,
        held: &[Held],
        ttl: Duration,
    ) -> Result<Vec<String>, FleetError> {
        let (id, repository) = (worker.id.to_string(), worker.repository.clone());
        let tasks: Vec<String> = held.iter().map(|one| one.task.clone()).collect();
        let fences: Vec<i64> = held.iter().map(|one| whole(one.fence)).collect();
        let ttl_ms = millis(ttl);
        self.line()?.ask(move |session| {
            let rows = session.query(
                "select fusebox.beat($1, $2, $3, $4, $5)",
                &[&id, &repository, &tasks, &fences, &ttl_ms],
            )?;
            rows.iter().map(|row| row.try_get(0)).collect()
        })
    }

    fn finish(
        &mut self,
        worker: &Worker,
        held: &Held,
        end: LeaseEnd,
        note: &str,
    ) -> Result<bool, FleetError> {
        let (id, repository) = (worker.id.to_string(), worker.repository.clone());
        let (task, fence, note) = (held.task.clone(), whole(held.fence), note.to_owned());
        self.line()?.ask(move |session| {
            let rows = session.query(
                "select fusebox.finish($1, $2, $3, $4, $5, $6)",
                &[&id, &repository, &task, &fence, &end.name(), &note],
            )?;
            rows[0].try_get(0)
        })
    }

    fn reopen(&mut self, repository: &str, task: &str) -> Result<bool, FleetError> {
        let (repository, task) = (repository.to_owned(), task.to_owned());
        self.line()?.ask(move |session| {
            let rows = session.query("select fusebox.reopen($1, $2)", &[&repository, &task])?;
            rows[0].try_get(0)
        })
    }

    fn deliver(
        &mut self,
        worker: &Worker,
        through: u64,
        events: &[Event],
    ) -> Result<u64, FleetError> {
        let id = worker.id.to_string();
        let events = serde_json::to_string(events)
            .map_err(|error| FleetError::Failed(error.to_string()))?
            // PostgreSQL has no such character.
            .replace("\\u0000", "\\ufffd");
        let through = whole(through);
        self.line()?.ask(move |session| {
            let rows = session.query(
                "select fusebox.deliver($1, $2, $3)",
                &[&id, &through, &events],
            )?;
            Ok(count(rows[0].try_get(0)?))
        })
    }

    fn halt(&mut self, scope: &Scope, reason: &str, by: &str) -> Result<(), FleetError> {
        let (scope, reason, by) = (scope.to_string(), reason.to_owned(), by.to_owned());
        self.line()?.ask(move |session| {
            session
                .query("select fusebox.halt($1, $2, $3)", &[&scope, &reason, &by])
                .map(drop)
        })
    }

    fn resume(&mut self, scope: &Scope, resolution: &str, by: &str) -> Result<bool, FleetError> {
        let (scope, resolution, by) = (scope.to_string(), resolution.to_owned(), by.to_owned());
        self.line()?.ask(move |session| {
            let rows = session.query(
                "select fusebox.resume($1, $2, $3)",
                &[&scope, &resolution, &by],
            )?;
            rows[0].try_get(0)
        })
    }

    fn set_budget(
        &mut self,
        scope: &Scope,
        unit: Unit,
        most: Option<u64>,
        span: Duration,
    ) -> Result<(), FleetError> {
        let (scope, unit, span_ms) = (scope.to_string(), unit.name(), millis(span));
        let most = most.map(whole);
        self.line()?.ask(move |session| {
            match most {
                Some(most) => session.query(
                    "select fusebox.set_budget($1, $2, $3, $4)",
                    &[&scope, &unit, &most, &span_ms],
                ),
                None => session.query("select fusebox.drop_budget($1, $2)", &[&scope, &unit]),
            }
            .map(drop)
        })
    }

    fn set_pattern(&mut self, name: &str, change: &PatternChange) -> Result<bool, FleetError> {
        let name = name.to_owned();
        let threshold = change
            .threshold
            .map(|most| i32::try_from(most).unwrap_or(i32::MAX));
        let (span_ms, halts) = (change.span_ms.map(whole), change.halts);
        self.line()?.ask(move |session| {
            let rows = session.query(
                "select fusebox.set_pattern($1, $2, $3, $4)",
                &[&name, &threshold, &span_ms, &halts],
            )?;
            rows[0].try_get(0)
        })
    }

    fn patterns(&mut self) -> Result<Vec<PatternView>, FleetError> {
        self.line()?.ask(|session| {
            let rows = session.query("select * from fusebox.patterns()", &[])?;
            rows.iter().map(pattern).collect()
        })
    }

    fn overview(&mut self) -> Result<Overview, FleetError> {
        let text: String = self.line()?.ask(|session| {
            let rows = session.query("select fusebox.overview()", &[])?;
            rows[0].try_get(0)
        })?;
        serde_json::from_str(&text).map_err(|error| FleetError::Failed(error.to_string()))
    }

    fn workers(&mut self) -> Result<Vec<WorkerView>, FleetError> {
        self.line()?.ask(|session| {
            let rows = session.query("select * from fusebox.roll()", &[])?;
            rows.iter().map(worker).collect()
        })
    }

    fn leases(&mut self) -> Result<Vec<LeaseView>, FleetError> {
        self.line()?.ask(|session| {
            let rows = session.query("select * from fusebox.leases()", &[])?;
            rows.iter().map(lease).collect()
        })
    }

    fn tend(&mut self) -> Result<(), FleetError> {
        self.line()?
            .ask(|session| session.query("select fusebox.tend()", &[]).map(drop))
    }
}
