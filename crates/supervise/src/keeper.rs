//! The stage that owns the tree: adopts, waits, and takes down.
//!
//! Single-threaded and without output of its own. It sits in a process group
//! of its own, so that a Ctrl-C at the terminal reaches the supervisor alone,
//! and survives every signal that can be survived: nothing the command sends
//! to "everyone" may leave its own tree without a keeper.

mod still;
mod takedown;

use std::ffi::OsString;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsFd;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::process::{Pid, getpid};
use signal_hook::consts::{
    SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPIPE, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM,
};

use crate::adoption::{Orphans, inherit_orphans};
use crate::cgroup::Cgroup;
use crate::control::Control;
use crate::halt::Halted;
use crate::keeper_streams::{claim_control, release_output};
use crate::ladder::Cause;
use crate::lineage::Lineage;
use crate::parent::Parent;
use crate::process::{Process, own_program};
use crate::readiness::{earlier, wait_readable};
use crate::reaper::Reaper;
use crate::run_lock::{LockError, hold_tree_lock};
use crate::stage_args::{KeeperArgs, LeaderArgs};
use crate::start_failure::StartFailure;
use crate::tree::Tree;
use crate::wire::{News, Order};

/// The supervisor gets this much time to enforce the overall limit itself,
/// before the keeper concludes that it is held up.
const OVERDUE_AFTER: Duration = Duration::from_secs(2);

/// How often the keeper looks whether the supervisor is stopped, where there is
/// nothing else to look for.
const LOOK: Duration = Duration::from_millis(200);

/// Whoever wakes up this much too late was stopped itself, and has not seen what
/// the tree did meanwhile.
const OVERSLEPT: Duration = Duration::from_secs(1);

const SURVIVED: [i32; 11] = [
    SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPIPE, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM,
];

/// Why the keeper could not do its work.
#[derive(Debug, thiserror::Error)]
enum KeeperError {
    #[error("its arguments are not those of a keeper")]
    Arguments,
    #[error("{0}")]
    Lock(#[from] LockError),
    #[error("{0}")]
    System(#[from] io::Error),
}

/// The hidden subcommand [`KEEPER_WORD`](crate::KEEPER_WORD); `args` are those
/// behind that word. Standard input is the socket to the supervisor, standard
/// output and error are the command's.
pub fn keeper_main(args: impl Iterator<Item = OsString>) -> ExitCode {
    keeper_main_with(Orphans::HERE, args)
}

/// The same with orphans treated as they are elsewhere, for tests.
#[doc(hidden)]
pub fn keeper_main_with(orphans: Orphans, args: impl Iterator<Item = OsString>) -> ExitCode {
    let Ok(mut control) = claim_control() else {
        return ExitCode::FAILURE;
    };
    match keep(orphans, args, &mut control) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            control.send(&News::Failed(error.to_string()).encode());
            ExitCode::FAILURE
        }
    }
}

fn keep(
    orphans: Orphans,
    args: impl Iterator<Item = OsString>,
    control: &mut Control,
) -> Result<(), KeeperError> {
    let args = KeeperArgs::parse(args).ok_or(KeeperError::Arguments)?;
    for signal in SURVIVED {
        // A handler rather than "ignore", which the command would inherit,
        // while what has a handler returns to its default in a new program.
        // That also undoes an inherited "ignore": a supervisor started in the
        // background of a shell ignores SIGINT, and its command would never
        // hear the polite part of the ladder.
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    if orphans == Orphans::Adopted {
        inherit_orphans()?;
    }
    let reaper = Reaper::new()?;
    // Lock first, then look for the supervisor: the other way round, another
    // supervisor could take over in between and find the tree lock free.
    let _held = args.hold.as_deref().map(hold_tree_lock).transpose()?;
    control.receive();
    if !control.is_closed() {
        Keeper::new(&args, control, reaper, orphans).run()?;
    }
    Ok(())
}

/// Something to react to.
enum Event {
    Deaths,
    Order(Order),
    /// Reported once, when it happens.
    SupervisorGone,
    TimeUp,
}

struct Keeper<'a> {
    args: &'a KeeperArgs,
    control: &'a mut Control,
    orphaned: bool,
    supervisor: Parent,
    /// Who stands still because the supervisor does.
    halted: Halted,
    reaper: Reaper,
    orphans: Orphans,
    tree: Tree<'a>,
    cgroup: Option<Cgroup>,
    leader: i32,
    /// Where the leader says why it could not become the command; taken when
    /// its end is announced.
    status: Option<PipeReader>,
}

impl<'a> Keeper<'a> {
    fn new(
        args: &'a KeeperArgs,
        control: &'a mut Control,
        reaper: Reaper,
        orphans: Orphans,
    ) -> Self {
        Self {
            args,
            control,
            orphaned: false,
            supervisor: Parent::now(),
            halted: Halted::default(),
            reaper,
            orphans,
            tree: Tree::below_me(&args.cookie, orphans),
            cgroup: Cgroup::create(&args.cookie),
            leader: 0,
            status: None,
        }
    }

    fn run(mut self) -> io::Result<()> {
        let spawned = self.spawn_leader();
        release_output()?;
        let mut stragglers = 0;
        if let Err(error) = spawned {
            self.send(&News::NotStarted(StartFailure::of_stage(&error)));
        } else {
            let cause = self.watch();
            if cause == Cause::LeaderEnded {
                self.announce_leader();
                if !self.is_over() {
                    stragglers = self.tree.count_living();
                }
            }
            self.climb_down(cause);
        }
        self.finish(stragglers);
        Ok(())
    }

