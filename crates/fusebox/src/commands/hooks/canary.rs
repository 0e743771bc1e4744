//! `fusebox hooks test`: the registered command, called as the agent calls it.
//!
//! What stands in the settings is run, not what should stand there: with a command that
//! would delete something protected, which must be stopped, and nothing is executed.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use fusebox_agents::hook::{Answer, HookPoint, Scope};
use serde_json::json;

use super::super::Context;
use super::super::hook::{CANARY, canary_files};
use super::place::Place;
use super::{option, registered_command};
use crate::cli::Hooked;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

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
        "tool_input": {"command": "rm -f fusebox.toml"},
        "tool_use_id": CANARY,
    });
    let output = call(&words, &payload.to_string(), root)?;
    // The next trial begins where this one did. What stays behind is known by its name.
    for file in canary_files(&located.workspace_dir(), name) {
        let _ = fs::remove_file(file);
    }
    if !is_refusal(agent, &output) {
        let what = format!(
            "the registered hook of {title} did not stop the canary: {}",
            output.status
        );
        return Err(Failure::new(exit::MISSING, what).hint(format!(
            "`fusebox hooks install {name}{}` writes it anew",
            option(scope)
        )));
    }
    context.speech.say(&format!(
        "the registered hook of {title} stops what it must: `{}`",
        words.join(" ")
    ));
    context.speech.add(&format!(
        "whether {title} itself calls it shows in `fusebox hooks status {name}` after its next tool"
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

fn call(words: &[String], payload: &str, root: &std::path::Path) -> Result<Output, Failure> {
    let failed = |error: std::io::Error| {
        let what = format!(
            "the registered hook cannot be run: `{}`: {error}",
            words.join(" ")
        );
        Failure::new(exit::MISSING, what)
    };
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that does not read what it is handed shows in what it answers.
        let _ = stdin.write_all(payload.as_bytes());
    }
    child.wait_with_output().map_err(failed)
}
