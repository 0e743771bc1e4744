//! What must be in place before the first iteration.

use std::path::Path;
use std::time::{Duration, Instant};

use fusebox_agents::Totals;
use fusebox_core::Policy;
use fusebox_core::machine;
use fusebox_files::regular;
use fusebox_supervise::{Cookie, LockError, RunLock, Signals, Supervisor, sweep};
use fusebox_workspace::{RootMark, SnapshotId};

use super::artifacts::Artifacts;
use super::belief::Belief;
use super::fleet::Membership;
use super::keeping::{Keeping, was_under_way};
use super::plan::Plan;
use super::requests::Requests;
use super::screen::Screen;
use super::tasks::TaskLine;
use super::time_limit::TimeLimit;
use super::trouble::Troubles;
use crate::caller;
use crate::exit;
use crate::failure::Failure;
use crate::housekeeping;
use crate::session::measure::Measure;
use crate::session::{Outcome, Session, cookie_at};
use crate::switchboard::Switchboard;

/// How long a keeper may take to leave: the longest grace of an agent, and the
/// sweep after it.
const KEEPER_LEAVES: Duration = Duration::from_secs(20);

/// An agent's own session that the next iteration goes on with.
pub(crate) struct Thread {
    pub(crate) session: String,
    pub(crate) totals: Totals,
}

/// Everything a run holds while it runs.
pub(crate) struct Ready<'s> {
    pub(crate) session: &'s Session,
    pub(crate) measure: Measure,
    pub(crate) signals: Signals,
    pub(crate) supervisor: Supervisor,
    pub(crate) cookie: Cookie,
    pub(crate) lock: RunLock,
    pub(crate) artifacts: Artifacts,
    /// The policy in force when the run began.
    pub(crate) policy: Policy,
    /// What shows the memory that a report is ours.
    pub(crate) secret: u64,
    /// What other terminals ask for.
    pub(super) requests: Requests,
    /// When the time for the whole run is over, if that is limited.
    pub(super) limit: Option<TimeLimit>,
    /// Where the agent's hooks ask, unless there can be no such place.
    pub(super) switchboard: Option<Switchboard>,
    /// Trouble outside, in a row.
    pub(super) troubles: Troubles,
    /// Tool calls in a row that were not permitted.
    pub(super) denied_in_a_row: u32,
    /// What the last iteration was told of going round in circles.
    pub(super) circles: Option<String>,
    /// The list that is worked through, where one is.
    pub(super) tasks: Option<TaskLine>,
    /// What is believed of the features, where sessions are counted by them.
    pub(super) belief: Belief,
    /// Our part in a fleet, where there is one.
    pub(super) fleet: Option<Membership>,
    /// The session that goes on, where one does.
    pub(super) thread: Option<Thread>,
    /// The copies of the protected files.
    pub(super) keeping: Keeping,
    /// What the last iteration lost of them.
    pub(super) lost: Vec<String>,
    /// How many files the last iteration claimed to have changed, where none had and it said that
    /// it was done.
    pub(super) overstated: Option<u64>,
    root: RootMark,
}

