//! `fusebox rollback`: the work tree as it was after an earlier iteration.
//!
//! Nothing is lost by it: the present state is kept as a snapshot first, and
//! the answer says how to come back to it. What is protected is left as it is
//! unless a person asks for that, too, and an agent may not roll anything back:
//! it could take away what it may not delete.

use fusebox_core::Policy;
use fusebox_core::journal::Event;
use fusebox_view::{escape, phrase};
use fusebox_workspace::{LeftBecause, Restored, Restoring, SnapshotId, Unmeasured};
use serde::Serialize;

use super::Context;
use crate::caller;
use crate::cli::Rollback;
use crate::exit;
use crate::failure::Failure;
use crate::memory;
use crate::protection::Protection;
use crate::session::Session;
use crate::session::measure::Measure;
use crate::sight;
use crate::speech::shown;

/// Paths that are named, of those that are written and deleted.
const NAMED: usize = 10;

/// What was done, as data.
#[derive(Serialize)]
struct Done {
    schema: u32,
    dry_run: bool,
    restored: String,
    undo: String,
    written: usize,
    deleted: usize,
    paths: Vec<Row>,
    left: Vec<Left>,
    left_in_all: usize,
}

/// What became of one path.
#[derive(Serialize)]
struct Row {
    what: &'static str,
    path: String,
}

/// What stayed as it is.
#[derive(Serialize)]
struct Left {
    path: String,
    why: String,
}

pub(super) fn run(context: &Context<'_>, args: &Rollback) -> Result<u8, Failure> {
    caller::refuse_agents("a rollback")?;
    let session = context.session_despite_config()?;
    sight::refuse_out_of_sight(&session.homes, session.clock, "a rollback")?;
    if session.running().is_some() {
        let what = "cannot roll back while a loop is running here";
        return Err(Failure::new(exit::REFUSED, what).hint("end it first: `fusebox stop`"));
    }
    let target = match (&args.to, args.iteration) {
        (Some(id), _) => id.clone(),
        (None, Some(iteration)) => snapshot_after(&session, iteration)?,
        (None, None) => {
            return Err(
                Failure::new(exit::USAGE, "say which iteration to go back to")
                    .hint("`fusebox history` lists them; 0 is before the first"),
            );
        }
    };
    let protection = match args.protected {
        true => None,
        false => Some(protection(&session)),
    };
    let root = session.located.root.clone();
    let spares = |path: &std::path::Path| {
        let rule = |one: &Protection| one.protected.rule_of(&root.join(path)).is_some();
        protection.as_ref().is_some_and(rule)
    };
    let mut measure = Measure::open(&session)?;
    let restored = if args.dry_run {
        measure.shadow.foresee(&target, spares)
    } else {
        measure.shadow.restore_except(&target, spares)
    };
    let restored = restored.map_err(|why| {
        let gone = matches!(why, Unmeasured::SnapshotGone { .. });
        let failure = Failure::new(exit::MISSING, why.to_string());
        if gone {
            failure.hint("snapshots are kept for a while only; nothing was changed")
        } else {
            failure.hint("doing it again completes what was begun")
        }
    })?;
    tell(context, &Done::of(&target, &restored, args.dry_run));
    Ok(exit::GO)
}

/// What is protected, by the built-in rules alone where nothing else can be read: a
/// person goes back also where the memory is damaged.
fn protection(session: &Session) -> Protection {
    let state = session.store.peek();
    let policy = state.map(|held| session.policy(&held.state.0));
    let policy = policy.ok().and_then(Result::ok);
    Protection::of_session(session, &policy.unwrap_or_else(Policy::native))
}

impl Done {
    fn of(target: &SnapshotId, restored: &Restored, dry_run: bool) -> Self {
        let row = |step: &Restoring| match step {
            Restoring::Written(path) => Row {
                what: "written",
                path: shown(path),
            },
            Restoring::Deleted(path) => Row {
                what: "deleted",
                path: shown(path),
            },
        };
        let left = restored.left.iter().map(|left| Left {
            path: shown(&left.path),
            why: match &left.why {
                LeftBecause::Spared => "it is protected; `--protected` includes it".into(),
                why => why.to_string(),
            },
        });
        Self {
            schema: 1,
            dry_run,
            restored: target.to_string(),
            undo: restored.undo.to_string(),
            written: restored.written,
            deleted: restored.deleted,
            paths: restored.steps.iter().map(row).collect(),
            left: left.collect(),
            left_in_all: restored.left_in_all,
        }
    }
}

fn tell(context: &Context<'_>, done: &Done) {
    let speech = context.speech;
    if speech.json {
        return speech.json(done);
    }
    let would = if done.dry_run { "would be " } else { "" };
    speech.data(&format!(
        "{} {would}written, {} {would}deleted\n",
        phrase::count(done.written as u64, "file"),
        phrase::count(done.deleted as u64, "file")
    ));
    for one in done.paths.iter().take(NAMED) {
        speech.data(&format!("  {} {}\n", one.what, one.path));
    }
    let more = (done.written + done.deleted).saturating_sub(done.paths.len().min(NAMED));
    if more > 0 {
        speech.data(&format!("  and {more} more\n"));
    }
    for left in &done.left {
        speech.data(&format!("left as it is: {} ({})\n", left.path, left.why));
    }
    let more = done.left_in_all.saturating_sub(done.left.len());
    if more > 0 {
        speech.data(&format!("and {more} more\n"));
    }
    if done.dry_run {
        speech.data("nothing was changed\n");
    } else {
        speech.data(&format!("to undo: fusebox rollback --to {}\n", done.undo));
    }
}

/// The work tree after an iteration, as it was written down then; before the
/// first one, what that began with.
fn snapshot_after(session: &Session, iteration: u64) -> Result<SnapshotId, Failure> {
    let mut found = None;
    let mut latest = 0;
    if let Some(log) = session.store.log()? {
        let mut reader = log.reader(None);
        while let Some(record) = reader.next_record()? {
            let Ok(entry) = memory::entry(&record) else {
                continue;
            };
            match entry.event {
                Event::Granted { grant, .. } if iteration == 0 && grant.0 == 1 => {
                    let pending = entry.outcome.core.pending;
                    found = pending.and_then(|pending| pending.tree);
                }
                Event::Reported(report) => {
                    let number = entry.outcome.row.map_or(0, |row| row.iteration);
                    latest = latest.max(number);
                    if number == iteration && iteration > 0 {
                        found = report.facts.tree.seen().cloned().or(found);
                    }
                }
                _ => {}
            }
        }
    }
    let id = found.and_then(|id| id.parse().ok());
    id.ok_or_else(|| {
        let what = format!(
            "the work tree after iteration {iteration} was not measured; the latest iteration is {latest}"
        );
        let what = escape::line(&what, 200);
        Failure::new(exit::MISSING, what).hint("`fusebox history` lists the iterations")
    })
}
