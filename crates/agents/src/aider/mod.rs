//! Aider.
//!
//! Text only, and an exit code of 0 after every failure of the vendor's
//! service. What it says of itself stands at the beginning of a line, and the
//! last such line says how it went.

use std::ffi::OsString;
use std::time::Duration;

use crate::agent::{Abilities, About, Agent, FirstSignal, SignIn, Stopping};
use crate::command::{self, Recognised};
use crate::launch::{Invocation, Launch, Permissions};
use crate::reader::{Reader, Reading};

mod figures;
mod stream;
mod texts;

const PROGRAM: &str = "aider";

const ABOUT: About = About {
    name: "aider",
    title: "Aider",
    programs: &[PROGRAM],
    abilities: Abilities {
        model: true,
        usage: true,
        cost: true,
        ..Abilities::NONE
    },
    // Each answer was billed when it came, so there is nothing to wait for.
    stopping: Stopping {
        first: FirstSignal::Terminate,
        grace: Duration::from_secs(5),
    },
    sign_in: SignIn {
        variables: &[
            "OPENAI_API_KEY",
            "ANTHROPIC_API_KEY",
            "GEMINI_API_KEY",
            "OPENROUTER_API_KEY",
            "DEEPSEEK_API_KEY",
        ],
        files: &[".aider/oauth-keys.env"],
        how: "set the key of the model's vendor, for example `OPENAI_API_KEY`",
    },
};

/// Aider.
#[derive(Clone, Copy, Debug)]
pub struct Aider;

impl Agent for Aider {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn launch(&self, launch: &Launch<'_>) -> Invocation {
        let invocation = Invocation::new(PROGRAM)
            .args(["--no-pretty", "--no-stream", "--no-check-update"])
            .option("--model", launch.model);
        let invocation = match launch.permissions {
            Permissions::AsConfigured => invocation,
            Permissions::ReadOnly => invocation.args(["--chat-mode", "ask"]),
            Permissions::Edits | Permissions::Everything => invocation.args(["--yes-always"]),
        };
        // In one argument, so that a prompt is never taken for a flag.
        invocation
            .extra(launch.extra)
            .args([&format!("--message={}", launch.prompt)])
    }

    fn recognise(&self, command: &[OsString]) -> Recognised {
        match command::arguments(command, self.programs()) {
            Some(_) => Recognised::TextOnly { missing: &[] },
            None => Recognised::No,
        }
    }

    fn reader(&self, reading: Reading) -> Box<dyn Reader> {
        Box::new(stream::AiderReader::new(reading))
    }
}
