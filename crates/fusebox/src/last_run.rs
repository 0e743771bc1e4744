//! The last run of a loop: at work, at rest, over, or dead without having said so.
//!
//! That one died is nowhere written down, because whoever could have written it was dead. It
//! follows from a beginning without an end and a lock that nobody holds.

use fusebox_core::circuit::{Over, Pause, Run};
use fusebox_core::journal::{PauseFor, RunEnd, RunOver};
use fusebox_core::{Circuit, Moment};
use fusebox_view::{escape, phrase};
use serde::Serialize;

/// The widest that the end of a run is told.
const WIDTH: usize = 200;

/// The last run that began, and how it stands.
pub(crate) struct LastRun<'a> {
    run: &'a Run,
    stands: Stands<'a>,
}

/// How it stands.
enum Stands<'a> {
    Working,
    Paused(Pause),
    Over(&'a Over),
    Died {
        /// The iteration that nobody saw the end of.
        open: Option<u64>,
        /// Whether the machine was restarted since.
        restarted: bool,
    },
}

/// The same as data.
#[derive(Debug, Serialize)]
pub(crate) struct RunData<'a> {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    began: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    paused: Option<PausedData>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<EndData<'a>>,
    /// The iteration that was under way when it died.
    #[serde(skip_serializing_if = "Option::is_none")]
    open_iteration: Option<u64>,
}

#[derive(Debug, Serialize)]
struct PausedData {
    since: String,
    waits_for: PauseFor,
}

/// How a run ended, as data.
#[derive(Debug, Serialize)]
pub(crate) struct EndData<'a> {
    why: RunOver,
    exit_code: u8,
    iterations: u64,
    said: &'a str,
}

impl<'a> EndData<'a> {
    pub(crate) fn of(end: &'a RunEnd) -> Self {
        Self {
            why: end.why,
            exit_code: end.code,
            iterations: end.iterations,
            said: &end.said,
        }
    }
}

/// What `look` finds of the state, and whether a supervisor is alive. That is asked before and
/// afterwards, because a run that ends says so before it lets go of its lock, and one that begins
/// takes the lock first: neither of them is dead.
pub(crate) fn with_life<T>(is_live: impl Fn() -> bool, look: impl FnOnce() -> T) -> (T, bool) {
    let before = is_live();
    let found = look();
    (found, before || is_live())
}

impl<'a> LastRun<'a> {
    /// `live` is whether a supervisor of the circuit is alive. `None` where no run ever began, or
    /// none since that is kept.
    pub(crate) fn of(circuit: &'a Circuit, live: bool, now: &Moment) -> Option<Self> {
        let run = circuit.run.as_ref()?;
        let stands = match (&run.ended, run.paused) {
            (Some(over), _) => Stands::Over(over),
            (None, Some(pause)) if live => Stands::Paused(pause),
            (None, None) if live => Stands::Working,
            // Before ends were kept, none was told.
            (None, _) if run.pid.is_none() => return None,
            (None, _) => {
                let pending = circuit.core.pending.as_ref();
                let sealed = pending.filter(|pending| pending.seal.is_some());
                Stands::Died {
                    open: sealed.map(|pending| pending.id.0),
                    restarted: run.began.boot != now.boot,
                }
            }
        };
        Some(Self { run, stands })
    }

    /// The rest that it takes, if it takes one.
    pub(crate) fn paused(&self) -> Option<Pause> {
        match self.stands {
            Stands::Paused(pause) => Some(pause),
            _ => None,
        }
    }

    /// Whether nothing of it is alive.
    pub(crate) fn is_past(&self) -> bool {
        matches!(self.stands, Stands::Over(_) | Stands::Died { .. })
    }

    /// How it stands, in a word or two; nothing where all is well.
    pub(crate) fn word(&self) -> Option<String> {
        match &self.stands {
            Stands::Working => None,
            Stands::Paused(_) => Some("paused".into()),
            Stands::Over(over) if over.end.code == 0 => None,
            Stands::Over(over) => Some(format!("run ended with {}", over.end.code)),
            Stands::Died { .. } => Some("run died".into()),
        }
    }

    /// How it stands, in a line.
    pub(crate) fn line(&self) -> String {
        let began = phrase::time(self.run.began.wall_ms);
        let process = self
            .run
            .pid
            .map_or_else(String::new, |pid| format!("process {pid}, "));
        match &self.stands {
            Stands::Working => format!("at work since {began}"),
            Stands::Paused(pause) => format!(
                "paused since {}, {}",
                phrase::time(pause.since.wall_ms),
                pause.waits.words()
            ),
            Stands::Over(over) => ended(&over.end, &phrase::time(over.at.wall_ms)),
            Stands::Died { open, restarted } => {
                let open = open.map_or_else(String::new, |open| {
                    format!("; iteration {open} was under way")
                });
                let restarted = match restarted {
                    true => "; the machine was restarted since",
                    false => "",
                };
                format!("died without saying why ({process}began {began}){open}{restarted}")
            }
        }
    }

    pub(crate) fn data(&self) -> RunData<'a> {
        let over = match self.stands {
            Stands::Over(over) => Some(over),
            _ => None,
        };
        RunData {
            state: match self.stands {
                Stands::Working => "running",
                Stands::Paused(_) => "paused",
                Stands::Over(_) => "ended",
                Stands::Died { .. } => "died",
            },
            pid: self.run.pid,
            began: phrase::time(self.run.began.wall_ms),
            paused: self.paused().map(|pause| PausedData {
                since: phrase::time(pause.since.wall_ms),
                waits_for: pause.waits,
            }),
            ended: over.map(|over| phrase::time(over.at.wall_ms)),
            end: over.map(|over| EndData::of(&over.end)),
            open_iteration: match self.stands {
                Stands::Died { open, .. } => open,
                _ => None,
            },
        }
    }
}

/// The end of a run in a line.
pub(crate) fn ended(end: &RunEnd, at: &str) -> String {
    format!(
        "{} (exit code {}, {}, {at})",
        escape::line(&end.said, WIDTH),
        end.code,
        phrase::count(end.iterations, "iteration")
    )
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn whoever_holds_the_lock_before_or_after_the_look_is_alive() {
        for (before, after) in [(false, false), (false, true), (true, false), (true, true)] {
            let held = Cell::new(before);
            let (found, live) = with_life(|| held.get(), || held.replace(after));
            assert_eq!((found, live), (before, before || after));
        }
    }

    #[test]
    fn a_run_of_before_ends_were_kept_did_not_die() {
        let run = |pid| Run {
            began: Moment::default(),
            pid,
            paused: None,
            ended: None,
        };
        for (pid, live, expected) in [
            (None, false, None),
            (None, true, Some("running")),
            (Some(7), false, Some("died")),
        ] {
            let circuit = Circuit {
                run: Some(run(pid)),
                ..Circuit::default()
            };
            let last = LastRun::of(&circuit, live, &Moment::default());
            assert_eq!(last.map(|run| run.data().state), expected, "{pid:?} {live}");
        }
    }
}
