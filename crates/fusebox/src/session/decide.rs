//! Deciding under the lock: read, decide, make durable, and only then answer.

use std::cell::Cell;

use fusebox_core::machine::{self, Step};
use fusebox_core::{Circuit, Decision, Entry, Moment, Policy};
use fusebox_seeds::Scene;
use fusebox_store::View;
use fusebox_supervise::RunLock;

use super::drafts::Drafted;
use super::kin::Shared;
use super::{Outcome, Session, news};
use crate::caller;
use crate::config::InForce;
use crate::exit;
use crate::failure::Failure;
use crate::memory::{Memory, draft};
use crate::projection::{Beside, Said, Writing};

/// What one step comes to, before anything of it is durable.
pub(crate) struct Planned {
    pub(crate) answer: Result<Decision, Failure>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) writing: Writing,
    pub(crate) notes: Vec<String>,
}

/// What was decided under the lock.
struct Decided {
    is_first: bool,
    answer: Result<Decision, Failure>,
    notes: Vec<String>,
    entries: Vec<Entry>,
    in_force: InForce,
    now: Moment,
    shared: Vec<Shared>,
}

impl Session {
    /// A person was found to ask, who has seen what there is to see.
    pub(crate) fn forgive_edits(&self) {
        self.forgiving.set(true);
    }

    /// Whoever asks looks at the files of another system to put right what is wrong there. What
    /// makes no sense is left as it is.
    pub(crate) fn correct_files(&self) {
        self.correcting.set(true);
    }

    /// Whether a file of another system that makes no sense stops everything.
    pub(super) fn heeds_files(&self) -> bool {
        self.strict && !self.correcting.get()
    }

    /// Decides under the lock, makes the entries durable, then answers.
    pub(crate) fn apply(
        &self,
        decide: impl FnOnce(&Circuit, &Policy, &Moment) -> Step,
    ) -> Result<Outcome, Failure> {
        self.try_apply(|circuit, policy, now| Ok(decide(circuit, policy, now)))
    }

    /// The same for decisions that can be refused.
    pub(crate) fn try_apply(
        &self,
        decide: impl FnOnce(&Circuit, &Policy, &Moment) -> Result<Step, Failure>,
    ) -> Result<Outcome, Failure> {
        self.located.register()?;
        // Before our own lock, as everybody does who wants both.
        let (mut kin, _held) = self.hold_kin()?;
        let mut decided = None;
        let writing = Cell::new(Writing::default());
        let mut written = Ok(Vec::new());
        let view = self.store.update_then(
            self.stamp(),
            |view: &View<Memory>| -> Result<_, Failure> {
                self.refuse_forgotten(view)?;
                // The clock is read under the lock: a call waits for its turn first
                // and is dated second.
                let now = self.clock.now();
                let in_force = self.in_force(&view.state.0)?;
                Drafted::beside(self, &in_force.policy).discard();
                let seen = kin.seen(&view.state.0, &in_force.policy, &now);
                let planned = self.step(&seen, &in_force.policy, &now, decide)?;
                let mut planned = kin.admit(planned)?;
                self.add_warnings(&mut planned, &seen, &in_force.policy, &now);
                let drafts = planned.entries.iter().map(draft).collect();
                writing.set(planned.writing);
                decided = Some(Decided {
                    is_first: view.is_first_use(),
                    answer: planned.answer,
                    notes: planned.notes,
                    entries: planned.entries,
                    shared: kin.shared(&in_force.policy, &now),
                    in_force,
                    now,
                });
                Ok(drafts)
            },
            |_| written = writing.take().carry_out(),
        )?;
        self.seen.set(view.seq);
        let decided =
            decided.ok_or_else(|| Failure::new(exit::INTERNAL, "no decision was made"))?;
        self.concluded(decided, view, written)
    }

    /// Adds what a step has newly brought up that is worth a warning.
    fn add_warnings(&self, planned: &mut Planned, seen: &Circuit, policy: &Policy, now: &Moment) {
        let Some(decision) = planned
            .answer
            .as_ref()
            .ok()
            .filter(|_| !planned.entries.is_empty())
        else {
            return;
        };
        let before = machine::status(seen, policy, now);
        let news = news::warnings(&before, decision, policy, self.supervises.get());
        let news = news
            .into_iter()
            .map(|warning| format!("warning: {warning}"));
        planned.notes.extend(news);
    }

