//! `fusebox guard list`: what is protected, how, and who says so.

use std::path::Path;

use fusebox_guard::Rule;
use fusebox_view::escape;
use serde::Serialize;

use super::{Place, WIDTH};
use crate::context::Context;
use crate::exit;
use crate::failure::Failure;

/// A rule as data.
#[derive(Serialize)]
struct Row<'a> {
    path: String,
    mode: &'static str,
    source: &'a str,
    /// Whether something is there; `null` for wildcards.
    exists: Option<bool>,
}

pub(super) fn run(context: &Context<'_>, root: Option<&Path>) -> Result<u8, Failure> {
    let place = Place::of(context, root)?;
    let root = place.protection.protected.root();
    for (rule, source) in place.protection.rows() {
        let row = row(rule, source, root);
        if context.speech.json {
            context.speech.json(&row);
            continue;
        }
        let there = match row.exists {
            Some(false) => "  (not there yet)",
            _ => "",
        };
        let Row { path, mode, .. } = &row;
        let line = format!("{mode:<8}{path:<32} {source}{there}");
        let line = escape::line(&line, WIDTH);
        context.speech.data(&format!("{line}\n"));
    }
    if !context.speech.json {
        let tools = place.protection.protected.tools().join(" ");
        let line = escape::line(&format!("tools that may update: {tools}"), WIDTH);
        context.speech.data(&format!("{line}\n"));
    }
    Ok(exit::GO)
}

fn row<'a>(rule: &Rule, source: &'a str, root: &Path) -> Row<'a> {
    let path = rule.path(root);
    Row {
        path: rule.pattern(),
        mode: rule.mode().name(),
        source,
        exists: path.map(|path| path.symlink_metadata().is_ok()),
    }
}
