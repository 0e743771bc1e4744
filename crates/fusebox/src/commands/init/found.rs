//! What there is in a project that a breaker could make use of.

use std::fmt::Write as _;

use fusebox_agents::hook::hooks_by_name;
use fusebox_core::{Policy, Preset};
use fusebox_seeds::companions;
use fusebox_view::escape;
use fusebox_workspace::RootMark;
use serde::Serialize;

use crate::cli::Hooked;
use crate::finding::Level;
use crate::run::preflight;
use crate::session::Session;
use crate::tasks;

/// Where prompts are kept, by those who keep them in a file.
const PROMPTS: [&str; 6] = [
    "PROMPT.md",
    "prompt.md",
    ".ralph/PROMPT.md",
    ".agents/ralph/PROMPT_build.md",
    "scripts/ralph/prompt.md",
    "scripts/ralph/CLAUDE.md",
];

/// What was found.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) agents: Vec<AgentFound>,
    /// The list of tasks that would be worked through.
    pub(super) tasks: Option<String>,
    /// What is there instead that is no list yet.
    #[serde(skip)]
    no_tasks: Option<String>,
    /// The commands that would run the tests, the most specific first.
    pub(super) tests: Vec<TestFound>,
    /// The file that a prompt is kept in.
    pub(super) prompt: Option<&'static str>,
    pub(super) companions: Vec<CompanionFound>,
}

#[derive(Debug, Serialize)]
pub(super) struct AgentFound {
    name: &'static str,
    title: &'static str,
    signed_in: bool,
    /// Whether its settings can be told to ask before every tool.
    hookable: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct TestFound {
    pub(super) command: String,
    why: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct CompanionFound {
    pub(super) trace: &'static str,
    pub(super) preset: Preset,
    importable: bool,
}

impl Found {
    /// Looks, and executes nothing of the project.
    pub(super) fn look(session: &Session) -> Self {
        let root = &session.located.root;
        // A list that is there and broken is told about by what needs it.
        let list = tasks::name(session).ok().flatten();
        let is_there = |path: &str| root.join(path).symlink_metadata().is_ok();
        let suggested = preflight::suggested(root);
        Self {
            agents: agents(session),
            tasks: list.map(|name| escape::line(&name, 80)),
            no_tasks: tasks::export_of_beads(session),
            tests: suggested
                .into_iter()
                .map(|one| TestFound {
                    command: one.command.join(" "),
                    why: one.why,
                })
                .collect(),
            prompt: prompt(session),
            companions: companions(is_there)
                .into_iter()
                .map(|one| CompanionFound {
                    trace: one.trace,
                    preset: one.preset,
                    importable: one.importable,
                })
                .collect(),
        }
    }

    /// The agents that can be told to ask.
    pub(super) fn hookable(&self) -> impl Iterator<Item = Hooked> {
        let agents = self.agents.iter().filter(|agent| agent.hookable);
        agents.filter_map(|agent| hooks_by_name(agent.name))
    }

    /// The way of working that fits, where it is not our own.
    pub(super) fn preset(&self) -> Option<Preset> {
        let mut presets = self.companions.iter().map(|one| one.preset);
        presets.find(|preset| *preset != ours())
    }

    /// In lines, for a person.
    pub(super) fn told(&self) -> String {
        let mut text = String::new();
        let mut line = |about: &str, what: &str| {
            let _ = writeln!(text, "{about:<10} {what}");
        };
        for agent in &self.agents {
            let signed_in = match agent.signed_in {
                true => "",
                false => " (no sign-in found)",
            };
            line("agent", &format!("{}{signed_in}", agent.title));
        }
        if self.agents.is_empty() {
            line("agent", "no supported agent on PATH");
        }
        line("prompt", self.prompt.unwrap_or("no prompt file found"));
        for test in &self.tests {
            line("tests", &format!("`{}`: {}", test.command, test.why));
        }
        if self.tests.is_empty() {
            line("tests", "no test command detected");
        }
        let no_tasks = self.no_tasks.as_deref().unwrap_or("no task list found");
        line("tasks", self.tasks.as_deref().unwrap_or(no_tasks));
        for one in &self.companions {
            line(
                "beside",
                &format!("{}: preset `{}` fits", one.trace, one.preset),
            );
        }
        text
    }

    /// The command that puts the breaker around the agent.
    pub(super) fn command(&self) -> String {
        let mut command = String::from("fusebox run");
        match self.agents.first() {
            Some(agent) => {
                let _ = write!(command, " --agent {}", agent.name);
            }
            None => command.push_str(" --max-iterations 20"),
        }
        let takes_tasks = self.tasks.is_some();
        let _ = match self.prompt {
            Some(prompt) => write!(command, " --prompt-file {prompt}"),
            None if takes_tasks || self.agents.is_empty() => Ok(()),
            None => write!(command, " --prompt 'do the next open task'"),
        };
        if takes_tasks {
            command.push_str(" --tasks");
        }
        let _ = match self.tests.first() {
            Some(test) => write!(command, " --test '{}'", test.command),
            // No task is done without something that shows it.
            None if takes_tasks => write!(command, " --test 'YOUR TEST COMMAND'"),
            None => Ok(()),
        };
        // Nobody is there to approve an edit.
        command.push_str(match self.agents.is_empty() {
            true => " -- YOUR COMMAND",
            false => " --permissions edits",
        });
        command
    }

    /// What to do next, a line each.
    pub(super) fn next(&self) -> Vec<String> {
        let mut next = Vec::new();
        for one in &self.companions {
            if one.importable {
                next.push(format!(
                    "`fusebox --preset {} import` continues where {} stopped",
                    one.preset, one.trace
                ));
            }
        }
        if let Some(preset) = self.preset() {
            next.push(format!(
                "`fusebox presets diff {} {preset}` shows what that preset changes, `--preset {preset}` chooses it",
                ours()
            ));
        }
        next.push(format!("`{}`", self.command()));
        next.push("add `--dry-run` to preview it; `fusebox doctor` checks your setup".into());
        next
    }
}

/// The way of working that needs no choosing.
fn ours() -> Preset {
    Policy::native().preset
}

fn agents(session: &Session) -> Vec<AgentFound> {
    let root = &session.located.root;
    let known = fusebox_agents::AGENTS.iter().copied();
    known
        .filter(|agent| !agent.programs().is_empty())
        .filter(|agent| preflight::program(*agent, root).level == Level::Fine)
        .map(|agent| AgentFound {
            name: agent.name(),
            title: agent.title(),
            signed_in: preflight::sign_in(agent).level == Level::Fine,
            hookable: hooks_by_name(agent.name()).is_some(),
        })
        .collect()
}

fn prompt(session: &Session) -> Option<&'static str> {
    let root = RootMark::of(&session.located.root).ok()?;
    let is_file = |path: &&str| root.read(path.as_ref(), 1 << 20).is_some();
    PROMPTS.into_iter().find(is_file)
}
