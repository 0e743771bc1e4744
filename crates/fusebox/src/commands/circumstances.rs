//! What a command is about, for whoever asked with `-v`: the first questions when an answer
//! surprises are which memory it came from and which files had a say.

use super::Context;
use crate::cli::{Cli, Command};
use crate::config::Layers;
use crate::exit;
use crate::session::Session;
use crate::speech::{Speech, shown};

/// Says which workspace, memory and configuration a command works with. Nothing is registered
/// or decided by that, and what cannot be told is for the command itself to complain about.
pub(super) fn tell(context: &Context<'_>) {
    let speech = context.speech;
    if !is_asked_for(context.cli, speech) {
        return;
    }
    let global = &context.cli.global;
    let Ok(session) = Session::open_in(global, context.clock, None) else {
        return;
    };
    let located = &session.located;
    speech.say(&format!("workspace {}", shown(&located.root)));
    speech.say(&format!(
        "memory    {}, circuit `{}`",
        shown(&located.workspace_dir()),
        session.circuit
    ));
    let preset = session.preset().ok().flatten();
    let preset = preset.unwrap_or_default();
    if let Ok(layers) = Layers::load(global, &located.root) {
        let mut sources = vec![format!("preset {preset}")];
        sources.extend(layers.names());
        speech.say(&format!("rules     {}", sources.join(", then ")));
    }
}

/// Says what the code means that a command ends with.
pub(super) fn tell_end(cli: &Cli, speech: Speech, code: u8) {
    if !is_asked_for(cli, speech) {
        return;
    }
    let meaning = exit::meaning(code).map_or_else(String::new, |meaning| format!(": {meaning}"));
    speech.say(&format!("exit code {code}{meaning}"));
}

/// Agents read what hooks say, and prompts have no room.
fn is_asked_for(cli: &Cli, speech: Speech) -> bool {
    speech.is_verbose() && !matches!(cli.command, Command::Hook(_) | Command::Statusline(_))
}
