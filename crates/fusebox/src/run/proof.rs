//! What shows whether the work is done: the user's own commands, run after each
//! iteration under the same supervision as the agent, files that must be there,
//! criteria that must be met. And, apart from all that, what the agent says.

use std::time::{Duration, Instant};

use fusebox_core::Observation;
use fusebox_core::fact::Fact;
use fusebox_core::observation::{Claims, ErrorReport, TestCounts, WorkType};
use fusebox_core::policy::ErrorIdentity;
use fusebox_core::signature::{Signature, output_id};
use fusebox_evidence::{Evidence, Finding};
use fusebox_guard::keep::{KeepError, Report};
use fusebox_notify::redact;
use fusebox_supervise::{
    HeadTail, Step, StepEnd, StepLimits, StepObserver, StepReport, StopCause, Stream, Tick, Wish,
};
use fusebox_view::phrase;
use fusebox_workspace::{Changes, Work as ChangedWork};

use super::listener::Heard;
use super::plan::Plan;
use super::result;
use super::screen::Screen;
use super::setup::Ready;
use super::step_end::betrayal;
use crate::evidence::{EvidencePlan, Files, SHELL};
use crate::exit;
use crate::failure::Failure;

/// Kept of what a command prints: both ends, the longer one at the end, where
/// programs sum up.
const HEAD: usize = 64 * 1024;
const TAIL: usize = 960 * 1024;
/// How long a command that takes too long may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// What was found.
#[derive(Default)]
pub(super) struct Proof {
    pub(super) evidence: Evidence,
    /// What speaks for it, in words.
    speaks: Vec<String>,
    /// Whether anything speaks against it.
    pub(super) contradicted: bool,
    /// What the files among it lack, in words.
    lacks: Vec<String>,
    /// Whether there are commands of the user's that have not succeeded, or not been run.
    withheld: bool,
    /// Whether the agent has closed its task in the list, which says the same.
    pub(super) closed_in_list: bool,
    /// Whether the agent says that it changed more than anybody could measure.
    pub(super) overstated: bool,
    /// The signal that ended the search, if one did.
    pub(super) signal: Option<i32>,
    /// What the commands lost of what is protected, where any were run: what they do is the
    /// agent's doing, who may have written them.
    pub(super) lost: Option<Result<Report, KeepError>>,
    /// Whether one of them turned on the supervision, and how.
    pub(super) betrayal: Option<String>,
}

impl Proof {
    /// What shows that the work is done, if the agent says so and nothing speaks
    /// against it; saying so alone shows nothing.
    pub(super) fn of_completion(&self) -> Option<String> {
        self.shown().filter(|_| self.is_said())
    }

    /// Whether the agent says that the work is done.
    pub(super) fn is_said(&self) -> bool {
        let claims = self.evidence.claimed.as_ref();
        let said = claims.is_some_and(|claims| {
            claims.complete() == Some(true) || claims.exit_signal == Some(true)
        });
        said || self.closed_in_list
    }

    /// Holds what the agent says it changed against what changed. Whoever says of the very same
    /// step what is not so is not believed when it says that the work is done. That nothing was
    /// left to change is no contradiction.
    ///
    /// Answers with what was claimed, where nothing else keeps the work from being done.
    pub(super) fn hold_against(&mut self, changes: Option<&Changes>) -> Option<u64> {
        let (claimed, changes) = (self.files_claimed(changes)?, changes?);
        let would_be_done = self.of_completion().is_some();
        self.overstated = claimed > 0 && changes.meaningful == 0;
        (self.overstated && would_be_done).then_some(claimed)
    }

    /// How many files the agent says it changed, where that can be compared: of the loop's own
    /// files, which are not measured, it may speak as well.
    fn files_claimed(&self, changes: Option<&Changes>) -> Option<u64> {
        let claimed = self.evidence.claimed.as_ref()?.files_modified?;
        let own_alone = changes.is_some_and(|changes| {
            changes.meaningful == 0 && claimed <= changes.kinds.agent_state as u64
        });
        (!own_alone || claimed == 0).then_some(claimed)
    }

    /// What speaks for it, if something does and nothing speaks against it.
    pub(super) fn shown(&self) -> Option<String> {
        let shown = !self.contradicted && !self.overstated && !self.speaks.is_empty();
        shown.then(|| self.speaks.join(", "))
    }

