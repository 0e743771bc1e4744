//! The tests that carry ids, found in the source tree.
//!
//! Reading names is enough to know what is claimed: it takes no build, so a
//! unit test can do it, and whether a claim holds is for the results to say.

use super::id::{Id, ids_in};
use super::table::Table;
use crate::place;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The names of tests under each id.
pub(crate) type Named = BTreeMap<Id, BTreeSet<String>>;

/// All tests of the project that carry ids.
pub(crate) fn in_the_project() -> Result<Named> {
    let mut names = BTreeSet::new();
    visit(&place::repository().join("crates"), &mut names)?;
    let mut named = Named::new();
    for name in names {
        for id in ids_in(&name)? {
            named.entry(id).or_default().insert(name.clone());
        }
    }
    Ok(named)
}

/// That every id in a name is one of the table's.
pub(crate) fn are_known(named: &Named, table: &Table) -> Result<()> {
    for (id, tests) in named {
        ensure!(table.has(id), "there is no {id}, but {tests:?}");
    }
    Ok(())
}

/// That what once had a test still has one.
pub(crate) fn keep_the_floor(named: &Named, table: &Table) -> Result<()> {
    let owed = table.rows.iter().filter(|row| row.is_owed());
    let count = owed.filter(|row| named.contains_key(&row.id)).count();
    ensure!(
        count >= table.floor,
        "tests name {count} requirements, and it was {} once",
        table.floor
    );
    Ok(())
}

fn visit(directory: &Path, names: &mut BTreeSet<String>) -> Result<()> {
    let unreadable = || format!("{} cannot be read", directory.display());
    for entry in fs::read_dir(directory).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        if path.is_dir() {
            visit(&path, names)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            names.extend(tests_in(&text).map(str::to_owned));
        }
    }
    Ok(())
}

/// The functions of a source file whose names begin with `req_`.
fn tests_in(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| {
        let name = line.trim_start().strip_prefix("fn ")?;
        let name = name.split(['(', '<']).next()?;
        name.starts_with("req_").then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_and_mentions_are_not() {
        let source = "/// fn req_000_001_told()\n\
            fn req_004_015_plain() {\n    fn req_x_003_inner(a in 0..3) {\n\
            let name = \"fn req_000_002_quoted()\";\nfn other() {\n";
        let found: Vec<&str> = tests_in(source).collect();
        assert_eq!(found, ["req_004_015_plain", "req_x_003_inner"]);
    }

    #[test]
    fn every_id_in_a_name_is_in_the_table() {
        let table = Table::load().unwrap();
        are_known(&in_the_project().unwrap(), &table).unwrap();
        let slip = Named::from([("004.128".parse().unwrap(), BTreeSet::new())]);
        assert!(are_known(&slip, &table).is_err());
    }

    #[test]
    fn the_table_does_not_shrink() {
        let named = in_the_project().unwrap();
        keep_the_floor(&named, &Table::load().unwrap()).unwrap();
        let table = Table::parse("floor\t1\n004.1\tM\tone\n004.2\tF\ttwo\n").unwrap();
        for (id, kept) in [("004.1", true), ("004.2", false)] {
            let named = Named::from([(id.parse().unwrap(), BTreeSet::new())]);
            assert_eq!(keep_the_floor(&named, &table).is_ok(), kept, "{id}");
        }
    }
}
