//! A turn of the agent as an iteration, for those who run it without a loop of ours.
//!
//! What counts is what a loop would count: a turn that nobody watches, and any turn in which
//! files changed, or something was done that should have changed them. A person who only asks questions is not
//! stagnating. Whoever counts iterations already, a supervisor or a loop with `check` and
//! `record`, holds a grant meanwhile; then nothing is counted twice. A loop takes its grant
//! before the agent begins, and reports before it takes another. One that was taken during a
//! turn, or has outlived one, nobody will report: the turn is its report.

use fusebox_agents::hook::Answer;
use fusebox_core::Observation;
use fusebox_core::fact::Fact;
use fusebox_core::machine::Start;
use fusebox_core::observation::Ended;

use super::{Desk, words};
use crate::dealings;
use crate::failure::Failure;
use crate::features;
use crate::session::measure::{Measure, meaningful};
use crate::turn::{self, Turn};
use fusebox_replay::hooked;
use fusebox_workspace::SnapshotId;

impl Desk {
    /// The grant that waits for a report.
    fn pending(&self) -> Option<u64> {
        let pending = self.standing.circuit.core.pending.as_ref();
        pending.map(|grant| grant.id.0)
    }

    /// Whether somebody else counts the turn.
    fn is_counted_elsewhere(&self, turn: &Turn) -> bool {
        let pending = self.standing.circuit.core.pending.as_ref();
        // Only a supervisor seals what it takes, and only that one may report it. Between two of
        // its iterations it has nothing sealed, and still counts all there is to count.
        pending.is_some_and(|grant| grant.seal.is_some() || turn.awaited == Some(grant.id.0))
            || self.session.is_beside_the_run_of(&self.standing.circuit)
    }

    /// A prompt: what the work tree is now is what the turn is measured against.
    pub(super) fn begin_turn(&self) -> Result<Answer, Failure> {
        if self.is_supervised() {
            return Ok(Answer::Silence);
        }
        let before = self.remember(|turn| {
            if !turn.is_in_flight() {
                turn.meet(self.pending());
            }
            turn.clone()
        })?;
        let before = before.unwrap_or_default();
        let lost = self.keep_after(&before)?;
        // No person begins a turn while a tool of this one runs; what the tool started may. Only
        // a turn that was halted is over for both: it counts, so that whoever says so gains no
        // more than by its end.
        if before.is_in_flight() {
            if before.over.is_none() || self.is_counted_elsewhere(&before) {
                return Ok(lost.unwrap_or(Answer::Silence));
            }
            if let halt @ Answer::Halt(_) = self.count_turn(&before, false)? {
                return Ok(halt);
            }
        }
        // What was lost of it may have been its end, and with that its count.
        if before.is_lost()
            && !before.is_in_flight()
            && let halt @ Answer::Halt(_) = self.count_turn(&before, false)?
        {
            return Ok(halt);
        }
        let (tree, passing) = match self.is_counted_elsewhere(&before) {
            true => (None, None),
            false => (
                self.measure(|measure| Ok(measure.baseline()?.to_string())),
                self.passing(),
            ),
        };
        let transcript = self.forget_known();
        let has_copies = self.has_copies();
        let policy = self.standing.policy.calls_in_force();
        self.remember(|turn| {
            turn.begin(tree, passing);
            turn.transcript = transcript;
            turn.kept |= has_copies;
            turn.take(&policy, |hear| hooked(&self.call.event, hear));
        })?;
        Ok(lost.unwrap_or(Answer::Silence))
    }

    /// The end of a turn.
    pub(super) fn end_turn(&self, goes_on_by_itself: bool) -> Result<Answer, Failure> {
        if self.call.agent.is_some() || self.is_supervised() {
            return Ok(Answer::Silence);
        }
        // Before anything else: between this and the next prompt only a person works.
        let lost = self.settle_turn().inspect_err(|_| self.lose())?;
        let policy = self.standing.policy.calls_in_force();
        let ended = self.remember(|turn| {
            turn.take(&policy, |hear| hooked(&self.call.event, hear));
            turn.working = turn.is_in_flight();
            turn.clone()
        });
        let ended = ended.inspect_err(|_| self.lose())?;
        let ended = ended.unwrap_or_default();
        Ok(match self.count_turn(&ended, goes_on_by_itself)? {
            Answer::Silence => lost.unwrap_or(Answer::Silence),
            answer => answer,
        })
    }

