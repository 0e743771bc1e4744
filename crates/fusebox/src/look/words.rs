//! What was said with an event: why, by whom, and about which task.
//!
//! The stream of events and the index both tell this, and tell the same.

use std::borrow::Cow;

use fusebox_core::Preset;
use fusebox_core::journal::{Actor, Event, Report};
use fusebox_view::answer::resource_name;
use fusebox_view::phrase;

/// What somebody said with an event.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Words<'a> {
    pub(super) reason: Option<Cow<'a, str>>,
    pub(super) user: Option<&'a str>,
    pub(super) task: Option<&'a str>,
}

impl<'a> Words<'a> {
    /// The one table of them.
    pub(super) fn of(event: &'a Event) -> Self {
        match event {
            Event::Granted { probe, .. } => match probe {
                true => Self::said("probe"),
                false => Self::default(),
            },
            Event::Reported(report) => Self::of_report(report),
            Event::Tripped { reason, by }
            | Event::Reset { reason, by, .. }
            | Event::PhaseSkipped { reason, by, .. }
            | Event::FailuresForgotten { reason, by }
            | Event::Retried {
                note: reason, by, ..
            }
            | Event::Recovering {
                note: reason, by, ..
            }
            | Event::Resolved {
                resolution: reason,
                by,
            } => Self::said(reason).by(by),
            Event::ThresholdSet {
                threshold,
                reason,
                by,
            } => Self::said(format!("{threshold}: {reason}")).by(by),
            Event::PresetChanged { from, to, by, .. } => {
                let from = from.map_or("none", Preset::name);
                Self::said(format!("{from} to {to}")).by(by)
            }
            Event::Imported { file, by } => Self::said(&file.path).by(by),
            Event::Adopted { from, what } => Self::said(format!("{from}: {what}")),
            Event::EditRefused { path, what } => Self::said(format!("{path}: {what}")),
            Event::Projected { files } => {
                let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
                Self::said(paths.join(", "))
            }
            Event::TaskBlocked { task, reason, by } => Self::said(reason).by(by).about(task),
            Event::TaskReopened { task, by } => Self::default().by(by).about(task),
            Event::AnomalyReported { anomaly, by } => {
                Self::said(anomaly.kind.name()).by(by).about(&anomaly.task)
            }
            Event::PhaseEntered { phase } => Self::said(phase.name()),
            Event::ReservedMore { resource } => Self::said(resource_name(*resource)),
            Event::Taken { calls } => Self::said(phrase::count(u64::from(*calls), "call")),
            Event::ProtectedLost(losses) => Self {
                reason: losses.found.first().map(Into::into),
                ..Self::default()
            },
            Event::RunEnded(end) => Self::said(format!("exit code {}: {}", end.code, end.said)),
            Event::RunPaused { waits } => Self::said(waits.words()),
            Event::RunBegan { .. }
            | Event::RunWentOn
            | Event::Completed
            | Event::Reconsidered
            | Event::Analysed { .. } => Self::default(),
        }
    }

    fn of_report(report: &'a Report) -> Self {
        Self {
            reason: report.late.then(|| "came too late to count".into()),
            user: None,
            task: report.facts.task.as_deref(),
        }
    }

    fn said(reason: impl Into<Cow<'a, str>>) -> Self {
        Self {
            reason: Some(reason.into()),
            ..Self::default()
        }
    }

    fn by(self, actor: &'a Actor) -> Self {
        let user = Some(actor.user.as_str());
        Self { user, ..self }
    }

    fn about(self, task: &'a str) -> Self {
        let task = Some(task);
        Self { task, ..self }
    }
}
