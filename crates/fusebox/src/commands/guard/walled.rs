//! `fusebox guard run`: one command behind walls, and what it loses is put back.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use fusebox_guard::Protected;
use fusebox_guard::keep::{Author, Bounds, KeepError, Kept, Report};
use fusebox_supervise::sandbox;
use fusebox_view::escape;

use super::WIDTH;
use crate::caller;
use crate::cli::GuardRun;
use crate::context::Context;
use crate::exit;
use crate::failure::Failure;
use crate::kept::{self, AtWork, unkept};
use crate::protection::{Own, Protection, vault};
use crate::session::Session;
use crate::speech::Speech;
use crate::turn::flight::is_tool_under_way;
use crate::walls;

pub(super) fn run(context: &Context<'_>, args: &GuardRun) -> Result<u8, Failure> {
    let session = context.session()?;
    session.located.register()?;
    let policy = session.policy(&session.store.peek()?.state.0)?;
    let own = Own::of_session(&session);
    let protection = Protection::of_session(&session, &policy);
    let protected = &protection.protected;
    let speech = context.speech;
    let raised = walls::can_be_raised(args.sandbox, |line| speech.say(line))?;
    let at_work = AtWork::beside(&session);
    let mut kept = begin(&session, protected, &at_work, speech)?;
    let (program, rest) = args
        .command
        .split_first()
        .ok_or_else(|| Failure::new(exit::USAGE, "there is no command to run"))?;
    let mut command = if raised {
        walls::around(protected, &kept, &own).command(program, rest)
    } else {
        let mut command = Command::new(program);
        command.args(rest);
        command
    };
    fusebox_supervise::WITHHELD.iter().for_each(|name| {
        command.env_remove(name);
    });
    let status = command.status().map_err(|error| {
        let program = program.to_string_lossy();
        let code = sandbox::not_started(&error);
        Failure::new(code, format!("cannot run {program}: {error}"))
    })?;
    let looked = if at_work.is_watched() {
        kept.look(protected, Author::Agent)
    } else {
        kept.settle(protected, Author::Agent)
    };
    let report = looked.map_err(|error| unkept(&error))?;
    tell(&report, speech);
    if !report.lost.is_empty() {
        return Ok(exit::PROTECTED);
    }
    let signal = status.signal().map(|signal| 128 + signal);
    let code = status.code().or(signal).unwrap_or(1);
    Ok(u8::try_from(code).unwrap_or(1))
}

/// The copies to begin with: what a person has before them, as it is; what an agent has, with
/// what it had lost before put back and counted, unless its supervisor lives to do that.
fn begin(
    session: &Session,
    protected: &Protected,
    at_work: &AtWork,
    speech: Speech,
) -> Result<Kept, Failure> {
    let (vault, bounds) = (vault(session), Bounds::default());
    let in_doubt = at_work.is_anybody()
        || caller::is_inside_an_agent()
        || is_tool_under_way(&session.located.workspace_dir());
    let failed = |error: KeepError| unkept(&error);
    if in_doubt && let Some(mut kept) = Kept::load(&vault, bounds).map_err(failed)? {
        if !at_work.is_watched() {
            let report = kept.settle(protected, Author::Agent).map_err(failed)?;
            tell(&report, speech);
            if report.is_whole() {
                at_work.settled(&vault);
            }
            if !report.lost.is_empty() {
                session.count_losses(kept::losses(&report))?;
            }
        }
        return Ok(kept);
    }
    let taken = Kept::take(&vault, protected, bounds);
    taken.map(|(kept, _)| kept).map_err(failed)
}

fn tell(report: &Report, speech: Speech) {
    for lost in &report.lost {
        speech.say(&escape::line(&kept::of_loss(lost), WIDTH));
    }
}
