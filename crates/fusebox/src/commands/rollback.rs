//! `fusebox rollback`: the work tree as it was after an earlier iteration.
//!
//! Nothing is lost by it: the present state is kept as a snapshot first, and
//! the answer says how to come back to it.

use fusebox_core::journal::Event;
use fusebox_supervise::RunLock;
use fusebox_view::{escape, phrase};
use fusebox_workspace::{SnapshotId, Unmeasured};
use serde::Serialize;

use super::Context;
use crate::cli::Rollback;
use crate::exit;
use crate::failure::Failure;
use crate::memory;
use crate::session::Session;
use crate::session::measure::Measure;
use crate::speech::shown;

/// What was done, as data.
#[derive(Serialize)]
struct Done {
    schema: u32,
    restored: String,
    undo: String,
    written: usize,
    deleted: usize,
    left: Vec<Left>,
    left_in_all: usize,
}

/// What stayed as it is.
#[derive(Serialize)]
struct Left {
    path: String,
    why: String,
}

pub(super) fn run(context: &Context<'_>, args: &Rollback) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    if RunLock::is_held(&session.run_lock()) {
        let what = "a loop is running here, and its agent would work on in the middle of it";
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
    let mut measure = Measure::open(&session)?;
    let restored = measure.shadow.restore(&target).map_err(|why| {
        let gone = matches!(why, Unmeasured::SnapshotGone { .. });
        let failure = Failure::new(exit::MISSING, why.to_string());
        if gone {
            failure.hint("snapshots are kept for a while only; nothing was changed")
        } else {
            failure.hint("doing it again completes what was begun")
        }
    })?;
    let done = Done {
        schema: 1,
        restored: target.to_string(),
        undo: restored.undo.to_string(),
        written: restored.written,
        deleted: restored.deleted,
        left: restored
            .left
            .iter()
            .map(|left| Left {
                path: shown(&left.path),
                why: left.why.to_string(),
            })
            .collect(),
        left_in_all: restored.left_in_all,
    };
    tell(context, &done);
    Ok(exit::GO)
}

fn tell(context: &Context<'_>, done: &Done) {
    let speech = context.speech;
    if speech.json {
        return speech.json(done);
    }
    speech.data(&format!(
        "{} written, {} deleted\n",
        phrase::count(done.written as u64, "file"),
        phrase::count(done.deleted as u64, "file")
    ));
    for left in &done.left {
        speech.data(&format!("left as it is: {} ({})\n", left.path, left.why));
    }
    let more = done.left_in_all.saturating_sub(done.left.len());
    if more > 0 {
        speech.data(&format!("and {more} more\n"));
    }
    speech.data(&format!("to undo: fusebox rollback --to {}\n", done.undo));
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
