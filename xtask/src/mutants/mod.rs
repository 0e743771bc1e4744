//! `cargo xtask mutants`: whether a test notices each small change of what decides, of
//! what remembers and of what guards.
//!
//! What is examined, and which changes are known to change nothing, is written in
//! `.cargo/mutants/`, a file for each crate, for cargo-mutants. Left to itself it builds
//! each mutant and runs all tests, which takes a day for them all. With `--at-once` all are
//! built into one program, and switched on one after the other: a mutant is tried with
//! the tests that come by it, in seconds. Neither is part of `cargo xtask test`.

mod at_once;
mod blame;
mod listing;
mod program;
mod rewriting;
mod sites;
mod suite;
mod trial;

use crate::place;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// One crate instead of all that are examined.
    only: Option<&'static Examined>,
    /// `K/N`: the K-th of N parts, counted from 0.
    shard: Option<String>,
    /// So many are tried side by side.
    jobs: Option<String>,
    /// All in one program, instead of one after the other built.
    at_once: bool,
}

/// A crate whose tests are examined.
#[derive(Debug, PartialEq, Eq)]
struct Examined {
    name: &'static str,
    package: &'static str,
    /// The settings, beside which equivalent mutants are listed, one in a line.
    settings: &'static str,
    /// How many of a hundred mutants a test has to notice.
    least: usize,
}

const ALL: [Examined; 3] = [
    Examined {
        name: "core",
        package: "fusebox-core",
        settings: include_str!("../../../.cargo/mutants/core.toml"),
        least: 100,
    },
    Examined {
        name: "store",
        package: "fusebox-store",
        settings: include_str!("../../../.cargo/mutants/store.toml"),
        least: 90,
    },
    Examined {
        name: "guard",
        package: "fusebox-guard",
        settings: include_str!("../../../.cargo/mutants/guard.toml"),
        least: 90,
    },
];

/// Each equivalent mutant's line begins so.
const EQUIVALENT: &str = "    'crates/";

impl Options {
    /// All mutants there are, the quick way.
    pub(crate) fn all_at_once() -> Self {
        Self {
            at_once: true,
            ..Self::default()
        }
    }

    pub(crate) fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            if word == "--shard" {
                let shard = words.next().context("--shard needs K/N")?;
                options.shard = Some(shard.to_owned());
                continue;
            }
            if word == "--jobs" {
                let jobs = words.next().context("--jobs needs a number")?;
                options.jobs = Some(jobs.to_owned());
                continue;
            }
            if word == "--at-once" {
                options.at_once = true;
                continue;
            }
            let Some(only) = ALL.iter().find(|examined| examined.name == word) else {
                bail!("`{word}` is none of core, store, guard, --at-once, --shard and --jobs");
            };
            options.only = Some(only);
        }
        Ok(options)
    }
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    ensure!(
        place::is_on_path("cargo-mutants"),
        "there is no cargo-mutants; `cargo install --locked cargo-mutants` gets it"
    );
    let mut sound = true;
    for examined in &ALL {
        if options.only.is_none_or(|only| only == examined) {
            sound &= examined.is_noticed(options)?;
        }
    }
    Ok(ExitCode::from(u8::from(!sound)))
}

impl Examined {
    fn is_noticed(&self, options: &Options) -> Result<bool> {
        let output = place::target_directory()?.join("mutants").join(self.name);
        fs::create_dir_all(&output).with_context(|| format!("cannot make {}", output.display()))?;
        let lists = if options.at_once {
            at_once::run(self, options, &output)?
        } else {
            self.one_by_one(options, &output)?
        };
        let tally = Tally::read(&lists, self.settings)?;
        println!("{}: {}", self.name, tally.line());
        Ok(tally.holds(self.least))
    }

    /// Where cargo-mutants reads what to examine.
    fn settings_file(&self) -> PathBuf {
        let settings = format!(".cargo/mutants/{}.toml", self.name);
        place::repository().join(settings)
    }

    /// A list of words in the settings: in one line, as JSON would have it too.
    fn words(&self, setting: &str) -> Result<Vec<String>> {
        let lines = self
            .settings
            .lines()
            .filter_map(|line| line.split_once(" = "));
        let Some((_, list)) = lines.into_iter().find(|(name, _)| *name == setting) else {
            return Ok(Vec::new());
        };
        serde_json::from_str(list)
            .with_context(|| format!("`{setting}` of {} is no list of words in a line", self.name))
    }

