//! `fusebox guard`: what is protected, what a command would do to it, and putting
//! back what was lost.

mod judge;
mod keep;
mod list;
mod walled;

use std::path::{Path, PathBuf};

use super::Context;
use crate::cli::{GuardAction, GuardCommand};
use crate::config::Layers;
use crate::exit;
use crate::failure::Failure;
use crate::protection::{Own, Protection};
use crate::session::directory;

/// The widest that a line about a command or a path is shown.
const WIDTH: usize = 400;

pub(super) fn run(context: &Context<'_>, command: &GuardCommand) -> Result<u8, Failure> {
    match &command.action {
        GuardAction::Check(args) => judge::check(context, args, false),
        GuardAction::Explain(args) => judge::check(context, args, true),
        GuardAction::List { paths, root } if paths.is_empty() => {
            list::run(context, root.as_deref())
        }
        GuardAction::List { paths, root } => list::of_paths(context, root.as_deref(), paths),
        GuardAction::Snapshot => keep::snapshot(context),
        GuardAction::Verify => keep::verify(context),
        GuardAction::Restore => keep::restore(context),
        GuardAction::Run(args) => walled::run(context, args),
    }
}

/// What a command is judged against, and the directory that it would run in. Nothing
/// of it needs a memory: judging is for everybody, also where nothing is kept.
struct Place {
    protection: Protection,
    directory: PathBuf,
}

impl Place {
    fn of(context: &Context<'_>, root: Option<&Path>) -> Result<Self, Failure> {
        let global = &context.cli.global;
        let (root, directory) = roots(context, root)?;
        let layers = Layers::load(global, &root)?;
        let in_force = layers.resolve(None)?;
        let own = Own::of(global)?;
        Ok(Self {
            protection: Protection::of(&root, &own, &layers, &in_force.policy),
            directory,
        })
    }
}

/// The root whose files are protected, and the directory that commands run in.
pub(super) fn roots(
    context: &Context<'_>,
    root: Option<&Path>,
) -> Result<(PathBuf, PathBuf), Failure> {
    let absolute = |path: &Path| {
        path.canonicalize().map_err(|error| {
            let what = format!("cannot look into {}: {error}", path.display());
            Failure::new(exit::USAGE, what)
        })
    };
    match root {
        Some(root) => {
            let root = absolute(root)?;
            Ok((root.clone(), root))
        }
        None => {
            let directory = absolute(&directory(&context.cli.global)?)?;
            let has_git = |above: &&Path| above.join(".git").exists();
            let root = directory.ancestors().find(has_git).unwrap_or(&directory);
            Ok((root.to_owned(), directory))
        }
    }
}
