//! Other programs that code starts: a line for a shell, or a list of words.

use super::calls::{STARTING, present};
use super::deeds::{Call, calls};
use super::mentions::Mention;
use super::names::Names;
use super::outline::{Outline, Span};
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
    for call in calls(outline, span, &manner.starting) {
        // `Command::new("a").arg("b")`: what hangs on it belongs to it.
        let arguments = match call.name {
            "Command::new" => (call.arguments.0, span.1),
            _ => call.arguments,
        };
        let told = within(mentioned, arguments);
        if manner.only_known && (told.is_empty() || !names.knows_all(outline, &[arguments])) {
            continue;
        }
        // What is told elsewhere in the statement may be meant if nothing is told here.
        let elsewhere = within(mentioned, span).into_iter();
        let told = if told.is_empty() {
            elsewhere.filter(|one| !one.is_read).collect()
        } else {
            told
        };
        start_one(engine, outline, &call, &told)?;
    }
    Ok(())
}

fn within(mentioned: &[Mention], (from, to): Span) -> Vec<&Mention> {
    let inside = mentioned.iter().filter(|one| (from..to).contains(&one.at));
    inside.collect()
}

fn start_one(
    engine: &mut Engine<'_>,
    outline: &Outline<'_>,
    call: &Call,
    told: &[&Mention],
) -> Result<(), Stop> {
    let (from, to) = call.arguments;
    let arguments = &outline.bare[from..to];
    let option = |mention: &&&Mention| option_of(&outline.bare[..mention.at]).is_some();
    let words: Vec<&Mention> = told.iter().filter(|one| !option(one)).copied().collect();
    let directory = told
        .iter()
        .find(|mention| option_of(&outline.bare[..mention.at]) == Some("cwd"));
    // A variable with several values may hold one command or several.
    let is_list = words.windows(2).any(|pair| pair[0].at == pair[1].at);
    // What comes behind the program may be all its words in one.
    let is_one_line = arguments.contains("shell") || call.name == "Process.Start";
    let is_certain = !is_list && !is_one_line && words.len() > 1;
    engine.apart(|engine| {
        if let Some(directory) = directory {
            engine.call(&[Text::fixed("cd"), directory.text.clone()])?;
        }
        if is_certain {
            return run_words(engine, &words);
        }
        run_each(engine, &words)?;
        run_all(engine, &words)
    })
}

/// The option whose value comes next: `cwd=`, `cwd:`.
fn option_of(before: &str) -> Option<&str> {
    let before = before.trim_end();
    let before = before.strip_suffix(['=', ':'])?.trim_end();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = &before[before.trim_end_matches(is_word).len()..];
    // `args=` names the words themselves.
    (!name.is_empty() && name != "args").then_some(name)
}

/// Each is a line for a shell.
fn run_each(engine: &mut Engine<'_>, words: &[&Mention]) -> Result<(), Stop> {
    for line in words.iter().filter_map(|word| word.text.known()) {
        engine.apart(|engine| engine.script(&line))?;
    }
    Ok(())
}

/// All are the words of one command.
fn run_words(engine: &mut Engine<'_>, words: &[&Mention]) -> Result<(), Stop> {
    let mut words: Vec<Text> = words.iter().map(|word| word.text.clone()).collect();
    // `execvp('rm', ['rm', …])` names the program twice.
    if words.len() > 1 && words[0] == words[1] {
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
