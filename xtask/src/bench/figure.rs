//! A figure: a value, what it is beside, and what was promised of it.
//!
//! Each is one line, `name value unit ratio-to NAME`, so that a script can
//! read it with `cut`. A figure without a yardstick is its own. A promise adds
//! `limit L ok` or `limit L MISSED`, where `3x` limits the ratio and `20MB`
//! the value.

use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

/// What a value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Microseconds,
    Milliseconds,
    Megabytes,
    MegabytesPerSecond,
    RecordsPerSecond,
    Count,
}

impl Unit {
    fn decimals(self) -> usize {
        match self {
            Self::Milliseconds | Self::Megabytes => 3,
            Self::Microseconds => 1,
            Self::MegabytesPerSecond | Self::RecordsPerSecond | Self::Count => 0,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Megabytes => "MB",
            Self::MegabytesPerSecond => "MB/s",
            Self::RecordsPerSecond => "records/s",
            Self::Count => "count",
        })
    }
}

/// What was promised of a figure.
#[derive(Clone, Copy, Debug)]
enum Limit {
    RatioAtMost(f64),
    RatioAtLeast(f64),
    ValueAtMost(f64),
    ValueAtLeast(f64),
}

/// One line of the report.
#[derive(Clone, Debug)]
pub(crate) struct Figure {
    name: String,
    value: f64,
    unit: Unit,
    yardstick: Option<(String, f64)>,
    limit: Option<Limit>,
}

impl Figure {
    pub(crate) fn new(name: impl Into<String>, value: f64, unit: Unit) -> Self {
        Self {
            name: name.into(),
            value,
            unit,
            yardstick: None,
            limit: None,
        }
    }

    pub(crate) fn time(name: impl Into<String>, time: Duration) -> Self {
        Self::new(name, time.as_secs_f64() * 1_000.0, Unit::Milliseconds)
    }

    pub(crate) fn bytes(name: impl Into<String>, bytes: u64) -> Self {
        Self::new(name, bytes as f64 / 1e6, Unit::Megabytes)
    }

    /// Puts this figure beside another, which is of the same unit.
    pub(crate) fn beside(mut self, other: &Self) -> Self {
        self.yardstick = Some((other.name.clone(), other.value));
        self
    }

    pub(crate) fn ratio_at_most(mut self, limit: f64) -> Self {
        self.limit = Some(Limit::RatioAtMost(limit));
        self
    }

    pub(crate) fn ratio_at_least(mut self, limit: f64) -> Self {
        self.limit = Some(Limit::RatioAtLeast(limit));
        self
    }

    pub(crate) fn value_at_most(mut self, limit: f64) -> Self {
        self.limit = Some(Limit::ValueAtMost(limit));
        self
    }

    pub(crate) fn value_at_least(mut self, limit: f64) -> Self {
        self.limit = Some(Limit::ValueAtLeast(limit));
        self
    }

    fn ratio(&self) -> f64 {
        match &self.yardstick {
            Some((_, other)) => self.value / other,
            None => 1.0,
        }
    }

    fn keeps(&self, limit: Limit) -> bool {
        match limit {
            Limit::RatioAtMost(most) => self.ratio() <= most,
            Limit::RatioAtLeast(least) => self.ratio() >= least,
            Limit::ValueAtMost(most) => self.value <= most,
            Limit::ValueAtLeast(least) => self.value >= least,
        }
    }

    fn is_missed(&self) -> bool {
        self.limit.is_some_and(|limit| !self.keeps(limit))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name, value, unit, ..
        } = self;
        let beside = self.yardstick.as_ref().map_or(name, |(other, _)| other);
        let decimals = unit.decimals();
        write!(out, "{name} {value:.decimals$} {unit}")?;
        write!(out, " {:.2} {beside}", self.ratio())?;
        match self.limit {
            None => return Ok(()),
            Some(Limit::RatioAtMost(limit) | Limit::RatioAtLeast(limit)) => {
                write!(out, " limit {limit}x")?;
            }
            Some(Limit::ValueAtMost(limit) | Limit::ValueAtLeast(limit)) => {
                write!(out, " limit {limit}{unit}")?;
            }
        }
        let verdict = if self.is_missed() { "MISSED" } else { "ok" };
        write!(out, " {verdict}")
    }
}

/// All figures of a run, printed as they come.
#[derive(Debug, Default)]
pub(crate) struct Report {
    missed: Vec<String>,
}

impl Report {
    pub(crate) fn add(&mut self, figure: &Figure) {
        println!("{figure}");
        if figure.is_missed() {
            self.missed.push(figure.name.clone());
        }
    }

    pub(crate) fn add_all<'a>(&mut self, figures: impl IntoIterator<Item = &'a Figure>) {
        figures.into_iter().for_each(|figure| self.add(figure));
    }

    /// Says that a figure could not be had here. That is no failure, but there
    /// is no silent way not to measure.
    pub(crate) fn not_run(&mut self, name: &str, why: &str) {
        println!("# {name} NOT RUN: {why}");
    }

    /// Fails if any promise was not kept.
    pub(crate) fn conclude(self) -> ExitCode {
        if self.missed.is_empty() {
            return ExitCode::SUCCESS;
        }
        eprintln!("limits missed: {}", self.missed.join(", "));
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(name: &str, value: u64) -> Figure {
        Figure::time(name, Duration::from_millis(value))
    }

    #[test]
    fn a_line_can_be_read_by_a_script_and_says_whether_the_limit_holds() {
        let beside = || ms("check", 6).beside(&ms("true", 2));
        let size = || Figure::bytes("size", 20_000_000);
        for (figure, line) in [
            (ms("true", 2), "true 2.000 ms 1.00 true"),
            (beside(), "check 6.000 ms 3.00 true"),
            (
                beside().ratio_at_most(3.0),
                "check 6.000 ms 3.00 true limit 3x ok",
            ),
            (
                beside().ratio_at_most(2.9),
                "check 6.000 ms 3.00 true limit 2.9x MISSED",
            ),
            (
                beside().ratio_at_least(3.1),
                "check 6.000 ms 3.00 true limit 3.1x MISSED",
            ),
            (
                size().value_at_most(20.0),
                "size 20.000 MB 1.00 size limit 20MB ok",
            ),
            (
                size().value_at_most(19.0),
                "size 20.000 MB 1.00 size limit 19MB MISSED",
            ),
        ] {
            assert_eq!(figure.to_string(), line);
        }
    }

    #[test]
    fn a_ratio_that_is_not_a_number_keeps_no_promise() {
        let nothing = || ms("nothing", 0);
        let undefined = || nothing().beside(&nothing());
        assert!(undefined().ratio_at_most(3.0).is_missed());
        assert!(undefined().ratio_at_least(0.3).is_missed());
    }

    #[test]
    fn one_missed_limit_is_remembered_among_kept_ones() {
        let mut report = Report::default();
        let kept = ms("kept", 1).value_at_most(1.0);
        let missed = ms("missed", 2).value_at_most(1.0);
        report.add_all([&kept, &missed, &kept]);
        assert_eq!(report.missed, ["missed"]);
    }
}
