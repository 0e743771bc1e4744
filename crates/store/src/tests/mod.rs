//! What the tests share: a small folded state and a place to keep it.

mod bounds;
mod concurrency;
mod crash;
mod damage;
mod descriptions;
mod disk_model;
mod failures;
mod history;
mod kin;
mod leading_astray;
mod locating;
mod looking;
mod moved;
mod places;
mod power_cut;
mod restarting;
mod retaining;
mod sealing;
mod sealing_damage;
mod sequences;
mod sizes;
mod versions;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::{
    BootId, Draft, Error, FoldError, Folded, Location, Record, Repair, Store, Tamper, View,
};

/// Counts records and digests their order and content, so that two tallies are
/// equal only if the same records were folded in the same order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    digest: [u8; 32],
    last_body: Vec<u8>,
}

impl Folded for Tally {
    fn genesis() -> Self {
        Self {
            count: 0,
            digest: [0; 32],
            last_body: Vec::new(),
        }
    }

    fn fold(&mut self, record: &Record<'_>) -> Result<(), FoldError> {
        match (record.version, record.body) {
            (1, b"nonsense") => return Err(FoldError::Invalid("nonsense".to_owned())),
            (1, _) => {}
            (version, _) => {
                let what = format!("record kind {}", record.kind);
                return Err(FoldError::Newer {
                    what,
                    version,
                    known: 1,
                });
            }
        }
        self.count += 1;
        let mut hasher = Sha256::new();
        hasher.update(self.digest);
        hasher.update(record.kind.to_le_bytes());
        hasher.update(record.body);
        self.digest = hasher.finalize().into();
        self.last_body = record.body.to_vec();
        Ok(())
    }

    fn encode(&self) -> Vec<u8> {
        [&self.count.to_le_bytes()[..], &self.digest, &self.last_body].concat()
    }

    fn decode(bytes: &[u8]) -> Result<Self, FoldError> {
        let invalid = || FoldError::Invalid("too short".to_owned());
        let (count, rest) = bytes.split_first_chunk::<8>().ok_or_else(invalid)?;
        let (digest, body) = rest.split_first_chunk::<32>().ok_or_else(invalid)?;
        Ok(Self {
            count: u64::from_le_bytes(*count),
            digest: *digest,
            last_body: body.to_vec(),
        })
    }
}

/// The tally of these bodies, folded without any store.
pub(crate) fn tally_of<B: AsRef<[u8]>>(bodies: &[B]) -> Tally {
    let mut tally = Tally::genesis();
    for body in bodies {
        let draft = draft(body.as_ref());
        let mark = crate::Mark {
            seq: 0,
            end: 0,
            hash: [0; 32],
        };
        tally
            .fold(&Record {
                seq: 0,
                kind: draft.kind,
                version: draft.version,
                body: &draft.body,
                mark,
            })
            .unwrap();
    }
    tally
}

pub(crate) fn draft(body: &[u8]) -> Draft {
    Draft {
        kind: 7,
        version: 1,
        body: body.to_vec(),
    }
}

pub(crate) fn boot() -> BootId {
    BootId::of("the boot that wrote")
}

pub(crate) fn later_boot() -> BootId {
    BootId::of("the boot after")
}

pub(crate) fn location_in(root: &Path, boot: BootId) -> Location {
    Location {
        dir: root.join("state/circuits/default"),
        head_file: root.join("heads/default"),
        circuit: "default".parse().unwrap(),
        boot,
        patience: Duration::from_secs(20),
        workspace_dir: root.join("state"),
        witnesses: vec![root.join("heads")],
        listed_twice: false,
        ordinal: 0,
        doubt: None,
        segment_bytes: crate::SEGMENT_BYTES,
    }
}

/// A directory in memory where the system has one. The crash tests flush
/// thousands of times, and what a flush does is modelled, not tested.
pub(crate) fn quick_directory() -> TempDir {
    TempDir::new_in("/dev/shm")
        .or_else(|_| TempDir::new())
        .unwrap()
}

