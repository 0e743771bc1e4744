//! `cargo xtask bench`: what things cost, each figure beside its yardstick.
//!
//! A figure in milliseconds says as much about the machine as about fusebox.
//! So whatever is measured takes turns with something everybody knows (an
//! empty program, a bare flush, `git status`, `cat`), and what is promised is
//! the ratio of the two. Noise then hits both alike.

mod analyze;
mod calls;
mod child;
mod decide;
mod figure;
mod growth;
mod hook;
mod iteration;
mod output;
mod replay;
mod samples;
mod sandbox;
mod serve;
mod snapshot;
mod start;
mod statusline;
mod tasks;
mod writers;

use crate::{dist, place};
use anyhow::{Context, Result, bail};
use figure::Report;
use sandbox::Sandbox;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Everything that is measured, in the order in which it is.
const GROUPS: [Group; 14] = [
    Group::new("decide", decide::measure),
    Group::new("replay", replay::measure),
    Group::new("start", start::measure),
    Group::new("calls", calls::measure),
    Group::new("growth", growth::measure),
    Group::new("writers", writers::measure),
    Group::new("hook", hook::measure),
    Group::new("snapshot", snapshot::measure),
    Group::new("output", output::measure),
    Group::new("iteration", iteration::measure),
    Group::new("tasks", tasks::measure),
    Group::new("analyze", analyze::measure),
    Group::new("statusline", statusline::measure),
    Group::new("serve", serve::measure),
];

/// Figures that belong together, and share what they are measured on.
struct Group {
    name: &'static str,
    measure: fn(&Subject, &mut Report) -> Result<()>,
}

impl Group {
    const fn new(name: &'static str, measure: fn(&Subject, &mut Report) -> Result<()>) -> Self {
        Self { name, measure }
    }
}

/// What is measured, and how thoroughly.
struct Subject {
    binary: PathBuf,
    full: bool,
}

impl Subject {
    fn sandbox(&self) -> Result<Sandbox> {
        Sandbox::new(&self.binary)
    }

    fn binary(&self) -> &Path {
        &self.binary
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Take the time for more rounds and for 10 GB.
    pub(crate) full: bool,
    /// Measure this binary instead of building the one that is shipped.
    pub(crate) binary: Option<PathBuf>,
    /// The groups to measure; all of them if none is named.
    pub(crate) names: Vec<String>,
}

impl Options {
    pub(crate) fn parse<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<Self> {
        let mut options = Self::default();
        while let Some(word) = words.next() {
            match word {
                "--full" => options.full = true,
                "--binary" => {
                    let path = words.next().context("--binary needs a path")?;
                    options.binary = Some(PathBuf::from(path));
                }
                name if GROUPS.iter().any(|group| group.name == name) => {
                    options.names.push(name.to_owned());
                }
                _ => bail!("`{word}` is none of {}", names().join(", ")),
            }
        }
        Ok(options)
    }

    fn includes(&self, group: &Group) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| name == group.name)
    }
}

fn names() -> Vec<&'static str> {
    GROUPS.iter().map(|group| group.name).collect()
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let binary = match &options.binary {
        Some(path) => path
            .canonicalize()
            .with_context(|| format!("cannot find {}", path.display()))?,
        None => dist::build()?,
    };
    let subject = Subject {
        binary,
        full: options.full,
    };
    let mut report = Report::default();
    for group in GROUPS.iter().filter(|group| options.includes(group)) {
        eprintln!("── {}", group.name);
        (group.measure)(&subject, &mut report)
            .with_context(|| format!("`{}` could not be measured", group.name))?;
    }
    Ok(report.conclude())
}

/// The path of the empty program that everything is compared with.
fn empty_program() -> Result<&'static Path> {
    let known = ["/bin/true", "/usr/bin/true"].map(Path::new);
    let found = known.into_iter().find(|path| path.is_file());
    found.context("there is no /bin/true to compare with")
}

/// Why a program that a figure needs cannot be had, if so.
fn absent(program: &str) -> Option<String> {
    (!place::is_on_path(program)).then(|| format!("there is no {program}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines() {
        let parsed = |line: &str| Options::parse(line.split_whitespace()).ok();
        let options = |full, binary: Option<&str>, names: &[&str]| {
            Some(Options {
                full,
                binary: binary.map(PathBuf::from),
                names: names.iter().map(|&name| name.to_owned()).collect(),
            })
        };
        for (line, expected) in [
            ("", options(false, None, &[])),
            ("--full calls", options(true, None, &["calls"])),
            (
                "start --binary /b output",
                options(false, Some("/b"), &["start", "output"]),
            ),
            ("--binary", None),
            ("everything", None),
        ] {
            assert_eq!(parsed(line), expected, "{line:?}");
        }
    }

    #[test]
    fn naming_groups_leaves_out_the_others() {
        let measured = |options: &Options| {
            let chosen = GROUPS.iter().filter(|group| options.includes(group));
            chosen.map(|group| group.name).collect::<Vec<_>>()
        };
        let mut options = Options::default();
        assert_eq!(measured(&options), names());
        options.names = vec!["output".to_owned(), "start".to_owned()];
        assert_eq!(measured(&options), ["start", "output"]);
    }
}
