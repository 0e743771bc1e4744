//! The project's own chores, run as `cargo xtask <chore>`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person or the machine that started it"
)]

mod bench;
mod clients;
mod dist;
mod docs;
mod elf;
mod fleet;
mod guard;
mod install;
mod macos;
mod musl;
mod mutants;
mod package;
mod picture;
mod place;
mod prove;
mod requirements;
mod sbom;
mod semver;
mod served;
mod skipped;
mod stage;
mod test;
mod watchdog;
mod web;

use anyhow::{Result, bail};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <chore>

  test [--quick] [--deep]   everything that must hold before a change is done
                            --quick: formatting, lints and tests only
                            --deep:  let the tests take their time (FUSEBOX_DEEP=1)
  dist [--binary PATH]      the static release binary, and the packages around it
                            --binary: pack this one instead of building it
  docs                      the book as a web site, with mdBook (installed if missing)
  picture                   the picture in the README, taken of a run in a terminal
  bench [--full] [--binary PATH] [NAME…]
                            what things cost, each figure beside its yardstick;
                            fails when a limit is missed
                            --full:   more rounds, 10 GB where 2 GB would do
                            --binary: measure this one instead of building it
                            NAME:     decide, start, calls, growth, writers, hook, snapshot,
                                      output, iteration, tasks, analyze, replay, statusline,
                                      serve
  clients [--install]       fusebox with the real agents, against a scripted model
                            --install: fetch them with npm first (1.3 GB, outside
                            the tree)
  requirements [--results FILE] [--missing]
                            each requirement, the tests that carry its id, and what
                            came of them; fails when one of them failed
                            --results: what an earlier run of the tests printed
                            --missing: only those without a test
  guard [--cases FILE]      how many destructive commands the guard stops, and how many
                            harmless ones; then executes the destructive ones, each in
                            a throw-away system, and says how much of what is protected
                            comes back; fails when something is overlooked or lost
                            --cases: this table instead of the project's own
  web [--install]           what `fusebox serve` answers to requests made up from its own
                            description, and whether others can read the numbers and
                            traces it gives; --install: fetch the tools first, with
                            pip and apt-get
  macos [--install]         the program for both kinds of Mac, compiled and linked here;
                            --install: fetch what it takes first, with rustup (the
                            targets) and pip (a linker, into the cache)
  prove [--quick|--deep] [--only PART] [--results FILE]
                            what was done to the program and what it let happen: faults,
                            damage, tampering, attacks, bad inputs; prints a scoreboard
                            and, if all was tried and held, writes it into
                            docs/src/explanation/proof.md
                            --quick:   some points only, and the page stays as it is
                            --deep:    every point, hours of it, and mutants besides
                            --only:    one of disk, bytes, program, tampering, repositories,
                                       agents, sent, dashboard, places, states, soak, inputs,
                                       mutants, twice
                            --results: what an earlier run of the tests printed; the page
                                       stays as it is
  sbom [FILE]               what the program is made of, as CycloneDX (standard output
                            unless a file is named)
  fleet [--full]            many workers against PostgreSQL servers of our own, crashed and cut
                            off; fails when something is lost, done twice or over budget
                            --full: as many and as long as is claimed, half an hour
  semver [--since COMMIT]   whether users of the library `fusebox-core` can go on as before,
                            compared with the last release; --since: with this commit
  mutants [core|store|guard] [--at-once] [--shard K/N] [--jobs N]
                            whether a test notices each small change of what decides,
                            remembers and guards; fails when more go unnoticed than may
                            (core none, the others one in ten)
                            --at-once: all in one program, switched on one by one: minutes
                                       instead of the hours that building each takes,
                                       and each where all else is read-only (Linux)
                            --shard:   the K-th of N parts, counted from 0
                            --jobs:    so many side by side";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
