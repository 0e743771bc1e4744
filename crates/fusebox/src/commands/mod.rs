//! One file for each command.

mod analyze;
mod anomaly;
mod check;
mod circumstances;
mod completions;
mod config;
pub(crate) mod demo;
mod diff;
mod doctor;
mod edit;
mod eval;
mod events;
mod explain;
mod fleet;
mod guard;
mod history;
mod hook;
mod hooks;
mod import;
mod init;
mod limit;
mod man;
mod mcp;
mod metrics;
mod notify;
mod openings;
mod otlp;
mod phase;
mod presets;
mod prune;
mod record;
mod recover;
mod replay;
mod report;
mod reset;
mod resolve;
mod rollback;
mod self_check;
mod serve;
mod serve_stdio;
mod status;
mod statusline;
mod steer;
mod tasks;
mod top;
mod trigger;
mod trip;
mod tune;
mod validate;
mod watch;

#[cfg(feature = "fuzzing")]
pub(crate) use hooks::read_settings;
#[cfg(feature = "fuzzing")]
pub(crate) use statusline::read_input;

use std::process::ExitCode;

use fusebox_core::{Policy, Preset};
use fusebox_view::escape;

use crate::answer::{Answer, Distrust};
use crate::cli::{Cli, Command, Global, Mode};
use crate::clock::{Clock, ClockSource};
use crate::config::chosen_preset;
use crate::context::Context;
use crate::exit;
use crate::failure::Failure;
use crate::outlet;
use crate::run::requests::Request;
use crate::session::{Outcome, Session};
use crate::speech::{self, Speech};

pub(crate) use hook::refuse_on_abort;

/// Carries out a command and says how it went.
pub(crate) fn dispatch(cli: &Cli, clock: ClockSource) -> ExitCode {
    let speech = Speech::new(cli.global.manner());
    let result = Clock::start(clock)
        .and_then(|clock| {
            let context = Context { cli, clock, speech };
            circumstances::tell(&context);
            carry_out(&context)
        })
        .and_then(|code| match cli.command {
            // Whoever draws a prompt takes any other code for a reason not to.
            Command::Statusline(_) => Ok(code),
            _ => speech::told(code),
        });
    let code = result.unwrap_or_else(|failure| fail(cli, clock, speech, &failure));
    circumstances::tell_end(cli, speech, code);
    outlet::settle(|| false);
    ExitCode::from(code)
}

fn carry_out(context: &Context<'_>) -> Result<u8, Failure> {
    match &context.cli.command {
        Command::Init(args) => init::run(context, args),
        Command::Run(args) => match args.mode {
            Some(Mode::Edit) => edit::run(context, &[]),
            Some(Mode::Validate) => validate::run(context, false),
            Some(Mode::Create) | None => crate::run::run(context, args),
        },
        Command::Pause => steer::run(context, Request::Pause),
        Command::Resume => steer::run(context, Request::Resume),
        Command::Stop(args) => steer::stop(context, args),
        Command::Demo(args) => demo::run(context, args),
        Command::Check(args) => check::run(context, args),
        Command::Record(args) => record::run(context, args),
        Command::Status(fleet) => status::run(context, fleet),
        Command::Explain => explain::run(context),
        Command::History(args) => history::run(context, args),
        Command::Diff(args) => diff::run(context, args),
        Command::Events(args) => events::run(context, args),
        Command::Report(args) => report::run(context, args),
        Command::Metrics(args) => metrics::run(context, args),
        Command::Otlp(args) => otlp::run(context, args),
        Command::Serve(args) => serve::run(context, args),
        Command::Mcp => mcp::run(context),
        Command::Statusline(args) => statusline::run(context, args),
        Command::Top(args) => top::run(context, args),
        Command::Notify(args) => notify::run(context, args),
        Command::Trip(args) => trip::run(context, args),
        Command::Reset(args) => reset::run(context, args),
        Command::Rollback(args) => rollback::run(context, args),
        Command::Recover(args) => recover::run(context, args),
        Command::Analyze(_) => analyze::run(context),
        Command::Watch(args) => watch::run(context, args),
        Command::Anomaly(command) => anomaly::run(context, command),
        Command::Trigger(args) => trigger::run(context, args),
        Command::Resolve(args) => resolve::run(context, args),
        Command::Edit(args) => edit::run(context, &args.answer),
        Command::Validate(args) => validate::run(context, args.strict),
        Command::Phase(command) => phase::run(context, command),
        Command::Limit(args) => limit::run(context, args),
        Command::Presets(args) => presets::run(context, args),
        Command::Import(args) => import::run(context, args),
        Command::Config(args) => config::run(context, args),
        Command::Guard(command) => guard::run(context, command),
        Command::Hooks(command) => hooks::run(context, command),
        Command::Hook(args) => Ok(hook::run(context, args)),
        Command::Tasks(args) => tasks::run(context, args),
        Command::Fleet(command) => fleet::run(context, command),
        Command::Doctor(args) => doctor::run(context, args),
        Command::SelfCheck => self_check::run(context),
        Command::Replay(args) => replay::run(context, args),
        Command::Eval(args) => eval::run(context, args),
        Command::Tune(args) => tune::run(context, args),
        Command::Prune(args) => prune::run(context, args),
        Command::Completions { shell } => completions::run(context, *shell),
        Command::Man { pages } => man::run(context, pages.as_deref()),
    }
}