impl<'s> Ready<'s> {
    pub(crate) fn prepare(
        session: &'s Session,
        plan: &Plan,
        screen: &mut Screen,
    ) -> Result<Self, Failure> {
        plan.prompt.text()?;
        // Old records are not read by a check; here they are.
        session.verify()?;
        session.located.register()?;
        let dir = session.located.workspace_dir();
        let lock = take_lock(&session.run_lock(), screen)?;
        session.supervises.set(true);
        // Whoever finds the lock held may ask, so we listen from here on.
        let requests = Requests::listen(session.request_file());
        let cookie = replace_cookie(&session.cookie_file(), screen)?;
        let pending = session.store.peek()?.state.0.core.pending;
        let was_under_way = was_under_way(pending.as_ref());
        let settled = session.apply(machine::abandon)?;
        settled.notes.iter().for_each(|note| screen.say(note));
        if !settled.decision.transitions.is_empty() || settled.circuit.core.totals.reported > 0 {
            screen.resumed(&settled);
        }
        let retention = session.in_force(&settled.circuit)?.retention();
        let freed = housekeeping::tidy(session, &retention)?;
        freed.told().iter().for_each(|line| screen.say(line));
        let keeping = Keeping::begin(session, plan, &settled.policy, was_under_way, screen)?;
        let tasks = plan.takes_tasks.then(|| TaskLine::open(session));
        let mut tasks = tasks.transpose()?;
        if let Some(tasks) = &mut tasks {
            let named = settled.circuit.core.unseen.as_deref();
            tasks.take_over(session, named, screen)?;
        }
        let mut measure = Measure::open(session)?;
        // Ticking what is to be done is not doing it.
        if let Some(list) = tasks.as_ref().and_then(TaskLine::path) {
            measure.shadow.leave_out_of_work(list.to_owned());
        }
        if let Err(why) = measure.shadow.freeze_ignores() {
            screen.say(&format!("what is ignored could not be read: {why}"));
        }
        let root = RootMark::of(&session.located.root).map_err(|error| {
            Failure::new(
                exit::MISSING,
                format!("{}: {error}", session.located.root.display()),
            )
        })?;
        let signals = Signals::catch().map_err(|error| {
            Failure::new(exit::INTERNAL, format!("cannot catch signals: {error}"))
        })?;
        let artifacts = Artifacts::begin(
            &dir.join("runs"),
            session.circuit.as_str(),
            session.stamp_ms(),
        )?;
        Ok(Self {
            session,
            measure,
            signals,
            supervisor: Supervisor::default(),
            cookie,
            lock,
            artifacts,
            policy: settled.policy,
            secret: secret()?,
            requests,
            limit: None,
            switchboard: switchboard(&session.socket(), screen),
            troubles: Troubles::default(),
            denied_in_a_row: 0,
            circles: None,
            tasks,
            belief: Belief::default(),
            fleet: plan
                .party
                .as_ref()
                .map(|party| Membership::open(session, plan, party))
                .transpose()?,
            thread: None,
            keeping,
            lost: Vec::new(),
            overstated: None,
            root,
        })
    }

    /// The work tree before an iteration; `None` if it cannot be told.
    pub(crate) fn measure_before(&mut self, screen: &mut Screen) -> Option<SnapshotId> {
        self.measure
            .baseline()
            .map_err(|why| screen.say(&format!("the work tree cannot be measured: {why}")))
            .ok()
    }

    /// Whether something else stands where the workspace was. What is simply gone can be
    /// put back there.
    pub(super) fn is_replaced(&self) -> bool {
        let something = self.session.located.root.symlink_metadata().is_ok();
        something && !self.root.still_there()
    }

    /// Opens the breaker if the workspace is no longer where it was: whatever
    /// stands there now, nothing measured of it would mean anything. Likewise if our lock is
    /// not: others would take us for dead, and what we report for somebody else's.
    pub(crate) fn trip_if_moved(&self) -> Result<Option<Outcome>, Failure> {
        let reason = if !self.root.still_there() {
            let root = self.session.located.root.display();
            format!("The workspace {root} was moved or replaced")
        } else if !self.lock.is_in_place() {
            "The supervisor's lock was removed or replaced".to_owned()
        } else {
            return Ok(None);
        };
        self.trip(reason).map(Some)
    }

    /// Gives up the task that is worked on, if one is.
    pub(crate) fn block_task(&mut self, plan: &Plan, outcome: &Outcome) -> Result<(), Failure> {
        self.set_task_aside(plan, outcome, outcome.decision.reason.clone())
    }

