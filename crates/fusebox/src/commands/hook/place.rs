//! Which workspace a call is about.

use std::fs;
use std::path::{Path, PathBuf};

use fusebox_agents::hook::HookCall;
use fusebox_supervise::COOKIE_VARIABLE;

use crate::cli::{CIRCUIT, CONFIG, DEFAULT_CIRCUIT, Global, Hooked, STATE_DIR};
use crate::clock::Clock;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::speech::shown;

/// The memory of the project that the agent was started in. Where the agent has gone from
/// there does not count: with `cd /tmp` it would otherwise leave its breaker behind. With it
/// comes the supervisor that started the agent, if there is one.
pub(super) fn open(
    global: &Global,
    clock: Clock,
    agent: Hooked,
    call: &HookCall,
) -> Result<(Session, Option<i32>), Failure> {
    let project = agent.project_variable().and_then(std::env::var_os);
    let named = project.map(PathBuf::from).or(call.directory.clone());
    let directory = match &global.directory {
        Some(registered) => Some(registered.clone()),
        None => named.map(usable).transpose()?,
    };
    let global = Global {
        directory,
        ..global.clone()
    };
    match supervised(&global, clock) {
        Some(supervised) => supervised,
        None => Session::open(&global, clock).map(|session| (session, None)),
    }
}

/// The memory that a supervisor means, which tells what it starts by variables. Its mark is
/// looked at first, because looking for the process takes longer; on their own neither the mark
/// nor the rest says anything, as a repository's settings can put them into an agent's
/// environment.
fn supervised(global: &Global, clock: Clock) -> Option<Result<(Session, Option<i32>), Failure>> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    variable(COOKIE_VARIABLE)?;
    let place = |given: &Option<PathBuf>, name| given.clone().or(variable(name).map(PathBuf::from));
    let circuit = variable(CIRCUIT).filter(|_| global.circuit == DEFAULT_CIRCUIT);
    let circuit = circuit.and_then(|name| name.into_string().ok());
    let told = Global {
        circuit: circuit.unwrap_or_else(|| global.circuit.clone()),
        state_dir: place(&global.state_dir, STATE_DIR),
        config: place(&global.config, CONFIG),
        deaf: false,
        ..global.clone()
    };
    let opened = Session::open(&told, clock);
    let lock = match &opened {
        Ok(session) => session.run_lock(),
        // What a supervisor means stays what is meant, also where its configuration is wrong.
        Err(_) => Session::open_in(&told, clock, None).ok()?.run_lock(),
    };
    let supervisor = fusebox_supervise::supervisor(&lock)?;
    Some(opened.map(|session| (session, Some(supervisor))))
}

/// The directory that counts, which must be one. Any other that is named as well may be a
/// workspace in which nobody has counted anything.
fn usable(path: PathBuf) -> Result<PathBuf, Failure> {
    let why = match fs::metadata(&path) {
        _ if !path.is_absolute() => "it is not an absolute path".to_owned(),
        Ok(about) if about.is_dir() => return Ok(path),
        Ok(_) => "it is not a directory".to_owned(),
        Err(error) => error.to_string(),
    };
    let what = format!("the project {} cannot be used: {why}", shown(&path));
    Err(Failure::new(exit::MISSING, what)
        .hint("put it back where it was, or start the agent anew where it is now"))
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
