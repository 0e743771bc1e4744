//! `cargo xtask mutants`: whether a test notices each small change of what
//! decides.
//!
//! The work is cargo-mutants'; what it examines, and which changes are known to
//! change no decision, is written in `.cargo/mutants.toml`. Each mutant costs a
//! build of the engine and a run of its tests, so this is for a machine that has
//! nothing else to do, and no part of `cargo xtask test`.

use crate::place;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The settings beside which equivalent mutants are listed, one in a line.
const SETTINGS: &str = include_str!("../../.cargo/mutants.toml");
/// Each equivalent mutant's line begins so.
const EQUIVALENT: &str = "    'crates/core/src/";

pub(crate) fn run() -> Result<ExitCode> {
    ensure!(
        place::is_on_path("cargo-mutants"),
        "there is no cargo-mutants; `cargo install --locked cargo-mutants` gets it"
    );
    let output = place::target_directory()?.join("mutants");
    fs::create_dir_all(&output).with_context(|| format!("cannot make {}", output.display()))?;
    let mut mutants = place::cargo(&["mutants", "--package", "fusebox-core", "--output"])?;
    mutants.arg(&output);
    let status = mutants.status().context("`cargo` cannot be started")?;
    let tally = Tally::read(&output.join("mutants.out"))?;
    println!("{}", tally.line());
    let sound = status.success() && tally.missed == 0;
    Ok(ExitCode::from(u8::from(!sound)))
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
    fn read(lists: &Path) -> Result<Self> {
        let count = |name: &str| -> Result<usize> {
            let path = lists.join(name);
            let list = fs::read_to_string(&path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            Ok(list.lines().count())
        };
        Ok(Self {
            killed: count("caught.txt")? + count("timeout.txt")?,
            equivalent: equivalent(SETTINGS),
            missed: count("missed.txt")?,
        })
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
        let tally = Tally::read(lists.path()).unwrap();
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
        fs::remove_file(lists.path().join("missed.txt")).unwrap();
        assert!(
            Tally::read(lists.path()).is_err(),
            "no list is not an empty one"
        );
    }

    #[test]
    fn equivalent_mutants_are_counted_and_other_settings_are_not() {
        let settings = "exclude_re = [\n    # why\n    'Signal::name',\n    \
            'crates/core/src/a.rs:.*: replace < with <= in b',\n]\n";
        assert_eq!(equivalent(settings), 1);
    }
}
