//! What the agent is told, iteration by iteration.
//!
//! The user's prompt comes first and unchanged. What the breaker knows and the
//! agent does not is added below it, because a prompt is the one place that
//! every agent reads, also in a session that goes on.

use std::fmt::Write as _;
use std::io::Read as _;

use fusebox_core::circuit::{Core, Phase};
use fusebox_core::observation::WorkPhase;
use fusebox_core::policy::TickUnit;
use fusebox_core::recovery::strategies;
use fusebox_core::{Circuit, Policy};
use fusebox_files::regular::{self, Links};

use super::plan::Prompt;
use crate::exit;
use crate::failure::Failure;

/// The longest prompt that is read from a file.
const MOST_BYTES: u64 = 1 << 20;
/// Errors that are repeated to the agent.
const ERRORS_TOLD: usize = 5;
/// The widest that one of them is told.
const WIDTH: usize = 400;

impl Prompt {
    /// The user's own words; `None` if there are none.
    pub(super) fn text(&self) -> Result<Option<String>, Failure> {
        let file = match self {
            Self::None => return Ok(None),
            Self::Text(text) => return Ok(Some(text.clone())),
            Self::File(file) => file,
        };
        let failed = |why: String| {
            Failure::new(
                exit::USAGE,
                format!("the prompt file {}: {why}", file.display()),
            )
            .hint("`--prompt-file` names a file; `--prompt` takes the words themselves")
        };
        let mut text = String::new();
        // It lies where the agent works, and is read again before each iteration.
        let opened =
            regular::open(file, Links::Follow).map_err(|error| failed(error.to_string()))?;
        let read = opened
            .take(MOST_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(|error| failed(error.to_string()))?;
        if read as u64 > MOST_BYTES {
            return Err(failed("it is longer than 1 MB".into()));
        }
        if text.trim().is_empty() {
            return Err(failed("it is empty".into()));
        }
        Ok(Some(text))
    }
}

/// What the breaker adds below the prompt; empty when all is well.
/// `circles` is what was said of the last iteration if it went round in circles.
pub(super) fn context(circuit: &Circuit, policy: &Policy, circles: Option<&str>) -> String {
    let core = &circuit.core;
    let mut told = phases(core, policy);
    if let Some(circles) = circles {
        let circles = fusebox_view::escape::line(circles, WIDTH);
        let _ = writeln!(told, "The last iteration went round in circles: {circles}");
    }
    let Some(opening) = core.phase.opening() else {
        if core.phase == Phase::Watching {
            told.push_str("Recent iterations gained little.\n");
            errors(&mut told, circuit);
        }
        if let Some(note) = &core.guidance {
            let _ = writeln!(told, "A person adds: {note}");
        }
        return framed(&told);
    };
    let _ = writeln!(
        told,
        "The circuit breaker had opened: {}. This iteration is a single trial; \
         unless it gains something that can be measured, the work stops here.",
        opening.reason
    );
    errors(&mut told, circuit);
    if let Some(note) = &core.guidance {
        let taken = core.strategies.saturating_sub(1) as usize;
        if let Some(words) = strategies(opening.cause).and_then(|row| row.get(taken).copied()) {
            let _ = writeln!(told, "Do it differently this time: {words}.");
        }
        let _ = writeln!(told, "A person adds: {note}");
    } else {
        told.push_str("Do not repeat what failed. Say what you will do differently, then do it.\n");
    }
    framed(&told)
}

/// Which phase is under way, and which were skipped: whoever works must be at the one that
/// they are judged by.
fn phases(core: &Core, policy: &Policy) -> String {
    if policy.unit != TickUnit::PhaseAction {
        return String::new();
    }
    let phase = core.counters.phase.unwrap_or(WorkPhase::Red);
    let mut told = format!("The phase is {}.\n", phase.name());
    for skipped in &core.skipped {
        let _ = writeln!(
            told,
            "{} was skipped by a person: it is complete, and its failing tests are known failures.",
            skipped.phase.name()
        );
    }
    told
}

/// The latest errors, each once.
fn errors(told: &mut String, circuit: &Circuit) {
    let mut seen: Vec<&str> = Vec::new();
    for row in circuit.rows.iter().rev() {
        for error in &row.errors {
            if seen.len() < ERRORS_TOLD && !seen.contains(&error.shown.as_str()) {
                seen.push(&error.shown);
            }
        }
    }
    if !seen.is_empty() {
        told.push_str("What failed last:\n");
        for error in seen {
            let _ = writeln!(told, "- {}", fusebox_view::escape::line(error, WIDTH));
        }
    }
}

fn framed(told: &str) -> String {
    if told.is_empty() {
        return String::new();
    }
    format!("\n\n---\nFrom the supervisor of this loop (fusebox):\n{told}")
}
