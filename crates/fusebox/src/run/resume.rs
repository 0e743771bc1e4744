//! Going on with what an earlier run was doing: after a pause, an abort, a
//! crash or a reboot.
//!
//! What a run was asked to do is kept in a file, and the fingerprint of that
//! file in the log, which the agent cannot rewrite: `--resume` must not become a
//! way to have a person start something that an agent wrote down.

use std::path::{Path, PathBuf};

use fusebox_core::Circuit;
use fusebox_core::circuit::{Phase, Release};
use fusebox_core::machine::{self, Beginning, Retry};
use fusebox_files::regular;
use sha2::{Digest, Sha256};

use super::plan::Plan;
use super::screen::Screen;
use crate::authority;
use crate::caller;
use crate::cli::Run;
use crate::exit;
use crate::failure::Failure;
use crate::last_run::LastRun;
use crate::session::Session;
use crate::speech::shown;

/// The longest file that a run is remembered in.
const MOST_BYTES: u64 = 1 << 20;

/// What the last run here was asked to do, except for what is asked anew.
pub(super) fn earlier(session: &Session, args: &Run) -> Result<Run, Failure> {
    let path = file(session);
    let recorded = session.store.peek()?.state.0.core.plan;
    let nothing = || {
        Failure::new(exit::MISSING, "there is no earlier run here to resume")
            .hint("start one with `fusebox run -- COMMAND` or `fusebox run --agent AGENT`")
    };
    let recorded = recorded.ok_or_else(nothing)?;
    let text = regular::read(&path, MOST_BYTES).map_err(|_| nothing())?;
    Ok(args.after(recorded_in(&path, &text, &recorded)?))
}

/// What a run was asked to do, if the text at `path` is the one that was recorded.
fn recorded_in(path: &Path, text: &[u8], recorded: &str) -> Result<Run, Failure> {
    if fingerprint(text) != recorded {
        let what = format!(
            "{} is not what the last run was asked to do: somebody changed it",
            shown(path)
        );
        return Err(Failure::new(exit::STATE, what)
            .hint("nothing was started; repeat the command, without `--resume`"));
    }
    serde_json::from_slice(text).map_err(|error| {
        let what = format!("{} cannot be read: {error}", shown(path));
        Failure::new(exit::STATE, what).hint("repeat the command, without `--resume`")
    })
}

/// A door for the fuzzer: what a run was asked to do is written as it was read, and believed only
/// as it was recorded.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_back(text: &[u8]) {
    let path = Path::new("run-default.plan");
    let read = |text: &[u8], recorded: &[u8]| recorded_in(path, text, &fingerprint(recorded));
    for changed in [[text, b" "].concat(), text[..text.len() / 2].to_vec()] {
        assert!(changed == text || read(&changed, text).is_err());
    }
    match read(text, text) {
        Ok(run) => {
            let written = serde_json::to_vec(&run).expect("a run can be written");
            let again = read(&written, &written).expect("and read");
            assert_eq!(serde_json::to_vec(&again).ok(), Some(written));
        }
        Err(failure) => assert!(!failure.what.contains(char::is_control)),
    }
}

/// Writes down what this run was asked to do: the file first, then the log.
pub(super) fn remember(session: &Session, args: &Run, takes_tasks: bool) -> Result<(), Failure> {
    let path = file(session);
    let failed = |why: String| {
        Failure::new(
            exit::STATE,
            format!("cannot write {}: {why}", path.display()),
        )
    };
    let text = serde_json::to_vec(args).map_err(|error| failed(error.to_string()))?;
    fusebox_files::replace(&path, &text).map_err(|error| failed(error.to_string()))?;
    let begins = Beginning {
        plan: fingerprint(&text),
        takes_tasks,
        pid: std::process::id(),
    };
    session
        .apply(|circuit, policy, now| machine::begin_run(circuit, policy, begins, now))
        .map(drop)
}

/// Takes up the task again that is named, and lets one iteration try where this
/// way of working resumes so. `resumed` is how everything stood before this run, where it is to
/// go on with the last.
pub(super) fn take_up(
    session: &Session,
    plan: &Plan,
    resumed: Option<&Circuit>,
    screen: &mut Screen,
) -> Result<(), Failure> {
    // Who may not go on does not take up the task either.
    if let Some(before) = resumed {
        release_once(session)?;
        let work = fusebox_view::escape::line(&plan.work.name(), 80);
        screen.say(&format!("resuming the last run: {work}"));
        // Ours is the lock now, so whatever run that was is over.
        if let Some(last) = LastRun::of(before, false, &session.clock.now()) {
            screen.say(&format!("the last run: {}", last.line()));
        }
    }
    let Some(task) = plan.task.as_ref().map(|task| task.id.clone()) else {
        return Ok(());
    };
    if !session.store.peek()?.state.0.core.blocked.contains(&task) {
        return Ok(());
    }
    screen.say(&format!(
        "task {} had been given up; it is taken up again",
        fusebox_view::escape::line(&task, 80)
    ));
    session
        .apply(|circuit, policy, now| {
            machine::reopen_task(circuit, policy, task, caller::anyone(), now)
        })
        .map(drop)
}

/// Where nothing but a person releases, asking to go on after a stop is the
/// release: for one iteration, and only if it is a person who asks.
fn release_once(session: &Session) -> Result<(), Failure> {
    let circuit = session.store.peek()?.state.0;
    let policy = session.policy(&circuit)?;
    let by_person_alone = matches!(
        &circuit.core.phase,
        Phase::Open(opening) if opening.release == Release::Person
    );
    if !by_person_alone || !policy.resumes_by_person() {
        return Ok(());
    }
    let by = authority::person(
        session,
        "The breaker is open. This allows one trial iteration.",
    )?;
    let retry = Retry {
        note: "resumed".into(),
        by,
        escalate: false,
        rungs: 0,
    };
    session
        .try_apply(|circuit, policy, now| {
            machine::retry(circuit, policy, retry, now).map_err(Failure::from)
        })
        .map(drop)
}

fn file(session: &Session) -> PathBuf {
    let name = format!("run-{}.plan", session.circuit);
    session.located.workspace_dir().join(name)
}

fn fingerprint(text: &[u8]) -> String {
    base16ct::lower::encode_string(&Sha256::digest(text))
}
