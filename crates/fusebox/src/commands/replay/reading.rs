//! Finding and reading sessions, with a bar that shows how far it is.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write, stderr};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use fusebox_core::calls::CallPolicy;
use fusebox_replay::{Follower, Oddity, Progress, Setting, Surveyed, find, survey, with};
use fusebox_view::{escape, phrase};

use super::super::Context;
use super::super::guard::roots;
use crate::config::Layers;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

/// How often the bar is drawn.
const DRAWN_EVERY: Duration = Duration::from_millis(100);
/// The width of the bar.
const BAR: usize = 30;
/// Sessions that stand in several places of which that is said.
const SAID: usize = 10;
/// The widest that a remark about a file is shown.
const WIDTH: usize = 200;

/// The thresholds that are configured here, with those changed that are to be tried.
pub(crate) fn policy(context: &Context<'_>, settings: &[Setting]) -> Result<CallPolicy, Failure> {
    let global = &context.cli.global;
    let (root, _) = roots(context, None)?;
    let in_force = Layers::load(global, &root)?.resolve(None)?;
    for warning in &in_force.warnings {
        context.speech.say(warning);
    }
    let rules = in_force.policy.in_session;
    if !rules.acts() {
        let preset = in_force.policy.preset;
        let what = format!(
            "preset `{preset}` only looks on while a session runs, so nothing would have followed"
        );
        return Err(Failure::new(exit::USAGE, what).hint(
            "`--preset` with another shows what would have followed there; `fusebox presets` lists them",
        ));
    }
    with(&rules, settings).map_err(|error| Failure::new(exit::USAGE, error.to_string()))
}

/// Reads all sessions that are meant, and says what could not be read.
pub(crate) fn sessions<F: Follower>(
    context: &Context<'_>,
    paths: &[PathBuf],
    begin: impl Fn() -> F + Sync,
) -> Result<Vec<Surveyed<F::Outcome>>, Failure> {
    let paths: Vec<PathBuf> = match &context.cli.global.directory {
        Some(directory) => paths.iter().map(|path| directory.join(path)).collect(),
        None => paths.to_vec(),
    };
    let (files, failed) = find(&paths);
    for (path, error) in &failed {
        context.speech.say(&format!("{}: {error}", shown(path)));
    }
    if files.is_empty() {
        let what = "there is no file of sessions to read";
        return Err(Failure::new(exit::MISSING, what)
            .hint("name files, or folders such as ~/.claude/projects or ~/.codex/sessions"));
    }
    let surveyed = with_bar(context, |progress| survey(&files, progress, &begin));
    for file in &surveyed {
        for note in &file.report.notes {
            let note = escape::line(note, WIDTH);
            context
                .speech
                .say(&format!("{}: {note}", shown(&file.path)));
        }
    }
    say_oddities(context, &surveyed);
    Ok(surveyed)
}

/// Says what is odd about sessions, each oddity once.
fn say_oddities<O>(context: &Context<'_>, files: &[Surveyed<O>]) {
    let mut odd: BTreeMap<Oddity, Vec<&str>> = BTreeMap::new();
    let mut places: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for session in files.iter().flat_map(|file| &file.sessions) {
        for oddity in session.oddities() {
            odd.entry(oddity).or_default().push(&session.session);
        }
        *places
            .entry((&session.source, &session.session))
            .or_default() += 1;
    }
    for (oddity, sessions) in odd {
        let first = escape::line(sessions[0], WIDTH);
        let others = match sessions.len() as u64 - 1 {
            0 => String::new(),
            others => format!(" and {}", phrase::count(others, "other")),
        };
        context
            .speech
            .say(&format!("session {first}{others}: {}", oddity.words()));
    }
    let several = places.iter().filter(|(_, places)| **places > 1);
    for ((_, session), places) in several.take(SAID) {
        let session = escape::line(session, WIDTH);
        context.speech.say(&format!(
            "session {session} stands in {places} places; each was judged by itself"
        ));
    }
}

/// Does the work, and shows on a terminal how far it is.
fn with_bar<T>(context: &Context<'_>, work: impl FnOnce(&Progress) -> T) -> T {
    let progress = Progress::default();
    if !context.speech.is_for_watching() || !stderr().is_terminal() {
        return work(&progress);
    }
    let (finished, under_way) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let progress = &progress;
        scope.spawn(move || {
            while under_way.recv_timeout(DRAWN_EVERY) == Err(RecvTimeoutError::Timeout) {
                let _ = write!(stderr(), "\r{}", bar(progress));
            }
            let _ = write!(stderr(), "\r\x1b[K");
        });
        let done = work(progress);
        drop(finished);
        done
    })
}

fn bar(progress: &Progress) -> String {
    let read = progress.read.load(Ordering::Relaxed);
    let total = progress.total.load(Ordering::Relaxed).max(1);
    let sessions = phrase::count(progress.sessions.load(Ordering::Relaxed), "session");
    let filled = usize::try_from(u128::from(read) * BAR as u128 / u128::from(total));
    let filled = filled.unwrap_or(BAR).min(BAR);
    let (done, left) = ("█".repeat(filled), "░".repeat(BAR - filled));
    format!("{done}{left} {} · {sessions}", phrase::bytes(read))
}
