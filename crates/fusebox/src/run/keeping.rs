//! What must not be lost while the agent works: copied before, looked at after each
//! iteration, put back.

use std::path::{Path, PathBuf};

use fusebox_core::Policy;
use fusebox_core::circuit::{Cause, Grant};
use fusebox_core::decision::Gate;
use fusebox_core::signals::Signal;
use fusebox_guard::keep::{Author, Bounds, KeepError, Kept, Lost, Report};
use fusebox_supervise::sandbox::Walls;
use fusebox_view::escape;

use super::plan::Plan;
use super::screen::Screen;
use super::setup::Ready;
use crate::caller;
use crate::failure::Failure;
use crate::kept::{self, AtWork, unkept};
use crate::protection::{Own, Protection, settings_in, vault};
use crate::session::{Outcome, Session};
use crate::turn::flight::is_tool_under_way;
use crate::walls;

/// The widest that a line about one is shown.
const WIDTH: usize = 200;

/// The copies of the protected files, held in this process: an agent that rewrites
/// the list of them on the disk gains nothing.
pub(super) struct Keeping {
    kept: Kept,
    /// Whether what is lost is put back, in this way of working.
    restores: bool,
    sandboxed: bool,
    /// What is walled off in the next iteration.
    walls: Option<Walls>,
    /// Whether an agent has begun this run: what is missing is then nobody's wish.
    is_an_agents: bool,
    /// What was missing before the iteration, while another supervisor's agent was at work: it
    /// is that one's to put back.
    theirs: Vec<PathBuf>,
    /// The agents' settings that there were before the iteration.
    settings: Vec<PathBuf>,
}

impl Keeping {
    /// `was_under_way` is whether the log says that a supervisor died in an iteration.
    pub(super) fn begin(
        session: &Session,
        plan: &Plan,
        policy: &Policy,
        was_under_way: bool,
        screen: &Screen,
    ) -> Result<Self, Failure> {
        let protection = Protection::of_session(session, policy);
        let is_an_agents = caller::is_inside_an_agent();
        let earlier = Earlier {
            at_work: AtWork::beside(session),
            was_under_way,
            is_an_agents,
        };
        let kept = match policy.capabilities.restore_files {
            true => earlier.settle(session, &protection, screen)?,
            false => None,
        };
        let kept = match kept {
            Some(kept) => kept,
            None => {
                earlier.at_work.settled(&vault(session));
                let taken = Kept::take(&vault(session), &protection.protected, Bounds::default());
                let (kept, taken) = taken.map_err(|error| unkept(&error))?;
                let changed = taken.changed.iter().map(kept::of_change);
                let left_out = taken.left_out.iter().map(kept::of_left_out);
                tell(screen, changed.chain(left_out));
                kept
            }
        };
        let sandboxed = match plan.sandbox {
            Some(sandbox) => walls::can_be_raised(sandbox, |line| screen.say(line))?,
            None => false,
        };
        Ok(Self {
            kept,
            restores: policy.capabilities.restore_files,
            sandboxed,
            walls: None,
            is_an_agents,
            theirs: Vec::new(),
            settings: Vec::new(),
        })
    }

    /// What the next iteration cannot reach, where that is walled off.
    pub(super) fn walls(&self) -> Option<Walls> {
        self.walls.clone()
    }

    /// What this run's agent has lost. Of two agents that were at work it cannot be told which one
    /// lost something, but what was missing before is not this one's doing; and where one of them
    /// began the other's run, the first one's supervisor must find it as it is.
    fn look_after(
        &mut self,
        session: &Session,
        protection: &Protection,
    ) -> Result<Report, KeepError> {
        if AtWork::beside(session).is_watched() {
            let mut report = self.kept.look(&protection.protected, Author::Agent)?;
            report.lost.retain(|lost| !self.theirs.contains(&lost.path));
            if self.is_an_agents || report.lost.is_empty() {
                return Ok(report);
            }
        }
        self.look(protection, Author::Agent)
    }

