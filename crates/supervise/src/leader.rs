//! The last stage before the command: prepares itself, then becomes it.
//!
//! What other programs do between `fork` and `exec` is done here after an
//! `exec` of our own, in an ordinary process where every function may be
//! called.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use rustix::io::Errno;
use rustix::process::{getppid, setsid};
use rustix::stdio::dup2_stdin;

use crate::adoption::die_with_parent;
use crate::cgroup;
use crate::sandbox;
use crate::stage_args::LeaderArgs;
use crate::start_failure::{StartFailure, StartFailureKind};

/// Only seen by the keeper, which knows better from the status pipe.
const NOT_STARTED: u8 = 127;

/// The hidden subcommand [`LEADER_WORD`](crate::LEADER_WORD); `args` are those
/// behind that word. Returns only if the command could not be started.
///
/// Standard input is the pipe on which to say why. It is closed by a
/// successful `exec`, so silence means success.
pub fn leader_main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let status = io::stdin().as_fd().try_clone_to_owned();
    let failure = match LeaderArgs::parse(args) {
        Some(args) => lead(&args),
        None => StartFailure {
            kind: StartFailureKind::Other,
            errno: Errno::INVAL.raw_os_error(),
        },
    };
    if let Ok(status) = status {
        // If even that fails, the exit code is all that can be said.
        let _ = File::from(status).write_all(failure.encode().as_bytes());
    }
    ExitCode::from(NOT_STARTED)
}

fn lead(args: &LeaderArgs) -> StartFailure {
    match prepare(args) {
        Err(failure) => failure,
        Ok(()) => {
            let job = &args.job;
            let error = Command::new(&job.program).args(&job.args).exec();
            StartFailure::of_exec(&job.program, &error)
        }
    }
}

fn prepare(args: &LeaderArgs) -> Result<(), StartFailure> {
    let failure = |kind| move |error: io::Error| StartFailure::new(kind, &error);
    // A session of its own: no terminal to ask on, and a `kill 0` of the
    // command's reaches neither keeper nor supervisor.
    setsid()
        .map_err(io::Error::from)
        .map_err(failure(StartFailureKind::Other))?;
    // The input's path means what it meant to the supervisor, so it is opened
    // before the directory changes, and before its own may be hidden.
    let input = open_input(args.job.input.as_deref()).map_err(failure(StartFailureKind::Input))?;
    if let Some(dir) = &args.cgroup {
        // Without it the tree is ended in rounds; not worth a refusal.
        let _ = cgroup::join(dir);
    }
    if let Some(walls) = &args.job.walls {
        sandbox::enter(walls)
            .map_err(|unraised| unraised.error)
            .map_err(failure(StartFailureKind::Sandbox))?;
    }
    // Only now: whoever changes namespaces may lose that wish.
    die_with_keeper(args.keeper).map_err(failure(StartFailureKind::Other))?;
    env::set_current_dir(&args.job.cwd).map_err(failure(StartFailureKind::WorkingDirectory))?;
    dup2_stdin(&input)
        .map_err(io::Error::from)
        .map_err(failure(StartFailureKind::Input))
}

/// Asks to be killed when the keeper is, where one can, and makes sure that it has not been
/// already.
fn die_with_keeper(keeper: i32) -> io::Result<()> {
    die_with_parent()?;
    if getppid().map(|parent| parent.as_raw_pid()) == Some(keeper) {
        Ok(())
    } else {
        Err(Errno::SRCH.into())
    }
}

fn open_input(path: Option<&Path>) -> io::Result<OwnedFd> {
    Ok(File::open(path.unwrap_or(Path::new("/dev/null")))?.into())
}
