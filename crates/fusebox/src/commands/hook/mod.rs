//! `fusebox hook AGENT EVENT`: called by an agent at a point of its work.
//!
//! Every agent takes a hook that crashes, hangs or says something odd for a yes. So whatever
//! happens here ends as an answer in the agent's dialect and within a deadline of our own:
//! neither silence nor a panic is taken for consent.

mod after;
mod before;
mod bypass;
mod calls;
mod deadline;
mod forward;
mod keep;
mod place;
mod tick;
mod words;

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use fusebox_agents::hook::{Answer, BLOCKED, HookCall, HookEvent, HookPoint, ReadTraces, Reply};

use fusebox_core::machine;
use fusebox_guard::Guard;
use signal_hook::consts::SIGABRT;
use signal_hook::flag::register_conditional_shutdown;

use super::Context;
use crate::cli::{Global, Hook, Hooked};
use crate::clock::Clock;
use crate::failure::Failure;
use crate::protection::Protection;
use crate::session::{Outcome, Session};
use crate::turn;

/// The largest payload. The whole of a file that is written is in it, and the whole of what a
/// tool has answered.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// How long an agent is kept waiting before a tool.
const BEFORE_A_TOOL: Duration = Duration::from_secs(2);

/// How long it is kept waiting elsewhere, where a snapshot of the work tree may be due.
const ELSEWHERE: Duration = Duration::from_secs(25);

/// The session of `hooks test`, which no agent has.
pub(super) const CANARY: &str = "fusebox-canary";

/// What is remembered of `hooks test`. It is answered as any session is, because one that
/// could call itself a trial could also get around everything; but it was not the agent.
pub(super) fn canary_files(workspace: &Path, agent: &str) -> [PathBuf; 3] {
    let file = turn::file(workspace, agent, CANARY, None);
    let known = bypass::known_beside(&file);
    let lost = turn::lost_beside(&file);
    [file, known, lost]
}

/// What is remembered of a session whose tool has just ended, while that is not written down yet.
static AT_STAKE: OnceLock<PathBuf> = OnceLock::new();

/// What a tool did could not be taken in, and may be what would have opened the breaker.
fn lose_what_is_at_stake() {
    if let Some(remembered) = AT_STAKE.get() {
        turn::lose(remembered);
    }
}

/// What a call of a hook has at hand.
struct Desk {
    session: Session,
    /// How its circuit stands, and what is in force for it.
    standing: Outcome,
    guard: Guard,
    call: HookCall,
    /// Nobody sits at the agent, as far as it tells.
    unattended: bool,
    agent: &'static str,
    traces: Option<ReadTraces>,
    /// The process that started the agent and counts what it does, if there is one.
    supervisor: Option<i32>,
}

pub(super) fn run(context: &Context<'_>, args: &Hook) -> u8 {
    let (agent, point) = (args.agent, args.event);
    refuse_on_panic(args);
    let patience = match point {
        HookPoint::BeforeTool | HookPoint::BeforeCommand => BEFORE_A_TOOL,
        _ => ELSEWHERE,
    };
    let answer = match deadline::begin(args, patience) {
        Ok(deadline) => {
            let answer = answer(&context.cli.global, context.clock, agent, point);
            deadline.end();
            answer
        }
        Err(error) => words::no_answer(point, &error.to_string()),
    };
    say(&agent.reply(point, &answer))
}

/// Answers a call that could not even begin.
pub(super) fn refuse(args: &Hook, failure: &Failure) -> u8 {
    say(&args
        .agent
        .reply(args.event, &words::trouble(args.event, failure)))
}

/// In the shipped program a panic ends the process with a signal, which agents take for a
/// yes. Before that, this says no.
#[expect(clippy::exit, reason = "a panic cannot be answered in any other way")]
fn refuse_on_panic(args: &Hook) {
    let (agent, point) = (args.agent, args.event);
    std::panic::set_hook(Box::new(move |panic| {
        if deadline::is_first_to_answer() {
            lose_what_is_at_stake();
            let reply = agent.reply(point, &words::no_answer(point, &panic.to_string()));
            std::process::exit(i32::from(say(&reply)));
        }
        // Whoever was first ends the process, when all of its answer is written.
        std::thread::sleep(ELSEWHERE);
    }));
}

