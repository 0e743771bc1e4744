//! `fusebox report`: what happened, for somebody who was not there.

use std::ffi::OsStr;
use std::path::Path;

use fusebox_core::machine;
use fusebox_view::escape;

use super::Context;
use crate::cli::{Report, ReportFormat, ReportScope};
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, Readers};
use crate::report::{self, About, ReportData, Subject, past};
use crate::speech::shown;

const DAY_MS: i64 = 24 * 3_600_000;

pub(super) fn run(context: &Context<'_>, args: &Report) -> Result<u8, Failure> {
    let session = context.session_despite_config()?;
    let (outcome, live) = session.with_life(|| session.look(machine::status));
    let outcome = outcome?;
    let about = about(args.scope.as_ref(), outcome.now.wall_ms);
    let log = session.store.log()?;
    let totals = &outcome.circuit.core.totals;
    let past = log.map(|log| past::collect(&log, about, totals));
    let past = past.transpose()?;
    let Some(past) = past.flatten() else {
        context.speech.say(match about {
            About::Incident => "the breaker has never been open here",
            About::Run | About::Span { .. } | About::Latest { .. } => {
                "nothing has happened here yet"
            }
        });
        return Ok(exit::GO);
    };
    let subject = Subject {
        root: &session.located.root,
        circuit: session.circuit.as_str(),
        workspace_dir: session.located.workspace_dir(),
        link: None,
        live,
    };
    let document = || report::document(&subject, &outcome, about, &past);
    let text = match format(args, context.speech.json) {
        ReportFormat::Md => document().markdown(),
        ReportFormat::Html => document().html(),
        ReportFormat::Json => {
            let data = ReportData::of(&subject, &outcome, about, &past);
            let line = serde_json::to_string(&data);
            let unsayable = |error| Failure::new(exit::INTERNAL, format!("no JSON: {error}"));
            format!("{}\n", escape::json(&line.map_err(unsayable)?))
        }
    };
    match &args.output {
        None => context.speech.data(&text),
        Some(path) => {
            // A report holds what an agent printed, which is nobody else's business.
            output::write(path, Readers::Owner, &text)?;
            context.speech.say(&format!("written to {}", shown(path)));
        }
    }
    Ok(exit::GO)
}

fn about(scope: Option<&ReportScope>, now_ms: i64) -> About {
    match scope {
        None | Some(ReportScope::Run) => About::Run,
        Some(ReportScope::Incident) => About::Incident,
        Some(ReportScope::Day { day }) => {
            let from_ms = day.unwrap_or(now_ms.saturating_sub(DAY_MS));
            About::Span {
                from_ms,
                until_ms: from_ms.saturating_add(DAY_MS),
            }
        }
    }
}

/// What was asked for, or what the name of the file says.
fn format(args: &Report, json: bool) -> ReportFormat {
    let extension = args.output.as_deref().and_then(Path::extension);
    let named = match extension.and_then(OsStr::to_str) {
        _ if json => ReportFormat::Json,
        Some("html" | "htm") => ReportFormat::Html,
        Some("json") => ReportFormat::Json,
        _ => ReportFormat::Md,
    };
    args.format.unwrap_or(named)
}
