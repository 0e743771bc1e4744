//! `fusebox top`: all loops of this machine on one screen.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;

use std::time::Duration;

use fusebox_top::picture::{Detail, Fleet, Iteration, Known, Loop, Standing, Worker};
use fusebox_top::{Action, Source, Stopped, guardian};

use super::Context;
use crate::asked;
use crate::cli::{ColorWhen, Top};
use crate::exit;
use crate::failure::Failure;
use crate::fleet::{self, Picture, Seen, Watch, words};
use crate::last_run::{LastRun, with_life};
use crate::look::files::{self, Artifact, End};
use crate::look::iterations;
use crate::look::machine::{self, Machine, Place};
use crate::session::Outcome;

/// Iterations on the page of a loop.
const ITERATIONS: usize = 100;
/// The most that is shown of a patch.
const PATCH_BYTES: u64 = 1 << 20;

pub(super) fn run(context: &Context<'_>, args: &Top) -> Result<u8, Failure> {
    let program = std::env::current_exe().map_err(|error| broken(&error))?;
    match args.guardian {
        None => watch_over(&program),
        Some(guardian) => show(context, args, program, guardian),
    }
}

/// Waits for the process that draws, which is this program again.
fn watch_over(program: &std::path::Path) -> Result<u8, Failure> {
    if !guardian::has_terminal() {
        return Err(
            Failure::new(exit::MISSING, "there is no terminal to draw on")
                .hint("`fusebox status` says it in a few lines, `fusebox events --all` as data"),
        );
    }
    let kind = std::env::var_os("TERM").unwrap_or_default();
    if kind.is_empty() || kind == "dumb" {
        let what = "this terminal cannot draw: TERM is not set, or `dumb`";
        return Err(Failure::new(exit::MISSING, what)
            .hint("`fusebox status` says it in a few lines, `fusebox events --all` as data"));
    }
    let mut command = Command::new(program);
    command
        .args(std::env::args_os().skip(1))
        .arg("--guardian")
        .arg(std::process::id().to_string());
    let status = guardian::guard(&mut command).map_err(|error| broken(&error))?;
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    Ok(code
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(exit::INTERNAL))
}

fn show(context: &Context<'_>, args: &Top, program: PathBuf, guardian: i32) -> Result<u8, Failure> {
    guardian::follow_guardian(guardian).map_err(|error| broken(&error))?;
    let mut loops = Loops {
        machine: Machine::open(&context.cli.global, context.clock)?,
        places: BTreeMap::new(),
        program,
        fleet: fleet::begin_watch(
            &context.session_despite_config()?,
            args.fleet.url.as_deref(),
        )?,
        context,
    };
    let colour = match context.cli.global.color {
        ColorWhen::Always => true,
        ColorWhen::Never => false,
        ColorWhen::Auto => std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    };
    match fusebox_top::run(&mut loops, colour).map_err(|error| broken(&error))? {
        Stopped::Asked => Ok(exit::GO),
        Stopped::Signal(signal) if signal == rustix::process::Signal::INT.as_raw() => {
            Ok(exit::INTERRUPTED)
        }
        Stopped::Signal(_) | Stopped::Gone => Ok(exit::TERMINATED),
    }
}

fn broken(error: &std::io::Error) -> Failure {
    Failure::new(
        exit::INTERNAL,
        format!("the screen cannot be used: {error}"),
    )
}

/// The loops of this machine, as the screen asks for them.
struct Loops<'a> {
    machine: Machine<'a>,
    /// Those that were last listed, by name.
    places: BTreeMap<String, Place>,
    program: PathBuf,
    fleet: Option<Watch>,
    context: &'a Context<'a>,
}

