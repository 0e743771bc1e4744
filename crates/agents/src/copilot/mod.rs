//! Copilot CLI.
//!
//! Events with `-p … --output-format json`; most of them are marked as
//! passing (`ephemeral`). Its result holds no tokens, and after an interrupt an
//! exit code of 0 while the process exits with 130.

use std::ffi::OsString;
use std::time::Duration;

use crate::agent::{Abilities, About, Agent, FirstSignal, SignIn, Stopping};
use crate::command::{self, Recognised};
use crate::json_lines::JsonLines;
use crate::launch::{Invocation, Launch, Permissions};
use crate::reader::{Reader, Reading};

mod hook;
mod settings;
mod stream;
mod texts;
mod wire;

pub(crate) use hook::CopilotHooks;

const PROGRAM: &str = "copilot";

const ABOUT: About = About {
    name: "copilot",
    title: "Copilot CLI",
    programs: &[PROGRAM],
    abilities: Abilities {
        structured: true,
        resume: true,
        model: true,
        denials: true,
        ..Abilities::NONE
    },
    // On SIGINT it writes its result; on SIGTERM it does not.
    stopping: Stopping {
        first: FirstSignal::Interrupt,
        grace: Duration::from_secs(10),
    },
    sign_in: SignIn {
        variables: &[
            "COPILOT_GITHUB_TOKEN",
            "GH_TOKEN",
            "GITHUB_TOKEN",
            "COPILOT_PROVIDER_API_KEY",
        ],
        files: &[".copilot/config.json"],
        how: "run `copilot` and type `/login`",
    },
};

/// Copilot CLI.
#[derive(Clone, Copy, Debug)]
pub struct Copilot;

impl Agent for Copilot {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn launch(&self, launch: &Launch<'_>) -> Invocation {
        let invocation = Invocation::new(PROGRAM)
            .args(["--output-format", "json", "--no-ask-user"])
            .option("--model", launch.model)
            .option("--resume", launch.resume);
        let invocation = match launch.permissions {
            Permissions::AsConfigured => invocation,
            Permissions::ReadOnly => {
                invocation.args(["--deny-tool", "write", "--deny-tool", "shell"])
            }
            Permissions::Edits => invocation.args(["--allow-tool", "write"]),
            Permissions::Everything => invocation.args(["--allow-all-tools"]),
        };
        // In one argument, so that a prompt is never taken for a flag.
        invocation
            .extra(launch.extra)
            .args([&format!("--prompt={}", launch.prompt)])
    }

    fn recognise(&self, command: &[OsString]) -> Recognised {
        const EVENTS: &[&str] = &["--output-format", "json"];
        let says_so =
            |arguments: &[OsString]| command::has_option(arguments, &["--output-format"], "json");
        command::recognise(command, self.programs(), says_so, EVENTS)
    }

    fn reader(&self, reading: Reading) -> Box<dyn Reader> {
        Box::new(JsonLines(stream::CopilotReader::new(reading)))
    }
}
