//! A disposable index over the logs, for people who ask about the past.
//!
//! Nothing is ever decided from it. It holds what a caller chose to extract
//! from each record, and for each circuit the mark of the last record it has
//! seen. When that record is no longer in the log, or the file is not a usable
//! database, the index is thrown away and built again; the log is the truth.
//! One process at a time has the file, and whoever cannot have it makes an index
//! in memory, so that nobody is kept from the past by what only makes it quicker.

mod place;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, named_params};

use self::place::Place;
use crate::{CircuitName, Error, Log, Mark, Record};

const COLUMNS: &str = "circuit, seq, at_ms, kind, iteration, task, state, opened, reason, files_changed, error, duration_ms, body";

/// What a caller extracts from a record for the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Wall-clock time in milliseconds.
    pub at_ms: u64,
    /// The name of the record's kind.
    pub kind: String,
    /// The iteration it belongs to.
    pub iteration: Option<u64>,
    /// The task it belongs to.
    pub task: Option<String>,
    /// The state after it.
    pub state: Option<String>,
    /// Whether it opened the breaker.
    pub opened: bool,
    /// Why.
    pub reason: Option<String>,
    /// How many files changed.
    pub files_changed: Option<u64>,
    /// The error that was seen.
    pub error: Option<String>,
    /// How long it took.
    pub duration_ms: Option<u64>,
}

/// One indexed record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The circuit whose log it is in.
    pub circuit: String,
    /// Its number there.
    pub seq: u64,
    /// What was extracted from it.
    pub facts: Facts,
    /// The record's own bytes.
    pub body: Vec<u8>,
}

/// Which rows to give; what is `None` does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Only this circuit.
    pub circuit: Option<String>,
    /// At most this many, the latest ones.
    pub last: usize,
    /// Only from this time on.
    pub since_ms: Option<u64>,
    /// Only this kind.
    pub kind: Option<String>,
    /// And whatever opened the breaker, of whichever kind it is.
    pub or_opened: bool,
    /// Only this task.
    pub task: Option<String>,
    /// Only where task, reason or error contain this, in upper or lower case.
    pub words: Option<String>,
}

/// The index of one workspace. As long as it is there, nobody else has its file.
#[derive(Debug)]
pub struct ReadModel {
    connection: Connection,
    place: Place,
    path: PathBuf,
}

