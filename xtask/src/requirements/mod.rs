//! `cargo xtask requirements`: each requirement, the tests that carry its id,
//! and what came of them.
//!
//! The list of ids is a file and the tests name what they prove, so what is
//! missing shows by itself and nobody has to keep a table up to date.

mod id;
mod named;
mod results;
mod table;

use anyhow::{Context, Result, bail};
use named::Named;
use results::Results;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use table::{Row, Table};

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// What an earlier run of the tests printed, instead of running them.
    pub(crate) results: Option<PathBuf>,
    /// Only the rows that are missing.
    pub(crate) missing: bool,
}

impl Options {
    pub(crate) fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word {
                "--missing" => options.missing = true,
                "--results" => {
                    let file = words.next().context("--results needs a file")?;
                    options.results = Some(PathBuf::from(file));
                }
                _ => bail!("`{word}` is none of --results and --missing"),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let table = Table::load()?;
    let named = named::in_the_project()?;
    named::are_known(&named, &table)?;
    named::keep_the_floor(&named, &table)?;
    let results = match &options.results {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("{} cannot be read", file.display()))?;
            results::read(&text)
        }
        None => results::run()?,
    };
    let report = Report::new(&table, &named, &results);
    for line in &report.lines {
        if !options.missing || line.verdict == Verdict::Missing {
            println!("{line}");
        }
    }
    println!("{}", report.summary());
    let red = report.count(Verdict::Red) > 0;
    Ok(ExitCode::from(u8::from(red)))
}

/// How a requirement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// At least one test that carries it passed, and none failed.
    Green,
    /// A test that carries it failed.
    Red,
    /// No test carries it, or none of those that do was run.
    Missing,
    /// The same, of something that is not owed yet.
    Future,
}

impl Verdict {
    fn of(row: &Row, tests: &[&str], results: &Results) -> Self {
        let mut outcomes = tests.iter().filter_map(|test| results.get(*test));
        match outcomes.next() {
            Some(first) if *first && outcomes.all(|passed| *passed) => Self::Green,
            Some(_) => Self::Red,
            None if row.is_owed() => Self::Missing,
            None => Self::Future,
        }
    }
}

/// One row of the answer.
struct Line<'a> {
    row: &'a Row,
    verdict: Verdict,
    tests: Vec<&'a str>,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match self.verdict {
            Verdict::Green => "green",
            Verdict::Red => "red",
            Verdict::Missing => "missing",
            Verdict::Future => "future",
        };
        let Row { id, level, subject } = self.row;
        write!(out, "{id} {level} {verdict}")?;
        for test in &self.tests {
            write!(out, " {test}")?;
        }
        write!(out, " # {subject}")
    }
}

/// The whole answer.
struct Report<'a> {
    lines: Vec<Line<'a>>,
}

impl<'a> Report<'a> {
    fn new(table: &'a Table, named: &'a Named, results: &Results) -> Self {
        let line = |row: &'a Row| {
            let tests = named.get(&row.id).into_iter().flatten();
            let tests: Vec<&str> = tests.map(String::as_str).collect();
            Line {
                row,
                verdict: Verdict::of(row, &tests, results),
                tests,
            }
        };
        Self {
            lines: table.rows.iter().map(line).collect(),
        }
    }

    /// How many of the requirements that are owed stand so.
    fn count(&self, verdict: Verdict) -> usize {
        let owed = self.lines.iter().filter(|line| line.row.is_owed());
        owed.filter(|line| line.verdict == verdict).count()
    }

    fn summary(&self) -> String {
        format!(
            "green {} of {}, missing {}",
            self.count(Verdict::Green),
            self.lines.iter().filter(|line| line.row.is_owed()).count(),
            self.count(Verdict::Missing)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_is_told_and_the_owed_ones_are_counted() {
        let table = "floor\t0\n004.1\tM\tone\n004.2\tS\ttwo\n004.3\tM\tthree\n\
            004.4\tI\tfour\n004.5\tF\tfive\n";
        let table = Table::parse(table).unwrap();
        let tests = [
            ("004.1", "req_004_001_to_004_002_both", Some(true)),
            ("004.2", "req_004_001_to_004_002_both", Some(true)),
            ("004.2", "req_004_002_alone", Some(false)),
            ("004.3", "req_004_003_never_ran", None),
        ];
        let (mut named, mut results) = (Named::new(), Results::new());
        for (id, test, passed) in tests {
            let under: &mut BTreeSet<String> = named.entry(id.parse().unwrap()).or_default();
            under.insert(test.to_owned());
            results.extend(passed.map(|passed| (test.to_owned(), passed)));
        }
        let report = Report::new(&table, &named, &results);
        let lines: Vec<String> = report.lines.iter().map(Line::to_string).collect();
        assert_eq!(
            lines,
            [
                "004.1 M green req_004_001_to_004_002_both # one",
                "004.2 S red req_004_001_to_004_002_both req_004_002_alone # two",
                "004.3 M missing req_004_003_never_ran # three",
                "004.4 I missing # four",
                "004.5 F future # five",
            ]
        );
        assert_eq!(report.summary(), "green 1 of 4, missing 2");
        assert_eq!(report.count(Verdict::Red), 1);
    }
}
