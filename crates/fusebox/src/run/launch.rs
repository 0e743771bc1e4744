//! Making the step of an iteration: which program, told what, within which
//! limits.

use std::ffi::OsString;

use fusebox_agents::{FirstSignal as AgentsFirst, Launch};
use fusebox_core::budget::Resource;
use fusebox_core::observation::WorkPhase;
use fusebox_core::policy::{CallUnit, Enforcement, TickUnit};
use fusebox_core::recovery::strategy_for_the_agent;
use fusebox_supervise::{AgentCap, FirstSignal, Step, StepInput, StepLimits};

use super::artifacts::IterationFiles;
use super::plan::{Plan, Prompt, Work};
use super::prompt::{self, Claimable};
use super::setup::Ready;
use crate::config::PROTECT;
use crate::exit;
use crate::failure::Failure;
use crate::session::Outcome;

/// Agents that one iteration may have running at once, sub-agents included.
const MOST_AGENTS: u32 = 32;

impl Ready<'_> {
    /// What the command is given to read, with everything that is added to the user's own words.
    pub(super) fn prompt(&self, plan: &Plan, asked: &Outcome) -> Result<Option<String>, Failure> {
        let mut told = plan.prompt.text()?;
        if let Some(words) = plan.task.as_ref().and_then(|task| task.words.as_deref()) {
            let text = told.get_or_insert_default();
            let gap = if text.is_empty() { "" } else { "\n\n---\n" };
            text.push_str(gap);
            text.push_str(words);
        }
        if let Some(text) = &mut told {
            let told = prompt::Told {
                circuit: &asked.circuit,
                policy: &asked.policy,
                circles: self.circles.as_deref(),
                lost: &self.lost,
                overstated: self.overstated,
            };
            text.push_str(&prompt::below(text, Claimable::of(plan), &told));
        }
        Ok(told)
    }

    pub(super) fn step(
        &self,
        plan: &Plan,
        asked: &Outcome,
        told: Option<String>,
        files: Option<&IterationFiles>,
    ) -> Result<Step, Failure> {
        let keep = |text: &str| {
            files
                .and_then(|files| files.prompt(text))
                .ok_or_else(|| Failure::new(exit::STATE, "the prompt cannot be written down"))
        };
        let (program, args, mut env, input) = match &plan.work {
            Work::Command { words, .. } => {
                let (program, args) = words
                    .split_first()
                    .map(|(p, a)| (p.clone(), a.to_vec()))
                    .unwrap_or_default();
                (program, args, Vec::new(), told)
            }
            Work::Agent {
                agent,
                permissions,
                extra,
                ..
            } => {
                let text = told.unwrap_or_default();
                let invocation = agent.launch(&Launch {
                    model: plan.work.model(asked.circuit.core.rung),
                    resume: self.thread.as_ref().map(|thread| thread.session.as_str()),
                    permissions: *permissions,
                    max_micro_usd: micro_usd_left(asked),
                    extra,
                    ..Launch::new(&text)
                });
                (
                    invocation.program,
                    invocation.args,
                    invocation.env,
                    invocation.stdin,
                )
            }
        };
        env.extend(self.session.bearings());
        env.extend(leniency(asked.policy.enforcement));
        env.extend(environment(asked));
        env.extend(task_environment(plan));
        env.extend(self.protects(plan));
        let stopping = plan.work.speaker().stopping();
        Ok(Step {
            args,
            env,
            input: match input {
                Some(text) => StepInput::File(keep(&text)?),
                None => StepInput::Null,
            },
            limits: StepLimits {
                overall: Some(plan.bounds.timeout),
                idle: Some(plan.bounds.idle_timeout),
                grace: stopping.grace,
                agents: Some(AgentCap {
                    programs: fusebox_agents::programs().map(str::to_owned).collect(),
                    most: MOST_AGENTS,
                }),
                ..StepLimits::default()
            },
            first_signal: match stopping.first {
                AgentsFirst::Interrupt => FirstSignal::Interrupt,
                AgentsFirst::Terminate => FirstSignal::Terminate,
            },
            hold: Some(self.lock.tree_lock()),
            walls: self.keeping.walls(),
            ..Step::new(
                program,
                self.session.located.root.clone(),
                self.cookie.clone(),
            )
        })
    }
}

impl Ready<'_> {
    /// What hooks inside the step protect as we do.
    fn protects(&self, plan: &Plan) -> Option<(OsString, OsString)> {
        let Prompt::File(file) = &plan.prompt else {
            return None;
        };
        let mut paths = OsString::from(prompt::place_below(&self.session.located.root, file)?);
        if let Some(others) = std::env::var_os(PROTECT) {
            paths.push(":");
            paths.push(others);
        }
        Some((PROTECT.into(), paths))
    }
}

/// The money that is left, if that is limited: what was put aside for this very
/// iteration is its own to spend.
fn micro_usd_left(asked: &Outcome) -> Option<u64> {
    let mut budgets = asked.decision.budgets.iter();
    let (_, budget) = budgets.find(|(resource, _)| *resource == Resource::Money)?;
    Some(budget.left.saturating_add(asked.policy.micro_usd?.share()))
}

/// The requests that are left, where those are limited. The first of them was taken
/// when the iteration was granted.
pub(super) fn requests_left(asked: &Outcome) -> Option<u32> {
    let limited = asked.policy.calls_unit == CallUnit::Request;
    limited.then(|| asked.decision.calls.left.saturating_add(1))
}

/// The task that was taken from the list, for commands that read no prompt.
fn task_environment(plan: &Plan) -> Vec<(OsString, OsString)> {
    let Some(task) = plan.task.as_ref().filter(|_| plan.takes_tasks) else {
        return Vec::new();
    };
    let title = task.title.clone().unwrap_or_default();
    vec![
        ("FUSEBOX_TASK".into(), task.id.clone().into()),
        ("FUSEBOX_TASK_TITLE".into(), title.into()),
    ]
}

/// What hooks inside a step have to be told of a run that was asked to go on whatever opens:
/// they are asked before every tool, and would find an open breaker.
fn leniency(enforcement: Enforcement) -> Option<(OsString, OsString)> {
    let (name, value) = match enforcement {
        Enforcement::Halt => return None,
        Enforcement::Announce => ("FUSEBOX_ON_STAGNATION", "alert"),
        Enforcement::Observe => ("FUSEBOX_OBSERVE", "true"),
    };
    Some((name.into(), value.into()))
}

/// What the command is told: the iteration's number, the phase where there are any, and
/// what a person or the next strategy of recovery wants done differently.
fn environment(asked: &Outcome) -> Vec<(OsString, OsString)> {
    let iteration = asked.decision.grant.map_or(0, |grant| grant.0);
    let mut told = vec![("FUSEBOX_ITERATION".into(), iteration.to_string().into())];
    let core = &asked.circuit.core;
    if asked.policy.unit == TickUnit::PhaseAction {
        let phase = core.counters.phase.unwrap_or(WorkPhase::Red);
        told.push(("FUSEBOX_PHASE".into(), phase.name().into()));
    }
    if let Some(note) = &core.guidance {
        told.push(("FUSEBOX_GUIDANCE".into(), note.into()));
        if core.phase.opening().is_some() {
            let words = strategy_for_the_agent(core);
            told.push(("FUSEBOX_STRATEGY".into(), words.unwrap_or_default().into()));
        }
    }
    told
}