    /// What is found where nothing could be looked at.
    pub(super) fn inconclusive(plan: &EvidencePlan) -> Self {
        Self {
            withheld: plan.build.is_some() || plan.test.is_some(),
            ..Self::default()
        }
    }

    /// Whether the user gave commands, and they do not speak for the work.
    pub(super) fn withholds(&self) -> bool {
        self.withheld
    }

    /// Adds what was found to the facts.
    pub(super) fn tell(
        &self,
        facts: &mut Observation,
        changes: Option<&Changes>,
        identity: ErrorIdentity,
    ) {
        let found = &self.evidence;
        facts.tests = Fact::measured(found.tests.map(|tests| TestCounts {
            passed: tests.passed,
            failed: tests.failed,
            skipped: tests.skipped,
        }));
        facts.checks_failed = Fact::measured(found.checks_failed);
        facts.build_errors = Fact::measured(found.build_errors);
        facts.required_missing = Fact::measured(found.required_missing);
        facts.criteria_unmet = Fact::measured(found.criteria_unmet);
        facts.lacks.clone_from(&self.lacks);
        if !found.errors.is_empty() {
            let found = found.errors.iter();
            let mut errors: Vec<_> = found.map(|finding| report(finding, identity)).collect();
            errors.extend(facts.errors.seen().cloned().unwrap_or_default());
            facts.errors = Fact::Measured(errors);
        }
        facts.work_type = changes
            .and_then(|changes| changes.kinds.work())
            .map(|work| match work {
                ChangedWork::Implementation => WorkType::Implementation,
                ChangedWork::Testing => WorkType::Testing,
                ChangedWork::Documentation => WorkType::Documentation,
                ChangedWork::Other => WorkType::Other,
            });
        if let Some(claims) = &found.claimed {
            facts.claimed = Claims {
                complete: claims.complete(),
                exit_signal: claims.exit_signal,
                needs_person: claims.needs_person(),
                files_modified: self.files_claimed(changes),
            };
            facts.tasks_completed = claims.tasks_completed.map_or(Fact::Unknown, Fact::Claimed);
        }
        if self.closed_in_list {
            // Whatever it says besides.
            facts.claimed.complete = Some(true);
        }
    }
}

