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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Circuit;

    #[test]
    fn what_was_written_before_ends_were_kept_is_read() {
        let began: Event = serde_json::from_str(r#"{"run_began":{"plan":"as asked"}}"#).unwrap();
        let mut run = None;
        fold(&mut run, &began, &Moment::default());
        let run = run.unwrap();
        assert_eq!((run.pid, run.paused, run.ended), (None, None, None));
        let state: serde_json::Value = serde_json::to_value(Circuit::default()).unwrap();
        assert!(state.get("run").is_none(), "{state}");
        assert_eq!(serde_json::from_value::<Circuit>(state).unwrap().run, None);
    }

    #[test]
    fn a_rest_is_kept_from_when_it_began_until_the_run_goes_on() {
        let at = Moment {
            wall_ms: 7,
            ..Moment::default()
        };
        let mut run = None;
        let mut tell = |event| {
            fold(&mut run, &event, &at);
            run.as_ref().and_then(|run| run.paused)
        };
        let began = Event::RunBegan {
            plan: String::new(),
            pid: None,
        };
        assert_eq!(tell(began), None);
        let waits = PauseFor::Resume;
        let rests = Some(Pause { since: at, waits });
        assert_eq!(tell(Event::RunPaused { waits }), rests);
        assert_eq!(
            tell(Event::Completed),
            rests,
            "another event is none of its"
        );
        assert_eq!(tell(Event::RunWentOn), None);
    }

    #[test]
    fn an_end_ends_a_rest_and_nothing_rests_that_never_began() {
        let mut run = None;
        let rests = Event::RunPaused {
            waits: PauseFor::Resume,
        };
        fold(&mut run, &rests, &Moment::default());
        assert_eq!(run, None);
        let began = Event::RunBegan {
            plan: String::new(),
            pid: Some(7),
        };
        let end = RunEnd {
            why: crate::journal::RunOver::Stopped,
            code: 143,
            iterations: 2,
            said: "stopped".into(),
        };
        for event in [began, rests, Event::RunEnded(end.clone())] {
            fold(&mut run, &event, &Moment::default());
        }
        let run = run.unwrap();
        assert_eq!(run.paused, None);
        assert_eq!(run.ended.unwrap().end, end);
    }
}