    /// What the turn comes to, where it is for us to count.
    fn count_turn(&self, ended: &Turn, goes_on_by_itself: bool) -> Result<Answer, Failure> {
        let bypassed = self.trip_if_bypassed(ended.transcript);
        if let Some(answer) = bypassed.inspect_err(|_| self.lose())? {
            return Ok(answer);
        }
        if self.is_counted_elsewhere(ended) {
            return Ok(Answer::Silence);
        }
        let facts = self.facts(ended);
        let changed = matches!(&facts.files, Fact::Measured(files) if files.count > 0);
        let circled = facts.ended.is_some();
        // A grant that was taken meanwhile would go on for ever, and with it the probe it is for.
        let taken = self.pending().is_some();
        let of_itself = goes_on_by_itself || self.unattended;
        if !(ended.attempted || of_itself || changed || circled || taken) {
            return Ok(Answer::Silence);
        }
        let (tree, passing) = (facts.tree.seen().cloned(), self.passing());
        let start = Start {
            tree: ended.tree.clone(),
            passing: ended.passing.clone(),
            ..Start::default()
        };
        let mut unreadable = None;
        let outcome = self.session.try_apply(|circuit, policy, now| {
            let turn = (start, facts);
            let told = dealings::tell_unasked(&self.session, circuit, policy, turn, now)?;
            unreadable = told.unreadable;
            Ok(told.step)
        });
        let outcome = outcome.inspect_err(|_| self.lose())?;
        self.remember(|turn| turn.begin(tree, passing))?;
        if let Some(failure) = unreadable {
            return Err(failure);
        }
        Ok(match self.denial(&outcome) {
            true => Answer::Halt(words::open(&outcome)),
            false => Answer::Silence,
        })
    }

    /// The turn could not be counted. It is when the next one begins.
    fn lose(&self) {
        turn::lose(&self.turn_file());
    }

    /// The features that pass by now, where sessions are counted by them.
    fn passing(&self) -> Option<Vec<u64>> {
        let policy = &self.standing.policy;
        // That a list cannot be read is told with the report.
        let list = features::read(&self.session.located.root, policy).ok()?;
        features::passing(list.as_ref(), policy)
    }

    /// What the turn changed, as far as that can be measured.
    fn facts(&self, turn: &Turn) -> Observation {
        // What was lost says nothing about the agent.
        let over = turn.over.as_ref().filter(|_| !turn.is_lost());
        let mut facts = Observation {
            ended: over.map(|_| Ended::Circling),
            ..Observation::default()
        };
        let before = turn
            .tree
            .as_deref()
            .and_then(|tree| tree.parse::<SnapshotId>().ok());
        let known = self.standing.circuit.core.tree.as_deref();
        let measured = self.measure(|measure| {
            let after = measure.tree()?;
            let Some(before) = before else {
                return Ok((after, None));
            };
            let changes = measure.shadow.compare(&before, &after)?;
            let shift = measure.shift(known, &before, &after, &changes);
            Ok((after, Some((changes, shift))))
        });
        if let Some((after, changed)) = measured {
            facts.tree = Fact::Measured(after.to_string());
            if let Some((changes, shift)) = changed {
                facts.files = Fact::Measured(meaningful(&changes));
                facts.shift = Fact::Measured(shift);
            }
        }
        facts
    }

    /// A measurement; nothing where there is none to be had: then what changed is unknown, and
    /// counts as that.
    fn measure<T>(
        &self,
        take: impl FnOnce(&mut Measure) -> Result<T, fusebox_workspace::Unmeasured>,
    ) -> Option<T> {
        let mut measure = Measure::open(&self.session).ok()?;
        take(&mut measure).ok()
    }
}
