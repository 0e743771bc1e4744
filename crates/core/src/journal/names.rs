//! What events are called: by a number on disk, which never changes, and by a word to people.

use super::Event;
use crate::observation::Ended;

impl Event {
    /// The number that names a report of an iteration on disk, for whoever picks
    /// them out without reading the rest.
    pub const REPORTED: u16 = 2;
    /// The same of the beginning of a run.
    pub const RUN_BEGAN: u16 = 15;
    /// The same of its end.
    pub const RUN_ENDED: u16 = 17;
    /// The same of an anomaly that somebody reported.
    pub const ANOMALY_REPORTED: u16 = 30;

    /// What every kind is called in data: its [`word`](Self::word), with `_` for the spaces.
    pub const NAMES: [&str; 30] = [
        "granted",
        "reported",
        "unreported",
        "tripped",
        "reset",
        "taken",
        "retried",
        "recovering",
        "phase",
        "completed",
        "reconsidered",
        "analysed",
        "resolved",
        "task_blocked",
        "task_reopened",
        "run_began",
        "run_ended",
        "run_paused",
        "run_went_on",
        "reserved_more",
        "projected",
        "adopted",
        "edit_refused",
        "phase_skipped",
        "preset_changed",
        "imported",
        "protected_file_lost",
        "anomaly",
        "threshold_set",
        "failures_forgotten",
    ];

    /// The number that names this kind of entry on disk.
    #[must_use]
    pub fn kind(&self) -> u16 {
        match self {
            Self::Granted { .. } => 1,
            Self::Reported(_) => Self::REPORTED,
            Self::Tripped { .. } => 3,
            Self::Reset { .. } => 4,
            Self::Taken { .. } => 5,
            Self::Retried { .. } => 6,
            Self::Recovering { .. } => 7,
            Self::PhaseEntered { .. } => 8,
            Self::Completed => 9,
            Self::Reconsidered => 10,
            Self::Analysed { .. } => 11,
            Self::Resolved { .. } => 12,
            Self::TaskBlocked { .. } => 13,
            Self::TaskReopened { .. } => 14,
            Self::RunBegan { .. } => Self::RUN_BEGAN,
            Self::ReservedMore { .. } => 16,
            Self::RunEnded(_) => Self::RUN_ENDED,
            Self::RunPaused { .. } => 18,
            Self::RunWentOn => 19,
            Self::Projected { .. } => 20,
            Self::Adopted { .. } => 21,
            Self::EditRefused { .. } => 22,
            Self::PhaseSkipped { .. } => 23,
            Self::PresetChanged { .. } => 24,
            Self::Imported { .. } => 25,
            Self::ProtectedLost(_) => 40,
            Self::AnomalyReported { .. } => Self::ANOMALY_REPORTED,
            Self::ThresholdSet { .. } => 31,
            Self::FailuresForgotten { .. } => 32,
        }
    }

    /// The word that names this kind of entry to people.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Granted { .. } => "granted",
            Self::Reported(report) if report.facts.ended != Some(Ended::Unreported) => "reported",
            // Settled, because the next one began without a report of it.
            Self::Reported(_) => "unreported",
            Self::Tripped { .. } => "tripped",
            Self::Reset { .. } => "reset",
            Self::Taken { .. } => "taken",
            Self::Retried { .. } => "retried",
            Self::Recovering { .. } => "recovering",
            Self::PhaseEntered { .. } => "phase",
            Self::Completed => "completed",
            Self::Reconsidered => "reconsidered",
            Self::Analysed { .. } => "analysed",
            Self::Resolved { .. } => "resolved",
            Self::TaskBlocked { .. } => "task blocked",
            Self::TaskReopened { .. } => "task reopened",
            Self::RunBegan { .. } => "run began",
            Self::RunEnded(_) => "run ended",
            Self::RunPaused { .. } => "run paused",
            Self::RunWentOn => "run went on",
            Self::ReservedMore { .. } => "reserved more",
            Self::Projected { .. } => "projected",
            Self::Adopted { .. } => "adopted",
            Self::EditRefused { .. } => "edit refused",
            Self::PhaseSkipped { .. } => "phase skipped",
            Self::PresetChanged { .. } => "preset changed",
            Self::Imported { .. } => "imported",
            Self::ProtectedLost(_) => "protected file lost",
            Self::AnomalyReported { .. } => "anomaly",
            Self::ThresholdSet { .. } => "threshold set",
            Self::FailuresForgotten { .. } => "failures forgotten",
        }
    }
}
