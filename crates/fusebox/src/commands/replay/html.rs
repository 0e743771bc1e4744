//! The report as a page: one file, no script, nothing from elsewhere.
//!
//! What sessions say is hostile text. It is escaped twice: once so that it shows
//! what it is (no control characters, no changes of direction), and once so that
//! a browser takes it for text.

use std::fmt::Write;

use fusebox_replay::{Point, Tick, Told, Verdicts};
use fusebox_view::html::text;
use fusebox_view::phrase;

use super::Judged;
use super::told::{confidence, reason, saved, signal};

/// Sessions without a verdict that get a timeline, too.
const QUIET_SESSIONS: usize = 200;
/// The width and the height of a timeline, in pixels.
const SIZE: [usize; 2] = [960, 28];

const HEAD: &str = r#"<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>fusebox replay</title>
<style>
body{font:14px/1.5 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222;background:#fff}
h2{font-size:1em;margin:1.6em 0 .2em;overflow-wrap:anywhere}
p{margin:.2em 0}
.dim{color:#666}
svg{display:block;width:100%;height:auto;background:#f4f4f4}
.f{fill:#c4cdd5}.e{fill:#5b9bd5}.a{fill:#e0b040}.x{fill:#d9822b}.y{fill:#c23030}.d{fill:#7d4698}
.w{stroke:#a66f00;stroke-width:2}.t{stroke:#900;stroke-width:3}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}svg{background:#262626}.dim{color:#999}}
</style></head><body>
<h1>What fusebox would have done</h1>
"#;

const LEGEND: &str = r#"<p class="dim">Each bar is a call: grey new, blue an edit, yellow made before, orange failed, red failed and made before, purple not permitted. A thin line is the first warning, a thick one the stop.</p>
"#;

/// The whole page.
pub(super) fn page(files: &[Judged]) -> String {
    let sessions: Vec<_> = files.iter().flat_map(|file| &file.sessions).collect();
    let mut page = HEAD.to_owned();
    let warned = sessions
        .iter()
        .filter(|session| session.outcome.warned().is_some())
        .count();
    let tripped = sessions
        .iter()
        .filter(|session| session.outcome.tripped().is_some())
        .count();
    let _ = writeln!(
        page,
        "<p>{}: {warned} would have been warned, {tripped} would have been stopped.</p>\n{LEGEND}",
        phrase::count(sessions.len() as u64, "session")
    );
    let (loud, quiet): (Vec<_>, Vec<_>) = sessions
        .iter()
        .partition(|session| session.outcome.warned().is_some());
    let shown = quiet.len().min(QUIET_SESSIONS);
    for session in loud.into_iter().chain(quiet.iter().copied().take(shown)) {
        tell(session, &mut page);
    }
    if shown < quiet.len() {
        let left = phrase::count((quiet.len() - shown) as u64, "more session");
        let _ = writeln!(page, "<p class=\"dim\">{left} without a verdict.</p>");
    }
    page.push_str("</body></html>\n");
    page
}

fn tell(session: &Told<Verdicts>, page: &mut String) {
    let verdicts = &session.outcome;
    let tally = &session.tally;
    let mut about = vec![text(&session.source)];
    if !session.model.is_empty() {
        about.push(text(&session.model));
    }
    about.push(phrase::count(tally.calls.into(), "call"));
    about.extend(
        tally
            .spent
            .tokens()
            .map(|tokens| phrase::count(tokens, "token")),
    );
    about.extend(tally.elapsed_ms().map(phrase::duration));
    let _ = writeln!(
        page,
        "<h2>{}</h2>\n<p class=\"dim\">{}</p>",
        text(&session.session),
        about.join(" · ")
    );
    timeline(session, page);
    let warned = verdicts
        .warned()
        .filter(|point| Some(*point) != verdicts.tripped());
    for (word, point) in [("warn", warned), ("stop", verdicts.tripped())] {
        if let Some(point) = point {
            say(word, point, page);
        }
    }
    if let Some(point) = verdicts.tripped() {
        let _ = writeln!(
            page,
            "<p>Saved: {}.</p>",
            text(&saved(&tally.since(&point.tally)))
        );
    }
}

fn say(word: &str, point: &Point, page: &mut String) {
    let _ = writeln!(
        page,
        "<p>Would {word} after call {} (<b>{}</b>, {} % sure): {}</p>",
        point.tally.calls,
        signal(&point.verdict),
        confidence(&point.verdict),
        text(&reason(&point.verdict))
    );
}

/// The calls of a session as bars, and lines where something would have been said.
fn timeline(session: &Told<Verdicts>, page: &mut String) {
    let strip = &session.outcome.strip;
    let ticks = strip.ticks();
    let [width, height] = SIZE;
    let _ = write!(
        page,
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">",
        phrase::count(session.tally.calls.into(), "call")
    );
    let count = ticks.len().max(1);
    // Neighbours of the same kind are one bar, or a long session would be a long page.
    let mut start = 0;
    for run in ticks.chunk_by(|one, other| one == other) {
        let (from, to) = (start * width / count, (start + run.len()) * width / count);
        start += run.len();
        let class = class(run[0]);
        let wide = (to - from).max(1);
        let _ = write!(
            page,
            "<rect class=\"{class}\" x=\"{from}\" y=\"4\" width=\"{wide}\" height=\"20\"/>"
        );
    }
    let verdicts = &session.outcome;
    for (class, point) in [("w", verdicts.warned()), ("t", verdicts.tripped())] {
        if let Some(point) = point {
            let at = (point.tally.calls / strip.width()) as usize * width / count;
            let _ = write!(
                page,
                "<line class=\"{class}\" x1=\"{at}\" y1=\"0\" x2=\"{at}\" y2=\"{height}\"/>"
            );
        }
    }
    page.push_str("</svg>\n");
}

fn class(tick: Tick) -> &'static str {
    match tick {
        Tick::Fresh => "f",
        Tick::Edit => "e",
        Tick::Again => "a",
        Tick::Failed => "x",
        Tick::FailedAgain => "y",
        Tick::Denied => "d",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(text("<script>&\"'"), "&lt;script&gt;&amp;&quot;&#39;");
        assert!(!text("a\u{202e}b\u{1b}[31m").contains(['\u{202e}', '\u{1b}']));
    }
}