    /// Has cargo-mutants build and try each, and returns where its lists are.
    fn one_by_one(&self, options: &Options, output: &Path) -> Result<PathBuf> {
        let mut mutants = place::cargo(&["mutants", "--package", self.package])?;
        mutants
            .arg("--config")
            .arg(self.settings_file())
            .arg("--output")
            .arg(output)
            // Each copy of the tree builds in itself: one would test what another has built.
            .env_remove("CARGO_TARGET_DIR");
        if let Some(jobs) = &options.jobs {
            mutants.args(["--jobs", jobs]);
        }
        if let Some(shard) = &options.shard {
            // In turn, so that a part says something about the whole.
            mutants.args(["--shard", shard, "--sharding", "round-robin"]);
        }
        // Its exit code says whether any was missed; how many may be is ours to say.
        mutants.status().context("`cargo` cannot be started")?;
        Ok(output.join("mutants.out"))
    }
}

/// How many mutants there were, and what became of them.
#[derive(Debug, PartialEq, Eq)]
struct Tally {
    killed: usize,
    equivalent: usize,
    missed: usize,
}

impl Tally {
    /// Reads the lists that cargo-mutants leaves behind. A mutant that hangs is
    /// noticed like one that fails; one that does not compile is none.
    fn read(lists: &Path, settings: &str) -> Result<Self> {
        let count = |name: &str| -> Result<usize> {
            let path = lists.join(name);
            let list = fs::read_to_string(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            Ok(list.lines().count())
        };
        Ok(Self {
            killed: count("caught.txt")? + count("timeout.txt")?,
            equivalent: equivalent(settings),
            missed: count("missed.txt")?,
        })
    }

    /// A run that tried nothing, because it could not, shows nothing.
    fn holds(&self, least: usize) -> bool {
        let tested = self.killed + self.missed;
        tested > 0 && self.killed * 100 >= tested * least
    }

    fn line(&self) -> String {
        let Self {
            killed,
            equivalent,
            missed,
        } = self;
        let tested = killed + missed;
        format!("mutants tested {tested} killed {killed} equivalent {equivalent} missed {missed}")
    }
}

fn equivalent(settings: &str) -> usize {
    let lines = settings.lines();
    lines.filter(|line| line.starts_with(EQUIVALENT)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_counted_and_a_hanging_mutant_is_a_killed_one() {
        let lists = tempfile::tempdir().unwrap();
        for (name, lines) in [
            ("caught.txt", "a\nb\n"),
            ("timeout.txt", "c\n"),
            ("missed.txt", ""),
        ] {
            fs::write(lists.path().join(name), lines).unwrap();
        }
        let tally = Tally::read(lists.path(), "").unwrap();
        assert_eq!((tally.killed, tally.missed), (3, 0));
        let tally = Tally {
            equivalent: 7,
            missed: 1,
            ..tally
        };
        assert_eq!(
            tally.line(),
            "mutants tested 4 killed 3 equivalent 7 missed 1"
        );
        assert!(tally.holds(75) && !tally.holds(76));
        fs::remove_file(lists.path().join("missed.txt")).unwrap();
        assert!(
            Tally::read(lists.path(), "").is_err(),
            "no list is not an empty one"
        );
    }

    #[test]
    fn equivalent_mutants_are_counted_and_other_settings_are_not() {
        let settings = "exclude_re = [\n    # why\n    'Signal::name',\n    \
            'crates/core/src/a.rs:.*: replace < with <= in b',\n]\n";
        assert_eq!(equivalent(settings), 1);
    }

    #[test]
    fn a_run_that_tried_nothing_does_not_hold() {
        let tally = Tally {
            killed: 0,
            equivalent: 0,
            missed: 0,
        };
        assert!(!tally.holds(0));
    }

    #[test]
    fn a_crate_and_a_part_can_be_chosen_and_nothing_else() {
        let parse = |words: &str| Options::parse(words.split_whitespace());
        let chosen = parse("store --shard 0/8 --jobs 2").unwrap();
        assert_eq!(chosen.jobs.as_deref(), Some("2"));
        assert_eq!(chosen.only.map(|only| only.package), Some("fusebox-store"));
        assert_eq!(chosen.shard.as_deref(), Some("0/8"));
        assert!(!chosen.at_once && parse("guard --at-once").unwrap().at_once);
        assert_eq!(parse("").unwrap(), Options::default());
        assert!(parse("view").is_err() && parse("--shard").is_err());
    }
}
