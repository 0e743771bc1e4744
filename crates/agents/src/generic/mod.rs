//! Any other command. Its words are its own: they are kept, not read.

use std::ffi::OsString;
use std::time::Duration;

use crate::agent::{Abilities, About, Agent, FirstSignal, SignIn, Stopping};
use crate::class::EndClass;
use crate::command::Recognised;
use crate::end::{Exit, RunEnd};
use crate::event::{AgentEvent, EpochMs};
use crate::launch::{Invocation, Launch};
use crate::line::Line;
use crate::reader::{Reader, Reading, Stream};
use crate::run_record::RunRecord;

const ABOUT: About = About {
    name: "generic",
    title: "any command",
    programs: &[],
    abilities: Abilities::NONE,
    stopping: Stopping {
        first: FirstSignal::Terminate,
        grace: Duration::from_secs(10),
    },
    sign_in: SignIn {
        variables: &[],
        files: &[],
        how: "whatever the command needs",
    },
};

/// Any command.
#[derive(Clone, Copy, Debug)]
pub struct Generic;

impl Agent for Generic {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    /// The command is [`Launch::extra`], and the prompt is what it reads.
    fn launch(&self, launch: &Launch<'_>) -> Invocation {
        let (program, args) = match launch.extra.split_first() {
            Some((program, args)) => (program.clone(), args.to_vec()),
            None => (OsString::new(), Vec::new()),
        };
        Invocation {
            program,
            args,
            env: Vec::new(),
            stdin: Some(launch.prompt.to_owned()),
        }
    }

    fn recognise(&self, command: &[OsString]) -> Recognised {
        if command.is_empty() {
            Recognised::No
        } else {
            Recognised::TextOnly { missing: &[] }
        }
    }

    fn reader(&self, reading: Reading) -> Box<dyn Reader> {
        Box::new(GenericReader(RunRecord::new(reading)))
    }
}

struct GenericReader(RunRecord);

impl Reader for GenericReader {
    fn line(
        &mut self,
        stream: Stream,
        line: Line<'_>,
        _now: EpochMs,
        _events: &mut Vec<AgentEvent>,
    ) {
        let text = line.plain();
        match stream {
            Stream::Stdout => self.0.text.push(&text),
            Stream::Stderr => self.0.stderr.push(&text),
        }
    }

    fn end(&mut self, exit: Exit, now: EpochMs) -> RunEnd {
        let said = exit.is_zero().then_some(EndClass::Finished);
        let end = self.0.conclude(said, exit, now, &[]);
        match (end.class, exit) {
            // What another program means by its codes is not known here.
            (EndClass::Crash | EndClass::Stopped | EndClass::Setup, Exit::Code(_)) => RunEnd {
                class: EndClass::Unclear,
                ..end
            },
            _ => end,
        }
    }
}