/// A store in a directory of its own.
pub(crate) struct Bench {
    pub(crate) root: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self {
            root: quick_directory(),
        }
    }

    /// A bench whose store holds one record per body.
    pub(crate) fn with(bodies: &[&str]) -> Self {
        let bench = Self::new();
        for body in bodies {
            bench.add(body).unwrap();
        }
        bench
    }

    pub(crate) fn store(&self) -> Store<Tally> {
        self.store_in(boot())
    }

    pub(crate) fn store_in(&self, boot: BootId) -> Store<Tally> {
        Store::open(location_in(self.root.path(), boot)).unwrap()
    }

    /// A store that seals its log as soon as it holds `segment_bytes` of records.
    pub(crate) fn sealing(&self, segment_bytes: u64) -> Store<Tally> {
        sealing_at(self.root.path(), boot(), segment_bytes)
    }

    /// The sealed log that begins with record `seq`.
    pub(crate) fn sealed(&self, seq: u64) -> PathBuf {
        self.log().with_file_name(format!("log.{seq}"))
    }

    pub(crate) fn add(&self, body: &str) -> Result<View<Tally>, Error> {
        add_to(&self.store(), &[body])
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.root.path().join("state/circuits/default/log")
    }

    pub(crate) fn slots(&self) -> PathBuf {
        self.root.path().join("state/circuits/default/slots")
    }

    pub(crate) fn head(&self) -> PathBuf {
        self.root.path().join("heads/default")
    }
}

pub(crate) fn sealing_at(root: &Path, boot: BootId, segment_bytes: u64) -> Store<Tally> {
    Store::open(Location {
        segment_bytes,
        ..location_in(root, boot)
    })
    .unwrap()
}

pub(crate) fn add_to(store: &Store<Tally>, bodies: &[&str]) -> Result<View<Tally>, Error> {
    store.update(1, |_| {
        Ok(bodies.iter().map(|body| draft(body.as_bytes())).collect())
    })
}

/// The finding in an answer, or a panic that shows the answer.
pub(crate) fn tamper<T: std::fmt::Debug>(answer: Result<T, Error>) -> Tamper {
    match answer {
        Err(Error::Tampered(tamper)) => tamper,
        other => panic!("expected tampering, got {other:?}"),
    }
}

pub(crate) fn code<T: std::fmt::Debug>(answer: Result<T, Error>) -> String {
    tamper(answer).code().to_owned()
}

#[test]
fn records_are_folded_and_remembered() {
    let bench = Bench::new();
    let first = bench.store().peek().unwrap();
    assert!(first.is_first_use());
    assert!(!bench.log().exists(), "a peek must not create anything");
    bench.add("a").unwrap();
    let view = add_to(&bench.store(), &["b", "c"]).unwrap();
    assert!(!view.is_first_use());
    assert_eq!((view.seq, view.state), (3, tally_of(&["a", "b", "c"])));
    let seen = bench.store().peek().unwrap();
    assert_eq!(seen.state, tally_of(&["a", "b", "c"]));
    assert_eq!(seen.repairs, []);
    assert_eq!(bench.store().verify_all().unwrap().unwrap().seq, 3);
}

#[test]
fn no_draft_and_a_refused_decision_write_nothing() {
    let bench = Bench::with(&["a"]);
    let before = std::fs::read(bench.log()).unwrap();
    let effects = crate::trace::effects_of(|| {
        bench
            .store()
            .update::<Error, _>(1, |_| Ok(Vec::new()))
            .unwrap();
        bench.store().update(1, |_| Err(Error::NoHome)).unwrap_err();
    });
    assert!(effects.is_empty(), "{effects:?}");
    assert_eq!(std::fs::read(bench.log()).unwrap(), before);
}

#[test]
fn an_update_flushes_once_and_writes_thrice() {
    use crate::trace::Effect;
    let bench = Bench::with(&["a"]);
    let effects = crate::trace::effects_of(|| {
        add_to(&bench.store(), &["b", "c", "d"]).unwrap();
    });
    let names: Vec<(&str, PathBuf)> = effects
        .into_iter()
        .map(|effect| match effect {
            Effect::Write { path, .. } => ("write", path),
            Effect::Sync(path) => ("sync", path),
            other => panic!("unexpected {other:?}"),
        })
        .collect();
    let expected = [
        ("write", bench.log()),
        ("sync", bench.log()),
        ("write", bench.slots()),
        ("write", bench.head()),
    ];
    assert_eq!(names, expected);
}

#[test]
fn repairs_that_people_should_hear_of_are_warnings() {
    assert!(Repair::TornTail { bytes: 1 }.is_warning());
    assert!(Repair::Rebuilt { records: 1 }.is_warning());
    assert!(!Repair::LogAhead { records: 1 }.is_warning());
    assert!(!Repair::CreationFinished.is_warning());
}
