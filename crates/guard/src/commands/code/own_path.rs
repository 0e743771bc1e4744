//! Programs that find other files from where they stand themselves.

use super::mentions::Mention;
use crate::effect::Action;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;

/// How languages call the file that a program stands in, or its directory.
const OWN_PATH: [&str; 9] = [
    "__file__",
    "__FILE__",
    "__dirname",
    "__filename",
    "__dir__",
    "__DIR__",
    "import.meta",
    "FindBin",
    "process.argv[1]",
];

/// Whether a program asks where it stands.
pub(super) fn is_asked_for(code: &str) -> bool {
    OWN_PATH.iter().any(|own| code.contains(own))
}

/// What is named, without the steps up to it: `..` in `join(__dirname, '..', 'dist')` is none of
/// the targets, unless nothing else is named. What is moved is left alone, since there the
/// other name may be where it goes.
pub(super) fn without_steps(action: Action, named: Vec<&Mention>) -> Vec<&Mention> {
    if action == Action::Rename || named.iter().all(|mention| is_step(mention)) {
        return named;
    }
    let targets = named.into_iter().filter(|mention| !is_step(mention));
    targets.collect()
}

fn is_step(mention: &Mention) -> bool {
    let known = mention.text.known().unwrap_or_default();
    known.starts_with('.') && known.chars().all(|c| matches!(c, '.' | '/'))
}

/// Lets the names in a program that asks for its own path count from there as well. How far up
/// it goes is seldom spelled out in one place, so that it may be each directory above it.
pub(super) fn look_from_there(
    engine: &mut Engine<'_>,
    code: &str,
    program: Option<&Text>,
) -> Result<(), Stop> {
    let Some(program) = program else {
        return Ok(());
    };
    if !is_asked_for(code) {
        return Ok(());
    }
    for place in engine.places(program)? {
        let Place::At(path, _) = place else {
            continue;
        };
        let real = engine.resolver().beyond_links(&path);
        let above = real.ancestors().skip(1);
        for directory in above.take_while(|above| above.starts_with(engine.protected.root())) {
            let directory = Some(directory.to_owned());
            if !engine.shell.directories.contains(&directory) {
                engine.shell.directories.push(directory);
            }
        }
    }
    Ok(())
}
