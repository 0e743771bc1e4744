//! One connection, on a thread of its own.
//!
//! A server that is cut off does not say so. Whoever asks here waits for a bounded
//! time, then leaves the thread to its fate and has a new one connect, not at once
//! and not in step with everybody else who was cut off at the same moment.

use std::collections::HashMap;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, SystemTime};

use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, Config, Error, NoTls, Row, Statement};

use crate::boot_clock::BootInstant;
use crate::error::FleetError;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(12);
/// How long the server may work on one statement; less, so that it gives up first.
const OPTIONS: &str = "-c statement_timeout=10s -c default_transaction_isolation=read\\ committed -c default_transaction_read_only=off";
/// The wait after the first failure; it doubles up to the longest.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// A connection and the statements it knows.
pub(super) struct Session {
    client: Client,
    known: HashMap<&'static str, Statement>,
}

impl Session {
    /// Asks something that is asked again and again.
    pub(super) fn query(
        &mut self,
        sql: &'static str,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Error> {
        let statement = if let Some(statement) = self.known.get(sql) {
            statement.clone()
        } else {
            let statement = self.client.prepare(sql)?;
            self.known.insert(sql, statement.clone());
            statement
        };
        self.client.query(&statement, values)
    }

    /// The connection itself, for what is asked once.
    pub(super) fn client(&mut self) -> &mut Client {
        &mut self.client
    }
}

type Job = Box<dyn FnOnce(Result<&mut Session, String>) + Send>;

/// The line to a server, and how long it has been cut.
pub(super) struct Line {
    config: Config,
    open: Option<Sender<Job>>,
    outage: Option<Outage>,
}

struct Outage {
    since: SystemTime,
    why: String,
    failures: u32,
    retry_at: BootInstant,
}

/// Why there is no answer.
enum Trouble {
    Link(String),
    Server(FleetError),
}

impl Line {
    pub(super) fn new(config: &Config) -> Self {
        let mut config = config.clone();
        let options = config.get_options().unwrap_or_default().to_owned();
        config.options(format!("{options} {OPTIONS}").trim());
        Self {
            config,
            open: None,
            outage: None,
        }
    }

    /// Has `work` done on the connection's thread.
    pub(super) fn ask<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, FleetError> {
        if let Some(outage) = self
            .outage
            .as_ref()
            .filter(|outage| !outage.retry_at.is_over())
        {
            return Err(outage.told());
        }
        let (answer, answered) = mpsc::sync_channel(1);
        let job: Job = Box::new(move |session| {
            let result = match session {
                Ok(session) => work(session).map_err(|error| trouble(&error)),
                Err(why) => Err(Trouble::Link(why)),
            };
            // Whoever asked may have stopped waiting.
            let _ = answer.send(result);
        });
        let config = &self.config;
        let open = self.open.get_or_insert_with(|| open(config.clone()));
        let sent = open.send(job).is_ok();
        let result = if sent {
            answered.recv_timeout(PATIENCE).unwrap_or_else(|error| {
                Err(Trouble::Link(match error {
                    RecvTimeoutError::Timeout => {
                        format!("no answer for {} s", PATIENCE.as_secs())
                    }
                    RecvTimeoutError::Disconnected => "the connection was given up".to_owned(),
                }))
            })
        } else {
            Err(Trouble::Link("the connection was given up".to_owned()))
        };
        match result {
            Ok(value) => {
                self.outage = None;
                Ok(value)
            }
            Err(Trouble::Server(error)) => {
                self.outage = None;
                Err(error)
            }
            Err(Trouble::Link(why)) => Err(self.cut(why)),
        }
    }

    /// Notes that the line is cut, and when to try again.
    fn cut(&mut self, why: String) -> FleetError {
        self.open = None;
        let failures = self.outage.as_ref().map_or(0, |outage| outage.failures) + 1;
        let since = self
            .outage
            .as_ref()
            .map_or_else(SystemTime::now, |outage| outage.since);
        let outage = Outage {
            since,
            why,
            failures,
            retry_at: BootInstant::now().after(wait_after(failures)),
        };
        let told = outage.told();
        self.outage = Some(outage);
        told
    }
}

impl Outage {
    fn told(&self) -> FleetError {
        FleetError::Unreachable {
            since: self.since,
            why: self.why.clone(),
        }
    }
}

/// Between half of the wait and all of it, so that a fleet does not come back as one.
fn wait_after(failures: u32) -> Duration {
    let doubled = FIRST_WAIT.saturating_mul(1 << failures.saturating_sub(1).min(10));
    let whole = doubled.min(LONGEST_WAIT);
    let share = getrandom::u32().unwrap_or(0) % 1_000;
    whole / 2 + whole / 2 * share / 1_000
}

/// Starts the thread of a connection. It ends when nobody asks any more.
fn open(config: Config) -> Sender<Job> {
    let (jobs, asked) = mpsc::channel::<Job>();
    // Without a thread the receiver is gone, and whoever asks is told so.
    let _ = thread::Builder::new().name("fleet".into()).spawn(move || {
        let client = config.connect(NoTls);
        let mut session = client.map_err(|error| words(&error)).map(|client| Session {
            client,
            known: HashMap::new(),
        });
        for job in asked {
            match &mut session {
                Ok(session) => job(Ok(session)),
                Err(why) => job(Err(why.clone())),
            }
        }
    });
    jobs
}

/// An error and what is behind it, in one line.
fn words(error: &Error) -> String {
    let mut text = error.to_string();
    let mut inner = std::error::Error::source(error);
    while let Some(source) = inner {
        let more = source.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        inner = source.source();
    }
    text.replace('\n', " ")
}

fn trouble(error: &Error) -> Trouble {
    let Some(told) = error.as_db_error() else {
        return if error.is_closed()
            || std::error::Error::source(error).is_some_and(|source| source.is::<std::io::Error>())
        {
            Trouble::Link(words(error))
        } else {
            Trouble::Server(FleetError::Failed(words(error)))
        };
    };
    let code = told.code();
    let class = &code.code()[..2];
    // Shutting down, starting up, out of connections: as good as not there.
    if matches!(class, "57" | "08" | "53") {
        return Trouble::Link(told.message().to_owned());
    }
    let message = told.message().to_owned();
    Trouble::Server(match code {
        code if *code == SqlState::INSUFFICIENT_PRIVILEGE => FleetError::NotAllowed(message),
        code if *code == SqlState::READ_ONLY_SQL_TRANSACTION => FleetError::Failed(
            "this server is a copy that cannot be written; name the primary".to_owned(),
        ),
        code if [
            SqlState::UNDEFINED_FUNCTION,
            SqlState::UNDEFINED_TABLE,
            SqlState::INVALID_SCHEMA_NAME,
        ]
        .contains(code) =>
        {
            FleetError::Schema(format!(
                "the database is not prepared for this release ({message})"
            ))
        }
        _ => FleetError::Failed(message),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_bound_and_differ() {
        for (failures, most) in [(1, 500), (2, 1_000), (4, 4_000), (9, 30_000), (99, 30_000)] {
            let waits: Vec<u128> = (0..50).map(|_| wait_after(failures).as_millis()).collect();
            assert!(
                waits.iter().all(|ms| (most / 2..=most).contains(ms)),
                "{waits:?}"
            );
            assert!(waits.iter().any(|ms| *ms != waits[0]), "{waits:?}");
        }
    }
}
