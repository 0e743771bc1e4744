//! Codex.
//!
//! Events with `exec --json`. They tell neither money nor model, and a request
//! that is tried again looks like a fatal error (`Reconnecting... 1/5`). Its
//! totals count on over resumed runs.

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
mod transcript;
mod wire;

pub(crate) use hook::CodexHooks;

const PROGRAM: &str = "codex";

const ABOUT: About = About {
    name: "codex",
    title: "Codex",
    programs: &[PROGRAM],
    abilities: Abilities {
        structured: true,
        resume: true,
        model: true,
        usage: true,
        denials: true,
        reset_times: true,
        ..Abilities::NONE
    },
    // It writes no result on any signal, and leaves no orphans.
    stopping: Stopping {
        first: FirstSignal::Terminate,
        grace: Duration::from_secs(5),
    },
    sign_in: SignIn {
        variables: &["OPENAI_API_KEY", "CODEX_API_KEY"],
        files: &[".codex/auth.json"],
        how: "run `codex login`",
    },
};

/// Codex.
#[derive(Clone, Copy, Debug)]
pub struct Codex;

impl Agent for Codex {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn launch(&self, launch: &Launch<'_>) -> Invocation {
        let invocation = Invocation::new(PROGRAM)
            .args(["exec", "--json"])
            .option("-m", launch.model);
        let mut invocation = match launch.permissions {
            Permissions::AsConfigured => invocation,
            Permissions::ReadOnly => invocation.args(["-s", "read-only"]),
            Permissions::Edits => invocation.args(["-s", "workspace-write"]),
            Permissions::Everything => {
                invocation.args(["--dangerously-bypass-approvals-and-sandbox"])
            }
        }
        .extra(launch.extra);
        if let Some(session) = launch.resume {
            invocation = invocation.args(["resume", session]);
        }
        // A dash is the prompt on standard input.
        invocation = invocation.args(["-"]);
        invocation.stdin = Some(launch.prompt.to_owned());
        invocation
    }

    fn recognise(&self, command: &[OsString]) -> Recognised {
        let says_so = |arguments: &[OsString]| arguments.iter().any(|word| word == "--json");
        command::recognise(command, self.programs(), says_so, &["exec", "--json"])
    }

    fn reader(&self, reading: Reading) -> Box<dyn Reader> {
        Box::new(JsonLines(stream::CodexReader::new(reading)))
    }
}
