//! Starting a step and seeing it through.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::process::Pid;

use crate::adoption::{Heir, Orphans};
use crate::ancestry::{DEPTH_VARIABLE, nesting_depth};
use crate::control::Control;
use crate::cookie::COOKIE_VARIABLE;
use crate::output::{Outlet, OutputStats, Stream};
use crate::process::{Process, own_program};
use crate::report::{StepEnd, StepError, StepReport};
use crate::signals::Signals;
use crate::stage_args::KeeperArgs;
use crate::start_failure::{StartFailure, StartFailureKind};
use crate::step::{Step, StepObserver, WITHHELD};
use crate::streams::Streams;
use crate::watch::{Keeper, Watch};

/// Runs steps, one at a time, on the calling thread.
#[derive(Clone, Debug)]
pub struct Supervisor {
    exe: PathBuf,
    orphans: Orphans,
}

impl Default for Supervisor {
    /// The stages are the running executable itself, on Linux even if the file
    /// has been replaced by a newer one meanwhile.
    fn default() -> Self {
        Self::with_stages_from(own_program())
    }
}

impl Supervisor {
    /// The stages are `exe`, which must hand the words
    /// [`KEEPER_WORD`](crate::KEEPER_WORD) and
    /// [`LEADER_WORD`](crate::LEADER_WORD) to their functions.
    pub fn with_stages_from(exe: impl Into<PathBuf>) -> Self {
        Self {
            exe: exe.into(),
            orphans: Orphans::HERE,
        }
    }

    /// Looks for orphans as on a system that hands them to nobody, so that this
    /// can be tried on one that does. The stages must do the same
    /// ([`keeper_main_with`](crate::keeper_main_with)).
    #[doc(hidden)]
    #[must_use]
    pub fn searching_for_orphans(self) -> Self {
        Self {
            orphans: Orphans::Searched,
            ..self
        }
    }

    /// Runs one step to its end. When this returns, nothing of it is alive,
    /// except what [`StepReport::escaped`] names.
    ///
    /// Where orphans are adopted ([`Orphans`]), the process becomes a child
    /// subreaper for the time of the step. If the keeper is lost, children of
    /// this process that are in another session and younger than the keeper are
    /// taken for the step's and killed; a program that starts such children
    /// itself should not do so meanwhile.
    ///
    /// While this process is stopped, by Ctrl-Z or by writing to a terminal
    /// from the background, so is the step; with it, it goes on.
    pub fn run(
        &self,
        step: &Step,
        observer: &mut dyn StepObserver,
        signals: &mut Signals,
    ) -> Result<StepReport, StepError> {
        let _heir = match self.orphans {
            Orphans::Adopted => Some(Heir::begin().map_err(StepError::Prepare)?),
            Orphans::Searched => None,
        };
        let (socket, keepers_socket) = UnixStream::pair().map_err(StepError::Prepare)?;
        let control = Control::new(socket).map_err(StepError::Prepare)?;
        let (stdout, to_stdout) = Outlet::open(Stream::Stdout).map_err(StepError::Prepare)?;
        let (stderr, to_stderr) = Outlet::open(Stream::Stderr).map_err(StepError::Prepare)?;
        let started = Instant::now();
        let stdio = [keepers_socket.into(), to_stdout.into(), to_stderr.into()];
        let child = match self.spawn_keeper(step, stdio) {
            Ok(child) => child,
            Err(error) => return self.not_spawned(error),
        };
        let pid = Pid::from_child(&child).as_raw_pid();
        // It is our child and not waited for, so it is in the table.
        let identity = Process::read(pid).map(|process| process.id);
        let keeper = Keeper {
            child,
            identity: identity.ok_or_else(|| StepError::Prepare(no_process_table()))?,
            control,
        };
        let streams = Streams::new(stdout, stderr);
        Watch::new(step, keeper, streams, started, self.orphans).run(observer, signals)
    }

    /// Every descriptor goes through one of the three standard places: none
    /// has to be made inheritable, which another thread that happens to start
    /// a process would pass on as well.
    fn spawn_keeper(&self, step: &Step, stdio: [OwnedFd; 3]) -> io::Result<Child> {
        let [stdin, stdout, stderr] = stdio;
        let mut keeper = Command::new(&self.exe);
        WITHHELD.iter().for_each(|name| {
            keeper.env_remove(name);
        });
        keeper
            .args(KeeperArgs::of(step).to_args())
            .envs(step.env.iter().map(|(name, value)| (name, value)))
            .env(COOKIE_VARIABLE, step.cookie.as_str())
            .env(
                DEPTH_VARIABLE,
                nesting_depth().saturating_add(1).to_string(),
            )
            .process_group(0)
            .stdin(stdin)
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
    }

    fn not_spawned(&self, source: io::Error) -> Result<StepReport, StepError> {
        let failure = StartFailure::of_stage(&source);
        if failure.kind != StartFailureKind::TooLong {
            return Err(StepError::Keeper {
                exe: self.exe.clone(),
                source,
            });
        }
        Ok(StepReport {
            end: StepEnd::NotStarted(failure),
            leader: None,
            duration: Duration::ZERO,
            suspended: Duration::ZERO,
            cpu: Duration::ZERO,
            output: OutputStats::default(),
            writes_unseen: false,
            stragglers: 0,
            killed: 0,
            escaped: Vec::new(),
        })
    }
}

fn no_process_table() -> io::Error {
    io::Error::new(
        io::ErrorKind::NotFound,
        "the process table does not show the keeper",
    )
}
