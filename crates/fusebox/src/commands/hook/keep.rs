//! What is protected is kept: copied when a person has spoken, looked at around every tool
//! that can change files, or of which nobody knows that it cannot, and when a turn has ended;
//! put back where it was lost.
//!
//! Who changed something is told by when it changed. What is found with a prompt, a person
//! did, unless the turn before has no end, because an agent that was interrupted has been at
//! work since, or a tool is under way. What is found before a tool and only holds something
//! else, a person did meanwhile; they do not empty or delete it while an agent works on it.
//! What is found after a tool, the tool did, except for files that some other tool, which may
//! update them, is writing at that moment: agents use several at once.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use fusebox_agents::hook::{Answer, ToolUse};
use fusebox_files::regular;
use fusebox_guard::keep::{Author, Bounds, KeepError, Kept, Report};
use fusebox_guard::{Action, Protected, Target, Verdict};
use fusebox_view::escape;

use super::{Desk, words};
use crate::exit;
use crate::failure::Failure;
use crate::kept::{self, AtWork};
use crate::protection::vault;
use crate::turn::flight::{self, is_tool_under_way};
use crate::turn::{self, Turn};
use fusebox_replay::call_id;

/// No note of what it writes is longer.
const MOST_BYTES: u64 = 1 << 20;
/// The widest that a reason becomes.
const WIDTH: usize = 600;

/// What there is to put back from.
enum Copies {
    None,
    Kept(Kept),
    Damaged(KeepError),
}

impl Desk {
    /// A person has spoken: whatever is there is as they want it. An agent that was interrupted
    /// in the turn before, one that is supervised here, or a tool that is under way in any
    /// session may have been at it as well, or be the one who speaks. Answers if that one has lost something.
    pub(super) fn keep_after(&self, before: &Turn) -> Result<Option<Answer>, Failure> {
        let was_kept = before.kept || self.has_copies();
        let at_work = AtWork::beside(&self.session);
        if before.working && was_kept
            || at_work.is_anybody()
            || is_tool_under_way(&self.session.located.workspace_dir())
        {
            return self.settle(Author::Agent, |report| {
                if report.is_whole() {
                    at_work.settled(&vault(&self.session));
                }
                Ok(())
            });
        }
        self.session.located.register()?;
        let taken = Kept::take(&vault(&self.session), self.protected(), Bounds::default());
        taken.map(|_| None).map_err(|error| failed(&error))
    }

    /// The agent was at work until now, with tools of which nobody may have understood what they
    /// do. Answers if something was lost.
    pub(super) fn settle_turn(&self) -> Result<Option<Answer>, Failure> {
        self.settle(Author::Agent, |_| Ok(()))
    }

    /// Puts back what `author` has lost. What is to be noted about it is noted once that is
    /// done, and before it is counted. Answers if something was lost.
    fn settle(
        &self,
        author: Author<'_>,
        note: impl FnOnce(&Report) -> Result<(), Failure>,
    ) -> Result<Option<Answer>, Failure> {
        let mut kept = match self.kept()? {
            Copies::Kept(kept) => kept,
            Copies::None => return Ok(None),
            Copies::Damaged(error) => return self.trip_over(&error).map(Some),
        };
        let report = kept.settle(self.protected(), author);
        let report = report.map_err(|error| failed(&error))?;
        note(&report)?;
        self.follow_losses(&report)
    }

    /// Before a tool that can change files: what a person changed meanwhile is taken over.
    /// What is gone was taken by something that the last tool left running.
    pub(super) fn settle_before(
        &self,
        judged: &[Verdict],
        tool: &ToolUse,
    ) -> Result<Option<Answer>, Failure> {
        if tool.is_harmless {
            return Ok(None);
        }
        self.settle(Author::Agent, |_| self.announce_writing(judged, tool))
    }

    /// After such a tool: what it took away is put back. Answers if something was lost.
    pub(super) fn settle_after(&self, tool: &ToolUse) -> Result<Option<Answer>, Failure> {
        if tool.is_harmless {
            return Ok(None);
        }
        // In this order: whoever ends meanwhile saves the list of copies, and then takes
        // back its note. A note that is gone means a list that has it.
        let writing = self.being_written();
        let author = match tool.deeds.is_empty() {
            // Whoever does not know what it does cannot say that it may not update.
            true => Author::Agent,
            false => Author::Calls { writing: &writing },
        };
        self.settle(author, |_| {
            // It is over; another tool may still be at it.
            let _ = fs::remove_file(self.writing_file(tool));
            Ok(())
        })
    }

