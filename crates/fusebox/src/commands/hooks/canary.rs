//! `fusebox hooks test`: the registered command, called as the agent calls it.
//!
//! What stands in the settings is called, not what should stand there: with a command that
//! would delete something protected, which must be stopped. But the settings may be files of
//! the repository, so nothing that they name is executed: they must name this very program, and
//! it is this one that is started.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use fusebox_agents::hook::{Answer, HookPoint, Scope};
use serde_json::json;

use super::super::Context;
use super::super::hook::{CANARY, canary_files};
use super::place::Place;
use super::receipt::Receipts;
use super::{option, registered_command};
use crate::cli::{Cli, Hooked};
use crate::exit;
use crate::failure::Failure;
use crate::itself;
use crate::speech::shown;

/// As long as agents wait for an answer at most.
const PATIENCE: Duration = Duration::from_secs(30);
/// What must be stopped.
const LURE: &str = "rm -f fusebox.toml";

pub(super) fn run(context: &Context<'_>, agent: Hooked, scope: Scope) -> Result<u8, Failure> {
    let place = Place::of(context, agent, scope)?;
    let (name, title) = (agent.name(), agent.title());
    let standing = place.read()?.unwrap_or_default();
    let registered = match standing.is_empty() {
        true => None,
        false => registered_command(agent, &standing, HookPoint::BeforeTool).map_err(|why| {
            let what = format!("the settings of {title} cannot be read: {why}");
            Failure::new(exit::MISSING, what).hint(format!("mend {}", shown(&place.path)))
        })?,
    };
    let Some(words) = registered else {
        let what = format!("{title} does not ask fusebox: nothing of it is in its settings");
        let hint = format!("`fusebox hooks install {name}{}`", option(scope));
        return Err(Failure::new(exit::MISSING, what).hint(hint));
    };
    let located = context.session_despite_config()?.located;
    let root = &located.project;
    let payload = json!({
        "session_id": CANARY,
        "cwd": root,
        "tool_name": agent.shell_tool(),
        "tool_input": {"command": LURE},
        "tool_use_id": CANARY,
    });
    let is_written_by_us = Receipts::of(context)?.wrote(&place.path, &standing);
    let anew = format!(
        "`fusebox hooks install {name}{}` writes it again",
        option(scope)
    );
    let arguments = ours(&words, &place, root, is_written_by_us)
        .map_err(|failure| failure.hint(anew.clone()))?;
    let payload = payload.to_string();
    let output = itself::called(arguments, Some(root), payload.as_bytes(), PATIENCE)
        .map_err(|error| unanswered(&words, &error).hint(anew.clone()))?;
    // The next trial begins where this one did. What stays behind is known by its name.
    for file in canary_files(&located.workspace_dir(), name) {
        let _ = fs::remove_file(file);
    }
    if !is_refusal(agent, &output) {
        let what = format!(
            "the registered hook of {title} did not stop the canary: {}",
            output.status
        );
        return Err(Failure::new(exit::MISSING, what).hint(anew));
    }
    context.speech.say(&format!(
        "the registered hook of {title} works: it blocked `{LURE}`"
    ));
    context.speech.add(&format!(
        "to see whether {title} itself calls it, run `fusebox hooks status {name}` after its next tool call"
    ));
    if let Some(afterwards) = agent.registration().afterwards {
        context.speech.add(afterwards);
    }
    Ok(exit::GO)
}

/// Whether the agent would take the answer for a no. An open breaker says it in other words
/// than the guard.
fn is_refusal(agent: Hooked, output: &Output) -> bool {
    let no = || String::from("no");
    [Answer::Deny(no()), Answer::Halt(no())]
        .iter()
        .any(|answer| {
            let reply = agent.reply(HookPoint::BeforeTool, answer);
            output.status.code() == Some(i32::from(reply.code))
                && output.stdout.is_empty() == reply.stdout.is_empty()
                && output.stderr.is_empty() == reply.stderr.is_empty()
        })
}

/// The arguments that this program is registered with, if it is this one that is registered.
fn ours<'a>(
    words: &'a [String],
    place: &Place,
    root: &Path,
    is_written_by_us: bool,
) -> Result<&'a [String], Failure> {
    let refused = |why: String| {
        let what = format!("nothing was started: {} {why}", shown(&place.path));
        Failure::new(exit::REFUSED, what)
    };
    let Some((program, arguments)) = words.split_first() else {
        return Err(refused("names no program".into()));
    };
    let program = Path::new(program);
    if !program.is_absolute() {
        let why = format!(
            "names a program without saying where it is, {}",
            shown(program)
        );
        return Err(refused(why));
    }
    if !itself::is_at(program).map_err(|error| unanswered(words, &error))? {
        let why = format!("names a program that is not this one, {}", shown(program));
        return Err(refused(why));
    }
    if let Some(file) = config_within(words, root).filter(|_| !is_written_by_us) {
        let why = format!(
            "names a configuration from the repository, {}",
            shown(&file)
        );
        return Err(refused(why));
    }
    Ok(arguments)
}

/// A configuration file that is registered and that whoever wrote the repository can have
/// written, too. What it says would count like the user's own, and that includes commands.
fn config_within(words: &[String], root: &Path) -> Option<PathBuf> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let file = root.join(Cli::read(&words).ok()?.global.config?);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(&file).starts_with(real(root)).then_some(file)
}

fn unanswered(words: &[String], error: &std::io::Error) -> Failure {
    let line = words.join(" ");
    let what = match error.kind() {
        ErrorKind::TimedOut => format!(
            "the registered hook gave no answer for {} s: `{line}`",
            PATIENCE.as_secs()
        ),
        _ => format!("the registered hook cannot be run: `{line}`: {error}"),
    };
    Failure::new(exit::MISSING, what)
}
