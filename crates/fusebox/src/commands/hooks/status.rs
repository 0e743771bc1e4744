//! `fusebox hooks status`: who asks here, and when they last did.
//!
//! A hook can be registered and never be called: not trusted, switched off, overruled by
//! another file. So besides what stands in the settings it is told when the agent last called.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fusebox_agents::hook::{HOOKED, HookPoint, Scope};
use fusebox_view::phrase;
use serde::Serialize;

use super::super::Context;
use super::super::hook::canary_files;
use super::place::Place;
use super::registered_command;
use crate::cli::Hooked;
use crate::exit;
use crate::failure::Failure;
use crate::itself;
use crate::speech::shown;

/// Whether an agent asks us, by one of its files.
#[derive(Serialize)]
pub(in crate::commands) struct Row {
    pub(in crate::commands) agent: &'static str,
    scope: &'static str,
    pub(in crate::commands) path: String,
    pub(in crate::commands) state: State,
    pub(in crate::commands) last_called_ms_ago: Option<u64>,
    /// The file that switches off all hooks of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) switched_off_by: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::commands) enum State {
    Installed,
    ProgramMissing,
    AnotherProgram,
    SwitchedOff,
    NotInstalled,
    Unreadable,
}

impl Row {
    /// The option that names where this is registered.
    pub(in crate::commands) fn option(&self) -> &'static str {
        super::option(match self.scope {
            "user" => Scope::User,
            _ => Scope::Project,
        })
    }
}

pub(super) fn run(context: &Context<'_>, only: Option<Hooked>) -> Result<u8, Failure> {
    let rows = rows(context, only)?;
    if context.speech.json {
        context.speech.json(&rows);
    } else {
        context
            .speech
            .data(&rows.iter().map(told).collect::<String>());
    }
    Ok(exit::GO)
}

/// What stands in the settings of each agent.
pub(in crate::commands) fn rows(
    context: &Context<'_>,
    only: Option<Hooked>,
) -> Result<Vec<Row>, Failure> {
    let workspace = context.session_despite_config()?.located.workspace_dir();
    let wanted = |agent: &&Hooked| only.is_none_or(|only| only.name() == agent.name());
    let mut rows = Vec::new();
    for agent in HOOKED.iter().filter(wanted) {
        let ago = last_called(&workspace, agent.name());
        let off = off_switch(context, *agent)?;
        for (scope, word) in [(Scope::Project, "project"), (Scope::User, "user")] {
            let place = Place::of(context, *agent, scope)?;
            let state = match state(*agent, &place) {
                State::Installed if off.is_some() => State::SwitchedOff,
                state => state,
            };
            rows.push(Row {
                agent: agent.name(),
                scope: word,
                path: shown(&place.path),
                state,
                // Whoever called was not sent by a file that does not tell it to.
                last_called_ms_ago: ago.filter(|_| state != State::NotInstalled),
                switched_off_by: off.clone().filter(|_| state == State::SwitchedOff),
            });
        }
    }
    Ok(rows)
}

fn told(row: &Row) -> String {
    let state = match row.state {
        State::Installed => "installed",
        State::ProgramMissing => "installed, but its program is missing",
        State::AnotherProgram => "names another program",
        State::SwitchedOff => "installed, but all hooks are switched off",
        State::NotInstalled => "not installed",
        State::Unreadable => "cannot be read",
    };
    let called = match (row.state, row.last_called_ms_ago) {
        (State::Installed, Some(ago)) => {
            format!(", last called {} ago here", phrase::duration(ago))
        }
        (State::Installed, None) => ", never called here yet".to_owned(),
        (State::SwitchedOff, _) => {
            let file = row.switched_off_by.as_deref().unwrap_or_default();
            format!(" by {file}")
        }
        _ => String::new(),
    };
    format!(
        "{:<9} {:<8} {state}{called}  {}\n",
        row.agent, row.scope, row.path
    )
}

fn state(agent: Hooked, place: &Place) -> State {
    let text = match place.text() {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return State::NotInstalled,
        Err(_) => return State::Unreadable,
    };
    match registered_command(agent, &text, HookPoint::BeforeTool) {
        Ok(Some(words)) => called_program(&words),
        Ok(None) => State::NotInstalled,
        Err(_) => State::Unreadable,
    }
}

/// The file that switches off all hooks of an agent, if one does: of several that speak of it
/// the nearest to the work counts, and the machine's above all.
fn off_switch(context: &Context<'_>, agent: Hooked) -> Result<Option<String>, Failure> {
    let registration = agent.registration();
    let Some(off) = registration.off else {
        return Ok(None);
    };
    let project = context.session_despite_config()?.located.project;
    let machine = off.of_the_machine.iter().map(PathBuf::from);
    let own = registration.decisive.in_project.iter().rev();
    let user = Place::of(context, agent, Scope::User).ok();
    let paths = machine
        .chain(own.map(|path| project.join(path)))
        .chain(user.map(|place| place.path));
    for path in paths {
        let text = Place { path: path.clone() }.text().unwrap_or_default();
        let said = serde_json::from_slice::<serde_json::Value>(&text).ok();
        if let Some(is_off) = said.and_then(|said| said.get(off.key)?.as_bool()) {
            return Ok(is_off.then(|| shown(&path)));
        }
    }
    Ok(None)
}

/// A registered program that was moved or removed fails silently, and one of the same name may
/// be anything.
fn called_program(words: &[String]) -> State {
    let program = Path::new(words.first().map_or("", String::as_str));
    match itself::is_at(program) {
        Ok(true) => State::Installed,
        Ok(false) => State::AnotherProgram,
        Err(_) => State::ProgramMissing,
    }
}

fn last_called(workspace: &Path, agent: &str) -> Option<u64> {
    let prefix = format!("{agent}-");
    // `hooks test` shows that the hook works, not that the agent calls it.
    let canary = canary_files(workspace, agent);
    let files = fs::read_dir(canary[0].parent()?).ok()?.flatten();
    let ours = files.filter(|entry| {
        let is_of_agent = entry.file_name().to_string_lossy().starts_with(&prefix);
        is_of_agent && !canary.contains(&entry.path())
    });
    let latest = ours
        .filter_map(|entry| entry.metadata().ok()?.modified().ok())
        .max()?;
    let ago = SystemTime::now().duration_since(latest).unwrap_or_default();
    u64::try_from(ago.as_millis()).ok()
}
