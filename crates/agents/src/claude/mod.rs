//! Claude Code.
//!
//! Events with `-p --output-format stream-json --verbose`. It exits with 0
//! after an interrupt and with 1 after everything that failed, and says
//! `"subtype":"success"` of usage limits, so only the rest of the result counts.

use std::ffi::OsString;
use std::time::Duration;

use crate::agent::{Abilities, About, Agent, FirstSignal, SignIn, Stopping};
use crate::command::{self, Recognised};
use crate::json_lines::JsonLines;
use crate::launch::{Invocation, Launch, Permissions};
use crate::reader::{Reader, Reading};

mod denials;
mod hook;
mod obstacle;
mod outcome;
mod parts;
mod settings;
mod stream;
mod texts;
mod transcript;
mod wire;

pub(crate) use hook::ClaudeHooks;

const PROGRAM: &str = "claude";
const EVENTS: &[&str] = &["--output-format", "stream-json", "--verbose"];

const ABOUT: About = About {
    name: "claude",
    title: "Claude Code",
    programs: &[PROGRAM],
    abilities: Abilities {
        structured: true,
        resume: true,
        model: true,
        usage: true,
        cost: true,
        budget: true,
        denials: true,
        reset_times: true,
    },
    // On SIGINT it ends its tools and writes a last result with the bill;
    // on SIGTERM the bill is lost.
    stopping: Stopping {
        first: FirstSignal::Interrupt,
        grace: Duration::from_secs(10),
    },
    sign_in: SignIn {
        variables: &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
        ],
        files: &[".claude/.credentials.json"],
        how: "run `claude` and type `/login`",
    },
};

/// A reader of these events, which other agents print as well.
pub(crate) fn reader(reading: Reading) -> Box<dyn Reader> {
    Box::new(JsonLines(stream::ClaudeReader::new(reading)))
}

/// Claude Code.
#[derive(Clone, Copy, Debug)]
pub struct Claude;

impl Agent for Claude {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn launch(&self, launch: &Launch<'_>) -> Invocation {
        let budget = launch.max_micro_usd.map(dollars);
        let mut invocation = Invocation::new(PROGRAM)
            .args(["-p"])
            .args(["--output-format", "stream-json", "--verbose"])
            .option("--model", launch.model)
            .option("--resume", launch.resume)
            .option("--permission-mode", permission_mode(launch.permissions))
            .option("--max-budget-usd", budget.as_deref())
            .extra(launch.extra);
        // On standard input, because there it is never taken for a flag and
        // never too long for an argument.
        invocation.stdin = Some(launch.prompt.to_owned());
        invocation
    }

    fn recognise(&self, command: &[OsString]) -> Recognised {
        let says_so = |arguments: &[OsString]| {
            ["stream-json", "json"]
                .iter()
                .any(|format| command::has_option(arguments, &["--output-format"], format))
        };
        command::recognise(command, self.programs(), says_so, EVENTS)
    }

    fn reader(&self, reading: Reading) -> Box<dyn Reader> {
        reader(reading)
    }

    fn model_ladder(&self) -> &'static [&'static str] {
        &["haiku", "sonnet", "opus"]
    }
}

fn permission_mode(permissions: Permissions) -> Option<&'static str> {
    match permissions {
        Permissions::AsConfigured => None,
        Permissions::ReadOnly => Some("plan"),
        Permissions::Edits => Some("acceptEdits"),
        Permissions::Everything => Some("bypassPermissions"),
    }
}

fn dollars(micro_usd: u64) -> String {
    format!("{}.{:06}", micro_usd / 1_000_000, micro_usd % 1_000_000)
}