    /// The same for another reason than the decision's.
    pub(super) fn set_task_aside(
        &mut self,
        plan: &Plan,
        outcome: &Outcome,
        reason: String,
    ) -> Result<(), Failure> {
        if let Some(tasks) = &mut self.tasks {
            tasks.set_aside(outcome, &reason, self.fleet.as_mut())?;
            self.keep_own_writes();
        }
        let Some(task) = &plan.task else {
            return Ok(());
        };
        if !outcome.policy.capabilities.block_task {
            return Ok(());
        }
        let task = task.id.clone();
        self.session
            .apply(|circuit, policy, now| {
                machine::block_task(circuit, policy, task, reason, caller::anyone(), now)
            })
            .map(drop)
    }

    /// Opens the breaker because the ground is gone. Only a person closes it.
    pub(crate) fn trip(&self, reason: String) -> Result<Outcome, Failure> {
        self.session.trip_unasked(reason)
    }
}

/// A number nobody else knows, from the system's randomness.
fn secret() -> Result<u64, Failure> {
    let failed =
        |why: String| Failure::new(exit::INTERNAL, format!("no randomness to be had: {why}"));
    let random = Cookie::random().map_err(|error| failed(error.to_string()))?;
    let digits = random.as_str().get(..13).unwrap_or_default();
    u64::from_str_radix(digits, 16).map_err(|error| failed(error.to_string()))
}

/// Takes the lock. A run that was killed leaves a keeper, which ends what that
/// run had started and then leaves as well; that is worth waiting for.
fn take_lock(path: &Path, screen: &Screen) -> Result<RunLock, Failure> {
    let start = Instant::now();
    let mut told = false;
    loop {
        match RunLock::take(path) {
            Err(LockError::TreeAlive { .. }) if start.elapsed() < KEEPER_LEAVES => {
                if !told {
                    screen.say("an earlier run was killed; waiting until all it started has ended");
                    told = true;
                }
                std::thread::sleep(Duration::from_millis(100));
            }
            taken => return taken.map_err(|error| locked(&error)),
        }
    }
}

fn locked(error: &LockError) -> Failure {
    let (code, hint) = match error {
        LockError::Unusable { .. } => (
            exit::STATE,
            "see that the directory can be written to by you, or name another with `--state-dir`",
        ),
        LockError::Supervised { .. } | LockError::TreeAlive { .. } => (
            exit::REFUSED,
            "only one run per circuit: use another one with `--circuit`, or stop that run first",
        ),
    };
    Failure::new(code, error.to_string()).hint(hint)
}

/// Without a socket, hooks judge by themselves.
fn switchboard(path: &Path, screen: &Screen) -> Option<Switchboard> {
    let opened = Switchboard::open(path);
    let failed = |error| screen.say(&format!("hooks cannot ask at {}: {error}", path.display()));
    opened.map_err(failed).ok()
}

/// Ends what an earlier run left behind, if anything, and marks this one.
///
/// A tree outlives its run only if supervisor and keeper were both killed. The
/// mark is written before anything is started under it.
fn replace_cookie(path: &Path, screen: &mut Screen) -> Result<Cookie, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(
            exit::STATE,
            format!("cannot write {}: {error}", path.display()),
        )
    };
    if let Some(old) = cookie_at(path) {
        let swept = sweep(&old);
        if swept.killed > 0 {
            screen.say(&format!(
                "{} left over from a run that was killed; ended now",
                fusebox_view::phrase::count(u64::from(swept.killed), "process")
            ));
        }
        if !swept.survivors.is_empty() {
            return Err(Failure::new(
                exit::REFUSED,
                "processes of an earlier run are still alive and cannot be ended",
            )
            .hint(format!(
                "look at {:?}",
                swept
                    .survivors
                    .iter()
                    .map(|one| one.pid)
                    .collect::<Vec<_>>()
            )));
        }
    }
    let cookie = Cookie::random().map_err(failed)?;
    let mut file = regular::create(path).map_err(failed)?;
    std::io::Write::write_all(&mut file, cookie.as_str().as_bytes()).map_err(failed)?;
    file.sync_data().map_err(failed)?;
    Ok(cookie)
}
