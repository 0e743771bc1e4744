//! The formats in which test runners report.

mod cargo;
mod go;
mod go_json;
mod go_told;
mod jest;
mod junit;
mod mocha;
mod nextest;
mod node;
mod phpunit;
mod playwright;
mod pytest;
mod rspec;
mod rust_panic;
mod tap;
mod unittest;
mod vitest;

use crate::plain_text::clean;
use crate::run::TestRun;

pub(crate) use go::is_unbuilt;
pub(crate) use go_json::printed as go_printed;

/// A format in which a test runner reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `go test -json`.
    GoJson,
    /// JUnit's XML, which most runners can write.
    Junit,
    /// `cargo nextest run`.
    Nextest,
    /// `cargo test`.
    Cargo,
    /// `pytest`.
    Pytest,
    /// `jest`.
    Jest,
    /// `vitest`.
    Vitest,
    /// `go test`.
    Go,
    /// The Test Anything Protocol.
    Tap,
    /// `node --test`, as a person reads it.
    Node,
    /// `mocha`.
    Mocha,
    /// `playwright test`.
    Playwright,
    /// Python's `unittest`.
    Unittest,
    /// `phpunit`.
    Phpunit,
    /// `rspec`.
    Rspec,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::GoJson,
        Self::Junit,
        Self::Nextest,
        Self::Cargo,
        Self::Pytest,
        Self::Jest,
        Self::Vitest,
        Self::Go,
        Self::Tap,
        Self::Node,
        Self::Mocha,
        Self::Playwright,
        Self::Unittest,
        Self::Phpunit,
        Self::Rspec,
    ];

    /// Reads an output or a report in this format; `None` if there are no results in it.
    pub fn parse(self, output: &[u8]) -> Option<TestRun> {
        self.parse_text(&clean(output))
    }

    fn parse_text(self, text: &str) -> Option<TestRun> {
        match self {
            Self::GoJson => go_json::parse(text),
            Self::Junit => junit::parse(text),
            Self::Nextest => nextest::parse(text),
            Self::Cargo => cargo::parse(text),
            Self::Pytest => pytest::parse(text),
            Self::Jest => jest::parse(text),
            Self::Vitest => vitest::parse(text),
            Self::Go => go::parse(text),
            Self::Tap => tap::parse(text),
            Self::Node => node::parse(text),
            Self::Mocha => mocha::parse(text),
            Self::Playwright => playwright::parse(text),
            Self::Unittest => unittest::parse(text),
            Self::Phpunit => phpunit::parse(text),
            Self::Rspec => rspec::parse(text),
        }
    }

    /// Whether an output in this format holds nothing else that would be worth reading.
    ///
    /// A structured report repeats in its texts what other runners print, and nextest runs
    /// each test in a process that prints a summary of its own.
    fn stands_alone(self) -> bool {
        matches!(self, Self::GoJson | Self::Junit | Self::Nextest)
    }
}

/// Reads the results of all runners that reported in one output, as those of a `make test`
/// over several languages do.
pub(crate) fn detect(text: &str) -> (Vec<Format>, Option<TestRun>) {
    let mut formats = Vec::new();
    let mut sum: Option<TestRun> = None;
    for format in Format::ALL {
        if let Some(run) = format.parse_text(text) {
            formats.push(format);
            sum.get_or_insert_default().add(run);
            if format.stands_alone() {
                break;
            }
        }
    }
    (formats, sum)
}

/// What stands behind a number in a list, indented by so many spaces: `  1) its name`.
fn numbered(line: &str, spaces: usize) -> Option<&str> {
    let rest = line.trim_start_matches(' ');
    let (number, name) = rest.split_once(") ")?;
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    (is_number && line.len() - rest.len() == spaces).then_some(name)
}

/// How many lines may come between two that belong together. There is none, but what else writes
/// to a terminal may get there first.
const BETWEEN: u32 = 3;

/// What was read in one of the last lines, for as long as it counts.
struct Recent<T>(Option<(T, u32)>);

impl<T: Copy> Recent<T> {
    /// Goes on to the next line, which says `now` if anything.
    fn next(&mut self, now: Option<T>) {
        let before = self.0.take();
        let before = before.and_then(|(value, left)| Some((value, left.checked_sub(1)?)));
        self.0 = now.map(|now| (now, BETWEEN)).or(before);
    }

    fn get(&self) -> Option<T> {
        self.0.map(|(value, _)| value)
    }
}
