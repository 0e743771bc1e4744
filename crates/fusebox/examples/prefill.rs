//! Gives a circuit a long past in bulk, for `cargo xtask bench`.
//!
//! Every iteration goes through the engine and the store as `check` and
//! `record` would take it there; only the program's start and the flush are
//! shared by many. The iterations lie an hour apart, before the present boot,
//! so that the limit on calls has room for whoever measures next.
//!
//! `prefill DIRECTORY CIRCUIT ITERATIONS`, with the memory where
//! `FUSEBOX_STATE_DIR` and `XDG_DATA_HOME` say.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use fusebox_core::observation::{Ended, FileChanges};
use fusebox_core::{BootId, Circuit, Entry, Fact, Moment, Observation, Policy, State, machine};
use fusebox_store::{Draft, FoldError, Folded, HomeSources, Homes, Record, Store, View, locate};
use serde::{Deserialize, Serialize};

/// Iterations to a flush. A batch may hold a megabyte.
const BATCH: u64 = 100;
const HOUR_MS: u64 = 3_600_000;

/// The state in the program's own words. `fusebox doctor` and the next `check`
/// would refuse others.
#[derive(Serialize, Deserialize)]
struct Memory {
    version: u16,
    circuit: Circuit,
}

impl Folded for Memory {
    fn genesis() -> Self {
        Self {
            version: 1,
            circuit: Circuit::default(),
        }
    }

    fn fold(&mut self, record: &Record<'_>) -> Result<(), FoldError> {
        self.circuit.fold(&parse(record.body)?);
        Ok(())
    }

    fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data with string keys can be written")
    }

    fn decode(bytes: &[u8]) -> Result<Self, FoldError> {
        parse(bytes)
    }
}

fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, FoldError> {
    serde_json::from_slice(bytes).map_err(|error| FoldError::Invalid(error.to_string()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, circuit, iterations] = &arguments[..] else {
        return Err("usage: prefill DIRECTORY CIRCUIT ITERATIONS".into());
    };
    let homes = Homes::resolve(&HomeSources {
        state_dir: std::env::var_os("FUSEBOX_STATE_DIR").map(Into::into),
        xdg_data_home: std::env::var_os("XDG_DATA_HOME"),
        ..HomeSources::default()
    })?;
    let located = locate(Path::new(directory), &homes)?;
    located.register()?;
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    let location = located.circuit(&circuit.parse()?, fusebox_store::BootId::of(&boot));
    live_through(&Store::open(location)?, iterations.parse()?)
}

fn live_through(store: &Store<Memory>, iterations: u64) -> Result<(), Box<dyn Error>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let now_ms = u64::try_from(now.as_millis())?;
    let begun_ms = now_ms.saturating_sub((iterations + 1) * HOUR_MS);
    let policy = Policy::native();
    for first in (0..iterations).step_by(usize::try_from(BATCH)?) {
        let batch = first..iterations.min(first + BATCH);
        // Files of the log say when they were begun, and are searched by that.
        let batch_ms = begun_ms + first * HOUR_MS;
        store.update(
            batch_ms,
            |view: &View<Memory>| -> Result<_, Box<dyn Error>> {
                let mut circuit = view.state.circuit.clone();
                let mut drafts = Vec::new();
                for iteration in batch {
                    let at = moment(begun_ms, iteration)?;
                    let check = machine::check(&circuit, &policy, machine::Start::default(), &at);
                    let record = machine::record(
                        &check.circuit,
                        &policy,
                        facts(),
                        machine::Claim::default(),
                        &at,
                    );
                    let entries = check.entries.iter().chain(&record.entries);
                    drafts.extend(entries.map(draft).collect::<Result<Vec<_>, _>>()?);
                    circuit = record.circuit;
                    if circuit.state() != State::Closed {
                        return Err("a past full of progress has opened the breaker".into());
                    }
                }
                Ok(drafts)
            },
        )?;
    }
    Ok(())
}

/// A moment in some earlier boot, with both clocks in step.
fn moment(begun_ms: u64, iteration: u64) -> Result<Moment, Box<dyn Error>> {
    let boot_ms = iteration * HOUR_MS;
    Ok(Moment {
        wall_ms: i64::try_from(begun_ms + boot_ms)?,
        boot_ms,
        boot: BootId(1),
    })
}

/// What `record --files-changed 3 --no-errors --exit-code 0` would say.
fn facts() -> Observation {
    Observation {
        files: Fact::Measured(FileChanges {
            count: 3,
            paths: Vec::new(),
            ..FileChanges::default()
        }),
        errors: Fact::Measured(Vec::new()),
        ended: Some(Ended::Exited(0)),
        ..Observation::default()
    }
}

fn draft(entry: &Entry) -> Result<Draft, serde_json::Error> {
    Ok(Draft {
        kind: entry.event.kind(),
        version: 1,
        body: serde_json::to_vec(entry)?,
    })
}
