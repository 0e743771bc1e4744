//! What the blackboard is made to say after a step.

use std::path::Path;

use fusebox_core::circuit::{Cause, Opening, State};
use fusebox_core::journal::{Event, Projection};
use fusebox_core::machine::Step;
use fusebox_core::patterns::Analysis;
use fusebox_core::{Circuit, Moment};
use fusebox_edit::yaml::Broken;
use fusebox_seeds::Content;
use fusebox_seeds::liza::{self, Check, Finding, Section, Trigger};

use super::{Blackboard, REPORT_BYTES, is_theirs, misread, projection, read};
use crate::digest::sha256;
use crate::failure::Failure;
use crate::projection::Writing;

/// What a step means to the blackboard.
enum Meaning<'a> {
    /// It is none of its business.
    Nothing,
    /// Somebody looked for patterns.
    Checked(Check, bool),
    /// The breaker has opened, or had and the blackboard was not told.
    Triggered(&'a Opening),
    /// A person has corrected what opened it.
    Resolved(&'a str),
}

impl Blackboard {
    /// What is to be noted in the log before anything is written, and then written.
    pub(crate) fn follow(
        self,
        root: &Path,
        (before, step, retell): (&Circuit, &Step, bool),
        now: &Moment,
    ) -> Result<(Vec<Projection>, Writing), Failure> {
        let meaning = match step.circuit.core.phase.opening() {
            Some(opening) if retell => Meaning::Triggered(opening),
            _ => self.meaning(root, before, step)?,
        };
        let mut files = Vec::new();
        let mut intents = Vec::new();
        let mut intend = |path: &str, before: Option<String>, after: Option<String>| {
            intents.push(Projection {
                path: path.to_owned(),
                before,
                after,
            });
        };
        if let (Some(text), Some(board)) = (&self.text, &self.board) {
            let found = board.section(text);
            let section = match meaning {
                Meaning::Checked(..) if self.is_being_released(&step.circuit) => None,
                _ => written(found, &meaning, now).map_err(|broken| misread(root, &broken))?,
            };
            if let Some(section) = section {
                // What others have halted stays theirs to release, whoever looks meanwhile.
                let stays_theirs =
                    matches!(meaning, Meaning::Checked(..)) && is_theirs(&step.circuit);
                let after = (!stays_theirs).then(|| sha256(section.text()));
                intend(liza::SECTION, found.map(sha256), after);
                files.push((
                    liza::STATE,
                    Content::Text(board.with_section(text, section.text())),
                ));
            }
        }
        match meaning {
            Meaning::Triggered(opening) => {
                // Somebody else's checkpoint halts as well, and is theirs to remove.
                if self.checkpoint.is_none() {
                    let lines = checkpoint(opening);
                    intend(liza::CHECKPOINT, None, Some(sha256(&lines)));
                    files.push((liza::CHECKPOINT, Content::Text(lines)));
                }
                let report = self.report.clone().unwrap_or_else(|| judged(opening));
                intend(liza::REPORT, None, Some(sha256(&report)));
                files.push((liza::REPORT, Content::Text(report)));
            }
            Meaning::Resolved(_) => {
                let ours =
                    projection(before, liza::CHECKPOINT).and_then(|known| known.after.as_ref());
                if self.checkpoint.is_some() && self.checkpoint.as_ref() == ours {
                    intend(liza::CHECKPOINT, self.checkpoint.clone(), None);
                    files.push((liza::CHECKPOINT, Content::Removed));
                }
            }
            Meaning::Checked(..) | Meaning::Nothing => {}
        }
        Ok((intents, Writing::locked(root, files, self.lock)))
    }

    fn meaning<'s>(
        &self,
        root: &Path,
        before: &Circuit,
        step: &'s Step,
    ) -> Result<Meaning<'s>, Failure> {
        let opening = step.circuit.core.phase.opening();
        let mut transitions = step
            .entries
            .iter()
            .flat_map(|entry| &entry.outcome.transitions);
        if let Some(opening) = opening
            && (transitions.any(|transition| transition.to == State::Open)
                || self.was_not_told(root, before)?)
        {
            return Ok(Meaning::Triggered(opening));
        }
        let mut events = step.entries.iter().rev().map(|entry| &entry.event);
        Ok(events
            .find_map(|event| match event {
                Event::Resolved { resolution, .. } => Some(Meaning::Resolved(resolution)),
                Event::Reset { reason, .. } => Some(Meaning::Resolved(reason)),
                Event::Analysed { matched } => {
                    let check = if matched.is_empty() {
                        Check::Clean
                    } else {
                        Check::StillThere
                    };
                    let latched = opening.is_some() && !self.is_untriggered();
                    Some(Meaning::Checked(check, latched))
                }
                _ => None,
            })
            .unwrap_or(Meaning::Nothing))
    }

    /// Whether somebody has begun to release what we have halted: we never leave a section
    /// without a trigger while it is open. Were anything written into that, it would be ours,
    /// and the release nobody's.
    fn is_being_released(&self, circuit: &Circuit) -> bool {
        let open = circuit.core.phase.opening().is_some();
        open && !is_theirs(circuit) && self.is_untriggered()
    }

    /// Whether the breaker was open before, and we were interrupted in telling: the
    /// section is as it was, or checkpoint and report are both missing.
    fn was_not_told(&self, root: &Path, before: &Circuit) -> Result<bool, Failure> {
        let open = before.core.phase.opening().is_some();
        let Some(known) =
            projection(before, liza::SECTION).filter(|known| open && known.after.is_some())
        else {
            return Ok(false);
        };
        let found = self.section_digest();
        if found == known.before && found != known.after {
            return Ok(true);
        }
        let report = read(root, liza::REPORT, REPORT_BYTES)?
            .as_deref()
            .map(sha256);
        let reported = projection(before, liza::REPORT).is_some_and(|known| known.after == report);
        Ok(found == known.after && self.checkpoint.is_none() && !reported)
    }
}

