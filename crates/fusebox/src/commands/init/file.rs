//! The file itself: the keys that matter in most projects, each with why.

use std::fmt::Write as _;
use std::path::Path;

use fusebox_core::Preset;
use fusebox_guard::DEFAULT;

use super::found::Found;
use crate::config::{Key, Layers};
use crate::failure::Failure;

const HEAD: &str = "\
# The limits fusebox applies to this project. Written by `fusebox init`; edit it as you like.
#
# It is read for everybody who works here, agents included, so it may only make things
# stricter: what would relax is ignored, with a warning. Agents cannot change it: it is
# protected. `fusebox config default` shows every key there is, `fusebox config show`
# every value in force and where it comes from.
";

/// The file for what was found, with the values of the way of working that is in use.
pub(super) fn text(found: &Found, begun: Option<Preset>, root: &Path) -> Result<String, Failure> {
    let preset = begun.or(found.preset());
    // Where a file that can be imported is stricter, this one must not say more.
    let in_force = match Layers::once_imported(root, preset) {
        Ok(in_force) => in_force,
        Err(_) => Layers::default().resolve(preset)?,
    };
    let value = |key: Key| {
        let mut cells = in_force.cells();
        cells.find(|cell| cell.key == key)?.written()
    };
    let mut text = String::from(HEAD);
    for one in &found.companions {
        let _ = writeln!(
            text,
            "#\n# {} is there, and the preset `{}` fits it. A repository may not choose a preset:\n\
             # say `--preset {}` with the first command, and the circuit keeps it.",
            one.trace, one.preset, one.preset
        );
    }
    if let Some(threshold) = in_force.stagnation().and_then(|cell| cell.written()) {
        let _ = write!(
            text,
            "\n[stagnation]\n\
             # The breaker opens after this many iterations in a row in which nothing was gained.\n\
             # 3 to 10 are sensible; a lower number stops a stuck agent sooner.\n\
             threshold = {threshold}\n"
        );
    }
    if let Some(limit) = value(Key::CallLimit) {
        let _ = write!(
            text,
            "\n[limits.calls]\n\
             # No more iterations than this in any rolling hour, whatever happens to the clock.\n\
             limit = {limit}\n"
        );
    }
    text.push_str(
        "\n[limits.money]\n\
         # The most US dollars in any rolling day. Agents that tell their cost are counted as they\n\
         # spend; of others each iteration counts for a tenth. Uncomment to set it.\n\
         # limit_usd = 25.00\n",
    );
    if let (Some(timeout), Some(idle)) = (value(Key::Timeout), value(Key::IdleTimeout)) {
        let _ = write!(
            text,
            "\n[run]\n\
             # The longest an iteration may take, and may stand idle: no output, no processor time,\n\
             # no files written.\n\
             timeout = {timeout}\n\
             idle_timeout = {idle}\n"
        );
    }
    text.push_str(&guard(found));
    text.push_str(
        "\n[evidence]\n\
         # Files without which a claim that the work is done is not believed.\n\
         # required = [\"README.md\"]\n",
    );
    let _ = write!(
        text,
        "\n# Which agent runs, and which command tests its work, cannot be set by a repository.\n\
         # Suggested command:\n#\n#   {}\n",
        found.command()
    );
    Ok(text)
}

/// What an agent must not lose here beyond what is always protected.
fn guard(found: &Found) -> String {
    let files = [found.prompt, found.tasks.as_deref()];
    let files: Vec<String> = files
        .into_iter()
        .flatten()
        .filter(|path| is_plain(path) && !DEFAULT.iter().any(|known| path.starts_with(known)))
        .map(|path| format!("\"{path}\""))
        .collect();
    let mark = if files.is_empty() { "# " } else { "" };
    let list = match files.as_slice() {
        [] => "\"docs/adr/\"".to_owned(),
        files => files.join(", "),
    };
    format!(
        "\n[guard]\n\
         # Never deleted, renamed or emptied by an agent, and put back if it is; updates are fine.\n\
         # Protected anyway: {}.\n\
         {mark}protect = [{list}]\n",
        DEFAULT.join(", ")
    )
}

/// Whether it is a path that can stand between quotes as it is, and not the name of a program.
fn is_plain(path: &str) -> bool {
    path.contains('.')
        && path
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-/@".contains(c))
}
