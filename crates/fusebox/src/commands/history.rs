//! `fusebox history`: what happened, line by line.

mod patterns;

use fusebox_store::Query;
use fusebox_view::{escape, phrase};

use super::{Context, doctor, openings};
use crate::cli::History;
use crate::exit;
use crate::failure::Failure;
use crate::look::history::{Line, search};

/// How many lines are shown where nobody says how many.
const USUAL: usize = 20;

pub(super) fn run(context: &Context<'_>, args: &History) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    if args.patterns {
        return patterns::run(context, &session);
    }
    let Some(log) = session.store.log()? else {
        context.speech.say("nothing has happened here yet");
        return Ok(exit::GO);
    };
    if args.metrics {
        openings::show(context, &log)?;
        return Ok(exit::GO);
    }
    let most = args.last.unwrap_or(USUAL);
    let query = Query {
        // One more shows whether there are more.
        last: most.saturating_add(1),
        task: args.task.clone(),
        words: args.search.clone(),
        ..Query::default()
    };
    let query = match args.kind {
        Some(kind) => kind.narrow(query),
        None => query,
    };
    let dir = session.located.workspace_dir();
    let rows = search(&dir, &session.circuit, &log, query)?;
    let (earlier, rows) = rows.split_at(rows.len().saturating_sub(most));
    for row in rows {
        let line = Line::of(row);
        if context.speech.json {
            context.speech.json(&line);
        } else {
            context.speech.data(&told(&line));
        }
    }
    // Whoever says how many knows that there may be more.
    if !earlier.is_empty() && args.last.is_none() && !context.speech.json {
        context.speech.say(&format!(
            "these are the last {most} lines; there are more, and `-n NUMBER` shows so many"
        ));
    }
    if let Some(past) = log.pruned()
        && rows.len() < most
    {
        context.speech.say(&doctor::pruned(past.records));
    }
    Ok(exit::GO)
}

/// A line for people.
fn told(line: &Line<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(iteration) = line.iteration {
        parts.push(format!("iteration {iteration}"));
    }
    if let Some(task) = line.task {
        parts.push(escape::line(task, 40));
    }
    if let Some(files) = line.files_changed {
        parts.push(format!("{} changed", phrase::count(files, "file")));
    }
    if let Some(ms) = line.duration_ms {
        parts.push(phrase::duration(ms));
    }
    parts.extend(line.error.map(|error| escape::line(error, 80)));
    parts.extend(line.event.map(str::to_owned));
    parts.extend(line.reason.map(|reason| escape::line(reason, 80)));
    let state = line.state.unwrap_or_default();
    format!(
        "{}  {:<13} {state:<9} {}\n",
        line.at,
        line.kind,
        parts.join(" · ")
    )
}