    fn spawn_leader(&mut self) -> io::Result<()> {
        let (status, status_for_leader) = io::pipe()?;
        let args = LeaderArgs {
            keeper: getpid().as_raw_pid(),
            cgroup: self.cgroup.as_ref().map(|cgroup| cgroup.dir().to_owned()),
            job: self.args.job.clone(),
        };
        // The handle is dropped: collecting the dead is the reaper's work.
        let leader = Command::new(own_program())
            .args(args.to_args())
            .stdin(status_for_leader)
            .stdout(Stdio::inherit())
            .stderr(Stdio::inherit())
            .spawn()?;
        self.leader = Pid::from_child(&leader).as_raw_pid();
        self.reaper.expect(self.leader);
        self.status = Some(status);
        Ok(())
    }

    /// Waits for a reason to take the tree down.
    fn watch(&mut self) -> Cause {
        let overall = self
            .args
            .overall
            .and_then(|overall| overall.checked_add(OVERDUE_AFTER));
        let mut deadline = overall.and_then(|overall| Instant::now().checked_add(overall));
        let pause = self.look_interval();
        let mut look = Instant::now() + pause;
        loop {
            let event = self.next_event(earlier(deadline, Some(look)));
            if let Some(cause) = self.cause_in(&event) {
                return cause;
            }
            let Event::TimeUp = event else { continue };
            let late = Some(look.elapsed()).filter(|late| *late >= OVERSLEPT);
            let late = late.filter(|_| self.is_kept_itself());
            let stood = match self.stand_still() {
                Ok(time) => time + late.unwrap_or_default(),
                Err(cause) => return cause,
            };
            if !stood.is_zero() {
                self.send(&News::Stood(stood));
            }
            self.tree.look();
            look = Instant::now() + pause;
            deadline = deadline.and_then(|deadline| deadline.checked_add(stood));
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.send(&News::Overdue);
                return Cause::Overdue;
            }
        }
    }

    /// Why the tree must be taken down after this, if it must.
    fn cause_in(&self, event: &Event) -> Option<Cause> {
        match event {
            Event::Deaths => self.reaper.leader_end().map(|_| Cause::LeaderEnded),
            Event::Order(Order::Stop) => Some(Cause::Asked),
            Event::Order(Order::Kill) => Some(Cause::Killed),
            Event::SupervisorGone => Some(Cause::Orphaned),
            Event::TimeUp => None,
        }
    }

    /// Whether nobody of the tree is left. Where orphans are adopted, having no
    /// children says so; elsewhere it only says that the leader is gone.
    fn is_over(&self) -> bool {
        self.reaper.is_childless()
            && match self.orphans {
                Orphans::Adopted => true,
                Orphans::Searched => self.tree.count_living() == 0,
            }
    }

    /// Until when to wait for a death: nobody is told of an orphan's that is not
    /// their own, so these are counted from time to time.
    fn next_count(&self, until: Option<Instant>) -> Option<Instant> {
        match self.orphans {
            Orphans::Adopted => until,
            Orphans::Searched => earlier(until, Some(Instant::now() + Lineage::LOOK)),
        }
    }

    fn look_interval(&self) -> Duration {
        match self.orphans {
            Orphans::Adopted => LOOK,
            Orphans::Searched => Lineage::LOOK,
        }
    }

    /// Says how the leader ended, once it has, and only once.
    fn announce_leader(&mut self) {
        let Some(end) = self.reaper.leader_end() else {
            return;
        };
        let Some(mut status) = self.status.take() else {
            return;
        };
        let mut failure = String::new();
        // The leader held the only other end, so this does not wait.
        let _ = status.read_to_string(&mut failure);
        let not_started = StartFailure::parse(&failure).map(News::NotStarted);
        self.send(&not_started.unwrap_or(News::Leader(end)));
    }

    fn next_event(&mut self, until: Option<Instant>) -> Event {
        loop {
            if let Some(order) = self
                .control
                .next_line()
                .and_then(|line| Order::parse(&line))
            {
                return Event::Order(order);
            }
            if self.control.is_closed() && !self.orphaned {
                self.orphaned = true;
                return Event::SupervisorGone;
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Event::TimeUp;
            }
            if self.wait(until) {
                self.reaper.reap();
                return Event::Deaths;
            }
        }
    }

    /// Waits for deaths or for words of the supervisor; true if someone died.
    fn wait(&mut self, until: Option<Instant>) -> bool {
        let mut sources = vec![self.reaper.as_fd()];
        if !self.orphaned {
            sources.push(self.control.as_fd());
        }
        let ready = wait_readable(&sources, until).unwrap_or_default();
        if ready.get(1) == Some(&true) {
            self.control.receive();
        }
        ready.first() == Some(&true)
    }

    fn send(&self, news: &News) {
        self.control.send(&news.encode());
    }
}

/// Processor time of all descendants that were waited for, by us or by one
/// another. Orphans that were not adopted are not among them.
fn waited_cpu() -> Duration {
    let me = Process::read(getpid().as_raw_pid());
    me.map_or(Duration::ZERO, |me| me.cpu().waited)
}
