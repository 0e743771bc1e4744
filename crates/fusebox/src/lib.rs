//! The command line of fusebox: it parses, wires the rooms together, prints and
//! exits. What it decides, it has decided elsewhere.

mod amounts;
mod anomalies;
mod answer;
mod asked;
mod authority;
mod blackboard;
mod caller;
mod cli;
mod clock;
mod commands;
mod config;
mod context;
mod dealings;
mod digest;
mod duration;
mod evidence;
mod excerpt;
mod exit;
mod failure;
mod features;
mod finding;
mod fleet;
mod grant;
mod housekeeping;
mod intake;
mod itself;
mod kept;
mod last_run;
mod look;
mod memory;
mod menu;
mod moment;
mod otlp;
mod outlet;
mod output;
mod platform;
mod projection;
mod protection;
mod protocol;
mod report;
mod run;
mod serve;
mod session;
mod sight;
mod speech;
mod spent;
mod stack;
mod storable;
mod switchboard;
mod tasks;
mod terminal;
mod text_file;
mod trail;
mod turn;
mod walls;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

pub use clock::ClockSource;

use cli::Cli;
use signal_hook::consts::SIGXFSZ;

/// Most of what `check` allocates is gone in a millisecond. This allocator takes
/// memory in larger pieces and keeps what is given back, so that the system is
/// asked twice instead of a hundred times.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// Runs the program on the process's own arguments.
#[must_use]
pub fn main(clock: ClockSource) -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = stage(&args) {
        return code;
    }
    // A limit on the size of files then shows as an error of the write, which denies, and not as
    // a death, which an agent takes for a yes.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    commands::refuse_on_abort(&args);
    stack::with_room(|| carry_out(&args, clock))
}

fn carry_out(args: &[OsString], clock: ClockSource) -> ExitCode {
    match Cli::read(args) {
        Ok(cli) => commands::dispatch(&cli, clock),
        Err(error) => {
            let page = cli::shown(&error, args);
            ExitCode::from(if error.use_stderr() {
                speech::complain(&page);
                commands::usage_code(cli::common_options(args).as_ref(), clock)
            } else {
                speech::page(&page)
            })
        }
    }
}

/// The inner stages of `run` and `demo`, which are this program again.
fn stage(args: &[OsString]) -> Option<ExitCode> {
    let stage = args.get(1)?.to_str()?;
    let args = args.iter().skip(2).cloned();
    match stage {
        "__keeper" => Some(fusebox_supervise::keeper_main(args)),
        "__leader" => Some(fusebox_supervise::leader_main(args)),
        "__walls" => Some(fusebox_supervise::sandbox::walls_main(args)),
        "__demo-agent" => Some(commands::demo::agent(args)),
        _ => None,
    }
}

/// Doors for the fuzzer, which are no part of what this crate offers.
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod doors {
    /// Reads a configuration as a repository's own.
    pub fn config_of_project(text: &str) {
        crate::config::read_as_project(text);
    }

    /// Reads a configuration as the user's own.
    pub fn config_of_user(text: &str) {
        crate::config::read_as_user(text);
    }

    /// Takes a report of what an iteration did.
    pub fn report(bytes: &[u8]) {
        crate::intake::take_in(bytes);
    }

    /// Answers what a program says over its pipe.
    pub fn pipe(bytes: &[u8]) {
        crate::protocol::converse_with(bytes);
    }

    /// Takes what an agent says it spent.
    pub fn telemetry(bytes: &[u8]) {
        crate::otlp::receive::take_in(bytes);
    }

    /// Registers hooks in the settings of every agent and takes them out again, with a receipt.
    pub fn settings(directory: &std::path::Path, settings: &[u8], words: &[&str], receipt: &[u8]) {
        crate::commands::read_settings(directory, settings, words, receipt);
    }

    /// Takes what an agent gives to a status line.
    pub fn statusline(text: &str) {
        crate::commands::read_input(text);
    }

    /// Reads what is remembered of a session between two hooks.
    pub fn turn(bytes: &[u8]) {
        crate::turn::read_back(bytes);
    }

    /// Reads what another terminal asks of a run.
    pub fn request(bytes: &[u8]) {
        crate::run::read_request(bytes);
    }

    /// Reads what the last run was asked to do.
    pub fn plan(bytes: &[u8]) {
        crate::run::read_plan(bytes);
    }

    /// Reads how the tasks stood before an iteration.
    pub fn stood(bytes: &[u8]) {
        crate::run::read_stood(bytes);
    }

    /// Goes on from what agents said they spent.
    pub fn spent(bytes: &[u8]) {
        crate::otlp::receive::go_on_from(bytes);
    }

    /// Talks about a circuit below `top`, and asks for it on a page.
    pub fn served(top: &std::path::Path, bytes: &[u8]) {
        crate::protocol::converse_about(&top.join("talk"), bytes);
        let (global, session) = crate::protocol::made_up(&top.join("page"));
        crate::serve::asked_with(&session.homes, &global, bytes);
    }

    /// Hears what is said on the socket of a supervisor.
    pub fn switchboard(bytes: &[u8]) {
        crate::switchboard::read_report(bytes);
    }
}
