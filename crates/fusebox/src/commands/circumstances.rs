//! What a command is about, for whoever asked with `-v`: the first questions when an answer
//! surprises are which memory it came from and which files had a say. And for everybody, what
//! they meant to say and did not.

use fusebox_view::escape;

use super::Context;
use crate::cli::{Cli, Command, misspelt};
use crate::config::{self, Layers};
use crate::exit;
use crate::session::Session;
use crate::speech::{Speech, shown};

/// How much of a variable's name is shown.
const NAME_WIDTH: usize = 60;

/// Says which workspace, memory and configuration a command works with. Nothing is registered
/// or decided by that, and what cannot be told is for the command itself to complain about.
pub(super) fn tell(context: &Context<'_>) {
    let speech = context.speech;
    tell_of_slips(context.cli, speech);
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

/// Says which variables were probably meant for us and are not ours: a limit that is misspelt
/// is none. Inside a guarded step none of them counts.
fn tell_of_slips(cli: &Cli, speech: Speech) {
    let inside = std::env::var_os(fusebox_supervise::COOKIE_VARIABLE).is_some();
    if inside || !has_room(cli) {
        return;
    }
    for slip in misspelt(config::variable_names()) {
        speech.say(&format!(
            "{} is set, but there is no such variable; did you mean {}?",
            escape::line(&slip.name, NAME_WIDTH),
            slip.meant
        ));
    }
}

fn is_asked_for(cli: &Cli, speech: Speech) -> bool {
    speech.is_verbose() && has_room(cli)
}

/// Agents read what hooks say, and prompts have no room.
fn has_room(cli: &Cli) -> bool {
    !matches!(cli.command, Command::Hook(_) | Command::Statusline(_))
}
