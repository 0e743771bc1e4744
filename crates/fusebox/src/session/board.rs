//! A circuit that works beside a blackboard: who may have edited it, and one step beside it.

use fusebox_core::machine::{self, Step};
use fusebox_core::patterns::EntryHash;
use fusebox_core::policy::HaltMode;
use fusebox_core::{Circuit, Moment, Policy};
use fusebox_supervise::RunLock;

use super::{Outcome, Planned, Session};
use crate::anomalies;
use crate::blackboard::{Blackboard, Editor, Reconciled};
use crate::caller;
use crate::digest::sha256;
use crate::failure::Failure;
use crate::projection::Writing;

impl Session {
    /// Whether this circuit works beside a blackboard.
    pub(crate) fn has_blackboard(&self, policy: &Policy) -> bool {
        policy.halt == HaltMode::Checkpoint && self.circuit.as_str() == "default" && !self.aloof
    }

    /// One step beside a blackboard.
    pub(super) fn step_at_the_board(
        &self,
        circuit: &Circuit,
        policy: &Policy,
        now: &Moment,
        decide: impl FnOnce(&Circuit, &Policy, &Moment) -> Result<Step, Failure>,
    ) -> Result<Planned, Failure> {
        let reconciled = self.look_at_the_board(circuit, policy, now)?;
        let step = decide(&reconciled.circuit, policy, now)?;
        let retell = reconciled.must_be_retold(&step);
        let answer = Ok(step.decision.clone());
        let (mut entries, notes) = (reconciled.entries, reconciled.notes);
        let writing = match self.blackboard.take() {
            Some(board) => {
                let about = (circuit, &step, retell);
                let (intents, writing) = board.follow(&self.located.root, about, now)?;
                entries.extend(step.entries);
                entries.extend(machine::project(&step.circuit, policy, intents, now).entries);
                writing
            }
            None => {
                entries.extend(step.entries);
                Writing::default()
            }
        };
        Ok(Planned {
            answer,
            entries,
            writing,
            notes,
        })
    }

    /// What would be analysed, by a digest: the anomalies on the blackboard and the sprint that
    /// they are counted in, or the anomalies that the memory tells of. Whatever else others write
    /// there all day is nothing new.
    pub(crate) fn what_could_be_analysed(&self, standing: &Outcome) -> Result<String, Failure> {
        if self.has_blackboard(&standing.policy) {
            return Blackboard::analysed(&self.located.root);
        }
        let all = anomalies::remembered(self.store.log()?.as_ref())?;
        let hashes: Vec<EntryHash> = all.iter().map(EntryHash::of).collect();
        Ok(sha256(&format!("{hashes:?}")))
    }

    /// What the circuit would be after a look at the blackboard; nothing is held
    /// and nothing is written.
    pub(super) fn peek_at_the_board(
        &self,
        circuit: &Circuit,
        policy: &Policy,
        now: &Moment,
    ) -> Result<Circuit, Failure> {
        let reconciled = self.look_at_the_board(circuit, policy, now)?;
        self.blackboard.take();
        Ok(reconciled.circuit)
    }

    /// What the circuit is once the blackboard was looked at. Whatever must be
    /// possible with a broken one does without it.
    fn look_at_the_board(
        &self,
        circuit: &Circuit,
        policy: &Policy,
        now: &Moment,
    ) -> Result<Reconciled, Failure> {
        let board = match Blackboard::read(&self.located.root, self.blackboard.take()) {
            Ok(board) => board,
            Err(failure) if self.strict => return Err(failure),
            Err(_) => return Ok(Reconciled::unchanged(circuit)),
        };
        let reconciled = board.reconcile(circuit, policy, self.editor(circuit), now);
        self.blackboard.replace(Some(board));
        reconciled
    }

    /// Whose an edit of the blackboard can be.
    fn editor(&self, circuit: &Circuit) -> Editor {
        if self.supervises.get() {
            return match self.let_something_run() {
                true => Editor::Agent,
                false => Editor::Person,
            };
        }
        let pending = circuit.core.pending.as_ref();
        let unknown = pending.is_some_and(|pending| pending.seal.is_some())
            || RunLock::is_held(&self.run_lock())
            || self.orphans().is_some()
            || caller::is_inside_an_agent();
        match unknown {
            true => Editor::Unknown,
            false => Editor::Person,
        }
    }
}
