//! From the command line to the loop, and from its end to the exit code.

use std::path::Path;
use std::time::Instant;

use fusebox_core::policy::Enforcement;
use fusebox_core::{Circuit, Policy};
use fusebox_guard::Mode;

use super::notices::Notices;
use super::{
    Ending, Loop, Plan, Ready, Screen, Stage, choice, dry, over, preflight, prompt, resume, summary,
};
use crate::cli::{self, Run};
use crate::context::Context;
use crate::evidence::EvidencePlan;
use crate::exit;
use crate::failure::Failure;
use crate::features;
use crate::fleet::Party;
use crate::outlet;
use crate::protection::Protection;
use crate::session::{self, Session};
use crate::speech::{Speech, shown};
use crate::tasks;

/// Loops that a loop may be inside of.
const DEEPEST: u32 = 1;

/// Runs the command line's loop.
pub(crate) fn run(context: &Context<'_>, args: &Run) -> Result<u8, Failure> {
    let session = context.session()?;
    let asked = if args.resume {
        &resume::earlier(&session, args)?
    } else {
        args
    };
    session.layers.borrow_mut().add_flags(asked);
    let root = &session.located.root;
    let prompt = asked.agent.prompt_file.as_deref();
    // The run rests on it, and it lies where the agent works.
    let prompt = prompt.and_then(|file| prompt::place_below(root, file));
    if let Some(path) = &prompt {
        let mut layers = session.layers.borrow_mut();
        layers.protect("--prompt-file", path.clone(), Mode::Keep);
    }
    // So do the criteria that are to show that it is done, which nobody should find gone.
    let criteria = EvidencePlan::of(&asked.evidence, &session.layers.borrow()).criteria;
    let criteria = criteria.and_then(|file| prompt::place_below(root, &root.join(file)));
    if let Some(path) = criteria {
        let mut layers = session.layers.borrow_mut();
        layers.protect("--criteria", path, Mode::Keep);
    }
    // A memory that cannot be read ends the run in a moment, when it is verified.
    let circuit = session
        .store
        .peek()
        .map_or_else(|_| Circuit::default(), |view| view.state.0);
    let in_force = session.in_force(&circuit)?;
    if asked.tasks {
        protect_list(&session, &in_force.policy);
    }
    let preset = in_force.policy.preset;
    let mut layers = session.layers.borrow_mut();
    layers.listen_for(preset, &circuit.imported);
    drop(layers);
    let mut plan = Plan::of(asked, &session.layers.borrow(), &in_force)?;
    plan.party = Party::of(
        asked.fleet.url.as_deref(),
        &session.layers.borrow(),
        &session.located,
    )?;
    let plan = plan;
    // From here on there are limits to be kept.
    outlet::never_wait();
    let stage = Stage::open(context.speech.is_for_watching() && !asked.plain && !asked.dry_run);
    let mut screen = Screen::new(context.speech, stage);
    if in_force.policy.enforcement == Enforcement::Observe {
        screen.only_observes();
    }
    if args.resume {
        screen.takes_up_the_last();
    }
    choice::check(&session, &plan, &in_force.policy)?;
    plan.remarks.iter().for_each(|remark| screen.say(remark));
    if let Some(place) = elsewhere(context, root)? {
        screen.say(&place);
    }
    if asked.dry_run {
        let list = match plan.takes_tasks {
            true => tasks::name(&session)?,
            false => None,
        };
        dry::tell(&plan, list.as_deref(), &in_force, context.speech);
        dry::obstacle(&session, &plan)?;
        return Ok(exit::GO);
    }
    // Whoever names no mode means the first one.
    if (args.mode == Some(cli::Mode::Create) || !plan.skip_preflight)
        && circuit.core.phase.opening().is_none()
        && let Err(failure) = features::prerequisites(&session.located.root, &in_force.policy)
    {
        // These codes are the workflow's own, and are not moved out of the way.
        Speech::fail(&failure);
        return Ok(failure.code);
    }
    refuse_too_deep()?;
    let announcement = in_force.policy.announcement;
    announcement.iter().for_each(|words| screen.say(words));
    let mut ready = Ready::prepare(&session, &plan, &mut screen)?;
    if !plan.skip_preflight {
        preflight::look(&session, &plan, context.speech)?;
    }
    resume::remember(&session, asked, plan.takes_tasks)?;
    // Only now that the log no longer asks for it.
    if let Some(tasks) = &ready.tasks {
        tasks.forget_standing();
    }
    let resumed = args.resume.then_some(&circuit);
    let took_up = resume::take_up(&session, &plan, resumed, &mut screen)
        .and_then(|()| Notices::open(&session, &plan, &mut screen));
    let notices = match took_up {
        Ok(notices) => notices,
        Err(failure) => {
            over::note_failure(&session, &failure, &ready.policy, &screen);
            return Err(failure);
        }
    };
    let began = Instant::now();
    let ending = Loop::new(&plan, &mut ready, &mut screen)
        .telling(&notices)
        .run();
    screen.stage().clear();
    let ending = match ending {
        Ok(ending) => ending,
        // Nobody may be looking when the memory turns out to be damaged, least of all then.
        Err(failure) => {
            over::note_failure(&session, &failure, &ready.policy, &screen);
            notices.failed(&failure, session.stamp_ms(), &mut screen);
            return Err(failure);
        }
    };
    let code = exit::shifted(ending.code(), &ready.policy);
    over::note(&session, &ending, code, &mut screen);
    screen.ended(&ending, Some(ready.artifacts.dir()));
    summary::write(&ending, screen.sums(), ready.artifacts.dir());
    notices.ended(&ending, began.elapsed(), session.stamp_ms(), &mut screen);
    // While signals are still heard.
    let is_wanted_gone = matches!(ending, Ending::Signal(_));
    outlet::settle(|| is_wanted_gone || ready.signals.take().is_some());
    Ok(code)
}

/// Where things run, if that is not where the user stands: what they name on the command line
/// is found from there, and what the agent and the tests name from the root.
fn elsewhere(context: &Context<'_>, root: &Path) -> Result<Option<String>, Failure> {
    let here = session::directory(&context.cli.global)?;
    Ok((here != root).then(|| {
        format!(
            "agent and tests run in {}, the workspace's root, not in {}",
            shown(root),
            shown(&here)
        )
    }))
}

/// Protects the list that is worked through, which lies where the agent works, unless somebody
/// has asked for more. One that cannot be read ends the run in a moment, when it is opened.
fn protect_list(session: &Session, policy: &Policy) {
    let Ok(Some(list)) = tasks::path(session) else {
        return;
    };
    let root = &session.located.root;
    let protected = Protection::of_session(session, policy).protected;
    if protected.rule_of(&root.join(&list)).is_none()
        && let Some(path) = prompt::place_below(root, &root.join(list))
    {
        let mut layers = session.layers.borrow_mut();
        layers.protect("--tasks", path, Mode::Stay);
    }
}

/// A loop inside a loop inside a loop is no longer anybody's plan.
fn refuse_too_deep() -> Result<(), Failure> {
    let depth = fusebox_supervise::nesting_depth();
    if depth <= DEEPEST {
        return Ok(());
    }
    let what = format!("this would be a loop inside {depth} other loops");
    Err(Failure::new(exit::REFUSED, what)
        .hint("an agent may start a loop of its own, but that loop's agent may not"))
}
