//! `fusebox replay`: recorded sessions, judged as if they happened now.

mod html;
mod reading;
mod told;

use fusebox_replay::{Judging, Surveyed, Verdicts};

use super::Context;
use crate::cli::Replay;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, Readers};
use crate::speech::shown;

pub(super) use reading::{policy, sessions};

pub(super) fn run(context: &Context<'_>, args: &Replay) -> Result<u8, Failure> {
    let policy = policy(context, &args.set)?;
    let files = sessions(context, &args.paths, || Judging::by(policy))?;
    if files.iter().all(|file| file.sessions.is_empty()) {
        let what = "no sessions found";
        return Err(Failure::new(exit::MISSING, what)
            .hint("name files, or folders such as ~/.claude/projects or ~/.codex/sessions"));
    }
    if let Some(path) = &args.html {
        output::write(path, Readers::All, &html::page(&files))?;
        context
            .speech
            .say(&format!("the report is in {}", shown(path)));
    }
    if context.speech.json {
        told::lines(context.speech, &files);
    } else {
        context.speech.data(&told::table(&files, args.all));
    }
    Ok(exit::GO)
}

type Judged = Surveyed<Verdicts>;
