//! Other programs that code starts: a line for a shell, or a list of words.

use super::calls::present;
use super::deeds::{Call, calls};
use super::launchers::{STARTING, STARTING_ITSELF};
use super::mentions::Mention;
use super::names::Names;
use super::outline::{Outline, Span};
use super::started::Started;
use crate::commands::literals::Literal;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

/// Whether a program gives this name a meaning.
fn is_own(outline: &Outline<'_>, name: &str) -> bool {
    let bare = &outline.bare;
    bare.match_indices(name).any(|(at, _)| {
        let before = bare[..at].trim_end();
        let after = bare[at + name.len()..].trim_start();
        let is_whole = !bare[..at].ends_with(|c: char| c.is_alphanumeric() || "_.$".contains(c));
        let is_given = after.starts_with('=') && !after.starts_with("==");
        let is_defined = ["def", "function", "sub", "func", "fn", "fun"];
        is_whole && (is_given || is_defined.iter().any(|word| before.ends_with(word)))
    })
}

/// The names by which a program starts others. One of its own is none, unless the program
/// starts something under another name.
pub(super) fn starting(outline: &Outline<'_>) -> Vec<&'static str> {
    let mut names = present(&outline.bare, STARTING);
    let (own, others): (Vec<&str>, Vec<&str>) =
        names.iter().partition(|name| is_own(outline, name));
    if others
        .iter()
        .all(|name| calls(outline, (0, outline.code.len()), &[*name]).is_empty())
    {
        names.retain(|name| !own.contains(name));
    }
    names
}

/// How a program starts others.
pub(super) struct Manner {
    pub(super) starting: Vec<&'static str>,
    pub(super) runs_backquotes: bool,
    /// Whether only that is started of which every word is known.
    pub(super) only_known: bool,
    /// Whether one that works nobody knows where may work anywhere.
    pub(super) guesses: bool,
}

/// Follows the programs that a statement starts.
pub(super) fn start(
    engine: &mut Engine<'_>,
    outline: &Outline<'_>,
    span: Span,
    mentioned: &[Mention],
    names: &Names<'_>,
    manner: &Manner,
) -> Result<(), Stop> {
    let in_backquotes = |literal: &Literal| outline.code[literal.start..].starts_with('`');
    if manner.runs_backquotes {
        for literal in outline.within(span).iter().filter(|one| in_backquotes(one)) {
            let line = within(mentioned, (literal.start, literal.end));
            run_each(engine, &line)?;
        }
    }
    if let Some(line) = started_by_mark(outline, span) {
        start_itself(engine, outline, line, mentioned)?;
    }
    for call in calls(outline, span, &manner.starting) {
        if STARTING_ITSELF.contains(&call.name) {
            start_itself(engine, outline, call.receiver, mentioned)?;
            continue;
        }
        // `Command::new("a").arg("b")`: what hangs on it belongs to it.
        let arguments = match call.name {
            "Command::new" | "os.proc" => (call.arguments.0, span.1),
            _ => call.arguments,
        };
        let told = within(mentioned, arguments);
        if manner.only_known && (told.is_empty() || !names.knows_all(outline, &[arguments])) {
            continue;
        }
        // What is told elsewhere in the statement may be meant if nothing is told here.
        let (told, arguments) = if told.is_empty() {
            let elsewhere = within(mentioned, span).into_iter();
            (elsewhere.filter(|one| !one.is_read).collect(), span)
        } else {
            (told, arguments)
        };
        let mut started = Started::new(outline, arguments, &told);
        let is_unknown = started.directories.as_ref().is_some_and(Vec::is_empty);
        if is_unknown && manner.guesses {
            started.directories = Some(vec![Text::unknown()]);
        }
        start_one(engine, outline, &call, &started)?;
    }
    Ok(())
}

/// `"a b" !` in scala: a mark behind a line, or a list of words, that ends a statement.
fn started_by_mark(outline: &Outline<'_>, (from, to): Span) -> Option<Span> {
    let text = outline.bare.get(from..to)?;
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || c == '}');
    let before = text.trim_end_matches('!');
    let is_mark = (1..=2).contains(&(text.len() - before.len()));
    let is_line = before.trim_end().ends_with(['"', ')']) && before.ends_with(' ');
    (is_mark && is_line).then_some((from, from + before.len()))
}

