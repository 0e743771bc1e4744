//! `hook` and `hooks`: inside the agents.

use clap::{Args, Subcommand};
use fusebox_agents::hook::{HOOKED, HookPoint, Hooks, Scope, hooks_by_name};

/// An agent that calls hooks.
pub(crate) type Hooked = &'static dyn Hooks;

/// `hook`
#[derive(Debug, Args)]
pub(crate) struct Hook {
    /// The calling agent
    #[arg(value_parser = hooked)]
    pub(crate) agent: Hooked,
    /// The hook event, such as pre-tool-use
    pub(crate) event: HookPoint,
}

/// `hooks`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct HooksCommand {
    #[command(subcommand)]
    pub(crate) action: HooksAction,
}

const EXAMPLES: &str = "\
Examples:
  fusebox hooks install claude            in this project, for you alone
  fusebox hooks install codex --user      in all your projects
  fusebox hooks install gemini --print    only show what would be written
  fusebox hooks test claude               does the registered hook block what it must?
  fusebox hooks uninstall claude          the settings as they were";

/// What to do with the registrations.
#[derive(Debug, Subcommand)]
pub(crate) enum HooksAction {
    /// Install hooks that ask fusebox before every tool call
    Install(Registering),
    /// Remove the hooks and restore the agent's settings
    Uninstall(Registering),
    /// Show which agents call fusebox here, and when they last did
    Status {
        /// Only this agent
        #[arg(value_parser = hooked)]
        agent: Option<Hooked>,
    },
    /// Call the registered hook as the agent would, with a command it must block
    Test(Registered),
}

/// `hooks install` and `hooks uninstall`
#[derive(Debug, Args)]
pub(crate) struct Registering {
    #[command(flatten)]
    pub(crate) which: Registered,
    /// Print the new settings without writing them
    #[arg(long)]
    pub(crate) print: bool,
}

/// Which registration.
#[derive(Debug, Args)]
pub(crate) struct Registered {
    /// claude, codex, gemini, copilot, cursor or opencode
    #[arg(value_parser = hooked)]
    pub(crate) agent: Hooked,
    /// In the settings of this project [default]
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// In your own settings, for all projects
    #[arg(long)]
    user: bool,
}

impl Registering {
    pub(crate) fn in_project(agent: Hooked) -> Self {
        Self {
            which: Registered {
                agent,
                project: true,
                user: false,
            },
            print: false,
        }
    }
}

impl Registered {
    pub(crate) fn scope(&self) -> Scope {
        if self.user {
            Scope::User
        } else {
            Scope::Project
        }
    }
}

fn hooked(name: &str) -> Result<Hooked, String> {
    hooks_by_name(name).ok_or_else(|| {
        let names = HOOKED.map(Hooks::name);
        format!(
            "no such agent; those that can be hooked are {}",
            names.join(", ")
        )
    })
}