enum Chore {
    Test(test::Options),
    Dist(dist::Options),
    Docs,
    Picture,
    Bench(bench::Options),
    Clients(install::Options),
    Requirements(requirements::Options),
    Guard(guard::Options),
    Web(install::Options),
    Macos(install::Options),
    Fleet(fleet::Options),
    Mutants(mutants::Options),
    Semver(semver::Options),
    Prove(prove::Options),
    Sbom(Option<std::path::PathBuf>),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match parse(&arguments).and_then(Chore::run) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

impl Chore {
    fn run(self) -> Result<ExitCode> {
        match self {
            Self::Test(options) => test::run(options),
            Self::Dist(options) => dist::run(&options),
            Self::Docs => docs::run(),
            Self::Picture => picture::run(),
            Self::Bench(options) => bench::run(&options),
            Self::Clients(options) => clients::run(options),
            Self::Requirements(options) => requirements::run(&options),
            Self::Guard(options) => guard::run(&options),
            Self::Web(options) => web::run(options),
            Self::Macos(options) => macos::run(options),
            Self::Fleet(options) => fleet::run(options),
            Self::Mutants(options) => mutants::run(&options),
            Self::Semver(options) => semver::run(&options),
            Self::Prove(options) => prove::run(&options),
            Self::Sbom(file) => sbom::run(file.as_deref()),
        }
    }
}

fn parse(arguments: &[String]) -> Result<Chore> {
    let mut words = arguments.iter().map(String::as_str);
    match words.next() {
        Some("test") => Ok(Chore::Test(test::Options::parse(words)?)),
        Some("dist") => Ok(Chore::Dist(dist::Options::parse(words)?)),
        Some("docs") if words.next().is_none() => Ok(Chore::Docs),
        Some("picture") if words.next().is_none() => Ok(Chore::Picture),
        Some("mutants") => Ok(Chore::Mutants(mutants::Options::parse(words)?)),
        Some("semver") => Ok(Chore::Semver(semver::Options::parse(words)?)),
        Some("prove") => Ok(Chore::Prove(prove::Options::parse(words)?)),
        Some("sbom") => {
            let file = words.next().map(Into::into);
            match words.next() {
                None => Ok(Chore::Sbom(file)),
                Some(word) => bail!("`{word}` is one word too many"),
            }
        }
        Some("fleet") => Ok(Chore::Fleet(fleet::Options::parse(words)?)),
        Some("guard") => Ok(Chore::Guard(guard::Options::parse(words)?)),
        Some("web") => Ok(Chore::Web(install::Options::parse(words)?)),
        Some("macos") => Ok(Chore::Macos(install::Options::parse(words)?)),
        Some("bench") => Ok(Chore::Bench(bench::Options::parse(words)?)),
        Some("clients") => Ok(Chore::Clients(install::Options::parse(words)?)),
        Some("requirements") => Ok(Chore::Requirements(requirements::Options::parse(words)?)),
        _ => bail!("no such chore\n\n{USAGE}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prove::Depth;

    fn parsed(line: &str) -> Option<Chore> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&words).ok()
    }

    #[test]
    fn command_lines() {
        let test = |quick, deep| Some(Chore::Test(test::Options { quick, deep }));
        let clients = |install| Some(Chore::Clients(install::Options { install }));
        let prove = |depth, results: Option<&str>| {
            let results = results.map(Into::into);
            Some(Chore::Prove(prove::Options {
                results,
                depth,
                only: None,
            }))
        };
        let requirements = |results: Option<&str>, missing| {
            let results = results.map(Into::into);
            Some(Chore::Requirements(requirements::Options {
                results,
                missing,
            }))
        };
        for (line, chore) in [
            ("test", test(false, false)),
            ("test --quick", test(true, false)),
            ("test --deep", test(false, true)),
            ("test --deep --quick", test(true, true)),
            ("test --slow", None),
            ("dist", Some(Chore::Dist(dist::Options::default()))),
            (
                "dist --binary a",
                Some(Chore::Dist(dist::Options {
                    binary: Some("a".into()),
                })),
            ),
            ("dist --binary", None),
            ("dist --quick", None),
            ("docs", Some(Chore::Docs)),
            ("docs --open", None),
            ("picture", Some(Chore::Picture)),
            ("clients", clients(false)),
            ("clients --install", clients(true)),
            ("clients --update", None),
            ("guard", Some(Chore::Guard(guard::Options { cases: None }))),
            ("guard --cases", None),
            ("guard --fast", None),
            ("web", Some(Chore::Web(install::Options { install: false }))),
            ("web --fast", None),
            (
                "macos --install",
                Some(Chore::Macos(install::Options { install: true })),
            ),
            ("macos --fast", None),
            ("fleet", Some(Chore::Fleet(fleet::Options { full: false }))),
            (
                "fleet --full",
                Some(Chore::Fleet(fleet::Options { full: true })),
            ),
            ("fleet --fast", None),
            ("mutants", Some(Chore::Mutants(mutants::Options::default()))),
            ("semver", Some(Chore::Semver(semver::Options::default()))),
            ("semver --since", None),
            ("semver v1", None),
            ("mutants --quick", None),
            ("prove", prove(Depth::Usual, None)),
            ("prove --quick", prove(Depth::Quick, None)),
            ("prove --deep", prove(Depth::Deep, None)),
            ("prove --results log", prove(Depth::Usual, Some("log"))),
            ("prove --results", None),
            ("prove --fast", None),
            ("sbom", Some(Chore::Sbom(None))),
            ("sbom out.json", Some(Chore::Sbom(Some("out.json".into())))),
            ("sbom out.json more", None),
            ("requirements", requirements(None, false)),
            (
                "requirements --missing --results log",
                requirements(Some("log"), true),
            ),
            ("requirements --results", None),
            ("requirements --green", None),
            ("", None),
            ("deploy", None),
        ] {
            assert_eq!(parsed(line), chore, "{line:?}");
        }
    }
}
