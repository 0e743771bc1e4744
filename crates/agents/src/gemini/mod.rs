//! Gemini CLI.
//!
//! Events with `-o stream-json`. It says `success` of commands that failed, of
//! answers that were cut off and of runs that its own loop guard stopped, and it
//! may sleep for hours on a quota that it mentions on standard error only.

use std::ffi::OsString;
use std::time::Duration;

use crate::agent::{Abilities, About, Agent, FirstSignal, SignIn, Stopping};
use crate::command::{self, Recognised};
use crate::json_lines::JsonLines;
use crate::launch::{Invocation, Launch, Permissions};
use crate::reader::{Reader, Reading};

mod attempts;
mod document;
mod hook;
mod settings;
mod stream;
mod texts;
mod wire;

pub(crate) use hook::GeminiHooks;

const PROGRAM: &str = "gemini";

/// The system takes no argument longer than 128 KiB, flag and end included.
const LONGEST_ARGUMENT: usize = 128 * 1024 - 64;

const ABOUT: About = About {
    name: "gemini",
    title: "Gemini CLI",
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
    // It writes no result on any signal, and leaves orphans behind.
    stopping: Stopping {
        first: FirstSignal::Terminate,
        grace: Duration::from_secs(5),
    },
    sign_in: SignIn {
        variables: &[
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_APPLICATION_CREDENTIALS",
        ],
        files: &[".gemini/oauth_creds.json"],
        how: "run `gemini` and choose how to sign in",
    },
};

/// Gemini CLI.
#[derive(Clone, Copy, Debug)]
pub struct Gemini;

impl Agent for Gemini {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn launch(&self, launch: &Launch<'_>) -> Invocation {
        let mut invocation = Invocation::new(PROGRAM)
            .args(["-o", "stream-json"])
            .option("-m", launch.model)
            .option("--resume", launch.resume)
            .option("--approval-mode", approval_mode(launch.permissions))
            .extra(launch.extra);
        // It gives standard input half a second to begin, which a busy machine
        // may miss: that is for prompts that fit no argument.
        if launch.prompt.len() > LONGEST_ARGUMENT {
            invocation.stdin = Some(launch.prompt.to_owned());
            return invocation;
        }
        // In one argument, so that a prompt is never taken for a flag.
        invocation.args([&format!("--prompt={}", launch.prompt)])
    }

    fn recognise(&self, command: &[OsString]) -> Recognised {
        let flags = ["-o", "--output-format"];
        let says_so = |arguments: &[OsString]| {
            ["stream-json", "json"]
                .iter()
                .any(|format| command::has_option(arguments, &flags, format))
        };
        command::recognise(command, self.programs(), says_so, &["-o", "stream-json"])
    }

    fn reader(&self, reading: Reading) -> Box<dyn Reader> {
        Box::new(JsonLines(stream::GeminiReader::new(reading)))
    }
}

fn approval_mode(permissions: Permissions) -> Option<&'static str> {
    match permissions {
        Permissions::AsConfigured => None,
        Permissions::ReadOnly => Some("plan"),
        Permissions::Edits => Some("auto_edit"),
        Permissions::Everything => Some("yolo"),
    }
}
