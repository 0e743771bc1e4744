//! Numbers for Prometheus, in its text format.

use std::fmt::Write as _;

use crate::escape;

/// The longest value of a label.
const LABEL: usize = 300;

/// Whether a number may fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only ever grows, and its name ends with `_total`.
    Counter,
    /// It goes up and down.
    Gauge,
}

/// One metric, with all its samples.
#[derive(Clone, Debug)]
pub struct Family {
    name: &'static str,
    kind: Kind,
    help: &'static str,
    samples: String,
}

impl Family {
    /// A metric without samples yet.
    #[must_use]
    pub fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self {
            name,
            kind,
            help,
            samples: String::new(),
        }
    }

    /// Adds a sample. What a label says may come from outside.
    pub fn add(&mut self, labels: &[(&'static str, String)], value: f64) {
        let labels: Vec<String> = labels
            .iter()
            .map(|(name, value)| format!("{name}=\"{}\"", label(value)))
            .collect();
        // Writing into a `String` cannot fail.
        let _ = writeln!(
            self.samples,
            "{}{{{}}} {value}",
            self.name,
            labels.join(",")
        );
    }

    /// The metric as text; empty where it has no samples.
    #[must_use]
    pub fn text(&self) -> String {
        let Self {
            name,
            kind,
            help,
            samples,
        } = self;
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        if samples.is_empty() {
            return String::new();
        }
        format!("# HELP {name} {help}\n# TYPE {name} {kind}\n{samples}")
    }
}

fn label(value: &str) -> String {
    let shown = escape::line(value, LABEL);
    shown.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_written_as_prometheus_reads_them() {
        let mut family = Family::new("fusebox_cost_usd_total", Kind::Counter, "Money.");
        assert_eq!(family.text(), "");
        family.add(&[("root", "/a \"b\"\\c\nd".into())], 1.25);
        family.add(&[], 1e21);
        assert_eq!(
            family.text(),
            "# HELP fusebox_cost_usd_total Money.\n# TYPE fusebox_cost_usd_total counter\n\
             fusebox_cost_usd_total{root=\"/a \\\"b\\\"\\\\c\\\\nd\"} 1.25\n\
             fusebox_cost_usd_total{} 1000000000000000000000\n"
        );
    }
}
