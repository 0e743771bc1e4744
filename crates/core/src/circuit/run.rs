//! The last run of a loop, as far as it told of itself.

use serde::{Deserialize, Serialize};

use crate::clock::Moment;
use crate::journal::{Event, PauseFor, RunEnd};

/// The last run that began. One that has neither an end nor a supervisor died without saying so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// When it began.
    pub began: Moment,
    /// Its supervisor's process. Releases before this was kept did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Where it rests, and since when, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused: Option<Pause>,
    /// How it ended, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Over>,
}

/// The rest of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// Since when.
    pub since: Moment,
    /// What it waits for.
    pub waits: PauseFor,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Over {
    /// When.
    pub at: Moment,
    /// How.
    #[serde(flatten)]
    pub end: RunEnd,
}

/// Takes in what an event says of runs.
pub(super) fn fold(run: &mut Option<Run>, event: &Event, at: &Moment) {
    match (event, run) {
        (Event::RunBegan { pid, .. }, run) => {
            *run = Some(Run {
                began: *at,
                pid: *pid,
                paused: None,
                ended: None,
            });
        }
        (Event::RunPaused { waits }, Some(run)) => {
            run.paused = Some(Pause {
                since: *at,
                waits: *waits,
            });
        }
        (Event::RunWentOn, Some(run)) => run.paused = None,
        (Event::RunEnded(end), Some(run)) => {
            run.paused = None;
            run.ended = Some(Over {
                at: *at,
                end: end.clone(),
            });
        }
        _ => {}
    }
}
