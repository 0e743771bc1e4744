//! What the agent is told, iteration by iteration.
//!
//! The user's prompt comes first and unchanged. What the breaker knows and the
//! agent does not is added below it, because a prompt is the one place that
//! every agent reads, also in a session that goes on. Where a claim that the work
//! is done could be shown to be true, the agent learns how to make it: without a
//! claim, work that is finished looks like work that has come to a standstill.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use fusebox_core::circuit::{Core, Phase};
use fusebox_core::observation::WorkPhase;
use fusebox_core::policy::TickUnit;
use fusebox_core::recovery::strategy_for_the_agent;
use fusebox_core::signals::{Level, Sight};
use fusebox_core::{Circuit, Policy};
use fusebox_files::regular::{self, Links};
use fusebox_view::phrase;

use super::plan::{Plan, Prompt};
use crate::exit;
use crate::failure::Failure;

/// The longest prompt that is read from a file.
const MOST_BYTES: u64 = 1 << 20;
/// Errors that are repeated to the agent.
const ERRORS_TOLD: usize = 5;
/// Losses that are repeated to it.
const LOSSES_TOLD: usize = 8;
/// The widest that one of them is told.
const WIDTH: usize = 400;
/// The least that is read as a claim that the work is done.
const DONE: &str =
    "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n";

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
                format!("cannot read the prompt file {}: {why}", file.display()),
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

/// What of the work an agent may say is done.
#[derive(Clone, Copy)]
pub(super) enum Claimable {
    /// Nothing would show that it is, so saying so ends nothing.
    Nothing,
    /// The one task it was given.
    Task,
    /// All of it.
    Work,
}

impl Claimable {
    pub(super) fn of(plan: &Plan) -> Self {
        if plan.evidence.is_empty() {
            Self::Nothing
        } else if plan.takes_tasks {
            Self::Task
        } else {
            Self::Work
        }
    }

    /// How the agent says so; nothing where its prompt explains that by itself.
    fn words(self, prompt: &str) -> Option<String> {
        let when = match self {
            Self::Nothing => return None,
            Self::Task => "When this task is done, and not before,",
            Self::Work => {
                "You will be given this prompt again. Only when nothing of the work is left for a \
                 later time,"
            }
        };
        let explained = ["RALPH_STATUS", "EXIT_SIGNAL"]
            .iter()
            .any(|mark| prompt.contains(mark));
        (!explained).then(|| format!("{when} end your last message with these lines:\n{DONE}"))
    }
}

/// What a prompt file is called below the root; `None` if it lies elsewhere, where nobody
/// works, or cannot be called that in a setting.
pub(super) fn place_below(root: &Path, file: &Path) -> Option<String> {
    let file = file.canonicalize().ok()?;
    let below = file.strip_prefix(root.canonicalize().ok()?).ok()?;
    let name = below.to_str()?;
    // A run goes on reading the file by its name, whatever else a pattern might match.
    let plain = !name.contains([':', '*', '?', '[', '{', '\\', '!']);
    plain.then(|| name.to_owned())
}

/// What the breaker knows. `circles` is what was said of the last iteration if it went round in
/// circles.
pub(super) struct Told<'a> {
    pub(super) circuit: &'a Circuit,
    pub(super) policy: &'a Policy,
    pub(super) circles: Option<&'a str>,
    /// What the last iteration lost of what is protected, and what became of it.
    pub(super) lost: &'a [String],
    /// How many files it claimed to have changed, where none had and it said that it was done.
    pub(super) overstated: Option<u64>,
}

/// What is added below the prompt `text`; nothing where there is nothing to say.
pub(super) fn below(text: &str, claimable: Claimable, told: &Told<'_>) -> String {
    let mut words = claimable.words(text).unwrap_or_default();
    words.push_str(&context(told));
    framed(&words)
}

/// The same in words; empty when all is well.
fn context(told: &Told<'_>) -> String {
    let Told {
        circuit,
        policy,
        circles,
        lost,
        overstated,
    } = *told;
    let core = &circuit.core;
    let mut told = phases(core, policy);
    if let Some(circles) = circles {
        let circles = fusebox_view::escape::line(circles, WIDTH);
        let _ = writeln!(told, "The last iteration went round in circles: {circles}");
    }
    if !lost.is_empty() {
        told.push_str("The last iteration lost protected files; they are never to be deleted, emptied or broken:\n");
    }
    for line in lost.iter().take(LOSSES_TOLD) {
        let _ = writeln!(told, "- {}", fusebox_view::escape::line(line, WIDTH));
    }
    if let Some(claimed) = overstated {
        let files = phrase::count(claimed, "file");
        let _ = writeln!(
            told,
            "The last iteration said that it was done and that it had changed {files}, but nothing had changed, so it was \
             not believed. Count the files of one iteration only; where nothing is left to change, say 0."
        );
    }
    if let Some((_, against)) = circuit.refuted() {
        told.push_str("The work was said to be complete, but it is not:\n");
        for line in against {
            let _ = writeln!(told, "- {}", fusebox_view::escape::line(&line, WIDTH));
        }
    }
    let Some(opening) = core.phase.opening() else {
        if core.phase == Phase::Watching {
            told.push_str(&warning(circuit, policy));
            errors(&mut told, circuit);
        }
        if let Some(note) = &core.guidance {
            let _ = writeln!(told, "Note from the user: {note}");
        }
        return told;
    };
    let _ = writeln!(
        told,
        "The circuit breaker had opened: {}. This iteration is a single trial; \
         unless it makes measurable progress, the run ends here.",
        opening.reason
    );
    errors(&mut told, circuit);
    if let Some(note) = &core.guidance {
        if let Some(words) = strategy_for_the_agent(core) {
            let _ = writeln!(told, "Do it differently this time: {words}.");
        }
        let _ = writeln!(told, "Note from the user: {note}");
    } else {
        told.push_str("Do not repeat what failed. Say what you will do differently, then do it.\n");
    }
    told
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

/// What the breaker is about to open for, in its own words.
fn warning(circuit: &Circuit, policy: &Policy) -> String {
    let sight = Sight {
        counters: &circuit.core.counters,
        rows: circuit.counted_rows(),
    };
    let worst = sight.worst(policy).filter(|it| it.level > Level::Quiet);
    worst.map_or_else(String::new, |reading| {
        let sentence = reading.signal.sentence(reading.value);
        format!("The circuit breaker warns: {sentence}. If that goes on, it stops the run.\n")
    })
}

/// The latest errors, each once.
fn errors(told: &mut String, circuit: &Circuit) {
    let mut seen: Vec<String> = Vec::new();
    for row in circuit.rows.iter().rev() {
        for error in &row.errors {
            let said = error.told();
            if seen.len() < ERRORS_TOLD && !seen.contains(&said) {
                seen.push(said);
            }
        }
    }
    if !seen.is_empty() {
        told.push_str("What failed last:\n");
        for error in seen {
            let _ = writeln!(told, "- {}", fusebox_view::escape::line(&error, WIDTH));
        }
    }
}

fn framed(told: &str) -> String {
    if told.is_empty() {
        return String::new();
    }
    format!("\n\n---\nFrom the supervisor of this loop (fusebox):\n{told}")
}
