//! All mutants of a crate in one program, each switched on for the tests that come by it.
//!
//! Building each by itself would be most of the work, and running all tests for each most of
//! the rest. What is found is the same, but for mutants in constants and the like, which cannot
//! be switched: their number is said.

use super::listing::{self, Mutant};
use super::program::Program;
use super::suite::Suite;
use super::trial::{self, Ended};
use super::{Examined, Options};
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is said how far things are.
const NEWS: Duration = Duration::from_secs(30);

/// So many rounds through all files.
const STRIDE: usize = 61;

/// Tries the mutants, and returns the directory with the lists of what came of them.
pub(super) fn run(examined: &Examined, options: &Options, output: &Path) -> Result<PathBuf> {
    let started = Instant::now();
    let shard = Shard::parse(options.shard.as_deref())?;
    let jobs: usize = match &options.jobs {
        Some(jobs) => jobs.parse().context("--jobs needs a number")?,
        None => 2,
    };
    let mutants = listing::list(
        examined.package,
        &examined.settings_file(),
        examined.settings,
    )?;
    println!(
        "{}: {} mutants, all built at once",
        examined.name,
        mutants.len()
    );
    let program = Program::build(examined, &mutants, output)?;
    println!("built after {:.0} s", started.elapsed().as_secs_f64());
    let scratch = tempfile::tempdir().context("there is no temporary directory")?;
    trial::ensure_rooms(scratch.path())?;
    let words = examined.words("additional_cargo_test_args")?;
    let words: Vec<String> = words.into_iter().filter(|word| word != "--").collect();
    let suite = Suite::measure(&program, &words, scratch.path())?;
    println!(
        "{} tests come by {} mutants",
        suite.tests.len(),
        suite.reached.len()
    );
    let lists = Lists::begin(&output.join("at-once"), mutants)?;
    let mut tried = Vec::new();
    for number in (0..lists.mutants.len()).filter(|number| shard.holds(*number)) {
        if program.uncompilable.contains(&number) {
            lists.add(&["unviable.txt"], number)?;
        } else if program.unswitchable.contains(&number) {
            lists.add(&["unviable.txt", "unswitchable.txt"], number)?;
        } else if !suite.reached.contains_key(&number) {
            lists.add(&["missed.txt", "unreached.txt"], number)?;
        } else {
            tried.push(number);
        }
    }
    // Not file after file: what is found so far should say something about the whole.
    tried.sort_by_key(|number| number % STRIDE);
    let next = AtomicUsize::new(0);
    let said = Mutex::new(Instant::now());
    let work = |job: usize| -> Result<()> {
        let scratch = scratch.path().join(job.to_string());
        loop {
            let done = next.fetch_add(1, Ordering::Relaxed);
            let Some(&number) = tried.get(done) else {
                return Ok(());
            };
            let list = match suite.try_out(&program, number, &scratch)? {
                Ended::Passed => "missed.txt",
                Ended::Failed => "caught.txt",
                Ended::Overran => "timeout.txt",
            };
            lists.add(&[list], number)?;
            if let Ok(mut said) = said.try_lock()
                && said.elapsed() > NEWS
            {
                println!("{done} of {} tried", tried.len());
                *said = Instant::now();
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1))
            .map(|job| scope.spawn(move || work(job)))
            .collect();
        for worker in workers {
            worker
                .join()
                .map_err(|_| anyhow::anyhow!("a worker gave up"))??;
        }
        anyhow::Ok(())
    })?;
    let count = |list: &str| {
        let list = fs::read_to_string(lists.directory.join(list)).unwrap_or_default();
        list.lines().count()
    };
    println!(
        "{}: not viable {}, of them {} cannot be switched; missed because no test comes by {}; \
        {:.0} min",
        examined.name,
        count("unviable.txt"),
        count("unswitchable.txt"),
        count("unreached.txt"),
        started.elapsed().as_secs_f64() / 60.0
    );
    Ok(lists.directory)
}

/// Lists of names, as cargo-mutants writes them, complete at any moment.
struct Lists {
    directory: PathBuf,
    mutants: Vec<Mutant>,
    writing: Mutex<()>,
}

impl Lists {
    fn begin(directory: &Path, mutants: Vec<Mutant>) -> Result<Self> {
        fs::create_dir_all(directory)
            .with_context(|| format!("cannot make {}", directory.display()))?;
        for name in [
            "caught.txt",
            "missed.txt",
            "timeout.txt",
            "unviable.txt",
            "unswitchable.txt",
            "unreached.txt",
        ] {
            let path = directory.join(name);
            File::create(&path).with_context(|| format!("cannot make {}", path.display()))?;
        }
        Ok(Self {
            directory: directory.to_owned(),
            mutants,
            writing: Mutex::new(()),
        })
    }

    fn add(&self, lists: &[&str], number: usize) -> Result<()> {
        let _alone = self.writing.lock();
        let name = self.mutants.get(number).map_or("", |mutant| &mutant.name);
        for list in lists {
            let path = self.directory.join(list);
            let written = File::options()
                .append(true)
                .open(&path)
                .and_then(|mut list| writeln!(list, "{name}"));
            written.with_context(|| format!("{} cannot be written", path.display()))?;
        }
        Ok(())
    }
}

/// Every N-th, so that a part says something about the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shard {
    part: usize,
    of: usize,
}

impl Shard {
    fn parse(words: Option<&str>) -> Result<Self> {
        let words = words.unwrap_or("0/1");
        let read = || {
            let (part, of) = words.split_once('/')?;
            let (part, of) = (part.parse().ok()?, of.parse().ok()?);
            Some(Self { part, of })
        };
        let shard = read().with_context(|| format!("`{words}` is not K/N"))?;
        ensure!(shard.part < shard.of, "`{words}`: parts are counted from 0");
        Ok(shard)
    }

    fn holds(self, number: usize) -> bool {
        number % self.of == self.part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_all_there_is_and_none_is_in_two() {
        let parts: Vec<Shard> = ["0/3", "1/3", "2/3"]
            .map(|words| Shard::parse(Some(words)).unwrap())
            .into();
        for number in 0..10 {
            let holding = parts.iter().filter(|part| part.holds(number));
            assert_eq!(holding.count(), 1, "{number}");
        }
        assert!(Shard::parse(None).unwrap().holds(7));
        for wrong in ["3/3", "1", "a/b", "0/0"] {
            assert!(Shard::parse(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