impl ReadModel {
    /// Opens the index, replacing one that cannot be used. Where there can be none in a file,
    /// or others keep it from us, there is one in memory: it is nothing but an index.
    ///
    /// # Errors
    /// When there can be none at all.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let (connection, place) = place::open(path).map_err(|error| failed(path, error))?;
        Ok(Self {
            connection,
            place,
            path: path.to_owned(),
        })
    }

    /// One in memory that holds no more than `most` bytes of the records.
    #[cfg(test)]
    pub(crate) fn in_memory_of(most: u64) -> rusqlite::Result<Self> {
        let (connection, place) = place::in_memory(most)?;
        Ok(Self {
            connection,
            place,
            path: PathBuf::new(),
        })
    }

    /// Indexes what the log has gained since the last time and gives the rows that match, oldest
    /// first. An index that turns out to be damaged is made anew.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn search(
        path: &Path,
        circuit: &CircuitName,
        log: &Log,
        extract: &dyn Fn(&Record<'_>) -> Option<Facts>,
        query: &Query,
    ) -> Result<Vec<Row>, Error> {
        let mut model = Self::open(path)?;
        model.catch_up(circuit, log, extract)?;
        match model.rows(query) {
            Err(Error::ReadModel { .. }) => {
                model.leave_the_file(true)?;
                model.catch_up(circuit, log, extract)?;
                model.rows(query)
            }
            rows => rows,
        }
    }

    /// Indexes what the log has gained since the last time and returns how
    /// many records that were. Records for which `extract` gives nothing are
    /// passed over.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn catch_up(
        &mut self,
        circuit: &CircuitName,
        log: &Log,
        extract: &dyn Fn(&Record<'_>) -> Option<Facts>,
    ) -> Result<u64, Error> {
        match self.catch_up_once(circuit, log, extract) {
            // The database opened and still turned out to be damaged inside, or there is no
            // room for what is new.
            Err(Error::ReadModel { source, .. }) => {
                let sqlite = source.downcast_ref::<rusqlite::Error>();
                let is_damaged = !sqlite.is_some_and(place::is_for_want_of_room);
                self.leave_the_file(is_damaged)?;
                self.catch_up_once(circuit, log, extract)
            }
            outcome => outcome,
        }
    }

    /// Goes on in memory. The lock is held until the file is gone, so that whoever comes next
    /// begins with a new one.
    fn leave_the_file(&mut self, is_damaged: bool) -> Result<(), Error> {
        let (connection, place) = match self.place {
            Place::File { .. } => place::in_memory(place::MOST_IN_MEMORY),
            Place::Memory { most } => place::in_memory(most),
        }
        .map_err(|error| failed(&self.path, error))?;
        // Closed before its file is removed.
        self.connection = connection;
        if is_damaged && matches!(self.place, Place::File { .. }) {
            let _ = place::discard(&self.path);
        }
        self.place = place;
        Ok(())
    }

    fn catch_up_once(
        &mut self,
        circuit: &CircuitName,
        log: &Log,
        extract: &dyn Fn(&Record<'_>) -> Option<Facts>,
    ) -> Result<u64, Error> {
        let Self {
            connection,
            place,
            path,
        } = self;
        let most = match place {
            Place::File { .. } => None,
            Place::Memory { most } => Some(*most),
        };
        let fail = |error| failed(path, error);
        let transaction = connection.transaction().map_err(fail)?;
        let seen = match progress(&transaction, circuit).map_err(fail)? {
            Some(seen) if log.contains(&seen)? => Some(seen),
            Some(_) => {
                forget(&transaction, circuit).map_err(fail)?;
                None
            }
            None => None,
        };
        if let Some(past) = log.pruned() {
            forget_until(&transaction, circuit, past.last.seq).map_err(fail)?;
        }
        let (mut indexed, mut held) = (0, 0);
        let mut reader = log.reader(seen);
        while let Some(record) = reader.next_record()? {
            if let Some(facts) = extract(&record) {
                insert(&transaction, circuit, &record, &facts).map_err(fail)?;
                held += record.body.len() as u64;
                if most.is_some_and(|most| held > most) {
                    held = forget_the_older_half(&transaction, circuit).map_err(fail)?;
                }
            }
            indexed += 1;
        }
        set_progress(&transaction, circuit, &log.end()).map_err(fail)?;
        transaction.commit().map_err(fail)?;
        Ok(indexed)
    }

    /// The rows that match, oldest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn rows(&self, query: &Query) -> Result<Vec<Row>, Error> {
        self.select(query)
            .map_err(|error| failed(&self.path, error))
    }

    fn select(&self, query: &Query) -> rusqlite::Result<Vec<Row>> {
        let mut statement = self.connection.prepare(&format!(
            "SELECT {COLUMNS} FROM rows JOIN (
                 SELECT circuit AS found_circuit, seq AS found_seq FROM rows
                 WHERE (:circuit IS NULL OR circuit = :circuit) AND (:since IS NULL OR at_ms >= :since)
                   AND (:kind IS NULL OR kind = :kind OR (:or_opened AND opened)) AND (:task IS NULL OR task = :task)
                   AND (:words IS NULL OR instr(
                       lower(coalesce(task, '') || char(10) || coalesce(reason, '') || char(10) || coalesce(error, '')),
                       lower(:words)) > 0)
                 ORDER BY at_ms DESC, circuit DESC, seq DESC LIMIT :last
             ) ON circuit = found_circuit AND seq = found_seq
             ORDER BY at_ms DESC, circuit DESC, seq DESC"
        ))?;
        let parameters = named_params! {
            ":circuit": query.circuit,
            ":since": query.since_ms.map(signed),
            ":kind": query.kind,
            ":or_opened": query.or_opened,
            ":task": query.task,
            ":words": query.words,
            ":last": i64::try_from(query.last).unwrap_or(i64::MAX),
        };
        let rows = statement.query_map(parameters, read_row)?;
        let mut rows = rows.collect::<rusqlite::Result<Vec<Row>>>()?;
        rows.reverse();
        Ok(rows)
    }
}