/// The section, if it is to say something else.
fn written(
    found: Option<&str>,
    meaning: &Meaning<'_>,
    now: &Moment,
) -> Result<Option<Section>, Broken> {
    let mut section = Section::of(found);
    match meaning {
        Meaning::Nothing => return Ok(None),
        Meaning::Checked(check, latched) => section.checked(now.wall_ms, *check, *latched)?,
        Meaning::Triggered(opening) => {
            section.checked(now.wall_ms, Check::Triggered(trigger(opening)), false)?;
        }
        // Without a section there is no trigger of ours to move.
        Meaning::Resolved(_) if found.is_none() => return Ok(None),
        Meaning::Resolved(resolution) => section.resolved(now.wall_ms, resolution)?,
    }
    Ok(Some(section))
}

/// The report of a step that opened the breaker for what an analysis found.
pub(crate) fn report_of(analysis: &Analysis<'_>, step: &Step) -> Option<String> {
    let opening = step.circuit.core.phase.opening()?;
    let finding = Finding {
        matches: analysis.matches(),
        judgement: None,
    };
    (!finding.matches.is_empty()).then(|| liza::report(&trigger(opening), &finding))
}

/// An opening in the words of the blackboard.
fn trigger(opening: &Opening) -> Trigger {
    let (pattern, severity) = match opening.cause {
        Cause::Pattern { pattern, severity } => (pattern, Some(severity)),
        Cause::Signal(_) | Cause::Asked | Cause::Supervisor => (None, None),
    };
    Trigger {
        at_ms: opening.since.wall_ms,
        pattern,
        severity,
    }
}

/// The report where nobody analysed anything.
fn judged(opening: &Opening) -> String {
    let finding = Finding {
        matches: Vec::new(),
        judgement: Some(&opening.reason),
    };
    liza::report(&trigger(opening), &finding)
}

/// A checkpoint says since when on its first line: others look for how long.
fn checkpoint(opening: &Opening) -> String {
    let Trigger {
        at_ms,
        pattern,
        severity,
    } = trigger(opening);
    let severity = severity.map_or_else(String::new, |severity| format!(" ({})", severity.name()));
    format!(
        "{}\nCircuit breaker: {}{severity}\nSee {}. To release: fusebox resolve --resolution \"…\"\n",
        liza::written_moment(at_ms),
        liza::pattern_name(pattern),
        liza::REPORT,
    )
}
