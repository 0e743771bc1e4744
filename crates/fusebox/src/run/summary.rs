//! What is left of a run for people who were not there: a page in the run's own
//! directory, and in CI a summary of the step.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use fusebox_files::regular;
use fusebox_view::escape;
use rustix::fs::{Mode, OFlags};

use super::ending::Ending;
use super::sums::Sums;

/// Where a CI system takes the summary of a step from. The first is GitHub's,
/// which Gitea and Forgejo share; the second is ours, for all others.
const VARIABLES: [&str; 2] = ["GITHUB_STEP_SUMMARY", "FUSEBOX_SUMMARY"];
/// The widest that foreign text becomes.
const WIDTH: usize = 200;

/// Writes the page, and adds it to the summary of the CI step if there is one.
/// Nothing depends on it, so nothing fails because of it.
pub(super) fn write(ending: &Ending, sums: &Sums, dir: &Path) {
    let page = page(ending, sums);
    let file = regular::create(&dir.join("summary.md"));
    let _ = file.and_then(|mut file| file.write_all(page.as_bytes()));
    for name in VARIABLES {
        let Some(path) = std::env::var_os(name).filter(|path| !path.is_empty()) else {
            continue;
        };
        // Steps of CI share it with the agent; a pipe there is not waited for.
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE | OFlags::CLOEXEC;
        let file = rustix::fs::open(path, flags | OFlags::NONBLOCK, Mode::from(0o644));
        let file = file.map(File::from).map_err(std::io::Error::from);
        let _ = file.and_then(|mut file| file.write_all(page.as_bytes()));
    }
}

fn page(ending: &Ending, sums: &Sums) -> String {
    let mut page = String::new();
    let _ = writeln!(page, "## fusebox: {}\n", plain(&ending.headline()));
    let _ = writeln!(page, "| | |\n|---|---|");
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(page, "| {name} | {} |", plain(value));
    };
    row("exit code", &ending.code().to_string());
    if let Some(outcome) = ending.outcome() {
        let rule = outcome.decision.rule.as_deref().unwrap_or("none");
        row("why", &format!("{} (rule {rule})", outcome.decision.reason));
    }
    row("done", &sums.done());
    row("cost", &sums.cost());
    if let Some(outcome) = ending.outcome() {
        for line in outcome.telling().way_out(&outcome.decision) {
            row("next", &line);
        }
        if let Some(opening) = outcome.circuit.core.phase.opening() {
            page.push('\n');
            for evidence in &opening.evidence {
                let _ = writeln!(
                    page,
                    "- {}: {}",
                    plain(&evidence.place.to_string()),
                    plain(&evidence.found)
                );
            }
        }
    }
    page.push('\n');
    page
}

/// Text that Markdown and HTML take for nothing but text.
fn plain(text: &str) -> String {
    let line = escape::line(&anstream::adapter::strip_str(text).to_string(), WIDTH);
    let mut safe = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '@' | '!' | '~' => {
                safe.push('\\');
                safe.push(c);
            }
            c => safe.push(c),
        }
    }
    safe
}
