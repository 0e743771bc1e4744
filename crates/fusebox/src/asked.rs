//! What a screen or a page asks of a loop, as the command that a person would have
//! typed.
//!
//! Neither of them acts by itself. So nothing can be done from there that could not
//! be done anyway, and whoever may not do it is refused by the command itself.

use std::path::Path;
use std::process::Command;

use fusebox_top::Action;

use crate::cli::Global;
use crate::look::machine::Place;

/// The command line for it; nothing is started.
pub(crate) fn command(program: &Path, global: &Global, place: &Place, action: &Action) -> Command {
    let mut command = Command::new(program);
    command.arg("-C").arg(&place.root);
    command.args(["--circuit", place.id.circuit.as_str()]);
    if let Some(dir) = &global.state_dir {
        command.arg("--state-dir").arg(dir);
    }
    if let Some(config) = &global.config {
        command.arg("--config").arg(config);
    }
    match action {
        Action::Pause => command.arg("pause"),
        Action::Resume => command.arg("resume"),
        Action::Stop => command.args(["stop", "--after-iteration"]),
        Action::Skip => command.args(["stop", "--skip-task"]),
        // One word each, so that a reason is never taken for an option.
        Action::Trip { reason } => command.arg("trip").arg(format!("--reason={reason}")),
        Action::Reset { reason } => command.arg("reset").arg(format!("--reason={reason}")),
    };
    command
}
