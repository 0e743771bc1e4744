//! Which workspace a call is about.

use std::path::{Path, PathBuf};

use fusebox_agents::hook::HookCall;

use crate::cli::{Global, Hooked};
use crate::clock::Clock;
use crate::failure::Failure;
use crate::session::Session;

/// The memory of the project that the agent was started in. Where the agent has gone from
/// there does not count: with `cd /tmp` it would otherwise leave its breaker behind.
pub(super) fn open(
    global: &Global,
    clock: Clock,
    agent: Hooked,
    call: &HookCall,
) -> Result<Session, Failure> {
    let project = agent.project_variable().and_then(std::env::var_os);
    let candidates = [
        global.directory.clone(),
        project.map(PathBuf::from),
        call.directory.clone(),
    ];
    let is_usable = |path: &PathBuf| path.is_absolute() && path.is_dir();
    let directory = candidates.into_iter().flatten().find(is_usable);
    let global = Global {
        directory,
        ..global.clone()
    };
    Session::open(&global, clock)
}

/// Where a command of this call would run.
pub(super) fn working_directory(call: &HookCall, root: &Path, named: Option<&Path>) -> PathBuf {
    let current = call.directory.as_deref().unwrap_or(root);
    let directory = match named {
        Some(named) => current.join(named),
        None => current.to_owned(),
    };
    // The guard follows paths from a place without links.
    directory.canonicalize().unwrap_or(directory)
}
