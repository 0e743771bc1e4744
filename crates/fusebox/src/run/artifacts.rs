//! What a run leaves behind for people to look at.
//!
//! Nothing here is ever read back by a decision, so trouble with it is not
//! allowed to stop the loop: the log has already been written.

use std::fs;
use std::io::{BufWriter, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use fusebox_core::Observation;
use fusebox_core::circuit::Row;
use fusebox_files::regular;
use fusebox_notify::redact;
use fusebox_supervise::HeadTail;
use fusebox_view::escape;
use fusebox_workspace::{Shadow, SnapshotId};
use serde::Serialize;

use super::account::{CompletionSignals, Errors, Metrics, Ran, status_block};
use super::companion;
use super::listener::Heard;
use crate::answer::Answer;
use crate::exit;
use crate::failure::Failure;
use crate::session::Outcome;
use crate::trail;

/// Iterations that are kept of one run.
const ITERATIONS_KEPT: usize = 200;
/// The largest patch that is kept, in bytes.
const PATCH_BYTES: u64 = 4 << 20;

/// The directory of one run.
pub(crate) struct Artifacts {
    dir: PathBuf,
}

/// The directory of one iteration.
pub(super) struct IterationFiles {
    dir: PathBuf,
}

impl Artifacts {
    /// Begins a directory in `runs`. Which of the others there need not be kept is for
    /// `housekeeping` to say, which knows whose runs are under way.
    pub(super) fn begin(runs: &Path, circuit: &str, now_ms: i64) -> Result<Self, Failure> {
        let dir = runs.join(trail::run_name(now_ms, circuit));
        create(&dir)?;
        Ok(Self { dir })
    }

    /// `None` where there is no place for them.
    pub(super) fn iteration(&self, number: u64) -> Option<IterationFiles> {
        let dir = self.dir.join(trail::iteration_name(number));
        create(&dir).ok()?;
        keep_latest(&self.dir, ITERATIONS_KEPT);
        Some(IterationFiles { dir })
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }
}

impl IterationFiles {
    /// The same files inside the work tree, for tools that look for them there,
    /// and the errors in the history of the whole run.
    pub(super) fn publish(
        &self,
        root: &Path,
        place: &str,
        iteration: u64,
        row: Option<&Row>,
    ) -> std::io::Result<()> {
        let run = self.dir.parent().and_then(Path::file_name);
        let session = run.and_then(|name| name.to_str()).unwrap_or("run");
        companion::publish(root, place, session, iteration, &self.dir)?;
        row.map_or(Ok(()), |row| {
            companion::keep_errors(root, place, session, row)
        })
    }

    /// The output, both ends of it, without keys and passwords. Bytes that are
    /// no text stay what they are.
    pub(super) fn output(&self, kept: &HeadTail) {
        let mut bytes = Vec::new();
        if kept.write_to(&mut bytes).is_err() {
            return;
        }
        self.write("output", |file| {
            for chunk in bytes.utf8_chunks() {
                file.write_all(redact(chunk.valid()).as_bytes())?;
                file.write_all(chunk.invalid())?;
            }
            Ok(())
        });
    }

    /// Where all of it is.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// What changed; nothing, if that is more than is kept, for half a patch does
    /// not apply.
    pub(super) fn patch(&self, shadow: &mut Shadow, before: &SnapshotId, after: &SnapshotId) {
        if before != after {
            self.write("changes.patch", |file| {
                let written = shadow.write_patch(before, after, file, PATCH_BYTES);
                match written.map_err(std::io::Error::other)?.truncated {
                    true => Err(std::io::ErrorKind::FileTooLarge.into()),
                    false => Ok(()),
                }
            });
        }
    }

    /// What the agent is told; where it was written down.
    pub(super) fn prompt(&self, text: &str) -> Option<PathBuf> {
        self.write("prompt", |file| file.write_all(text.as_bytes()));
        Some(self.dir.join("prompt")).filter(|path| path.is_file())
    }

    /// What was found out, in files of their own for whoever looks for one thing,
    /// and the decision with its proof.
    pub(super) fn account(
        &self,
        facts: &Observation,
        heard: &Heard,
        ran: &Ran<'_>,
        outcome: &Outcome,
    ) {
        self.json("errors.json", &Errors::of(facts));
        self.json("metrics.json", &Metrics::of(facts, heard));
        self.json("completion_signals.json", &CompletionSignals::of(facts));
        if !heard.calls.calls.is_empty() || heard.calls.model.is_some() {
            self.json("calls.json", &heard.calls);
        }
        self.json("decision.json", &Answer::of(outcome));
        let status = status_block(facts, ran, outcome);
        self.write("status.md", |file| file.write_all(status.as_bytes()));
    }

    fn json(&self, name: &str, value: &impl Serialize) {
        self.write(name, |file| {
            let document = serde_json::to_string_pretty(value)?;
            file.write_all(escape::json(&document).as_bytes())
        });
    }

    fn write(&self, name: &str, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) {
        let path = self.dir.join(name);
        let written = regular::create(&path)
            .map(BufWriter::new)
            .and_then(|mut file| {
                fill(&mut file)?;
                file.flush()
            });
        if written.is_err() {
            // Half a file would be taken for a whole one.
            let _ = fs::remove_file(&path);
        }
    }
}

fn create(dir: &Path) -> Result<(), Failure> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(|error| {
            Failure::new(
                exit::STATE,
                format!("cannot create {}: {error}", dir.display()),
            )
        })
}

/// Removes all but the latest entries; their names sort by time.
fn keep_latest(dir: &Path, most: usize) {
    let Ok(entries) = fs::read_dir(dir) else {
        return;
    };
    let mut names: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    names.sort();
    let surplus = names.len().saturating_sub(most);
    names
        .iter()
        .take(surplus)
        .for_each(|old| drop(fs::remove_dir_all(old)));
}