fn progress(connection: &Connection, circuit: &CircuitName) -> rusqlite::Result<Option<Mark>> {
    let select = "SELECT seq, end, hash FROM progress WHERE circuit = ?1";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Mark {
            seq: unsigned(row.get(0)?),
            end: unsigned(row.get(1)?),
            hash: row.get(2)?,
        })
    };
    connection
        .query_row(select, [circuit.as_str()], read)
        .optional()
}

fn set_progress(
    connection: &Connection,
    circuit: &CircuitName,
    mark: &Mark,
) -> rusqlite::Result<()> {
    let parameters = (
        circuit.as_str(),
        signed(mark.seq),
        signed(mark.end),
        mark.hash,
    );
    let replace =
        "INSERT OR REPLACE INTO progress (circuit, seq, end, hash) VALUES (?1, ?2, ?3, ?4)";
    connection.execute(replace, parameters).map(|_| ())
}

fn forget(connection: &Connection, circuit: &CircuitName) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM rows WHERE circuit = ?1", [circuit.as_str()])?;
    connection.execute(
        "DELETE FROM progress WHERE circuit = ?1",
        [circuit.as_str()],
    )?;
    Ok(())
}

/// What was pruned from the log is not to live on in its index.
fn forget_until(connection: &Connection, circuit: &CircuitName, seq: u64) -> rusqlite::Result<()> {
    let delete = "DELETE FROM rows WHERE circuit = ?1 AND seq <= ?2";
    connection
        .execute(delete, (circuit.as_str(), signed(seq)))
        .map(|_| ())
}

/// Makes room in memory; gives the bytes of what is left.
fn forget_the_older_half(connection: &Connection, circuit: &CircuitName) -> rusqlite::Result<u64> {
    let delete = "DELETE FROM rows WHERE circuit = ?1 AND seq < (
        SELECT seq FROM rows WHERE circuit = ?1 ORDER BY seq
        LIMIT 1 OFFSET (SELECT (count(*) + 1) / 2 FROM rows WHERE circuit = ?1))";
    connection.execute(delete, [circuit.as_str()])?;
    let left = "SELECT coalesce(sum(length(body)), 0) FROM rows WHERE circuit = ?1";
    connection.query_row(left, [circuit.as_str()], |row| row.get(0).map(unsigned))
}

fn insert(
    connection: &Connection,
    circuit: &CircuitName,
    record: &Record<'_>,
    facts: &Facts,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(&format!(
        "INSERT OR REPLACE INTO rows ({COLUMNS}) VALUES (:circuit, :seq, :at_ms, :kind, :iteration, :task, :state,
         :opened, :reason, :files_changed, :error, :duration_ms, :body)"
    ))?;
    statement.execute(named_params! {
        ":circuit": circuit.as_str(),
        ":seq": signed(record.seq),
        ":at_ms": signed(facts.at_ms),
        ":kind": facts.kind,
        ":iteration": facts.iteration.map(signed),
        ":task": facts.task,
        ":state": facts.state,
        ":opened": facts.opened,
        ":reason": facts.reason,
        ":files_changed": facts.files_changed.map(signed),
        ":error": facts.error,
        ":duration_ms": facts.duration_ms.map(signed),
        ":body": record.body,
    })?;
    Ok(())
}

fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        circuit: row.get("circuit")?,
        seq: unsigned(row.get("seq")?),
        facts: Facts {
            at_ms: unsigned(row.get("at_ms")?),
            kind: row.get("kind")?,
            iteration: row.get::<_, Option<i64>>("iteration")?.map(unsigned),
            task: row.get("task")?,
            state: row.get("state")?,
            opened: row.get("opened")?,
            reason: row.get("reason")?,
            files_changed: row.get::<_, Option<i64>>("files_changed")?.map(unsigned),
            error: row.get("error")?,
            duration_ms: row.get::<_, Option<i64>>("duration_ms")?.map(unsigned),
        },
        body: row.get("body")?,
    })
}

/// SQLite's integers are signed; values beyond them are absurd and saturate.
fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

fn failed(path: &Path, error: rusqlite::Error) -> Error {
    Error::ReadModel {
        path: path.to_owned(),
        source: Box::new(error),
    }
}
