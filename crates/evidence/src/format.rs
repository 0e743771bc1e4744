//! The formats in which test runners report.

mod cargo;
mod go;
mod go_json;
mod jest;
mod junit;
mod nextest;
mod pytest;
mod rust_panic;
mod tap;
mod vitest;

use crate::plain_text::clean;
use crate::run::TestRun;

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
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::GoJson,
        Self::Junit,
        Self::Nextest,
        Self::Cargo,
        Self::Pytest,
        Self::Jest,
        Self::Vitest,
        Self::Go,
        Self::Tap,
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
