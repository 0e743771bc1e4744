//! `fusebox init`: look at a project, say what was found, and write its `fusebox.toml`.
//!
//! The file is read for everybody who works on the project, so it holds what may be held against
//! everybody: bounds. Which agent is run and with which tests is not a repository's to say, and
//! comes out as a command line for the person who asked.

mod file;
mod found;

use std::io::{self, BufRead, ErrorKind, IsTerminal, Read, Write};
use std::path::Path;

use fusebox_files::replace::Permissions;
use rustix::fs::Mode;
use serde::Serialize;

use super::{Context, hooks};
use crate::cli::{Hooked, Init};
use crate::config;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;
use found::Found;

/// The longest answer that is read.
const ANSWER_BYTES: u64 = 64;

/// What was found and done, as data.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    found: &'a Found,
    /// The file that was written, if one was.
    written: Option<String>,
    /// What to do next.
    next: Vec<String>,
}

pub(super) fn run(context: &Context<'_>, args: &Init) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    let found = Found::look(&session);
    let text = file::text(&found, session.preset()?, &session.located.root)?;
    if args.print {
        context.speech.data(&text);
        return Ok(exit::GO);
    }
    if session.located.project != session.located.root {
        // The file would be found where nobody who typed this looks for it.
        let root = shown(&session.located.root);
        return Err(Failure::new(exit::REFUSED, session.within()).hint(format!(
            "`fusebox init -C {root}` writes the file of that workspace"
        )));
    }
    let path = session.located.root.join(config::PROJECT);
    refuse_existing(&path)?;
    if !context.speech.json {
        context.speech.data(&found.told());
    }
    // The file goes last: as long as it is missing, whoever was interrupted can do this again.
    for agent in found.hookable() {
        if args.yes || consents(agent) {
            hooks::install_in_project(context, agent)?;
        }
    }
    write(&path, &text)?;
    context.speech.say(&format!("wrote {}", shown(&path)));
    let next = found.next();
    if context.speech.json {
        context.speech.json(&Told {
            found: &found,
            written: Some(shown(&path)),
            next,
        });
    } else {
        context.speech.say("next");
        next.iter().for_each(|line| context.speech.add(line));
    }
    Ok(exit::GO)
}

fn refuse_existing(path: &Path) -> Result<(), Failure> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        _ => Err(taken(path)),
    }
}

fn taken(path: &Path) -> Failure {
    let what = format!("{} already exists and was not changed", shown(path));
    Failure::new(exit::REFUSED, what).hint(
        "`fusebox init --print` shows what would be written; `fusebox config show` shows the values in force",
    )
}

/// Writes the file, unless somebody else has meanwhile.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let everybodys = Permissions::New(Mode::from_raw_mode(0o644));
    let written = fusebox_files::create_whole(path, everybodys, text.as_bytes());
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => taken(path),
        _ => Failure::new(
            exit::MISSING,
            format!("cannot write {}: {error}", shown(path)),
        ),
    })
}

/// Asks, where there is somebody to ask.
fn consents(agent: Hooked) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    let mut err = anstream::stderr();
    let _ = write!(
        err,
        "fusebox: have {} ask fusebox before every tool, in this project? [y/N] ",
        agent.title()
    );
    let _ = err.flush();
    let mut answer = String::new();
    let read = io::stdin().lock().take(ANSWER_BYTES).read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}
