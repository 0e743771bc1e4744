//! What a run is to do, settled before anything is started.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use fusebox_agents::{Agent, Permissions, Recognised};
use fusebox_core::policy::TickUnit;
use fusebox_core::signals::Signal;

use super::ladder;
use super::routes::NotifyPlan;
use crate::cli::{OnStagnation, PermissionWord, Run, Sandbox, nearest};
use crate::config::{InForce, Key, Layers};
use crate::evidence::EvidencePlan;
use crate::exit;
use crate::failure::Failure;
use crate::fleet::Party;

/// What a run is to do.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) work: Work,
    pub(crate) prompt: Prompt,
    pub(crate) task: Option<Task>,
    /// Whether tasks are taken from the list, one after the other.
    pub(crate) takes_tasks: bool,
    pub(crate) evidence: EvidencePlan,
    pub(crate) bounds: Bounds,
    pub(crate) on_stagnation: OnStagnation,
    /// The one iteration that was asked for is enough, whatever may come next.
    pub(crate) once: bool,
    /// Whether it waits where waiting helps.
    pub(crate) wait: bool,
    /// What to answer instead of asking, in this order.
    pub(crate) answers: Vec<char>,
    /// What is to be done differently, for an answer that takes words.
    pub(crate) guidance: Option<String>,
    pub(crate) skip_preflight: bool,
    /// Whether what is protected is to be out of the agent's reach.
    pub(crate) sandbox: Option<Sandbox>,
    pub(crate) notify: NotifyPlan,
    /// Our part in a fleet, where there is one.
    pub(crate) party: Option<Party>,
    /// Worth saying before the first iteration.
    pub(crate) remarks: Vec<String>,
}

/// What is started in each iteration.
#[derive(Clone)]
pub(crate) enum Work {
    /// What a person typed, exactly so.
    Command {
        words: Vec<OsString>,
        /// Who is expected to speak.
        speaker: &'static dyn Agent,
    },
    /// An agent, started in the way it is best read.
    Agent {
        agent: &'static dyn Agent,
        /// The models, the cheapest first; empty leaves it to the agent.
        ladder: Vec<String>,
        permissions: Permissions,
        extra: Vec<OsString>,
        continue_session: bool,
    },
}

/// What the agent is told to do.
#[derive(Clone, Debug)]
pub(crate) enum Prompt {
    None,
    Text(String),
    /// Read anew each time: people edit it while the loop runs.
    File(PathBuf),
}

/// What is worked on.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) title: Option<String>,
    /// What the agent is told of it.
    pub(crate) words: Option<String>,
}

/// How long and how often.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) iterations: Option<u64>,
    pub(crate) time: Option<Duration>,
    /// Of one iteration.
    pub(crate) timeout: Duration,
    pub(crate) idle_timeout: Duration,
    pub(crate) longest_wait: Duration,
}

impl Work {
    /// Any command, exactly as typed.
    pub(crate) fn typed(words: Vec<OsString>) -> Self {
        Self::Command {
            words,
            speaker: plain(),
        }
    }

    /// Who is expected to speak.
    pub(crate) fn speaker(&self) -> &'static dyn Agent {
        match self {
            Self::Command { speaker, .. } => *speaker,
            Self::Agent { agent, .. } => *agent,
        }
    }

    /// Whether what it prints is events.
    pub(crate) fn is_structured(&self) -> bool {
        self.speaker().abilities().structured
    }

    /// Whether what is asked for can be done: without another model there is no escalation.
    pub(crate) fn action(&self, asked: OnStagnation) -> OnStagnation {
        match asked {
            OnStagnation::Escalate if self.rungs() < 2 => OnStagnation::Pause,
            asked => asked,
        }
    }

    /// How many models there are to climb through.
    pub(crate) fn rungs(&self) -> u32 {
        match self {
            Self::Command { .. } => 0,
            Self::Agent { ladder, .. } => u32::try_from(ladder.len()).unwrap_or(u32::MAX),
        }
    }

    /// The model on that rung of the ladder; the last one above it.
    pub(crate) fn model(&self, rung: u32) -> Option<&str> {
        match self {
            Self::Command { .. } => None,
            Self::Agent { ladder, .. } => ladder
                .get(rung as usize)
                .or(ladder.last())
                .map(String::as_str),
        }
    }

    /// What a person calls it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Command { words, .. } => words
                .first()
                .map(|word| word.to_string_lossy().into_owned())
                .unwrap_or_default(),
            Self::Agent { agent, .. } => agent.title().to_owned(),
        }
    }
}