/// Memory that cannot be had and a stack that is too short end a process without a panic, by
/// SIGABRT. Before a tool that is a no as well: without any words of ours, for which there is no
/// room then, but with the exit code that every agent takes for one.
pub(crate) fn refuse_on_abort(args: &[OsString]) {
    let is_hook = args.get(1).is_some_and(|word| word == "hook");
    let before = [HookPoint::BeforeTool, HookPoint::BeforeCommand].map(HookPoint::word);
    let waits = |word: &OsString| before.iter().any(|point| word == point);
    if is_hook && args.iter().skip(2).any(waits) {
        let always = Arc::new(AtomicBool::new(true));
        let _ = register_conditional_shutdown(SIGABRT, i32::from(BLOCKED), always);
    }
}

/// Data for the agent alone, so nothing is escaped or coloured.
fn say(reply: &Reply) -> u8 {
    let _ = io::stdout().write_all(reply.stdout.as_bytes());
    let _ = io::stdout().flush();
    let _ = io::stderr().write_all(reply.stderr.as_bytes());
    reply.code
}

fn answer(global: &Global, clock: Clock, agent: Hooked, point: HookPoint) -> Answer {
    let payload = match payload() {
        Ok(payload) => payload,
        Err(why) => return words::no_answer(point, &why),
    };
    let call = match agent.read(point, &payload) {
        Ok(call) => call,
        Err(why) => return words::no_answer(point, &why.to_string()),
    };
    let is_set = |(name, value): (&str, &str)| std::env::var(name).is_ok_and(|set| set == value);
    let unattended = agent.unattended().is_some_and(is_set);
    let opened = place::open(global, clock, agent, &call);
    let answered = opened.and_then(|(session, supervisor)| {
        if matches!(call.event, HookEvent::AfterTool { .. }) {
            let _ = AT_STAKE.set(turn_file(&session, agent.name(), &call));
        }
        let answered =
            Desk::at(session, supervisor, agent, call, unattended).and_then(|desk| desk.answer());
        if answered.is_err() {
            lose_what_is_at_stake();
        }
        answered
    });
    answered.unwrap_or_else(|failure| words::trouble(point, &failure))
}

fn payload() -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = io::stdin()
        .lock()
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes);
    read.map_err(|error| format!("what it handed over cannot be read: {error}"))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err("it handed over more than 16 MB".into());
    }
    String::from_utf8(bytes).map_err(|_| "what it handed over is not valid UTF-8".into())
}

/// What is remembered of the session that a call belongs to.
fn turn_file(session: &Session, agent: &str, call: &HookCall) -> PathBuf {
    let workspace = session.located.workspace_dir();
    turn::file(&workspace, agent, &call.session, call.agent.as_deref())
}

impl Desk {
    fn at(
        session: Session,
        supervisor: Option<i32>,
        agent: Hooked,
        call: HookCall,
        unattended: bool,
    ) -> Result<ManuallyDrop<Self>, Failure> {
        let standing = session.look(machine::status)?;
        let protection = Protection::of_session(&session, &standing.policy);
        // The process ends now; giving memory back piece by piece would be work for nobody.
        Ok(ManuallyDrop::new(Self {
            guard: protection.into_guard(),
            standing,
            supervisor,
            session,
            call,
            unattended,
            agent: agent.name(),
            traces: agent.traces(),
        }))
    }

    fn answer(&self) -> Result<Answer, Failure> {
        match &self.call.event {
            HookEvent::SessionStart => self.begin_session(),
            HookEvent::Prompt { .. } => self.begin_turn(),
            HookEvent::BeforeTool(tool) => self.before_tool(tool),
            HookEvent::BeforeCommand(deed) => self.before_command(deed),
            HookEvent::AfterTool { tool, .. } => self.after_tool(tool),
            HookEvent::Stop {
                goes_on_by_itself, ..
            } => self.end_turn(*goes_on_by_itself),
            HookEvent::SessionEnd => self.end_session(),
        }
    }
}
