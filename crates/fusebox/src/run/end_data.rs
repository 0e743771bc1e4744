//! How a step ended, as data: the words that other programs may rely on, whatever the
//! supervisor calls it inside.

use fusebox_supervise::{Crowd, Limit, StartFailure, StartFailureKind, StepEnd, StopCause};
use serde::Serialize;

/// Why a step is over.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum EndData {
    Exited {
        code: i32,
    },
    Signaled {
        signal: i32,
    },
    TimedOut {
        limit: LimitData,
    },
    TooMany {
        of: CrowdData,
        count: u32,
        cap: u32,
    },
    /// It had given its result and did not go.
    Lingered,
    Stopped {
        by: Stopper,
        /// The signal, where that is who asked.
        #[serde(skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
    },
    NotStarted {
        why: StartData,
        /// The same in words.
        said: String,
        /// The system's error number, where it gave one.
        #[serde(skip_serializing_if = "Option::is_none")]
        errno: Option<i32>,
    },
    KeeperLost,
}

/// Which time was exceeded.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LimitData {
    Overall,
    Idle,
}

/// Of what there were too many.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CrowdData {
    Processes,
    Agents,
}

/// Who asked for the end.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stopper {
    Signal,
    Fusebox,
}

/// Why there never was a process.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StartData {
    NotFound,
    NotExecutable,
    IsDirectory,
    BadInterpreter,
    TooLong,
    WorkingDirectory,
    Input,
    Sandbox,
    Other,
}

impl From<StepEnd> for EndData {
    fn from(end: StepEnd) -> Self {
        match end {
            StepEnd::Exited(code) => Self::Exited { code },
            StepEnd::Signaled(signal) => Self::Signaled { signal },
            StepEnd::TimedOut(limit) => Self::TimedOut {
                limit: match limit {
                    Limit::Overall => LimitData::Overall,
                    Limit::Idle => LimitData::Idle,
                },
            },
            StepEnd::TooMany { of, count, cap } => Self::TooMany {
                of: match of {
                    Crowd::Processes => CrowdData::Processes,
                    Crowd::Agents => CrowdData::Agents,
                },
                count,
                cap,
            },
            StepEnd::Lingered => Self::Lingered,
            StepEnd::Stopped { by } => match by {
                StopCause::Signal(signal) => Self::Stopped {
                    by: Stopper::Signal,
                    signal: Some(signal),
                },
                StopCause::Observer => Self::Stopped {
                    by: Stopper::Fusebox,
                    signal: None,
                },
            },
            StepEnd::NotStarted(failure) => Self::not_started(failure),
            StepEnd::KeeperLost => Self::KeeperLost,
        }
    }
}

impl EndData {
    fn not_started(failure: StartFailure) -> Self {
        let why = match failure.kind {
            StartFailureKind::NotFound => StartData::NotFound,
            StartFailureKind::NotExecutable => StartData::NotExecutable,
            StartFailureKind::IsDirectory => StartData::IsDirectory,
            StartFailureKind::BadInterpreter => StartData::BadInterpreter,
            StartFailureKind::TooLong => StartData::TooLong,
            StartFailureKind::WorkingDirectory => StartData::WorkingDirectory,
            StartFailureKind::Input => StartData::Input,
            StartFailureKind::Sandbox => StartData::Sandbox,
            StartFailureKind::Other => StartData::Other,
        };
        Self::NotStarted {
            why,
            said: failure.to_string(),
            errno: (failure.errno != 0).then_some(failure.errno),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_words_of_its_own() {
        let missing = StartFailure {
            kind: StartFailureKind::NotFound,
            errno: 2,
        };
        let crowd = StepEnd::TooMany {
            of: Crowd::Agents,
            count: 9,
            cap: 8,
        };
        let by = |by| StepEnd::Stopped { by };
        for (end, told) in [
            (StepEnd::Exited(7), r#"{"kind":"exited","code":7}"#),
            (StepEnd::Signaled(9), r#"{"kind":"signaled","signal":9}"#),
            (
                StepEnd::TimedOut(Limit::Overall),
                r#"{"kind":"timed_out","limit":"overall"}"#,
            ),
            (
                StepEnd::TimedOut(Limit::Idle),
                r#"{"kind":"timed_out","limit":"idle"}"#,
            ),
            (
                crowd,
                r#"{"kind":"too_many","of":"agents","count":9,"cap":8}"#,
            ),
            (StepEnd::Lingered, r#"{"kind":"lingered"}"#),
            (
                by(StopCause::Signal(2)),
                r#"{"kind":"stopped","by":"signal","signal":2}"#,
            ),
            (
                by(StopCause::Observer),
                r#"{"kind":"stopped","by":"fusebox"}"#,
            ),
            (
                StepEnd::NotStarted(missing),
                r#"{"kind":"not_started","why":"not_found","said":"the command was not found","errno":2}"#,
            ),
            (StepEnd::KeeperLost, r#"{"kind":"keeper_lost"}"#),
        ] {
            let data = serde_json::to_string(&EndData::from(end)).unwrap();
            assert_eq!(data, told);
        }
    }
}