impl Plan {
    pub(crate) fn of(args: &Run, layers: &Layers, in_force: &InForce) -> Result<Self, Failure> {
        let mut remarks = Vec::new();
        let work = work(args, layers, in_force, &mut remarks)?;
        let prompt = match (&args.agent.prompt, &args.agent.prompt_file) {
            (Some(text), _) => Prompt::Text(text.clone()),
            (None, Some(file)) => Prompt::File(file.clone()),
            (None, None) => Prompt::None,
        };
        let evidence = EvidencePlan::of(&args.evidence, layers);
        if args.tasks && evidence.is_empty() {
            return Err(Failure::new(exit::USAGE, "nothing would show that a task is done")
                .hint("give `--test CMD`, `--require FILE` or `--criteria FILE`: a task is never closed because somebody says so"));
        }
        let preset = in_force.policy.preset.name();
        if args.tasks && in_force.policy.unit == TickUnit::PhaseAction {
            let what = format!(
                "the preset {preset} counts what the phases of one piece of work gain, and a task that is done is no \
                 such gain: it would stop a list that is worked through"
            );
            return Err(Failure::new(exit::USAGE, what).hint(
                "give it one piece of work with `--prompt-file`, or use `--tasks` with another preset",
            ));
        }
        if !args.tasks && matches!((&work, &prompt), (Work::Agent { .. }, Prompt::None)) {
            return Err(Failure::new(exit::USAGE, "no prompt given").hint(
                "give it `--prompt-file PROMPT.md`, or `--prompt 'do the next task in TODO.md'`",
            ));
        }
        let rules = &in_force.policy.rules;
        let has = |signal| rules.get(signal).is_some();
        if args.stagnation_threshold.is_some()
            && !has(Signal::NoProgress)
            && !has(Signal::FailedSessions)
        {
            remarks.push(format!(
                "warning: `--stagnation-threshold` has no effect: the preset {preset} does not count \
                 iterations without progress"
            ));
        }
        let webhook = args.webhook.clone();
        if in_force.on_stagnation == OnStagnation::Escalate && work.rungs() < 2 {
            remarks.push(ladder::ONE_MODEL.to_owned());
        }
        Ok(Self {
            work,
            prompt,
            task: args.task.clone().map(|id| Task {
                id,
                title: args.task_title.clone(),
                words: None,
            }),
            takes_tasks: args.tasks,
            evidence,
            bounds: Bounds {
                iterations: if args.once {
                    Some(1)
                } else {
                    in_force.max_iterations()
                },
                time: in_force.max_time(),
                timeout: in_force.timeout(),
                idle_timeout: in_force.idle_timeout(),
                longest_wait: in_force.longest_wait(),
            },
            on_stagnation: in_force.on_stagnation,
            once: args.once,
            wait: in_force.waits(),
            answers: args.answer.clone(),
            guidance: args.guidance.clone(),
            skip_preflight: args.skip_preflight,
            sandbox: args.sandbox,
            notify: NotifyPlan::of(layers, in_force, webhook),
            remarks,
            party: None,
        })
    }
}

