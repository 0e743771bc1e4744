//! The list of rooms that know another, in ARCHITECTURE.md, against the manifests.

#![expect(clippy::unwrap_used, reason = "a test may end where it cannot go on")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// A room, and those it knows, without the prefix they share.
type Acquaintances = BTreeMap<String, BTreeSet<String>>;

const PREFIX: &str = "fusebox-";
/// Tools, as libraries of others are.
const TOOLS: [&str; 2] = ["darwin", "files"];

#[test]
fn rooms_know_those_that_the_map_says_and_no_others() {
    let told = told(&read("ARCHITECTURE.md"));
    assert!(!told.is_empty(), "the list is gone from ARCHITECTURE.md");
    assert_eq!(told, declared());
}

fn read(path: &str) -> String {
    let path = repository().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What the map says: `    fusebox-a   b, c   why`.
fn told(map: &str) -> Acquaintances {
    let rows = map.lines().filter_map(|line| {
        let row = line.strip_prefix("    ")?.strip_prefix(PREFIX)?;
        let mut columns = row.split("  ").map(str::trim).filter(|one| !one.is_empty());
        let room = columns.next()?.to_owned();
        let known = columns.next()?.split(", ").map(str::to_owned);
        Some((room, known.collect()))
    });
    rows.collect()
}

/// What the manifests say, of all rooms but the one that knows them all.
fn declared() -> Acquaintances {
    let crates = fs::read_dir(repository().join("crates")).unwrap();
    let rooms = crates.filter_map(|entry| {
        let directory = entry.unwrap().file_name().into_string().unwrap();
        let known = known(&read(&format!("crates/{directory}/Cargo.toml")));
        (directory != "fusebox" && !known.is_empty()).then_some((directory, known))
    });
    rooms.collect()
}

/// The rooms in a manifest's dependencies, tests' own left out.
fn known(manifest: &str) -> BTreeSet<String> {
    let mut section = "";
    let mut known = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        }
        if section.ends_with("dependencies]")
            && !section.contains("dev-")
            && let Some(rest) = line.strip_prefix(PREFIX)
            && let Some((name, _)) = rest.split_once(' ')
            && !TOOLS.contains(&name)
        {
            known.insert(name.to_owned());
        }
    }
    known
}