    fn look(&mut self, protection: &Protection, author: Author<'_>) -> Result<Report, KeepError> {
        if self.restores || author == Author::Person {
            return self.kept.settle(&protection.protected, author);
        }
        let report = self.kept.look(&protection.protected, author)?;
        // What is not put back is told once, and is then how things are.
        self.kept.settle(&protection.protected, Author::Person)?;
        Ok(report)
    }
}

/// Whether the log says that a supervisor died in the middle of an iteration; `pending` is what
/// it said of one before anything settled it.
pub(super) fn was_under_way(pending: Option<&Grant>) -> bool {
    pending.is_some_and(|pending| pending.seal.is_some())
}

/// What may have been lost before this run, and by whom.
struct Earlier {
    at_work: AtWork,
    was_under_way: bool,
    is_an_agents: bool,
}

impl Earlier {
    /// Puts back what was lost where that may have been an agent's doing, and lets the engine
    /// count it. Who did what since a supervisor died cannot be told apart, and a person knows
    /// how to delete it again. Answers with the copies where they must not be made anew of what
    /// is there now: somebody else will put it back, or it could not be.
    fn settle(
        &self,
        session: &Session,
        protection: &Protection,
        screen: &Screen,
    ) -> Result<Option<Kept>, Failure> {
        let was_supervised = self.was_under_way || self.at_work.is_anybody();
        let may_be_an_agents = was_supervised
            || self.is_an_agents
            || is_tool_under_way(&session.located.workspace_dir());
        if !may_be_an_agents {
            // What a person has changed is how things are. Copies that nobody can believe are
            // something else: what they would have shown may be what was lost.
            let believed = Kept::load(&vault(session), Bounds::default());
            return believed.map(|_| None).map_err(|error| unkept(&error));
        }
        match self.put_back(session, protection) {
            Ok(Some((kept, report))) => {
                count(session, &report, screen)?;
                let stays = self.at_work.is_watched() || !report.is_whole();
                Ok(stays.then_some(kept))
            }
            Ok(None) => Ok(None),
            Err(error) if was_supervised => {
                let reason = escape::line(&unseen(&error), WIDTH);
                screen.say(&reason);
                session.trip_unasked(reason)?;
                Ok(None)
            }
            Err(error) => Err(unkept(&error)),
        }
    }

    fn put_back(
        &self,
        session: &Session,
        protection: &Protection,
    ) -> Result<Option<(Kept, Report)>, KeepError> {
        let vault = vault(session);
        let Some(mut kept) = Kept::load(&vault, Bounds::default())? else {
            // Supervised iterations begin with copies.
            let must_be = self.was_under_way || self.at_work.is_anybody();
            return match must_be {
                true => Err(KeepError::Damaged { path: vault }),
                false => Ok(None),
            };
        };
        let report = match self.at_work.is_watched() {
            true => Report::default(),
            false => kept.settle(&protection.protected, Author::Agent)?,
        };
        Ok(Some((kept, report)))
    }
}

/// Tells what was lost before this run, and lets the engine count it.
fn count(session: &Session, report: &Report, screen: &Screen) -> Result<(), Failure> {
    if report.lost.is_empty() {
        return Ok(());
    }
    tell(screen, report.lost.iter().map(kept::of_loss));
    session.count_losses(kept::losses(report)).map(drop)
}

