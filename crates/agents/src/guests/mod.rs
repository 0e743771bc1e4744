//! Agents that a person may type and that print the events of Claude Code. They are
//! read, and not offered: how to start each of them best has not been tried.

use std::ffi::OsString;
use std::time::Duration;

use crate::agent::{Abilities, About, Agent, FirstSignal, SignIn, Stopping};
use crate::claude;
use crate::command::{self, Recognised};
use crate::launch::{Invocation, Launch};
use crate::reader::{Reader, Reading};

/// All of them.
pub(crate) static GUESTS: [&dyn Agent; 3] = [&AMP, &QWEN, &CURSOR];

static AMP: Guest = Guest {
    about: &about("amp", "Amp", &["amp"], &["AMP_API_KEY"], "run `amp login`"),
    prompt: "-x",
    flags: &[],
    events: &["--stream-json"],
};
static QWEN: Guest = Guest {
    about: &about(
        "qwen",
        "Qwen Code",
        &["qwen"],
        &["OPENAI_API_KEY", "DASHSCOPE_API_KEY"],
        "run `qwen` and type `/auth`",
    ),
    prompt: "-p",
    flags: &["-o", "--output-format"],
    events: &["-o", "stream-json"],
};
static CURSOR: Guest = Guest {
    about: &about(
        "cursor-agent",
        "Cursor's agent",
        &["cursor-agent"],
        &["CURSOR_API_KEY"],
        "run `cursor-agent login`",
    ),
    prompt: "-p",
    flags: &["--output-format"],
    events: &["--output-format", "stream-json"],
};

#[derive(Debug)]
struct Guest {
    about: &'static About,
    /// The flag before the prompt.
    prompt: &'static str,
    /// The flags that choose a format; without any, the events have one of their own.
    flags: &'static [&'static str],
    /// What makes it print events.
    events: &'static [&'static str],
}

const fn about(
    name: &'static str,
    title: &'static str,
    programs: &'static [&'static str],
    variables: &'static [&'static str],
    how: &'static str,
) -> About {
    About {
        name,
        title,
        programs,
        abilities: Abilities {
            structured: true,
            usage: true,
            denials: true,
            ..Abilities::NONE
        },
        stopping: Stopping {
            first: FirstSignal::Terminate,
            grace: Duration::from_secs(10),
        },
        sign_in: SignIn {
            variables,
            files: &[],
            how,
        },
    }
}

impl Agent for Guest {
    fn about(&self) -> &'static About {
        self.about
    }

    fn launch(&self, launch: &Launch<'_>) -> Invocation {
        let invocation = Invocation::new(self.about.name).extra(launch.extra);
        let invocation = self
            .events
            .iter()
            .fold(invocation, |invocation, word| invocation.args([*word]));
        invocation.args([self.prompt, launch.prompt])
    }

    fn recognise(&self, command: &[OsString]) -> Recognised {
        let says_so = |arguments: &[OsString]| {
            if self.flags.is_empty() {
                return arguments.iter().any(|word| word == self.events[0]);
            }
            let formats = ["stream-json", "json"];
            let mut formats = formats.iter();
            formats.any(|format| command::has_option(arguments, self.flags, format))
        };
        command::recognise(command, self.programs(), says_so, self.events)
    }

    fn reader(&self, reading: Reading) -> Box<dyn Reader> {
        claude::reader(reading)
    }
}
