//! `fusebox diff`: what an iteration changed in the work tree, as a patch.
//!
//! The patch that `run` kept is shown as it is, which needs neither git nor the snapshots that a
//! loop under way holds. Where none was kept, as in loops of one's own and in turns that hooks
//! report, it is made from the snapshots before and after.

use std::io::{self, IsTerminal, Read};

use fusebox_core::journal::Event;
use fusebox_view::escape;
use fusebox_workspace::{SnapshotId, Unmeasured};
use serde::Serialize;

use super::Context;
use crate::cli::Diff;
use crate::exit;
use crate::failure::Failure;
use crate::look::files::{self, Artifact};
use crate::memory;
use crate::session::Session;
use crate::session::measure::Measure;

/// More of a patch is shown to nobody.
const MOST_BYTES: u64 = 64 << 20;
/// The widest that a line is shown on a terminal.
const WIDTH: usize = 4_096;

/// A patch as data.
#[derive(Serialize)]
struct Shown<'a> {
    schema: u32,
    iteration: u64,
    changed: bool,
    patch: &'a str,
    /// Whether `patch` is not what was changed, byte for byte: then it cannot be applied, and
    /// the same without `--json` can.
    lossy: bool,
}

/// An iteration, as far as the log tells of its work tree.
struct Iteration {
    number: u64,
    reported_ms: i64,
    before: Option<SnapshotId>,
    after: Option<SnapshotId>,
}

pub(super) fn run(context: &Context<'_>, args: &Diff) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    let iteration = find(&session, args.iteration)?;
    let patch = match kept(&session, &iteration) {
        Some(patch) => patch,
        None => from_snapshots(&session, &iteration)?,
    };
    tell(context, iteration.number, &patch);
    Ok(exit::GO)
}

/// The iteration of that number, or the last one.
fn find(session: &Session, wanted: Option<u64>) -> Result<Iteration, Failure> {
    let mut found = None;
    let mut latest = 0;
    let mut before = None;
    if let Some(log) = session.store.log()? {
        let mut reader = log.reader(None);
        while let Some(record) = reader.next_record()? {
            let Ok(entry) = memory::entry(&record) else {
                continue;
            };
            let core = &entry.outcome.core;
            if let Event::Reported(report) = &entry.event
                && let Some(row) = &entry.outcome.row
            {
                latest = latest.max(row.iteration);
                if wanted.is_none_or(|wanted| wanted == row.iteration) {
                    found = Some(Iteration {
                        number: row.iteration,
                        reported_ms: entry.at.wall_ms,
                        before: before.take(),
                        after: report.facts.tree.seen().and_then(|tree| tree.parse().ok()),
                    });
                }
            }
            let pending = core.pending.as_ref().and_then(|one| one.tree.as_ref());
            let tree = pending.or(core.tree.as_ref());
            before = tree.and_then(|tree| tree.parse().ok());
        }
    }
    found.ok_or_else(|| match (wanted, latest) {
        (_, 0) => Failure::new(exit::MISSING, "no iteration has been reported yet"),
        (wanted, latest) => {
            let wanted = wanted.unwrap_or_default();
            let what = format!("there is no iteration {wanted}; the last one is {latest}");
            Failure::new(exit::MISSING, what).hint("`fusebox history` lists them")
        }
    })
}

/// The patch that a run wrote down.
fn kept(session: &Session, iteration: &Iteration) -> Option<Vec<u8>> {
    let circuit = session.circuit.as_str();
    let iteration = files::Iteration {
        circuit,
        number: iteration.number,
        reported_ms: iteration.reported_ms,
    };
    let workspace_dir = session.located.workspace_dir();
    let file = files::open(&workspace_dir, &iteration, Artifact::Changes)?;
    let mut patch = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut patch).ok()?;
    Some(patch)
}

fn from_snapshots(session: &Session, iteration: &Iteration) -> Result<Vec<u8>, Failure> {
    let number = iteration.number;
    let (Some(before), Some(after)) = (&iteration.before, &iteration.after) else {
        let what = format!("what iteration {number} changed was not measured");
        return Err(Failure::new(exit::MISSING, what)
            .hint("`fusebox run` measures, and so do `check --from-git` and `record --from-git`"));
    };
    if before == after {
        return Ok(Vec::new());
    }
    let mut measure = Measure::open(session)?;
    let mut patch = Vec::new();
    let written = measure
        .shadow
        .write_patch(before, after, &mut patch, MOST_BYTES);
    let cut = match written {
        Ok(summary) => summary.truncated,
        Err(why) => {
            let what = format!("what iteration {number} changed is no longer kept: {why}");
            let failure = Failure::new(exit::MISSING, what);
            return Err(match why {
                Unmeasured::SnapshotGone { .. } => {
                    failure.hint("patches and snapshots are kept for a while only")
                }
                _ => failure,
            });
        }
    };
    if cut {
        let what = format!("what iteration {number} changed is larger than 64 MB");
        return Err(Failure::new(exit::MISSING, what));
    }
    Ok(patch)
}

/// Shows a patch: for a person in a way that does nothing to their terminal, for a program byte by
/// byte, so that `git apply` takes it.
fn tell(context: &Context<'_>, iteration: u64, patch: &[u8]) {
    let speech = context.speech;
    let text = String::from_utf8_lossy(patch);
    if speech.json {
        return speech.json(&Shown {
            schema: 1,
            iteration,
            changed: !patch.is_empty(),
            patch: &text,
            lossy: text.as_bytes() != patch,
        });
    }
    if patch.is_empty() {
        return speech.say(&format!("iteration {iteration} changed no file"));
    }
    if io::stdout().is_terminal() {
        let shown = escape::block(&text, usize::MAX, WIDTH);
        speech.data(&format!("{shown}\n"));
    } else {
        speech.bytes(patch);
    }
}
