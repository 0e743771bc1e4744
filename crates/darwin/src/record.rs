//! One row of the system's table of processes: a `kinfo_proc`.
//!
//! `ps` reads the same rows. They are the only ones that tell of everybody's processes, and a
//! line of ancestors always leads through some of root's.

use crate::bytes::{i32_at, i64_at, u32_at};

/// The size of a row, on both of Apple's architectures.
pub(crate) const SIZE: usize = 648;

const START_SECONDS: usize = 0;
const START_MICROS: usize = 8;
const STATE: usize = 36;
const PID: usize = 40;
const IGNORED: usize = 232;
const NAME: usize = 243;
const NAME_LENGTH: usize = 17;
const PARENT: usize = 560;
const GROUP: usize = 564;

const STOPPED: u8 = 4;
const ZOMBIE: u8 = 5;

/// What a process is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It runs, or waits for something.
    Living,
    /// A signal holds it until SIGCONT comes.
    Stopped,
    /// Nothing runs any more; only the entry waits to be collected.
    Dead,
}

/// What the system's table says of one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number.
    pub pid: i32,
    /// The number of its parent.
    pub parent: i32,
    /// The number of its process group.
    pub group: i32,
    /// When it was started, in microseconds of the wall clock as it was then.
    pub start: u64,
    /// Its short name.
    pub name: String,
    /// What it is doing.
    pub state: State,
    /// The signals it ignores, bit 0 for signal 1.
    pub ignored_signals: u32,
}

impl Record {
    /// Reads one row; `None` if it is cut short or stands for nobody.
    pub(crate) fn parse(row: &[u8]) -> Option<Self> {
        let row = row.get(..SIZE)?;
        let name = &row[NAME..NAME + NAME_LENGTH];
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let pid = i32_at(row, PID)?;
        let seconds = u64::try_from(i64_at(row, START_SECONDS)?).ok()?;
        let micros = u64::try_from(i32_at(row, START_MICROS)?).ok()?;
        (pid >= 0).then_some(())?;
        Some(Self {
            pid,
            parent: i32_at(row, PARENT)?,
            group: i32_at(row, GROUP)?,
            start: seconds.checked_mul(1_000_000)?.checked_add(micros)?,
            name: String::from_utf8_lossy(name).into_owned(),
            state: match row[STATE] {
                ZOMBIE => State::Dead,
                STOPPED => State::Stopped,
                _ => State::Living,
            },
            ignored_signals: u32_at(row, IGNORED)?,
        })
    }

    /// Reads all rows of a table. A row that makes no sense is left out.
    pub(crate) fn parse_all(table: &[u8]) -> Vec<Self> {
        table.chunks(SIZE).filter_map(Self::parse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row as the system would write it, everything else filled with what must not count.
    fn row(pid: i32, state: u8, name: &[u8]) -> Vec<u8> {
        let mut row = vec![0xa5; SIZE];
        let mut put = |at: usize, bytes: &[u8]| row[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &1_700_000_000_i64.to_ne_bytes());
        put(8, &123_456_i32.to_ne_bytes());
        put(36, &[state]);
        put(40, &pid.to_ne_bytes());
        put(232, &0b10_u32.to_ne_bytes());
        put(243, name);
        put(243 + name.len(), &[0]);
        put(560, &7_i32.to_ne_bytes());
        put(564, &9_i32.to_ne_bytes());
        row
    }

    #[test]
    fn a_row_is_read_at_its_places() {
        let expected = Record {
            pid: 42,
            parent: 7,
            group: 9,
            start: 1_700_000_000_123_456,
            name: "node".into(),
            state: State::Living,
            ignored_signals: 0b10,
        };
        assert_eq!(Record::parse(&row(42, 2, b"node")), Some(expected));
        // A name may fill its field and then has no end.
        let long = Record::parse(&row(42, 2, b"sixteen letters!")).unwrap();
        assert_eq!(long.name, "sixteen letters!");
    }

    #[test]
    fn the_stopped_and_the_dead_are_told_from_the_living() {
        for (state, expected) in [
            (1, State::Living),
            (2, State::Living),
            (3, State::Living),
            (4, State::Stopped),
            (5, State::Dead),
        ] {
            assert_eq!(Record::parse(&row(1, state, b"x")).unwrap().state, expected);
        }
    }

    #[test]
    fn a_table_is_read_row_by_row_and_a_torn_end_is_nobody() {
        let mut table = [row(1, 2, b"launchd"), row(2, 5, b"gone")].concat();
        table.extend_from_slice(&row(3, 2, b"torn")[..SIZE - 1]);
        let pids: Vec<i32> = Record::parse_all(&table).iter().map(|r| r.pid).collect();
        assert_eq!(pids, [1, 2]);
        assert_eq!(Record::parse_all(&[]), []);
    }
}
