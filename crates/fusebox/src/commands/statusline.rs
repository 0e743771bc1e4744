//! `fusebox statusline`: how things stand, in a few characters.
//!
//! It is drawn with every prompt, so it reads the slots, the configuration and whether a run
//! holds its lock, and nothing else: it waits for no lock, and looks at no index and no log.
//! What it shows may be a moment old, and it decides nothing.

use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use fusebox_core::decision::Risk;
use fusebox_core::{State, machine};
use fusebox_edit::splice::without_mark;
use fusebox_view::answer::{label, style_of};
use fusebox_view::glyphs::Glyphs;
use fusebox_view::phrase;
use serde::{Deserialize, Serialize, Serializer};

use super::Context;
use crate::cli::{ColorWhen, Global, Statusline, StatuslineFormat};
use crate::exit;
use crate::failure::Failure;
use crate::last_run::LastRun;
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

/// How things stand, as far as a prompt is interested.
#[derive(Serialize)]
struct Glance {
    #[serde(serialize_with = "by_name")]
    state: State,
    label: String,
    /// Whether the memory could be read. One that cannot is open.
    readable: bool,
    iteration: u64,
    running: bool,
    /// What is to be said of the last run: that it rests, how it ended if not well, or that it died.
    run: Option<String>,
    risk: Risk,
    /// Where they are getting scarce.
    calls_left: Option<u64>,
    cost_micro_usd: u64,
}

pub(super) fn run(context: &Context<'_>, args: &Statusline) -> Result<u8, Failure> {
    let global = &context.cli.global;
    let directory = match args.format {
        StatuslineFormat::Claude if global.directory.is_none() => told_directory(),
        _ => None,
    };
    let glance = match directory {
        Some(directory) => Glance::at(context, &global.in_directory(directory)),
        None => Glance::at(context, global),
    };
    match glance {
        Some(glance) if context.speech.json => context.speech.json(&glance),
        Some(glance) => context
            .speech
            .painted(&glance.line(global.color, args.format)),
        None => {}
    }
    Ok(exit::GO)
}

impl Glance {
    /// `None` where nothing was ever recorded.
    fn at(context: &Context<'_>, global: &Global) -> Option<Self> {
        let Ok(session) = Session::open_despite_config(global, context.clock) else {
            return Some(Self::unreadable());
        };
        let (memory, running) = session.with_life(|| session.store.glance());
        let circuit = match memory {
            Ok(memory) => memory?.0,
            Err(_) => return Some(Self::unreadable()),
        };
        let Ok(policy) = session.policy(&circuit) else {
            return Some(Self::unreadable());
        };
        let now = session.clock.now();
        let Ok(circuit) = session.peek_beside(&circuit, &policy, &now) else {
            return Some(Self::unreadable());
        };
        let decision = machine::status(&circuit, &policy, &now);
        Some(Self {
            state: decision.state,
            label: label(&policy.labels, decision.state).to_owned(),
            readable: true,
            iteration: circuit.core.iterations,
            running,
            run: LastRun::of(&circuit, running, &now).and_then(|run| run.word()),
            risk: decision.risk,
            calls_left: decision.calls.near.then_some(decision.calls.left.into()),
            cost_micro_usd: circuit.core.totals.micro_usd,
        })
    }

    fn unreadable() -> Self {
        Self {
            state: State::Open,
            label: "fusebox cannot be read".into(),
            readable: false,
            iteration: 0,
            running: false,
            run: None,
            risk: Risk::High,
            calls_left: None,
            cost_micro_usd: 0,
        }
    }

    fn line(&self, color: ColorWhen, format: StatuslineFormat) -> String {
        let format = match color {
            ColorWhen::Never => StatuslineFormat::Shell,
            ColorWhen::Auto | ColorWhen::Always => format,
        };
        let glyphs = Glyphs::told_by(|name| std::env::var(name).ok());
        let state = format!("{} {}", glyphs.sign(self.state), self.label);
        let mut parts = vec![painted(&state, self.state, format)];
        if self.readable {
            parts.extend(self.rest());
        }
        parts.join(" ")
    }

    /// What is worth a few characters more.
    fn rest(&self) -> Vec<String> {
        let mut parts = vec![format!("iteration {}", self.iteration)];
        match &self.run {
            Some(word) => parts.push(word.clone()),
            None if self.running => parts.push("running".into()),
            None => {}
        }
        if self.state == State::Closed && self.risk > Risk::Low {
            parts.push(format!("risk {}", self.risk.word()));
        }
        if let Some(left) = self.calls_left {
            parts.push(format!("{left} calls left"));
        }
        if self.cost_micro_usd > 0 {
            parts.push(phrase::dollars(self.cost_micro_usd));
        }
        parts
    }
}

/// As all answers name it.
fn by_name<S: Serializer>(state: &State, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(state.name())
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
    directory_in(&text)
}

fn directory_in(text: &str) -> Option<PathBuf> {
    let place: Place = serde_json::from_str(without_mark(text)).ok()?;
    place.workspace.project_dir.or(place.cwd)
}

/// A door for the fuzzer: where the project is is told whatever it is called, and whatever else
/// an agent says beside it.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_input(text: &str) {
    let _ = directory_in(text);
    let project = serde_json::json!({"project_dir": text, "current_dir": text});
    let told = serde_json::json!({"cwd": "/x", "model": text, "workspace": project}).to_string();
    assert_eq!(directory_in(&told), Some(PathBuf::from(text)));
}