fn work(
    args: &Run,
    layers: &Layers,
    in_force: &InForce,
    remarks: &mut Vec<String>,
) -> Result<Work, Failure> {
    if !args.command.is_empty() {
        only_for_agents(args, remarks)?;
        return Ok(typed(&args.command, remarks));
    }
    let named = args.agent.agent.as_deref();
    let name = named.or_else(|| layers.word(Key::Agent)).ok_or_else(|| {
        Failure::new(exit::USAGE, "nothing to run").hint(
            "give a command after `--`, an agent with `--agent`, or set `agent.name` in the configuration",
        )
    })?;
    let agent = fusebox_agents::by_name(name)
        .filter(|agent| !agent.programs().is_empty())
        .ok_or_else(|| {
            let known: Vec<_> = fusebox_agents::AGENTS
                .iter()
                .filter(|agent| !agent.programs().is_empty())
                .map(|agent| agent.name())
                .collect();
            let what = format!("there is no agent called `{name}`");
            let failure = Failure::new(exit::USAGE, what);
            let failure = match nearest(name, known.iter().copied()) {
                Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
                None => failure,
            };
            failure.hint(format!(
                "one of {}; any other command goes after `--`",
                known.join(", ")
            ))
        })?;
    let words = |key| layers.words(key).map(|(words, _)| words.to_vec());
    let own = || {
        let models = agent.model_ladder().iter();
        models.map(|&model| model.to_owned()).collect()
    };
    let configured = words(Key::Models);
    // Nobody asked for another model than the agent would take by itself.
    let is_the_agents = args.agent.model.is_empty()
        && configured.is_none()
        && in_force.on_stagnation != OnStagnation::Escalate
        && !in_force.policy.preset.names_the_first_model();
    let ladder = match is_the_agents {
        true => Vec::new(),
        false => ladder::of(&args.agent.model, configured.unwrap_or_else(own)),
    };
    let extra = words(Key::AgentArgs).unwrap_or_default();
    Ok(Work::Agent {
        agent,
        ladder,
        permissions: permissions(args, layers)?,
        extra: extra.into_iter().map(OsString::from).collect(),
        continue_session: args.agent.continue_session,
    })
}

/// What is asked for by flags that a command which was typed never sees. Whoever forbids an agent
/// something is not to believe that it is forbidden.
fn only_for_agents(args: &Run, remarks: &mut Vec<String>) -> Result<(), Failure> {
    let what = "a command after `--` is given its own flags";
    if args.agent.permissions.is_some() {
        let failure = Failure::new(exit::USAGE, "`--permissions` needs `--agent`").hint(what);
        let from_outside = std::env::var_os("FUSEBOX_PERMISSIONS").is_some();
        return Err(match from_outside {
            true => failure.hint("--permissions may come from the variable FUSEBOX_PERMISSIONS"),
            false => failure,
        });
    }
    let ignored = [
        ("--model", !args.agent.model.is_empty()),
        ("--continue-session", args.agent.continue_session),
    ];
    for (name, _) in ignored.into_iter().filter(|(_, given)| *given) {
        remarks.push(format!(
            "warning: `{name}` is ignored without `--agent`: {what}"
        ));
    }
    Ok(())
}

/// A command that was typed is run as it was typed. If it is an agent whose
/// output could be read and will not be, that is worth a word.
fn typed(words: &[OsString], remarks: &mut Vec<String>) -> Work {
    let speaker = match fusebox_agents::recognise(words) {
        Some((agent, Recognised::TextOnly { missing })) if !missing.is_empty() => {
            let ours = fusebox_agents::by_name(agent.name());
            let or_ours = ours.map_or_else(String::new, |agent| {
                format!(" or use `fusebox run --agent {}`", agent.name())
            });
            remarks.push(format!(
                "{}'s output is treated as plain text: no tokens or cost, and limits only from its last lines; add `{}`{or_ours} to change that",
                agent.title(),
                missing.join(" "),
            ));
            fusebox_agents::as_text(agent)
        }
        Some((agent, _)) => agent,
        None => plain(),
    };
    Work::Command {
        words: words.to_vec(),
        speaker,
    }
}

/// Any command, of which nothing in particular is known.
fn plain() -> &'static dyn Agent {
    &fusebox_agents::Generic
}

fn permissions(args: &Run, layers: &Layers) -> Result<Permissions, Failure> {
    if let Some(word) = args.agent.permissions {
        return Ok(word.into());
    }
    let Some((words, origin)) = layers.words(Key::Permissions) else {
        return Ok(Permissions::AsConfigured);
    };
    let word = words.first().map(String::as_str).unwrap_or_default();
    <PermissionWord as clap::ValueEnum>::from_str(word, true)
        .map(Into::into)
        .map_err(|_| {
            Failure::new(
                exit::CONFIG,
                format!("{}: `{word}` is not a permission", origin.place),
            )
            .hint("one of ask, edits, everything, read-only")
        })
}

impl From<PermissionWord> for Permissions {
    fn from(word: PermissionWord) -> Self {
        match word {
            PermissionWord::Ask => Self::AsConfigured,
            PermissionWord::Edits => Self::Edits,
            PermissionWord::Everything => Self::Everything,
            PermissionWord::ReadOnly => Self::ReadOnly,
        }
    }
}
