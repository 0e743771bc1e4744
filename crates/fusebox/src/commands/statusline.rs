//! `fusebox statusline`: how things stand, in a few characters.
//!
//! It is drawn with every prompt, so it reads what the slots hold and nothing
//! else: no lock, no index, no look at the log. What it shows may be a moment
//! old, and it decides nothing.

use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use fusebox_core::decision::Risk;
use fusebox_core::{Circuit, Decision, State, machine};
use fusebox_supervise::RunLock;
use fusebox_view::answer::{label, style_of};
use fusebox_view::glyphs::Glyphs;
use fusebox_view::phrase;
use serde::Deserialize;

use super::Context;
use crate::cli::{ColorWhen, Global, Statusline, StatuslineFormat};
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;

/// What an agent gives at most on standard input.
const INPUT_BYTES: u64 = 64 * 1024;

/// The part of an agent's object that says where it is.
#[derive(Default, Deserialize)]
struct Place {
    #[serde(default)]
    cwd: Option<PathBuf>,
    #[serde(default)]
    workspace: Workspace,
}

#[derive(Default, Deserialize)]
struct Workspace {
    #[serde(default)]
    project_dir: Option<PathBuf>,
}

pub(super) fn run(context: &Context<'_>, args: &Statusline) -> Result<u8, Failure> {
    let global = &context.cli.global;
    let directory = match args.format {
        StatuslineFormat::Claude if global.directory.is_none() => told_directory(),
        _ => None,
    };
    let line = match directory {
        Some(directory) => line(context, &global.in_directory(directory), args.format),
        None => line(context, global, args.format),
    };
    if let Some(line) = line {
        context.speech.painted(&line);
    }
    Ok(exit::GO)
}

/// `None` where nothing was ever recorded.
fn line(context: &Context<'_>, global: &Global, format: StatuslineFormat) -> Option<String> {
    let format = match global.color {
        ColorWhen::Never => StatuslineFormat::Shell,
        ColorWhen::Auto | ColorWhen::Always => format,
    };
    let glyphs = Glyphs::told_by(|name| std::env::var(name).ok());
    let unreadable = || {
        let sign = glyphs.sign(State::Open);
        painted(
            &format!("{sign} fusebox cannot be read"),
            State::Open,
            format,
        )
    };
    let Ok(session) = Session::open_despite_config(global, context.clock) else {
        return Some(unreadable());
    };
    let circuit = match session.store.glance() {
        Ok(memory) => memory?.0,
        Err(_) => return Some(unreadable()),
    };
    let Ok(policy) = session.policy(&circuit) else {
        return Some(unreadable());
    };
    let decision = machine::status(&circuit, &policy, &session.clock.now());
    let state = format!(
        "{} {}",
        glyphs.sign(decision.state),
        label(&policy.labels, decision.state)
    );
    let mut parts = vec![painted(&state, decision.state, format)];
    parts.extend(rest(&circuit, &decision, &session));
    Some(parts.join(" "))
}

/// What is worth a few characters more.
fn rest(circuit: &Circuit, decision: &Decision, session: &Session) -> Vec<String> {
    let mut parts = vec![format!("iteration {}", circuit.core.iterations)];
    if RunLock::is_held(&session.run_lock()) {
        parts.push("running".into());
    }
    if decision.state == State::Closed && decision.risk > Risk::Low {
        parts.push(format!("risk {}", decision.risk.word()));
    }
    if decision.calls.near {
        parts.push(format!("{} calls left", decision.calls.left));
    }
    if circuit.core.totals.micro_usd > 0 {
        parts.push(phrase::dollars(circuit.core.totals.micro_usd));
    }
    parts
}

/// A state's words in its colour, which is never all that tells it.
fn painted(text: &str, state: State, format: StatuslineFormat) -> String {
    let colour = match state {
        State::Closed | State::Complete => "green",
        State::Watching | State::Probing => "yellow",
        State::Open => "red",
    };
    match format {
        StatuslineFormat::Shell => text.to_owned(),
        StatuslineFormat::Tmux => format!("#[fg={colour},bold]{text}#[default]"),
        StatuslineFormat::Claude => {
            let style = style_of(state);
            format!("{style}{text}{style:#}")
        }
    }
}

/// The directory that an agent says it works in.
fn told_directory() -> Option<PathBuf> {
    let input = std::io::stdin();
    if input.is_terminal() {
        return None;
    }
    let mut text = String::new();
    input.take(INPUT_BYTES).read_to_string(&mut text).ok()?;
    let place: Place = serde_json::from_str(&text).ok()?;
    place.workspace.project_dir.or(place.cwd)
}