    /// What is answered, now that it is durable and the files say it as well.
    fn concluded(
        &self,
        decided: Decided,
        view: View<Memory>,
        written: Result<Vec<String>, Failure>,
    ) -> Result<Outcome, Failure> {
        let Decided {
            is_first,
            answer,
            notes,
            entries,
            in_force: InForce {
                policy, warnings, ..
            },
            now,
            shared,
        } = decided;
        let decision = answer?;
        let said = Said::of(&Scene {
            policy: &policy,
            circuit: &view.state.0,
            entries: &entries,
            now_ms: now.wall_ms,
            beside: &[],
        });
        let mut all = self.notes(is_first, &view.repairs, warnings);
        if is_first && !self.supervises.get() {
            all.extend(policy.announcement.map(str::to_owned));
        }
        all.extend(notes);
        match written {
            Ok(notes) => all.extend(notes),
            Err(failure) if self.strict => return Err(failure),
            Err(failure) => all.push(failure.what),
        }
        Ok(Outcome {
            decision,
            now,
            notes: all,
            policy,
            circuit: view.state.0,
            said,
            shared,
        })
    }

    /// One step: what the files of another system say, the decision, and what
    /// they are to say afterwards.
    ///
    /// What must be possible whatever somebody wrote anywhere does not ask them.
    fn step(
        &self,
        circuit: &Circuit,
        policy: &Policy,
        now: &Moment,
        decide: impl FnOnce(&Circuit, &Policy, &Moment) -> Result<Step, Failure>,
    ) -> Result<Planned, Failure> {
        if self.has_blackboard(policy) {
            return self.step_at_the_board(circuit, policy, now, |circuit, policy, now| {
                self.after_a_dead_run(circuit, policy, now, decide)
            });
        }
        let place = (self.located.root.as_path(), self.circuit.as_str());
        let beside = Beside::look(place, circuit, policy, now)
            .and_then(|beside| beside.map(Beside::reconcile).transpose());
        let beside = match beside {
            _ if self.aloof => None,
            Ok(beside) => beside,
            Err(failure) if self.heeds_files() => return Err(failure),
            Err(_) => None,
        };
        let Some(mut beside) = beside else {
            let step = self.after_a_dead_run(circuit, policy, now, decide)?;
            return Ok(Planned {
                answer: Ok(step.decision),
                entries: step.entries,
                writing: Writing::default(),
                notes: Vec::new(),
            });
        };
        let mut refused = beside.refused.take();
        if !self.strict || self.forgiving.get() {
            beside.notes.extend(refused.take().map(|edit| edit.what));
        }
        let step = match &refused {
            Some(_) => None,
            None => Some(self.after_a_dead_run(&beside.circuit, policy, now, decide)?),
        };
        let decision = step.as_ref().map(|step| step.decision.clone());
        let (entries, writing) = beside.follow(step)?;
        let refusal = || Failure::new(exit::INTERNAL, "a step without an answer");
        Ok(Planned {
            answer: decision.ok_or_else(|| refused.unwrap_or_else(refusal)),
            entries,
            writing,
            notes: beside.notes,
        })
    }

    /// What the circuit is once the files of another system were looked at: what is stricter
    /// there holds for whoever only looks as well.
    ///
    /// # Errors
    /// When one of them cannot be read or understood, which every decision takes for OPEN.
    pub(crate) fn peek_beside(
        &self,
        circuit: &Circuit,
        policy: &Policy,
        now: &Moment,
    ) -> Result<Circuit, Failure> {
        if self.aloof || self.has_blackboard(policy) {
            return Ok(circuit.clone());
        }
        let place = (self.located.root.as_path(), self.circuit.as_str());
        let beside = Beside::look(place, circuit, policy, now)?;
        let beside = beside.map(Beside::reconcile).transpose()?;
        Ok(beside.map_or_else(|| circuit.clone(), |beside| beside.circuit))
    }

    /// Decides, after settling the iteration of a supervisor that is gone: nobody
    /// else will ever report it.
    fn after_a_dead_run(
        &self,
        circuit: &Circuit,
        policy: &Policy,
        now: &Moment,
        decide: impl FnOnce(&Circuit, &Policy, &Moment) -> Result<Step, Failure>,
    ) -> Result<Step, Failure> {
        let sealed = circuit
            .core
            .pending
            .as_ref()
            .is_some_and(|pending| pending.seal.is_some());
        if !sealed || self.may_be_alive() {
            return decide(circuit, policy, now);
        }
        let settled = machine::abandon(circuit, policy, now);
        let mut step = decide(&settled.circuit, policy, now)?;
        step.entries.splice(0..0, settled.entries);
        Ok(step)
    }

    /// Whether a supervisor may be alive. A lock that is gone shows nothing to those who
    /// could have removed it.
    fn may_be_alive(&self) -> bool {
        self.supervises.get() || RunLock::is_held(&self.run_lock()) || caller::is_inside_an_agent()
    }
}