/// Starts what a call is made on: a list is the words of one command, and all else are lines.
fn start_itself(
    engine: &mut Engine<'_>,
    outline: &Outline<'_>,
    span: Span,
    mentioned: &[Mention],
) -> Result<(), Stop> {
    let own = within(mentioned, span);
    let text = &outline.bare[span.0..span.1];
    // What is started by a name has been followed there.
    if text.contains("Process(") {
        return Ok(());
    }
    let lists = ["Seq(", "List(", "Array(", "Vector(", "["];
    let is_held = own.windows(2).any(|pair| pair[0].at == pair[1].at);
    match is_held || lists.iter().any(|list| text.contains(list)) {
        true => run_words(engine, &own),
        false => run_each(engine, &own),
    }
}

fn within(mentioned: &[Mention], (from, to): Span) -> Vec<&Mention> {
    let inside = mentioned.iter().filter(|one| (from..to).contains(&one.at));
    inside.collect()
}

fn start_one(
    engine: &mut Engine<'_>,
    outline: &Outline<'_>,
    call: &Call,
    started: &Started<'_>,
) -> Result<(), Stop> {
    let (from, to) = call.arguments;
    let arguments = &outline.bare[from..to];
    let words = &started.words;
    // A variable with several values may hold one command or several.
    let is_list = words.windows(2).any(|pair| pair[0].at == pair[1].at);
    let is_certain = !is_list && !arguments.contains("shell") && words.len() > 1;
    // What comes behind the program is all its words in one.
    let is_one_line = call.name == "Process.Start" || arguments.contains("Arguments");
    let run = |engine: &mut Engine<'_>| match is_certain {
        true if is_one_line => run_line(engine, words),
        true => run_words(engine, words),
        false => {
            run_each(engine, words)?;
            run_all(engine, words)
        }
    };
    let Some(directories) = started.directories.as_ref().filter(|all| !all.is_empty()) else {
        return engine.apart(run);
    };
    directories.iter().try_for_each(|directory| {
        engine.apart(|engine| {
            engine.call(&[Text::fixed("cd"), directory.clone()])?;
            run(engine)
        })
    })
}

/// Each is a line for a shell.
fn run_each(engine: &mut Engine<'_>, words: &[&Mention]) -> Result<(), Stop> {
    for line in words.iter().filter_map(|word| word.text.known()) {
        engine.apart(|engine| engine.script(&line))?;
    }
    Ok(())
}

/// All are one line together.
fn run_line(engine: &mut Engine<'_>, words: &[&Mention]) -> Result<(), Stop> {
    let known: Vec<String> = words.iter().filter_map(|word| word.text.known()).collect();
    engine
        .apart(|engine| engine.script(&known.join(" ")))
        .map(drop)
}

/// All are the words of one command.
fn run_words(engine: &mut Engine<'_>, words: &[&Mention]) -> Result<(), Stop> {
    let mut words: Vec<Text> = words.iter().map(|word| word.text.clone()).collect();
    // `execvp('/bin/rm', ['rm', …])` names the program twice.
    let is_named_twice = |first: &Text, second: &Text| {
        let (first, second) = (first.known(), second.known());
        let is_path_of = |path: &str, name: &str| path.rsplit('/').next() == Some(name);
        first
            .is_some_and(|path| second.is_some_and(|name| path == name || is_path_of(&path, &name)))
    };
    if words.len() > 1 && is_named_twice(&words[0], &words[1]) {
        words.remove(0);
    }
    engine.apart(|engine| engine.call(&words)).map(drop)
}

/// All are words of one command, and each may be several.
fn run_all(engine: &mut Engine<'_>, words: &[&Mention]) -> Result<(), Stop> {
    let known: Vec<String> = words.iter().filter_map(|word| word.text.known()).collect();
    let words = known.iter().flat_map(|line| line.split_whitespace());
    let words: Vec<Text> = words.map(Text::fixed).collect();
    if words.len() > 1 {
        engine.apart(|engine| engine.call(&words))?;
    }
    Ok(())
}