impl Source for Loops<'_> {
    fn loops(&mut self) -> Vec<Loop> {
        let places = self.machine.places().unwrap_or_default();
        let named = places
            .into_iter()
            .map(|place| (place.id.to_string(), place));
        self.places = named.collect();
        let places = self.places.iter();
        places
            .map(|(id, place)| {
                let look = || self.machine.standing(place);
                let (stands, live) = with_life(|| place.is_live(), look);
                let run = match &stands {
                    machine::Standing::Known(outcome) => outcome.last_run(live),
                    machine::Standing::Busy | machine::Standing::Unreadable(_) => None,
                };
                Loop {
                    id: id.clone(),
                    root: place.root.to_string_lossy().into_owned(),
                    circuit: place.id.circuit.to_string(),
                    live,
                    run: run
                        .as_ref()
                        .filter(|run| run.word().is_some())
                        .map(LastRun::line),
                    paused: run.is_some_and(|run| run.paused().is_some()),
                    standing: standing(stands),
                }
            })
            .collect()
    }

    fn detail(&mut self, id: &str) -> Detail {
        let place = self.places.get(id);
        let log = place.and_then(|place| self.machine.log(place).ok().flatten());
        let page = log.and_then(|log| iterations::page(&log, None, ITERATIONS).ok());
        let iterations = page.unwrap_or_default().iterations;
        Detail {
            iterations: iterations.into_iter().map(shown).collect(),
        }
    }

    fn changes(&mut self, id: &str, iteration: u64, at_ms: i64) -> String {
        let text = self.places.get(id).and_then(|place| {
            let iteration = files::Iteration {
                circuit: place.id.circuit.as_str(),
                number: iteration,
                reported_ms: at_ms,
            };
            let dir = place.workspace_dir();
            files::read(&dir, &iteration, Artifact::Changes, End::First(PATCH_BYTES))
        });
        text.unwrap_or_default()
    }

    fn command(&mut self, id: &str, action: &Action) -> Command {
        match self.places.get(id) {
            Some(place) => asked::command(&self.program, &self.context.cli.global, place, action),
            // It is gone; `fusebox` alone says how it is used, and does nothing.
            None => Command::new(&self.program),
        }
    }

    fn fleet(&mut self) -> Option<Fleet> {
        let watch = self.fleet.as_ref()?;
        let (trouble, picture) = match watch.look(Duration::ZERO) {
            Seen::Asking => (Some("asked just now".to_owned()), None),
            Seen::Known(picture) => (None, Some(picture)),
            Seen::Lost(lost, last) => (Some(lost.said), last),
        };
        let mut fleet = picture.map_or_else(Fleet::default, |picture| of_fleet(&picture));
        fleet.address.clone_from(&watch.address);
        fleet.trouble = trouble;
        Some(fleet)
    }

    fn now_ms(&self) -> i64 {
        self.context.clock.now().wall_ms
    }
}

fn of_fleet(picture: &Picture) -> Fleet {
    let workers = picture.workers.iter().map(|worker| Worker {
        host: worker.host.clone(),
        repository: worker.repository.clone(),
        agent: worker.agent.clone(),
        seen_ms: picture.heard_ms.saturating_sub_unsigned(worker.seen_ms),
        tasks: worker.tasks.clone(),
    });
    let halts = picture.overview.halts.iter();
    Fleet {
        halts: halts.map(words::halt).collect(),
        present: picture.overview.workers,
        workers: workers.collect(),
        rest: words::all(picture),
        ..Fleet::default()
    }
}

fn standing(standing: machine::Standing) -> Standing {
    match standing {
        machine::Standing::Known(outcome) => {
            let Outcome {
                decision,
                policy,
                circuit,
                now,
                ..
            } = *outcome;
            Standing::Known(Box::new(Known {
                policy,
                circuit,
                decision,
                now_ms: now.wall_ms,
            }))
        }
        machine::Standing::Busy => Standing::Busy,
        machine::Standing::Unreadable(why) => Standing::Unreadable(why),
    }
}

fn shown(iteration: iterations::Iteration) -> Iteration {
    Iteration {
        at_ms: iteration.at_ms,
        row: iteration.row,
        duration_ms: iteration.facts.duration_ms,
        micro_usd: iteration.facts.usage.micro_usd,
        task: iteration.facts.task,
        state: iteration.state,
        opened: iteration.opened,
    }
}
