//! opencode.
//!
//! Events with `run --format json`. There is no final result: a run has
//! finished if its last step ended with `stop`. That it tries a request again
//! stands only in its log, which is therefore asked for, and after a permission
//! was refused it exits with 0.

use std::ffi::OsString;
use std::time::Duration;

use crate::agent::{Abilities, About, Agent, FirstSignal, SignIn, Stopping};
use crate::command::{self, Recognised};
use crate::json_lines::JsonLines;
use crate::launch::{Invocation, Launch, Permissions};
use crate::reader::{Reader, Reading};

mod hook;
mod log;
mod settings;
mod stream;
mod texts;
mod wire;

pub(crate) use hook::OpencodeHooks;

const PROGRAM: &str = "opencode";

const ABOUT: About = About {
    name: "opencode",
    title: "opencode",
    programs: &[PROGRAM],
    abilities: Abilities {
        structured: true,
        resume: true,
        model: true,
        usage: true,
        cost: true,
        denials: true,
        ..Abilities::NONE
    },
    // It writes no result on any signal, and leaves orphans behind.
    stopping: Stopping {
        first: FirstSignal::Terminate,
        grace: Duration::from_secs(5),
    },
    sign_in: SignIn {
        variables: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"],
        files: &[".local/share/opencode/auth.json"],
        how: "run `opencode auth login`",
    },
};

/// opencode.
#[derive(Clone, Copy, Debug)]
pub struct Opencode;

impl Agent for Opencode {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn launch(&self, launch: &Launch<'_>) -> Invocation {
        let invocation = Invocation::new(PROGRAM)
            .args(["run", "--format", "json"])
            .args(["--print-logs", "--log-level", "ERROR"])
            .option("-m", launch.model)
            .option("-s", launch.resume);
        let mut invocation = match launch.permissions {
            Permissions::AsConfigured | Permissions::Edits => invocation,
            Permissions::ReadOnly => invocation.args(["--agent", "plan"]),
            Permissions::Everything => invocation.args(["--auto"]),
        }
        .extra(launch.extra);
        // On standard input, because there it reaches the model as it is: of an
        // argument with a space in it, the model sees quotation marks as well.
        invocation.stdin = Some(launch.prompt.to_owned());
        invocation
    }

    fn recognise(&self, command: &[OsString]) -> Recognised {
        let says_so =
            |arguments: &[OsString]| command::has_option(arguments, &["--format"], "json");
        let missing = &["run", "--format", "json"];
        command::recognise(command, self.programs(), says_so, missing)
    }

    fn reader(&self, reading: Reading) -> Box<dyn Reader> {
        Box::new(JsonLines(stream::OpencodeReader::new(reading)))
    }
}
