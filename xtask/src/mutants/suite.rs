//! The tests of a program: how long each takes, and which mutants it comes by. A mutant that no
//! test comes by is missed without being tried, and the others are tried with few tests.

use super::program::Program;
use super::trial::{Ended, Trial};
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What one test may take without a mutant.
const LONGEST: Duration = Duration::from_secs(300);

/// Tests that take less are run together: starting a program costs about as much.
const SHORT: Duration = Duration::from_millis(30);

/// A test, as it is without any mutant.
#[derive(Debug)]
pub(super) struct Test {
    program: PathBuf,
    name: String,
    took: Duration,
    /// It panics on purpose, so that a panic does not say that it failed.
    panics: bool,
    record: Record,
}

/// How a test has done so far.
#[derive(Debug, Default)]
struct Record {
    tried: AtomicU32,
    noticed: AtomicU32,
}

/// All tests, and who comes by which mutant.
pub(super) struct Suite {
    pub(super) tests: Vec<Test>,
    /// For each mutant the tests, by their place in the list.
    pub(super) reached: BTreeMap<usize, Vec<usize>>,
}

impl Suite {
    /// Runs each test by itself. One that fails without a mutant would seem to notice
    /// them all.
    pub(super) fn measure(program: &Program, words: &[String], scratch: &Path) -> Result<Self> {
        let mut suite = Self {
            tests: Vec::new(),
            reached: BTreeMap::new(),
        };
        for test_program in &program.tests {
            for name in names(test_program, program, words)? {
                let (test, sites) = measure(program, test_program, name, scratch)?;
                for site in sites {
                    for mutant in program.sites.get(&site).into_iter().flatten() {
                        let tests = suite.reached.entry(*mutant).or_default();
                        tests.push(suite.tests.len());
                    }
                }
                suite.tests.push(test);
            }
        }
        ensure!(!suite.tests.is_empty(), "there are no tests");
        Ok(suite)
    }

    /// What comes of the tests that come by a mutant when it is switched on.
    pub(super) fn try_out(
        &self,
        program: &Program,
        mutant: usize,
        scratch: &Path,
    ) -> Result<Ended> {
        for bundle in self.bundles(mutant) {
            let ended = bundle.trial(program, mutant).run(scratch)?;
            let noticed = ended != Ended::Passed;
            bundle.record.tried.fetch_add(1, Relaxed);
            bundle.record.noticed.fetch_add(u32::from(noticed), Relaxed);
            if noticed {
                return Ok(ended);
            }
        }
        Ok(Ended::Passed)
    }

    /// The tests that come by a mutant: the short ones together, and first whatever is likely
    /// to notice the most in its time.
    fn bundles(&self, mutant: usize) -> Vec<Bundle<'_>> {
        let tests = self.reached.get(&mutant).into_iter().flatten();
        let mut short: BTreeMap<(&Path, bool), Bundle<'_>> = BTreeMap::new();
        let mut bundles = Vec::new();
        for test in tests.filter_map(|index| self.tests.get(*index)) {
            if test.took >= SHORT {
                let tests = vec![test];
                let record = &test.record;
                bundles.push(Bundle { tests, record });
                continue;
            }
            // The record of the first of all short ones stands for any of them.
            let of = (test.program.as_path(), test.panics);
            let alike = |other: &&Test| of == (other.program.as_path(), other.panics);
            let mut others = self.tests.iter().filter(|other| other.took < SHORT);
            let record = others
                .find(alike)
                .map_or(&test.record, |first| &first.record);
            let tests = Vec::new();
            let bundle = short.entry(of).or_insert(Bundle { tests, record });
            bundle.tests.push(test);
        }
        bundles.extend(short.into_values());
        // The key is read once for each: others change it meanwhile.
        bundles.sort_by_cached_key(Bundle::time_to_notice);
        bundles
    }
}

/// Tests that are run by one process.
struct Bundle<'a> {
    tests: Vec<&'a Test>,
    record: &'a Record,
}

impl Bundle<'_> {
    /// How long it runs until it has noticed something, going by what it did so far.
    fn time_to_notice(&self) -> Duration {
        let tried = self.record.tried.load(Relaxed) + 2;
        let noticed = self.record.noticed.load(Relaxed) + 1;
        self.took() * tried / noticed
    }

    fn took(&self) -> Duration {
        self.tests.iter().map(|test| test.took).sum()
    }

    fn trial<'t>(&'t self, program: &'t Program, mutant: usize) -> Trial<'t> {
        let mut variables = vec![("FUSEBOX_MUTANT", mutant.to_string())];
        if self.tests.iter().any(|test| test.panics) {
            variables.push(("FUSEBOX_MUTANT_PANICS", "1".to_owned()));
        }
        let first = self.tests.first();
        Trial {
            program,
            test_program: first.map_or(Path::new(""), |test| &test.program),
            tests: self.tests.iter().map(|test| test.name.as_str()).collect(),
            variables,
            usual: self.took(),
        }
    }
}

/// The names of the tests that the settings leave.
fn names(test_program: &Path, program: &Program, words: &[String]) -> Result<Vec<String>> {
    let listed = Command::new(test_program)
        .args(["--list", "--format=terse"])
        .args(words)
        .current_dir(&program.directory)
        .output()
        .with_context(|| format!("{} cannot be started", test_program.display()))?;
    let listed = String::from_utf8(listed.stdout).context("a test has no name that is text")?;
    let names = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    Ok(names.map(str::to_owned).collect())
}

fn measure(
    program: &Program,
    test_program: &Path,
    name: String,
    scratch: &Path,
) -> Result<(Test, BTreeSet<usize>)> {
    let list = scratch.join("reached");
    let noted = list.display().to_string();
    let mut took = Duration::ZERO;
    for panics in [false, true] {
        if list.exists() {
            fs::remove_file(&list).context("a list cannot be removed")?;
        }
        let mut variables = vec![("FUSEBOX_MUTANT_REACHED", noted.clone())];
        if panics {
            variables.push(("FUSEBOX_MUTANT_PANICS", "1".to_owned()));
        }
        let trial = Trial {
            program,
            test_program,
            tests: vec![&name],
            variables,
            usual: LONGEST,
        };
        let started = Instant::now();
        let ended = trial.run(scratch)?;
        took = started.elapsed();
        if ended == Ended::Passed {
            let sites = fs::read_to_string(&list).unwrap_or_default();
            let test = Test {
                program: test_program.to_owned(),
                name,
                took,
                panics,
                record: Record::default(),
            };
            return Ok((
                test,
                sites.lines().filter_map(|site| site.parse().ok()).collect(),
            ));
        }
    }
    anyhow::bail!("`{name}` fails without any mutant, after {took:?}")
}
