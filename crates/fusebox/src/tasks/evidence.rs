//! What shows that a task is done, outside of a run: the user's own commands, the
//! files that must be there, the criteria that must be met. What the caller says of
//! it is not among them, because the caller may be the agent.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use fusebox_evidence::Evidence;
use fusebox_supervise::{
    Cookie, Signals, Step, StepEnd, StepLimits, StepObserver, Stream, Supervisor,
};

use crate::config::InForce;
use crate::exit;
use crate::failure::Failure;
use crate::run::EvidencePlan;
use crate::session::Session;
use crate::speech::Speech;

/// The longest file of criteria that is read.
const CRITERIA_BYTES: u64 = 1 << 20;

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
    let missing = |file: &&std::path::PathBuf| std::fs::symlink_metadata(root.join(file)).is_err();
    if let Some(file) = plan.required.iter().find(missing) {
        return Err(against(&format!("{} is not there", file.display())));
    }
    if !plan.required.is_empty() {
        speaks.push("all required files are there".into());
    }
    if let Some(file) = &plan.criteria {
        let mut evidence = Evidence::default();
        let readable = evidence.add_criteria(&criteria(&root.join(file)), None);
        match evidence.criteria_unmet {
            Some(0) if readable => speaks.push("all criteria are met".into()),
            _ => {
                return Err(against(&format!(
                    "not all criteria in {} are met",
                    file.display()
                )));
            }
        }
    }
    Ok(speaks.join(", "))
}

fn against(what: &str) -> Failure {
    Failure::new(
        exit::REFUSED,
        format!("{what}, so nothing shows that the task is done"),
    )
    .hint("the task stays as it is; `fusebox tasks release` gives it back")
}

fn criteria(path: &Path) -> Vec<u8> {
    let no_links = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0);
    let mut text = Vec::new();
    let file = File::options().read(true).custom_flags(no_links).open(path);
    // A file that cannot be read holds no criterion that is met.
    let _ = file.and_then(|file| file.take(CRITERIA_BYTES).read_to_end(&mut text));
    text
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
        ..Step::new("sh", session.located.root.clone(), cookie)
    };
    let mut signals = Signals::catch().map_err(|error| failed(&error))?;
    let report = Supervisor::default()
        .run(&step, &mut Silence, &mut signals)
        .map_err(|error| failed(&error))?;
    Ok(report.end)
}