fn fail(cli: &Cli, clock: ClockSource, speech: Speech, failure: &Failure) -> u8 {
    if let Command::Hook(args) = &cli.command {
        return hook::refuse(args, failure);
    }
    let policy = Policy::of(ruling(&cli.global, clock).unwrap_or_default());
    if speech.json && failure.is_distrust() {
        speech.json(&Distrust::of(failure, &policy));
    }
    Speech::fail(failure);
    exit::shifted(failure.code, &policy)
}

/// The way of working that gives codes their meaning, as far as it can be told when
/// something has gone wrong.
fn ruling(global: &Global, clock: ClockSource) -> Option<Preset> {
    let begun = || {
        let clock = Clock::start(clock).ok()?;
        let session = Session::open_in(global, clock, None).ok()?;
        session.preset().ok()?
    };
    begun().or_else(|| asked_for(global))
}

/// The way of working that a circuit would be begun with.
fn asked_for(global: &Global) -> Option<Preset> {
    let configured = || chosen_preset(global.config.as_deref());
    global.preset.or_else(configured)
}

/// The code of a command line that makes no sense, where as much of it is known.
pub(crate) fn usage_code(global: Option<&Global>, clock: ClockSource) -> u8 {
    let preset = match global {
        Some(global) => ruling(global, clock),
        None => chosen_preset(None),
    };
    exit::shifted(exit::USAGE, &Policy::of(preset.unwrap_or_default()))
}

/// The widest that a reason is in the words of another system's log.
const REASON_WIDTH: usize = 120;

/// Says what was decided, in a line or as JSON, and gives the exit code.
fn announce(context: &Context<'_>, outcome: &Outcome) -> u8 {
    let Outcome {
        decision,
        policy,
        notes,
        said,
        ..
    } = outcome;
    let speech = context.speech;
    if speech.json {
        speech.json(&Answer::of(outcome));
    }
    notes.iter().for_each(|note| speech.say(note));
    said.log.iter().for_each(|line| speech.say(line));
    if let Some(event) = said.opened {
        let reason = escape::line(&decision.reason, REASON_WIDTH);
        speech.say(&format!("{event} reason={reason}"));
    }
    if let Some(block) = said.block.as_ref().filter(|_| !speech.json) {
        speech.data(block);
    }
    let code = exit::of(decision, policy);
    if code == exit::GO && speech.json {
        return code;
    }
    let telling = outcome.telling();
    speech.say(&telling.headline(decision));
    for line in telling.way_out(decision) {
        speech.add(&line);
    }
    if speech.is_verbose() {
        speech.talk(&telling.status(decision));
    }
    if let Some(menu) = &said.menu {
        speech.talk(&menu.text);
    }
    code
}

/// Says how things stand, as JSON or in the words of `tell`.
fn show(context: &Context<'_>, outcome: &Outcome, tell: impl FnOnce(&Outcome) -> String) {
    if context.speech.json {
        context.speech.json(&Answer::of(outcome));
    } else {
        outcome
            .notes
            .iter()
            .for_each(|note| context.speech.say(note));
        context.speech.data(&tell(outcome));
    }
}
