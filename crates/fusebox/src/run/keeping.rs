//! What must not be lost while the agent works: copied before, looked at after each
//! iteration, put back.

use fusebox_core::Policy;
use fusebox_core::circuit::{Cause, Grant};
use fusebox_core::decision::Gate;
use fusebox_core::signals::Signal;
use fusebox_guard::keep::{Author, Bounds, KeepError, Kept, Report};
use fusebox_supervise::sandbox::Walls;
use fusebox_view::escape;

use super::plan::Plan;
use super::screen::Screen;
use super::setup::Ready;
use crate::commands::is_tool_under_way;
use crate::failure::Failure;
use crate::kept::{self, unkept};
use crate::protection::{Own, Protection, vault};
use crate::session::{Outcome, Session};
use crate::walls;

/// How many files are told of one by one.
const MOST_TOLD: usize = 8;
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
}

impl Keeping {
    pub(super) fn begin(
        session: &Session,
        plan: &Plan,
        policy: &Policy,
        screen: &Screen,
    ) -> Result<Self, Failure> {
        let protection = Protection::of_session(session, policy);
        let (vault, bounds) = (vault(session), Bounds::default());
        // A loop that the tool of an agent begins does not make its losses a person's wish.
        if is_tool_under_way(&session.located.workspace_dir())
            && let Some(mut kept) = Kept::load(&vault, bounds).map_err(|error| unkept(&error))?
        {
            let settled = kept.settle(&protection.protected, Author::Agent);
            settled.map_err(|error| unkept(&error))?;
        }
        let taken = Kept::take(&vault, &protection.protected, bounds);
        let (kept, taken) = taken.map_err(|error| unkept(&error))?;
        kept.take_back();
        let changed = taken.changed.iter().map(kept::of_change);
        let left_out = taken.left_out.iter().map(kept::of_left_out);
        tell(screen, changed.chain(left_out));
        let sandboxed = match plan.sandbox {
            Some(sandbox) => walls::can_be_raised(sandbox, |line| screen.say(line))?,
            None => false,
        };
        Ok(Self {
            kept,
            restores: policy.capabilities.restore_files,
            sandboxed,
            walls: None,
        })
    }

    /// What the next iteration cannot reach, where that is walled off.
    pub(super) fn walls(&self) -> Option<Walls> {
        self.walls.clone()
    }

    /// Somebody else may lose it from here on.
    pub(super) fn hand_over(&self) {
        // The log says as well that an iteration is under way; the note outlives whoever
        // settles that without looking at the files.
        let _ = self.kept.hand_over();
    }

    /// What was lost is put back and counted.
    pub(super) fn take_back(&self) {
        self.kept.take_back();
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

/// Whether a supervisor died in the middle of an iteration; `pending` is what the log said of
/// one before anything settled it.
pub(super) fn was_under_way(session: &Session, pending: Option<&Grant>) -> bool {
    let is_supervised = pending.is_some_and(|pending| pending.seal.is_some());
    is_supervised || Kept::is_handed_over(&vault(session))
}

/// Puts back what was lost in an iteration whose supervisor died, and lets the engine count it.
/// Who did what since then cannot be told apart, and a person knows how to delete it again.
pub(super) fn settle_what_was_under_way(
    session: &Session,
    policy: &Policy,
    screen: &Screen,
) -> Result<(), Failure> {
    if !policy.capabilities.restore_files {
        return Ok(());
    }
    let loaded = Kept::load(&vault(session), Bounds::default());
    let looked = match loaded {
        // Supervised iterations begin with copies.
        Ok(None) => Err(KeepError::Damaged {
            path: vault(session),
        }),
        Ok(Some(mut kept)) => {
            let protection = Protection::of_session(session, policy);
            kept.settle(&protection.protected, Author::Agent)
        }
        Err(error) => Err(error),
    };
    match looked {
        Ok(report) if report.lost.is_empty() => Ok(()),
        Ok(report) => {
            tell(screen, report.lost.iter().map(kept::of_loss));
            session.count_losses(&report).map(drop)
        }
        Err(error) => {
            let reason = escape::line(&unseen(&error), WIDTH);
            screen.say(&reason);
            session.trip_unasked(reason).map(drop)
        }
    }
}

impl Ready<'_> {
    /// Takes over what was changed while no agent was at work: that was a person.
    /// A look that cannot be had opens the breaker.
    pub(super) fn look_before(&mut self, screen: &Screen) -> Result<Option<Outcome>, Failure> {
        let protection = self.protection();
        let keeping = &mut self.keeping;
        match keeping.look(&protection, Author::Person) {
            Ok(report) => tell(screen, report.changed.iter().map(kept::of_change)),
            Err(error) => return self.trip(unseen(&error)).map(Some),
        }
        let own = Own::of_session(self.session);
        keeping.walls = keeping
            .sandboxed
            .then(|| walls::around(&protection.protected, &keeping.kept, &own));
        Ok(None)
    }

    /// Looks what the agent has lost, and puts it back, unless something else stands where the
    /// workspace was.
    pub(super) fn look_after(&mut self, screen: &Screen) -> Result<Report, KeepError> {
        if self.is_replaced() {
            return Ok(Report::default());
        }
        let protection = self.protection();
        let report = self.keeping.look(&protection, Author::Agent)?;
        tell(screen, report.lost.iter().map(kept::of_loss));
        tell(screen, report.left_out.iter().map(kept::of_left_out));
        Ok(report)
    }

    /// Lets the engine count what was lost, if anything was.
    pub(super) fn count_losses(
        &self,
        looked: Result<Report, KeepError>,
    ) -> Result<Option<Outcome>, Failure> {
        let report = match looked {
            Ok(report) if report.lost.is_empty() => return Ok(None),
            Ok(report) => report,
            Err(error) => return self.trip(unseen(&error)).map(Some),
        };
        self.session.count_losses(&report).map(Some)
    }

    fn protection(&self) -> Protection {
        Protection::of_session(self.session, &self.policy)
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
    let mut lines = lines.fuse();
    for line in lines.by_ref().take(MOST_TOLD) {
        screen.say(&format!("protected: {}", escape::line(&line, WIDTH)));
    }
    let more = lines.count();
    if more > 0 {
        screen.say(&format!("protected: and {more} more"));
    }
}
