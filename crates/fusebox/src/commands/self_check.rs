//! `fusebox self-check`: is this a sound installation? What concerns a project is for
//! `doctor`.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use fusebox_supervise::ancestry;
use fusebox_view::phrase;

use super::Context;
use crate::cli::Global;
use crate::exit;
use crate::failure::Failure;
use crate::finding::Finding;
use crate::itself;
use crate::platform::{TO_FIND_ITSELF, TO_SEE_PROCESSES};
use crate::session;
use crate::speech::shown;
use crate::storable;

/// It takes seconds, also on a slow machine.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    let findings = [
        program(),
        memory(&context.cli.global),
        processes(),
        rehearsal(),
    ];
    if context.speech.json {
        context.speech.json(&findings);
    } else {
        for finding in &findings {
            context.speech.data(&format!("{}\n", finding.line()));
        }
    }
    Ok(findings
        .iter()
        .map(|one| one.code)
        .max()
        .unwrap_or(exit::GO))
}

fn program() -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    match itself::path() {
        Ok(path) => Finding::fine("program", format!("fusebox {version}, {}", shown(&path))),
        Err(error) => Finding::broken(
            "program",
            format!("fusebox {version} cannot tell where it is: {error}"),
            format!("{TO_FIND_ITSELF}; agents and supervisors have to find it again"),
        ),
    }
}

/// Where the memory would be kept, and whether it could be.
fn memory(global: &Global) -> Finding {
    let homes = session::homes(global, None).and_then(|homes| {
        storable::tried(&homes.state)?;
        storable::tried(&homes.heads)?;
        Ok(homes)
    });
    match homes {
        Ok(homes) => Finding::fine("memory", format!("is kept in {}", shown(&homes.state))),
        Err(failure) => {
            let fix = failure.hints.join("; ");
            Finding::broken("memory", failure.what, fix).with_code(failure.code)
        }
    }
}

/// A release is refused to whoever cannot be told from an agent.
fn processes() -> Finding {
    if ancestry().complete {
        Finding::fine("processes", "it can be seen who starts a command")
    } else {
        Finding::doubtful(
            "processes",
            "it cannot be seen who starts a command, so every release will be refused",
            TO_SEE_PROCESSES,
        )
    }
}

/// The whole of it once: supervised, measured, stopped, released, gone on.
fn rehearsal() -> Finding {
    let began = Instant::now();
    let ended = itself::called(&["demo", "--fast"], None, b"", PATIENCE);
    let took = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    match ended {
        Ok(output) if output.status.success() => Finding::fine(
            "rehearsal",
            format!(
                "a stalled loop was stopped, released and resumed in {}",
                phrase::duration(took)
            ),
        ),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().last().unwrap_or("without a word").to_owned();
            let what = format!("a stalled loop was not stopped as it should be: {last}");
            Finding::broken("rehearsal", what, "`fusebox demo` shows it").with_code(exit::INTERNAL)
        }
        Err(error) if error.kind() == ErrorKind::TimedOut => {
            let what = format!("had not ended after {} s", PATIENCE.as_secs());
            Finding::broken("rehearsal", what, "`fusebox demo` shows it").with_code(exit::INTERNAL)
        }
        Err(error) => Finding::broken(
            "rehearsal",
            format!("could not be held: {error}"),
            "make the program executable",
        ),
    }
}
