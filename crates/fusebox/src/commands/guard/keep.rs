//! `fusebox guard snapshot`, `verify` and `restore`: the copies of what is protected.

use fusebox_guard::keep::{Author, Bounds, Kept, Report};
use fusebox_view::{escape, phrase};
use serde::Serialize;

use super::WIDTH;
use crate::amounts;
use crate::caller;
use crate::context::Context;
use crate::exit;
use crate::failure::Failure;
use crate::kept::{self, AtWork, unkept};
use crate::protection::{Protection, vault};
use crate::session::Session;
use crate::sight;
use crate::turn::flight::is_tool_under_way;

/// What came of a look, as data.
#[derive(Serialize)]
struct Told {
    schema: u32,
    kept: usize,
    lost: Vec<Row>,
    changed: Vec<Row>,
    left_out: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restored: Option<bool>,
}

#[derive(Serialize)]
struct Row {
    path: String,
    what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(super) fn snapshot(context: &Context<'_>) -> Result<u8, Failure> {
    // Whoever takes a snapshot says that everything is as it should be.
    caller::refuse_agents("a snapshot")?;
    let session = context.session()?;
    sight::refuse_out_of_sight(&session.homes, session.clock, "a snapshot")?;
    if is_tool_under_way(&session.located.workspace_dir()) {
        let what = "no snapshot while a tool of an agent is running, which may be what is asking";
        return Err(Failure::new(exit::REFUSED, what)
            .hint("try again when it has ended; what it loses until then is restored anyway"));
    }
    session.located.register()?;
    let protection = protection(&session)?;
    let (kept, taken) = Kept::take(&vault(&session), &protection.protected, Bounds::default())
        .map_err(|error| unkept(&error))?;
    AtWork::beside(&session).settled(&vault(&session));
    // A size of nothing is a multiple of every unit.
    let bytes = match taken.bytes {
        0 => phrase::bytes(0),
        bytes => amounts::written_bytes(bytes),
    };
    let files = phrase::count(taken.kept as u64, "protected path");
    let report = Report {
        lost: Vec::new(),
        changed: taken.changed,
        left_out: taken.left_out,
    };
    let headline = format!("snapshot of {files} ({bytes})");
    tell(context, &kept, &report, None, &headline);
    Ok(exit::GO)
}

pub(super) fn verify(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session()?;
    let protection = protection(&session)?;
    let mut kept = load(&session)?;
    let report = kept
        .look(&protection.protected, Author::Agent)
        .map_err(|error| unkept(&error))?;
    let headline = match report.lost.len() {
        0 => "everything protected is there".to_owned(),
        lost => format!("{} lost", phrase::count(lost as u64, "protected path")),
    };
    tell(context, &kept, &report, None, &headline);
    if report.lost.is_empty() {
        return Ok(exit::GO);
    }
    context.speech.say("`fusebox guard restore` puts it back");
    Ok(exit::PROTECTED)
}

pub(super) fn restore(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session()?;
    let protection = protection(&session)?;
    let mut kept = load(&session)?;
    let report = kept
        .settle(&protection.protected, Author::Agent)
        .map_err(|error| unkept(&error))?;
    let headline = match report.lost.len() {
        0 => "nothing is lost".to_owned(),
        lost => format!("{} put back", phrase::count(lost as u64, "protected path")),
    };
    let whole = report.is_whole();
    tell(context, &kept, &report, Some(whole), &headline);
    if whole {
        return Ok(exit::GO);
    }
    Err(Failure::new(
        exit::PROTECTED,
        "not everything could be put back",
    ))
}

fn protection(session: &Session) -> Result<Protection, Failure> {
    let circuit = session.store.peek()?.state.0;
    let policy = session.policy(&circuit)?;
    Ok(Protection::of_session(session, &policy))
}

fn load(session: &Session) -> Result<Kept, Failure> {
    let kept = Kept::load(&vault(session), Bounds::default()).map_err(|error| unkept(&error))?;
    kept.ok_or_else(|| {
        Failure::new(exit::MISSING, "there are no copies yet")
            .hint("`fusebox guard snapshot` makes them now; `fusebox run` does when it begins")
    })
}

fn tell(
    context: &Context<'_>,
    kept: &Kept,
    report: &Report,
    restored: Option<bool>,
    headline: &str,
) {
    if context.speech.json {
        context.speech.json(&told(kept, report, restored));
        return;
    }
    let mut lines = vec![headline.to_owned()];
    lines.extend(
        report
            .lost
            .iter()
            .map(|lost| format!("  {}", kept::of_loss(lost))),
    );
    lines.extend(
        report
            .changed
            .iter()
            .map(|changed| format!("  {}", kept::of_change(changed))),
    );
    lines.extend(
        report
            .left_out
            .iter()
            .map(|left| format!("  {}", kept::of_left_out(left))),
    );
    for line in lines {
        context
            .speech
            .data(&format!("{}\n", escape::line(&line, WIDTH)));
    }
}

fn told(kept: &Kept, report: &Report, restored: Option<bool>) -> Told {
    let row = |path: &std::path::Path, what: String, error| Row {
        path: path.to_string_lossy().into_owned(),
        what,
        error,
    };
    let lost = report.lost.iter().map(|lost| {
        let error = lost.restored.clone().and_then(Result::err);
        row(&lost.path, lost.how.to_string(), error)
    });
    let changed = report.changed.iter();
    let left_out = report.left_out.iter();
    Told {
        schema: 1,
        kept: kept.len(),
        lost: lost.collect(),
        changed: changed
            .map(|one| row(&one.path, one.change.to_string(), None))
            .collect(),
        left_out: left_out
            .map(|one| row(&one.path, one.why.to_string(), None))
            .collect(),
        restored,
    }
}