    /// The engine counts them, here as in a run: the first that is missing opens the breaker
    /// at once.
    fn follow_losses(&self, report: &Report) -> Result<Option<Answer>, Failure> {
        if report.lost.is_empty() {
            return Ok(None);
        }
        let told = words::lost(report);
        let outcome = self.session.count_losses(kept::losses(report))?;
        Ok(Some(match self.denial(&outcome) {
            true => Answer::Halt(format!("{told}\n{}", words::open(&outcome))),
            false => Answer::Context(told),
        }))
    }

    fn protected(&self) -> &Protected {
        self.guard.protected()
    }

    /// The copies; none where the way of working does not put files back, and before there
    /// were any.
    fn kept(&self) -> Result<Copies, Failure> {
        if !self.standing.policy.capabilities.restore_files {
            return Ok(Copies::None);
        }
        let vault = vault(&self.session);
        match Kept::load(&vault, Bounds::default()) {
            Ok(Some(kept)) => Ok(Copies::Kept(kept)),
            // Whoever takes all of it away does not thereby turn this off.
            Ok(None) => match self.remember(|turn| turn.kept)? {
                Some(true) => Ok(Copies::Damaged(KeepError::Damaged { path: vault })),
                _ => Ok(Copies::None),
            },
            Err(error @ KeepError::Damaged { .. }) => Ok(Copies::Damaged(error)),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Whether there are copies, which nobody may take away from now on.
    pub(super) fn has_copies(&self) -> bool {
        Kept::is_listed(&vault(&self.session))
    }

    /// What cannot be looked after opens the breaker, here as in a run: after a tool nothing
    /// less is heard, and the next prompt takes everything as it is.
    fn trip_over(&self, error: &KeepError) -> Result<Answer, Failure> {
        let failure = kept::unkept(error);
        let what = format!("The protected files cannot be looked at: {}", failure.what);
        let outcome = self.session.trip_unasked(escape::line(&what, WIDTH))?;
        let mut lines = vec![words::open(&outcome)];
        lines.extend(failure.hints);
        Ok(Answer::Halt(lines.join("\n")))
    }

    /// Says which protected files a tool is about to update, where every other call of a
    /// hook sees it.
    fn announce_writing(&self, judged: &[Verdict], tool: &ToolUse) -> Result<(), Failure> {
        let protected = self.protected();
        let updates = judged.iter().flat_map(|verdict| &verdict.affected);
        let paths: Vec<&PathBuf> = updates
            .filter_map(|effect| match (&effect.action, &effect.target) {
                (Action::Edit, Target::Path(path)) => Some(path),
                _ => None,
            })
            .filter(|path| protected.rule_of(path).is_some())
            .collect();
        if paths.is_empty() {
            return Ok(());
        }
        let write = || {
            let mut builder = fs::DirBuilder::new();
            builder.recursive(true).mode(0o700).create(self.writing())?;
            // Whole or not at all: who finds half a note takes it for none.
            fusebox_files::replace(&self.writing_file(tool), &serde_json::to_vec(&paths)?)
        };
        write().map_err(|error: std::io::Error| {
            let what = format!(
                "cannot note what is written in {}: {error}",
                self.writing().display()
            );
            Failure::new(exit::STATE, what)
        })
    }

    /// What tools are writing that have not ended. One that was ended without a word leaves its
    /// note behind, which is removed here.
    fn being_written(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.writing()).into_iter().flatten().flatten();
        let current = entries.filter(|entry| {
            let current = turn::silence(entry).is_none_or(|silence| silence < flight::LONGEST);
            if !current {
                // Another call may have been faster.
                let _ = fs::remove_file(entry.path());
            }
            current
        });
        let paths = current.filter_map(|entry| {
            let text = regular::read(&entry.path(), MOST_BYTES).ok()?;
            serde_json::from_slice::<Vec<PathBuf>>(&text).ok()
        });
        paths.flatten().collect()
    }

    fn writing(&self) -> PathBuf {
        turn::directory(&self.session.located.workspace_dir()).join("writing")
    }

    fn writing_file(&self, tool: &ToolUse) -> PathBuf {
        self.writing().join(turn::short(&call_id(tool)))
    }
}

fn failed(error: &KeepError) -> Failure {
    let what = format!("protected files cannot be looked after: {error}");
    Failure::new(exit::STATE, what).hint("`fusebox doctor` says more")
}
