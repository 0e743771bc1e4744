//! The read model follows the log, and is replaced when it cannot.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::Bench;
use crate::{CircuitName, Facts, Query, ReadModel, Record, Row};

fn facts(record: &Record<'_>) -> Option<Facts> {
    let text = String::from_utf8_lossy(record.body).into_owned();
    (text != "skip").then(|| Facts {
        at_ms: record.seq * 100,
        kind: if text.starts_with('t') {
            "trip"
        } else {
            "tick"
        }
        .to_owned(),
        iteration: Some(record.seq),
        task: Some(text),
        files_changed: Some(3),
        ..Facts::default()
    })
}

fn circuit() -> CircuitName {
    "default".parse().unwrap()
}

fn database(bench: &Bench) -> PathBuf {
    bench.root.path().join("history.db")
}

fn catch_up(bench: &Bench, model: &mut ReadModel) -> u64 {
    let log = bench.store().log().unwrap().unwrap();
    model.catch_up(&circuit(), &log, &facts).unwrap()
}

fn all(model: &ReadModel) -> Vec<Row> {
    let query = Query {
        last: 1000,
        ..Query::default()
    };
    model.rows(&query).unwrap()
}

fn seqs(rows: &[Row]) -> Vec<u64> {
    rows.iter().map(|row| row.seq).collect()
}

#[test]
fn only_what_is_new_is_indexed() {
    let bench = Bench::with(&["one", "skip", "two"]);
    let mut model = ReadModel::open(&database(&bench)).unwrap();
    assert_eq!(catch_up(&bench, &mut model), 3);
    assert_eq!(catch_up(&bench, &mut model), 0);
    bench.add("four").unwrap();
    drop(model);
    let mut model = ReadModel::open(&database(&bench)).unwrap();
    assert_eq!(catch_up(&bench, &mut model), 1);
    assert_eq!(seqs(&all(&model)), [1, 3, 4]);
    let row = &all(&model)[1];
    assert_eq!(
        (row.circuit.as_str(), row.body.as_slice()),
        ("default", &b"two"[..])
    );
    assert_eq!(row.facts.files_changed, Some(3));
    assert_eq!(row.facts.error, None);
    let mode = fs::metadata(database(&bench)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn queries_narrow_and_give_the_latest() {
    let bench = Bench::with(&["one", "two", "three", "four"]);
    let mut model = ReadModel::open(&database(&bench)).unwrap();
    catch_up(&bench, &mut model);
    let text = |text: &str| Some(text.to_owned());
    let any = Query {
        last: 10,
        ..Query::default()
    };
    let table = [
        (
            Query {
                last: 2,
                ..any.clone()
            },
            vec![3, 4],
        ),
        (
            Query {
                last: 0,
                ..any.clone()
            },
            vec![],
        ),
        (
            Query {
                since_ms: Some(300),
                ..any.clone()
            },
            vec![3, 4],
        ),
        (
            Query {
                kind: text("trip"),
                ..any.clone()
            },
            vec![2, 3],
        ),
        (
            Query {
                task: text("one"),
                ..any.clone()
            },
            vec![1],
        ),
        (
            Query {
                circuit: text("default"),
                ..any.clone()
            },
            vec![1, 2, 3, 4],
        ),
        (
            Query {
                circuit: text("other"),
                ..any
            },
            vec![],
        ),
    ];
    for (query, expected) in table {
        assert_eq!(seqs(&model.rows(&query).unwrap()), expected, "{query:?}");
    }
}

#[test]
fn a_log_that_began_anew_is_indexed_anew() {
    let bench = Bench::with(&["one", "two", "three"]);
    let mut model = ReadModel::open(&database(&bench)).unwrap();
    catch_up(&bench, &mut model);
    bench.store().restart(9, &[super::draft(b"reset")]).unwrap();
    assert_eq!(catch_up(&bench, &mut model), 1);
    assert_eq!(seqs(&all(&model)), [1]);
    assert_eq!(all(&model)[0].body, b"reset");
}

#[test]
fn where_there_can_be_no_file_the_past_is_told_from_memory() {
    let bench = Bench::with(&["one", "two"]);
    fs::create_dir(database(&bench)).unwrap();
    for at in [database(&bench), bench.root.path().join("no/such/place")] {
        let mut model = ReadModel::open(&at).unwrap();
        assert_eq!(catch_up(&bench, &mut model), 2);
        assert_eq!(catch_up(&bench, &mut model), 0);
        assert_eq!(seqs(&all(&model)), [1, 2]);
    }
    assert!(database(&bench).is_dir());
}

#[test]
fn whoever_is_asked_while_another_has_the_file_answers_from_memory() {
    let bench = Bench::with(&["one", "two"]);
    let mut first = ReadModel::open(&database(&bench)).unwrap();
    catch_up(&bench, &mut first);
    let mut second = ReadModel::open(&database(&bench)).unwrap();
    assert_eq!(catch_up(&bench, &mut second), 2, "all of it, as it is new");
    assert_eq!(all(&first), all(&second));
}

#[test]
fn many_at_once_who_find_a_damaged_index_all_get_their_answer() {
    let bench = Bench::with(&["one", "two"]);
    let log = bench.store().log().unwrap().unwrap();
    let query = Query {
        last: 1000,
        ..Query::default()
    };
    for _ in 0..10 {
        fs::write(database(&bench), b"not a database").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let path = database(&bench);
                    let rows = ReadModel::search(&path, &circuit(), &log, &facts, &query);
                    assert_eq!(seqs(&rows.unwrap()), [1, 2]);
                });
            }
        });
    }
    let mut model = ReadModel::open(&database(&bench)).unwrap();
    assert_eq!(
        catch_up(&bench, &mut model),
        0,
        "nobody keeps an index in a file"
    );
}

#[test]
fn an_index_in_memory_has_a_bound_and_keeps_what_is_latest() {
    let bodies: Vec<String> = (0..100).map(|number| format!("{number:010}")).collect();
    let bench = Bench::with(&bodies.iter().map(String::as_str).collect::<Vec<_>>());
    let mut model = ReadModel::in_memory_of(200).unwrap();
    assert_eq!(catch_up(&bench, &mut model), 100);
    let left = seqs(&all(&model));
    assert_eq!(left.last(), Some(&100));
    assert!((10..=20).contains(&left.len()), "{left:?}");
    assert_eq!(
        left.len() as u64,
        101 - left[0],
        "there are gaps in {left:?}"
    );
}

#[test]
fn an_unusable_database_is_replaced() {
    let bench = Bench::with(&["one", "two"]);
    let mut model = ReadModel::open(&database(&bench)).unwrap();
    catch_up(&bench, &mut model);
    drop(model);
    let sound = fs::read(database(&bench)).unwrap();
    let mut torn = sound.clone();
    torn[100..].fill(0xa5);
    for content in [b"not a database".to_vec(), sound[..100].to_vec(), torn] {
        fs::write(database(&bench), &content).unwrap();
        let mut model = ReadModel::open(&database(&bench)).unwrap();
        catch_up(&bench, &mut model);
        assert_eq!(seqs(&all(&model)), [1, 2], "{} bytes", content.len());
    }
}
