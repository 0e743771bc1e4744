//! `fusebox history --metrics`: what can be learned from the openings of the past.

use fusebox_core::State;
use fusebox_core::journal::{Entry, Event};
use fusebox_core::signals::Progress;
use fusebox_store::Log;
use fusebox_view::phrase;
use serde::Serialize;

use super::Context;
use crate::failure::Failure;
use crate::memory;

/// More than one opening in so many sessions is a high rate.
const SESSIONS_A_TRIGGER: u64 = 10;
/// An opening that took a person longer than a day to resolve was hard to see through.
const LONG_MS: i64 = 24 * 3_600 * 1_000;
/// A breaker that opened after no more failures than these opened early, as it should.
const FEW: u32 = 10;
/// How many of the latest counts are shown.
const TREND: usize = 20;

/// What is counted.
#[derive(Debug, Default, Serialize)]
struct Metrics {
    schema: u32,
    sessions: u64,
    triggers: u64,
    /// Each threshold that was set, and when.
    thresholds: Vec<Set>,
    /// Failures in a row after each of the latest sessions.
    failures_trend: Vec<u32>,
    openings: Vec<Opened>,
    hints: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct Set {
    at: String,
    threshold: u32,
}

/// One opening.
#[derive(Debug, Serialize)]
struct Opened {
    at: String,
    #[serde(skip)]
    at_ms: i64,
    consecutive_failures: u32,
    /// Sessions since the opening before, in which something was gained.
    gains_before: u64,
    /// Features that passed by then, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    features_completed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_after_ms: Option<i64>,
}

pub(super) fn show(context: &Context<'_>, log: &Log) -> Result<(), Failure> {
    let mut metrics = Metrics {
        schema: 1,
        ..Metrics::default()
    };
    let mut gains = 0;
    let mut reader = log.reader(None);
    while let Some(record) = reader.next_record()? {
        if let Ok(entry) = memory::entry(&record) {
            metrics.take(&entry, &mut gains);
        }
    }
    metrics.hints = metrics.hints();
    if context.speech.json {
        context.speech.json(&metrics);
    } else {
        context.speech.data(&metrics.told());
    }
    Ok(())
}

impl Metrics {
    fn take(&mut self, entry: &Entry, gains: &mut u64) {
        let core = &entry.outcome.core;
        match &entry.event {
            Event::Reported(report) if !report.late => {
                self.sessions += 1;
                let gained = entry
                    .outcome
                    .row
                    .as_ref()
                    .is_some_and(|row| row.progress == Progress::Made);
                *gains += u64::from(gained);
                self.failures_trend.push(core.counters.no_progress);
                let surplus = self.failures_trend.len().saturating_sub(TREND);
                self.failures_trend.drain(..surplus);
            }
            Event::ThresholdSet { threshold, .. } => {
                self.thresholds.push(Set {
                    at: phrase::time(entry.at.wall_ms),
                    threshold: *threshold,
                });
            }
            _ => {}
        }
        for transition in &entry.outcome.transitions {
            if transition.to == State::Open && transition.from != State::Probing {
                self.triggers += 1;
                self.openings.push(Opened {
                    at: phrase::time(entry.at.wall_ms),
                    at_ms: entry.at.wall_ms,
                    consecutive_failures: core.counters.no_progress,
                    gains_before: std::mem::take(gains),
                    features_completed: core.features.map(|features| features.pass),
                    resolved_after_ms: None,
                });
            } else if transition.to == State::Closed
                && let Some(last) = self.openings.last_mut()
            {
                last.resolved_after_ms
                    .get_or_insert(entry.at.wall_ms - last.at_ms);
            }
        }
    }

    fn hints(&self) -> Vec<&'static str> {
        let many = self.triggers > 1 && self.triggers * SESSIONS_A_TRIGGER > self.sessions;
        let long = self
            .openings
            .iter()
            .any(|one| one.resolved_after_ms.is_some_and(|ms| ms > LONG_MS));
        let few = self
            .openings
            .last()
            .is_some_and(|one| (1..=FEW).contains(&one.consecutive_failures));
        [
            (
                many,
                "High trigger rate: threshold too low or features too complex",
            ),
            (long, "Long resolution time: root causes hard to diagnose"),
            (
                few,
                "Low consecutive failures at trigger: threshold working correctly",
            ),
        ]
        .into_iter()
        .filter_map(|(holds, hint)| holds.then_some(hint))
        .collect()
    }

    fn told(&self) -> String {
        let mut lines = vec![
            format!("{:<22} {}", "sessions", self.sessions),
            format!("{:<22} {}", "triggers", self.triggers),
        ];
        let trend: Vec<String> = self.failures_trend.iter().map(u32::to_string).collect();
        lines.push(format!(
            "{:<22} {}",
            "consecutive failures",
            trend.join(" ")
        ));
        for set in &self.thresholds {
            lines.push(format!(
                "{:<22} {} since {}",
                "threshold", set.threshold, set.at
            ));
        }
        for one in &self.openings {
            let features = one.features_completed.map_or_else(String::new, |n| {
                format!(" · {} completed", phrase::count(n.into(), "feature"))
            });
            let resolved = one.resolved_after_ms.map_or_else(
                || "not resolved".to_owned(),
                |ms| {
                    format!(
                        "resolved after {}",
                        phrase::duration(u64::try_from(ms).unwrap_or(0))
                    )
                },
            );
            lines.push(format!(
                "{:<22} {} · {} failures in a row · {} sessions with progress before{features} · {resolved}",
                "trigger", one.at, one.consecutive_failures, one.gains_before
            ));
        }
        lines.extend(
            self.hints
                .iter()
                .map(|hint| format!("{:<22} {hint}", "hint")),
        );
        lines.join("\n") + "\n"
    }
}
