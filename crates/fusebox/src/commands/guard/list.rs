//! `fusebox guard list`: what is protected, how, and who says so.

use std::path::{Path, PathBuf};

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

/// What protects one path, as data.
#[derive(Serialize)]
struct Cover<'a> {
    path: &'a str,
    /// The pattern of the rule; `null` where nothing protects it.
    rule: Option<String>,
    mode: Option<&'static str>,
    source: Option<&'a str>,
    means: Option<&'static str>,
}

/// Which rule protects each of these paths, and what it means.
pub(super) fn of_paths(
    context: &Context<'_>,
    root: Option<&Path>,
    paths: &[PathBuf],
) -> Result<u8, Failure> {
    let place = Place::of(context, root)?;
    let protection = &place.protection;
    for path in paths {
        let full = place.directory.join(path);
        // A link protects nothing: what it leads to is what may be lost.
        let full = full
            .canonicalize()
            .or_else(|_| std::path::absolute(&full))
            .unwrap_or(full);
        let rule = protection.protected.rule_of(&full);
        let source = |rule: &Rule| {
            let mut rows = protection.rows();
            rows.find(|(one, _)| *one == rule).map(|(_, source)| source)
        };
        let name = path.to_string_lossy();
        let cover = Cover {
            path: &name,
            rule: rule.map(Rule::pattern),
            mode: rule.map(|rule| rule.mode().name()),
            source: rule.and_then(source),
            means: rule.map(|rule| rule.mode().sentence()),
        };
        if context.speech.json {
            context.speech.json(&cover);
        } else {
            context.speech.data(&cover.told());
        }
    }
    Ok(exit::GO)
}

impl Cover<'_> {
    fn told(&self) -> String {
        let path = self.path;
        let (Some(rule), Some(mode), Some(means)) = (&self.rule, self.mode, self.means) else {
            return escape::line(&format!("{path} is not protected"), WIDTH) + "\n";
        };
        let by = self
            .source
            .map_or_else(String::new, |source| format!(", {source}"));
        let line = format!("{mode:<8}{path:<32} by the rule {rule}{by}");
        format!("{}\n        {means}\n", escape::line(&line, WIDTH))
    }
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
