//! The tasks of a workspace: its list, our record of claims, and the rules in force.

pub(crate) mod evidence;
pub(crate) mod table;

use std::path::PathBuf;

use fusebox_core::Circuit;
use fusebox_core::policy::TaskRules;
use fusebox_tasks::{
    Claimant, Desk, Found, Here, Journal, Now, Places, Rules, SourceError, TaskError, Worker,
    export_alone, find,
};

use crate::caller;
use crate::clock::Clock;
use crate::config::{Key, TaskKey};
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;

/// A list that is open, and what holds for it.
pub(crate) struct Open {
    pub(crate) desk: Desk,
    pub(crate) rules: TaskRules,
    /// What else looks like a list, and is not used.
    pub(crate) also: Vec<String>,
}

/// Opens the list of the workspace; `None` if it has none.
pub(crate) fn open(session: &Session) -> Result<Option<Open>, Failure> {
    // Where there is no list, nothing is left behind by having looked for one.
    let Some((found, rules)) = look_for(session)? else {
        return Ok(None);
    };
    let journal = journal(session)?;
    let limits = Rules {
        stale_ms: rules.stale_ms(),
        reopens: rules.reopens,
    };
    let desk = Desk::new(found.source, journal, here(session.clock), limits)
        .inside(caller::may_stand_inside());
    Ok(Some(Open {
        desk,
        rules,
        also: found.also,
    }))
}

/// What the list of the workspace is called, if it has one. Leaves nothing behind.
pub(crate) fn name(session: &Session) -> Result<Option<String>, Failure> {
    let found = look_for(session)?;
    Ok(found.map(|(found, _)| found.source.name().to_owned()))
}

/// Where the list of the workspace is below its root, if it is a file there. Leaves nothing
/// behind.
pub(crate) fn path(session: &Session) -> Result<Option<PathBuf>, Failure> {
    let found = look_for(session)?;
    Ok(found.and_then(|(found, _)| found.source.path().map(PathBuf::from)))
}

fn look_for(session: &Session) -> Result<Option<(Found, TaskRules)>, Failure> {
    let circuit = session
        .store
        .peek()
        .map_or_else(|_| Circuit::default(), |view| view.state.0);
    let rules = session.policy(&circuit)?.tasks;
    let wanted = session.layers.borrow();
    let wanted = wanted.word(Key::Task(TaskKey::Source));
    let own = directory(session);
    let actor = actor(session.clock);
    let path = std::env::var_os("PATH");
    let places = Places {
        root: &session.located.root,
        own: &own,
        path: path.as_deref(),
        actor: &actor,
    };
    let found = find(&places, wanted)?;
    Ok(found.map(|found| (found, rules)))
}

/// The same where a list is needed.
pub(crate) fn needed(session: &Session) -> Result<Open, Failure> {
    open(session)?.ok_or_else(|| missing(session))
}

pub(crate) fn missing(session: &Session) -> Failure {
    let what = match export_of_beads(session) {
        Some(remark) => format!("no task list found here: {remark}"),
        None => "no task list found here".into(),
    };
    Failure::new(exit::MISSING, what).hint(
        "create one with `fusebox tasks add TITLE`, or set `tasks.source` in the configuration",
    )
}

/// What is said of beads where they have left nothing but an export.
pub(crate) fn export_of_beads(session: &Session) -> Option<String> {
    let export = export_alone(&session.located.root)?;
    Some(format!(
        "{export} is only an export of beads, and `bd` is needed to make a list of it (`bd init`)"
    ))
}

/// Our record of claims.
pub(crate) fn journal(session: &Session) -> Result<Journal, Failure> {
    session.located.register()?;
    let witness = session.located.witness_of_claims();
    Ok(Journal::open(&directory(session), &witness)?)
}

/// What is wrong with our record of claims, if it was deleted or changed. Leaves nothing behind.
pub(crate) fn damage(session: &Session) -> Result<Option<String>, Failure> {
    let places = [directory(session), session.located.witness_of_claims()];
    if !places.iter().any(|place| place.exists()) {
        return Ok(None);
    }
    match journal(session)?.verify() {
        Ok(()) => Ok(None),
        Err(error @ TaskError::Changed { .. }) => Ok(Some(error.to_string())),
        Err(error) => Err(error.into()),
    }
}

/// Where our record of claims is kept, and the built-in list.
pub(crate) fn directory(session: &Session) -> PathBuf {
    session.located.workspace_dir().join("tasks")
}

/// The time, for whoever has no clock.
pub(crate) fn now(clock: Clock) -> Now {
    let moment = clock.now();
    Now {
        wall_ms: moment.wall_ms,
        boot_ms: moment.boot_ms,
        boot: clock.boot_text(),
    }
}

/// Where process ids mean something.
pub(crate) fn here(clock: Clock) -> Here {
    Here::read(&clock.boot_text())
}

/// The name that claims are made under.
pub(crate) fn actor(clock: Clock) -> String {
    let user = std::env::var("USER").unwrap_or_else(|_| "fusebox".into());
    format!("{user}@{}", here(clock).host_name())
}

/// This very process as a claimant.
pub(crate) fn this_process(clock: Clock) -> Claimant {
    let pid = i32::try_from(std::process::id()).unwrap_or(0);
    Claimant {
        actor: actor(clock),
        worker: Worker::of(pid, &here(clock)),
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        let what = error.to_string();
        match error {
            SourceError::Unavailable { .. } => Self::new(exit::MISSING, what)
                .hint("that is not the same as having no tasks: nothing was changed"),
            SourceError::Malformed { .. } => Self::new(exit::MISSING, what).hint(
                "nothing was changed; `tasks.source` in the configuration names another list",
            ),
            SourceError::Lost { .. } => Self::new(exit::REFUSED, what),
            SourceError::NoSuchTask { .. } => {
                Self::new(exit::USAGE, what).hint("`fusebox tasks list` shows them")
            }
        }
    }
}

impl From<TaskError> for Failure {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::Source(error) => error.into(),
            TaskError::Journal { .. } => Self::new(exit::STATE, error.to_string())
                .hint("without it nobody can tell who works on what, so nothing is taken"),
            TaskError::Changed { .. } => Self::new(exit::STATE, error.to_string())
                .hint("who works on what cannot be told, so nothing is taken")
                .hint("a person who has looked lets it begin anew: `fusebox reset --reason …`"),
            TaskError::Taken { .. } | TaskError::NotReady { .. } => {
                Self::new(exit::REFUSED, error.to_string())
                    .hint("`fusebox tasks ready` shows what can be begun")
            }
            TaskError::NotYours { .. } => Self::new(exit::REFUSED, error.to_string())
                .hint("`--fence` shows which claim is spoken for; `claim --json` told it"),
        }
    }
}