impl Ready<'_> {
    /// Looks at everything that shows whether the work is done.
    pub(super) fn prove(
        &mut self,
        plan: &Plan,
        heard: &Heard,
        screen: &Screen,
    ) -> Result<Proof, Failure> {
        let mut proof = self.look_for_proof(plan, screen)?;
        result::take_claims(heard, &mut proof.evidence);
        if let Some(tasks) = &mut self.tasks {
            proof.closed_in_list = tasks.is_closed_in_list();
        }
        Ok(proof)
    }

    /// The same without what the agent says. What the commands lose is put back; whoever asked
    /// lets it count, and takes back what was handed over.
    pub(super) fn look_for_proof(
        &mut self,
        plan: &Plan,
        screen: &Screen,
    ) -> Result<Proof, Failure> {
        self.hand_over();
        let (mut proof, ran) = self.run_checks(plan, screen)?;
        if ran {
            // They had the memory within reach, and the work tree.
            self.session.confirm_history()?;
            proof.lost = Some(self.look_after(screen));
        }
        Ok(proof)
    }

    /// Runs the user's commands and looks for files; also whether any command was run.
    fn run_checks(&mut self, plan: &Plan, screen: &Screen) -> Result<(Proof, bool), Failure> {
        let mut ran = false;
        let mut proof = Proof::inconclusive(&plan.evidence);
        let commands = [(&plan.evidence.build, false), (&plan.evidence.test, true)];
        for (command, tests) in commands {
            let Some(command) = command else { continue };
            if self.is_time_up() {
                // It could only be ended again, and one that will not end would take a grace
                // of its own. What was not looked at proves nothing, and is no failure.
                let command = fusebox_view::escape::line(command, 80);
                screen.say(&format!("`{command}` was not run: the time is used up"));
                proof.contradicted = true;
                continue;
            }
            let (output, report) = self.run_check(plan, command, screen)?;
            ran = true;
            proof.betrayal = betrayal(&report);
            if proof.betrayal.is_some() {
                proof.contradicted = true;
                return Ok((proof, ran));
            }
            if let StepEnd::Stopped {
                by: StopCause::Signal(signal),
            } = report.end
            {
                proof.signal = Some(signal);
                return Ok((proof, ran));
            }
            let succeeded = report.end == StepEnd::Exited(0);
            proof.contradicted |= !succeeded;
            if could_not_be_run(&report.end, &output) {
                // That is nothing the agent's work was measured by.
                continue;
            }
            if tests {
                proof.evidence.add_tests(&output, succeeded);
            } else {
                proof.evidence.add_build(&output, succeeded);
            }
            if succeeded {
                proof.speaks.push(format!("`{command}` succeeds"));
            }
        }
        proof.withheld = proof.contradicted;
        let root = self.measure.shadow.root();
        let files = Files::look(root, &plan.evidence, &mut proof.evidence);
        proof.contradicted |= !files.speaks_against.is_empty();
        proof.speaks.extend(files.speaks_for);
        proof.lacks = files.speaks_against;
        Ok((proof, ran))
    }

    /// Runs one of the user's commands, quietly. What it runs in turn is in the work tree, and
    /// thereby the agent's: it is held as the agent is.
    fn run_check(
        &mut self,
        plan: &Plan,
        command: &str,
        screen: &Screen,
    ) -> Result<(Vec<u8>, StepReport), Failure> {
        let timeout = plan.bounds.timeout;
        let step = Step {
            args: vec!["-c".into(), command.into()],
            limits: StepLimits {
                overall: Some(self.time_left().map_or(timeout, |left| left.min(timeout))),
                idle: Some(plan.bounds.idle_timeout),
                grace: self.limit.map_or(GRACE, |limit| limit.grace().min(GRACE)),
                ..StepLimits::default()
            },
            hold: Some(self.lock.tree_lock()),
            walls: self.keeping.walls(),
            ..Step::new(
                SHELL,
                self.session.located.root.clone(),
                self.cookie.clone(),
            )
        };
        let began = Instant::now();
        let mut keep = Keep {
            kept: HeadTail::new(HEAD, TAIL),
            screen,
        };
        let report = self
            .supervisor
            .run(&step, &mut keep, &mut self.signals)
            .map_err(|error| Failure::new(exit::AGENT, error.to_string()))?;
        let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut output = Vec::new();
        let _ = keep.kept.write_to(&mut output);
        let how = match report.end {
            StepEnd::Exited(0) => "succeeded".to_owned(),
            StepEnd::Exited(code) if could_not_be_run(&report.end, &output) => {
                format!("could not be run (exit code {code}), so its result is unknown")
            }
            StepEnd::Exited(code) => format!("failed with exit code {code}"),
            StepEnd::TimedOut(_) => "was ended for taking too long".to_owned(),
            _ => "was ended".to_owned(),
        };
        screen.say(&format!(
            "`{}` {how} · {}",
            fusebox_view::escape::line(command, 80),
            phrase::duration(took)
        ));
        Ok((output, report))
    }
}

fn could_not_be_run(end: &StepEnd, output: &[u8]) -> bool {
    matches!(end, StepEnd::Exited(code) if fusebox_evidence::could_not_be_run(output, *code))
}

/// Keeps what is printed and shows nothing.
struct Keep<'a> {
    kept: HeadTail,
    screen: &'a Screen,
}

impl StepObserver for Keep<'_> {
    fn output(&mut self, _stream: Stream, bytes: &[u8]) {
        self.kept.push(bytes);
    }

    fn signalled(&mut self, signal: i32, first: bool) {
        self.screen.stopping("the command", signal, first);
    }

    fn tick(&mut self, _tick: Tick) -> Wish {
        Wish::GoOn
    }
}

/// That a command failed is measured, whatever it printed. Where only lines with
/// the mark of an error are taken for one, it gets the mark.
fn report(finding: &Finding, identity: ErrorIdentity) -> ErrorReport {
    let mut report = ErrorReport {
        kind: finding.kind.clone(),
        message: redact(&finding.message).into_owned(),
        file: finding.file.clone(),
        line: finding.line,
        test: finding
            .test
            .as_deref()
            .map(|test| redact(test).into_owned()),
        output: finding.output.as_deref().map(output_id),
    };
    if Signature::of(&report, identity).is_none() {
        report.message = format!("Failed: {}", report.message);
    }
    report
}
