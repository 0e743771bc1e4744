//! What shows that a task is done, outside of a run: the user's own commands, the
//! files that must be there, the criteria that must be met. What the caller says of
//! it is not among them, because the caller may be the agent.

use std::time::Duration;

use fusebox_evidence::Evidence;
use fusebox_supervise::{
    Cookie, Signals, Step, StepEnd, StepLimits, StepObserver, Stream, Supervisor,
};
use fusebox_workspace::RootMark;

use crate::config::InForce;
use crate::evidence::{EvidencePlan, Files, SHELL};
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::speech::Speech;

/// What was found: what speaks for it, or the first thing that speaks against it.
pub(crate) fn gather(
    session: &Session,
    plan: &EvidencePlan,
    in_force: &InForce,
    speech: Speech,
) -> Result<String, Failure> {
    let mut speaks = Vec::new();
    for command in [&plan.build, &plan.test].into_iter().flatten() {
        speech.say(&format!("running `{command}`"));
        let end = run(session, command, in_force)?;
        if end != StepEnd::Exited(0) {
            return Err(against(&format!("`{command}` does not succeed")));
        }
        speaks.push(format!("`{command}` succeeds"));
    }
    let root = &session.located.root;
    let root = RootMark::of(root)
        .map_err(|error| Failure::new(exit::MISSING, format!("{}: {error}", root.display())))?;
    let files = Files::look(&root, plan, &mut Evidence::default());
    if let Some(what) = files.speaks_against.first() {
        return Err(against(what));
    }
    speaks.extend(files.speaks_for);
    Ok(speaks.join(", "))
}

fn against(what: &str) -> Failure {
    Failure::new(
        exit::REFUSED,
        format!("{what}, so there is no evidence that the task is done"),
    )
    .hint("the task stays as it is; `fusebox tasks release` gives it back")
}

/// Runs one of the user's commands under supervision, so that nothing of it is left.
fn run(session: &Session, command: &str, in_force: &InForce) -> Result<StepEnd, Failure> {
    struct Silence;
    impl StepObserver for Silence {
        fn output(&mut self, _stream: Stream, _bytes: &[u8]) {}
    }
    let failed = |why: &dyn std::fmt::Display| {
        Failure::new(exit::INTERNAL, format!("`{command}` cannot be run: {why}"))
    };
    let cookie = Cookie::random().map_err(|error| failed(&error))?;
    let step = Step {
        args: vec!["-c".into(), command.into()],
        limits: StepLimits {
            overall: Some(in_force.timeout()),
            idle: Some(in_force.idle_timeout()),
            grace: Duration::from_secs(5),
            ..StepLimits::default()
        },
        ..Step::new(SHELL, session.located.root.clone(), cookie)
    };
    let mut signals = Signals::catch().map_err(|error| failed(&error))?;
    let report = Supervisor::default()
        .run(&step, &mut Silence, &mut signals)
        .map_err(|error| failed(&error))?;
    Ok(report.end)
}
