//! Which walls are raised around an agent, and what is said where there are none.

use std::path::{Path, PathBuf};

use fusebox_guard::keep::Kept;
use fusebox_guard::{Mode, Protected, Rule};
use fusebox_supervise::sandbox::{self, Level, Walls};

use crate::cli::Sandbox;
use crate::exit;
use crate::failure::Failure;
use crate::protection::Own;

/// More mount points than these would slow every start down. What is beyond them is
/// still put back.
const MOST_WALLS: usize = 512;

/// Whether walls can be raised here, and says which. Where they must be and cannot,
/// nothing is run.
pub(crate) fn can_be_raised(sandbox: Sandbox, say: impl Fn(&str)) -> Result<bool, Failure> {
    let level = sandbox::level();
    match (&level, sandbox) {
        (Level::Nothing(why), Sandbox::Require) => {
            let what = format!("there can be no sandbox here: {why}");
            Err(Failure::new(exit::MISSING, what)
                .hint("`--sandbox` without `=require` goes on with finding and undoing losses"))
        }
        _ => {
            say(&format!("sandbox: {level}"));
            Ok(level == Level::Walls)
        }
    }
}

/// The walls around what is protected: the root stays where it is, what is frozen
/// cannot be written, what is kept cannot be deleted, and our memory is not there.
pub(crate) fn around(protected: &Protected, kept: &Kept, own: &Own) -> Walls {
    let root = protected.root();
    let mut walls = Walls {
        kept: vec![root.to_owned()],
        hidden: own.memory().map(Path::to_owned).to_vec(),
        frozen: Vec::new(),
    };
    for path in kept.paths().take(MOST_WALLS).map(|path| root.join(path)) {
        match protected.rule_of(&path).map(Rule::mode) {
            Some(Mode::Frozen) => walls.frozen.push(path),
            Some(Mode::Keep | Mode::Append) => walls.kept.push(path),
            // A name that is held could not be given to what is written anew either.
            Some(Mode::Stay) | None => {}
        }
    }
    let absolute = protected.rules().iter().filter(|rule| rule.is_absolute());
    let outside = absolute.filter_map(|rule| rule.path(root));
    let hidden = |path: &PathBuf| walls.hidden.iter().any(|above| path.starts_with(above));
    let outside: Vec<PathBuf> = outside.filter(|path| !hidden(path)).collect();
    walls.frozen.extend(outside);
    walls
}