impl Ready<'_> {
    /// Takes over what was changed while no agent was at work: that was a person.
    /// A look that cannot be had opens the breaker.
    pub(super) fn look_before(&mut self, screen: &Screen) -> Result<Option<Outcome>, Failure> {
        let protection = self.protection();
        let keeping = &mut self.keeping;
        let at_work = AtWork::beside(self.session);
        let looked = if at_work.is_watched() {
            keeping.kept.look(&protection.protected, Author::Agent)
        } else if at_work.is_anybody() || keeping.is_an_agents {
            Ok(Report::default())
        } else {
            keeping.look(&protection, Author::Person)
        };
        match looked {
            Ok(report) => {
                tell(screen, report.changed.iter().map(kept::of_change));
                keeping.theirs = report.lost.into_iter().map(|lost| lost.path).collect();
            }
            Err(error) => return self.trip(unseen(&error)).map(Some),
        }
        if let Some(tasks) = &mut self.tasks {
            tasks.note_copied();
        }
        keeping.settings = settings_in(&self.session.located);
        let own = Own::of_session(self.session);
        keeping.walls = keeping
            .sandboxed
            .then(|| walls::around(&protection.protected, &keeping.kept, &own));
        Ok(None)
    }

    /// Somebody else may lose what is kept from here on.
    pub(super) fn hand_over(&self) {
        // The log says as well that an iteration is under way; the note outlives whoever
        // settles that without looking at the files.
        let _ = Kept::hand_over(&vault(self.session), self.session.circuit.as_str());
    }

    /// What was lost is put back and counted.
    fn take_back(&self) {
        Kept::take_back(&vault(self.session), self.session.circuit.as_str());
    }

    /// Looks what the agent has lost, and puts it back, unless something else stands where the
    /// workspace was.
    pub(super) fn look_after(&mut self, screen: &Screen) -> Result<Report, KeepError> {
        if self.is_replaced() {
            return Ok(Report::default());
        }
        // Before it is taken for an update.
        let tasks = self.tasks.as_ref();
        let broken = tasks.and_then(|tasks| tasks.mend(self.keeping.restores));
        let protection = self.protection();
        let mut report = self.keeping.look_after(self.session, &protection)?;
        report.lost.extend(broken);
        if let Some(tasks) = &mut self.tasks {
            tasks.note_copied();
        }
        tell(screen, report.lost.iter().map(kept::of_loss));
        tell(screen, report.left_out.iter().map(kept::of_left_out));
        self.tell_new_settings(screen);
        Ok(report)
    }

    /// Where there were no settings, there is nothing to put back: a person may want these. But
    /// they may switch the hooks off, so they do not appear in silence.
    fn tell_new_settings(&self, screen: &Screen) {
        let located = &self.session.located;
        let mut new = settings_in(located);
        new.retain(|path| !self.keeping.settings.contains(path));
        let lines = new.iter().map(|path| {
            let shown = path.strip_prefix(&located.root).unwrap_or(path);
            let shown = shown.display();
            format!("{shown} appeared in this iteration: settings of an agent, which decide about its hooks")
        });
        tell(screen, lines);
    }

    /// Lets the engine count what was lost, if anything was. What could not be put back stays
    /// handed over, and the next run tries again.
    pub(super) fn count_losses(
        &self,
        looked: Result<Report, KeepError>,
    ) -> Result<Option<Outcome>, Failure> {
        let report = match looked {
            Ok(report) => report,
            Err(error) => return self.trip(unseen(&error)).map(Some),
        };
        let counted = match report.lost.is_empty() {
            true => None,
            false => Some(self.session.count_losses(kept::losses(&report))?),
        };
        let failed = |lost: &Lost| matches!(lost.restored, Some(Err(_)));
        if !report.lost.iter().any(failed) {
            self.take_back();
        }
        Ok(counted)
    }

    fn protection(&self) -> Protection {
        Protection::of_session(self.session, &self.policy)
    }

    /// Takes over what we wrote at `path`. Where that fails, the next look tells of it as of
    /// anybody's.
    pub(super) fn keep_anew(&mut self, path: &Path) {
        let protection = self.protection();
        let _ = self.keeping.kept.renew(&protection.protected, path);
    }
}

/// Whether the breaker is open because something protected was lost.
pub(super) fn denies_for_a_loss(outcome: &Outcome) -> bool {
    let opening = outcome.circuit.core.phase.opening();
    let cause = opening.map(|opening| opening.cause);
    cause == Some(Cause::Signal(Signal::ProtectedLost))
        && matches!(outcome.decision.gate, Gate::Deny(_))
}

fn unseen(error: &KeepError) -> String {
    format!("The protected files cannot be looked at: {error}")
}

fn tell(screen: &Screen, lines: impl Iterator<Item = String>) {
    let lines = lines.map(|line| format!("protected: {}", escape::line(&line, WIDTH)));
    screen.say_some(lines, |more| format!("protected: and {more} more"));
}
