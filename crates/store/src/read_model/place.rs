//! Where an index is kept: in a file that one process at a time has for itself, or in memory.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::Error;

/// Raised when the tables change, or what is kept in them; an index of another version is rebuilt.
const SCHEMA_VERSION: i64 = 4;
/// The index over what is searched by holds none of the bodies, which are most of the
/// file: a search that finds nothing has to read all of it.
const SCHEMA: &str = "
    CREATE TABLE progress (
        circuit TEXT PRIMARY KEY, seq INTEGER NOT NULL, end INTEGER NOT NULL, hash BLOB NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE rows (
        circuit TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, kind TEXT NOT NULL,
        iteration INTEGER, task TEXT, state TEXT, opened INTEGER NOT NULL, reason TEXT, files_changed INTEGER,
        error TEXT, duration_ms INTEGER, body BLOB NOT NULL,
        PRIMARY KEY (circuit, seq)
    ) WITHOUT ROWID;
    CREATE INDEX rows_by_time ON rows (at_ms, circuit, seq, kind, opened, task, reason, error);
";
/// How long others may have the file. Whoever waits for longer looks through the log instead.
const PATIENCE: Duration = Duration::from_secs(2);
/// What an index in memory holds at most of the records, in bytes; the latest ones.
pub(super) const MOST_IN_MEMORY: u64 = 64 << 20;

/// Where an index is.
#[derive(Debug)]
pub(super) enum Place {
    /// In a file, which nobody else opens, replaces or removes as long as the lock is held.
    File { _lock: File },
    /// In memory, for this one time.
    Memory { most: u64 },
}

/// Opens the index in the file, and replaces one that cannot be used; in memory where there
/// can be no file, or others have it.
pub(super) fn open(path: &Path) -> rusqlite::Result<(Connection, Place)> {
    let Ok(lock) = fusebox_files::lock_beside(path, PATIENCE) else {
        return in_memory(MOST_IN_MEMORY);
    };
    let opened = connect(path).or_else(|error| match is_for_want_of_room(&error) {
        true => Err(error),
        false => {
            let _ = discard(path);
            connect(path)
        }
    });
    match opened {
        Ok(connection) => Ok((connection, Place::File { _lock: lock })),
        Err(_) => in_memory(MOST_IN_MEMORY),
    }
}

/// An index of what is in the log now, gone when it is dropped.
pub(super) fn in_memory(most: u64) -> rusqlite::Result<(Connection, Place)> {
    let connection = Connection::open_in_memory()?;
    prepare(&connection)?;
    Ok((connection, Place::Memory { most }))
}

/// Whether a new file would fare no better.
pub(super) fn is_for_want_of_room(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    matches!(code, Some(ErrorCode::DiskFull | ErrorCode::ReadOnly))
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    // SQLite would create the file for everybody; it takes over the mode of
    // one that exists. Should this fail, opening says why.
    let _ = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    // Earlier releases open it without our lock.
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A lost index is rebuilt, so there is nothing to flush for.
    connection.pragma_update(None, "synchronous", "OFF")?;
    prepare(&connection)?;
    Ok(connection)
}

fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    match connection.query_row("PRAGMA user_version", [], |row| row.get(0))? {
        SCHEMA_VERSION => Ok(()),
        0 => connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
        )),
        _ => Err(rusqlite::Error::InvalidQuery),
    }
}

/// Removes the file, for whoever holds the lock.
pub(super) fn discard(path: &Path) -> Result<(), Error> {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.to_owned().into_os_string();
        name.push(suffix);
        match fs::remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Error::io("remove", Path::new(&name))(error));
            }
            _ => {}
        }
    }
    Ok(())
}
