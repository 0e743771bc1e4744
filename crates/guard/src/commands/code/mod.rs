//! Code in other languages, read by what it calls and which names it mentions.
//!
//! No language is parsed. A statement that calls something destructive is taken to do so
//! to every path that it spells out or has in a variable, or that the whole program spells
//! out if the statement names none. A statement that starts a process has its words followed
//! as a command.

mod calls;
mod given;
mod names;

use super::archives;
use super::literals::{Literal, literals};
use super::printing::base64;
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};
use calls::{COPYING, DELETING, EXTRACTING, LISTING, OPENING, RENAMING, STARTING, WRITING};
pub(super) use given::Given;
use names::{Names, is_read};

/// Where code comes from. A program in a file is long and works on many names of its own, so
/// that only what it does to paths in the same statement counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Inline,
    File,
}

/// Whether code calls one of these, as a whole name.
fn calls(code: &str, names: &[&str]) -> bool {
    names.iter().any(|name| {
        code.match_indices(name).any(|(at, _)| {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let before = code[..at].chars().next_back();
            let after = code[at + name.len()..].chars().next();
            let starts = name.starts_with(['.', '$', '%', '<']) || !before.is_some_and(is_word);
            let ends = name.ends_with(['(', '[', '`', '*']) || !after.is_some_and(is_word);
            starts && ends
        })
    })
}

/// Follows code that is given words and nothing to read.
pub(super) fn follow(
    engine: &mut Engine<'_>,
    code: &Data,
    arguments: &[Text],
    origin: Origin,
) -> Result<(), Stop> {
    let given = Given::new(engine, arguments);
    follow_given(engine, code, &given, origin)
}

/// Follows code.
pub(super) fn follow_given(
    engine: &mut Engine<'_>,
    code: &Data,
    given: &Given,
    origin: Origin,
) -> Result<(), Stop> {
    let Some(code) = code.text() else {
        if origin == Origin::Inline {
            engine.could_do_anything();
        }
        return Ok(());
    };
    let code = without_comments(&unwrapped(code));
    engine.apart(|engine| statements_of(engine, &code, given, origin))
}

fn statements_of(
    engine: &mut Engine<'_>,
    code: &str,
    given: &Given,
    origin: Origin,
) -> Result<(), Stop> {
    let all = literals(code);
    let lists = calls(code, LISTING) || all.iter().any(|literal| literal.is_wildcard(code));
    let mut names = Names::new(given);
    for (start, end) in statements(code, &all) {
        engine.spend()?;
        let statement = &code[start..end];
        let own: Vec<&Literal> = all
            .iter()
            .filter(|literal| literal.start >= start && literal.end <= end)
            .collect();
        let bare = without(statement, start, &own);
        let mentioned = names.mentioned(code, (start, end), &own);
        names.learn(code, (start, end), &own, &mentioned);
        let in_backquotes = |literal: &&Literal| code[literal.start..].starts_with('`');
        if calls(&bare, STARTING) || bare.contains('`') || own.iter().any(in_backquotes) {
            let words: Vec<Text> = mentioned.iter().map(|name| name.text.clone()).collect();
            start_process(engine, &words)?;
        }
        if calls(&bare, &["chdir"])
            && let Some(directory) = mentioned.first()
        {
            engine.call(&[Text::fixed("cd"), directory.text.clone()])?;
            continue;
        }
        if calls(&bare, &["exec", "eval"]) {
            for literal in &own {
                let inner = Data::Known(literal.text.clone());
                engine.deeper(|engine| follow_given(engine, &inner, given, origin))?;
            }
        }
        if calls(&bare, EXTRACTING) {
            archives::unpack(engine, unpacked_into(code, &own).as_ref())?;
        }
        let Some(action) = action(code, &bare, &own) else {
            continue;
        };
        let copies = calls(&bare, COPYING);
        let named = mentioned.iter().filter(|name| {
            let known = name.text.known();
            let is_vague = known.is_none() && origin == Origin::File;
            !name.is_read && !is_vague && known.is_none_or(|text| is_path_like(&text))
        });
        let named: Vec<Text> = named
            .skip(usize::from(copies))
            .map(|name| name.text.clone())
            .collect();
        let targets: Vec<Text> = match (named.is_empty(), origin) {
            (false, _) => named,
            (true, Origin::Inline) => {
                let written = all.iter().filter(|literal| {
                    is_path_like(&literal.text) && !is_read(code, literal.start, literal.end)
                });
                written
                    .map(|literal| Text::fixed(literal.text.as_str()))
                    .chain(given.unnamed(code).cloned())
                    .collect()
            }
            (true, Origin::File) => Vec::new(),
        };
        for target in targets {
            touch(engine, action, &target, lists)?;
        }
    }
    Ok(())
}

/// Where an archive is unpacked, if that is said.
fn unpacked_into(code: &str, own: &[&Literal]) -> Option<Text> {
    let into = |literal: &&&Literal| {
        let before = code[..literal.start].trim_end();
        let starts = ["extractall(", "extractAllTo(", "path=", "extract_dir="];
        let is_second = before.ends_with(',') && code.contains("unpack_archive");
        starts.iter().any(|start| before.ends_with(start)) || is_second
    };
    own.iter()
        .find(into)
        .map(|literal| Text::fixed(literal.text.as_str()))
}

/// What a statement does to the paths that it names.
fn action(code: &str, bare: &str, own: &[&Literal]) -> Option<Action> {
    // `getattr(os, 'remove')` and `fs['rmSync']` call by name.
    let by_name = |literal: &&Literal| {
        let name = literal.text.as_str();
        (DELETING.contains(&name) || name == "remove") && bare.contains(['(', '['])
    };
    let removes = calls(bare, &["remove"]) && bare.contains("remove(");
    if calls(bare, DELETING) || removes || own.iter().any(by_name) {
        return Some(Action::Delete);
    }
    // A string has `replace` too, with two things to say; a path has it with one.
    let replaces = bare.contains("Path(") && calls(bare, &["replace"]) && own.len() <= 2;
    if calls(bare, RENAMING) || replaces {
        return Some(Action::Rename);
    }
    if calls(bare, WRITING) {
        return Some(Action::Overwrite);
    }
    if !calls(bare, OPENING) && !calls(bare, &["open("]) {
        return None;
    }
    // A mode comes behind a name, is called so, or is all that is given.
    let is_mode = |literal: &&&Literal| {
        let before = code[..literal.start].trim_end();
        let starts = [",", "mode=", "mode =", "open("];
        starts.iter().any(|start| before.ends_with(start))
    };
    let modes = own.iter().filter(is_mode);
    let modes = modes.filter_map(|literal| match literal.text.as_str() {
        "w" | "wb" | "w+" | "wt" | "wb+" | "w+b" | "wx" | "r+" | "rb+" | "r+b" | "+<" | "+>"
        | ">" | ">:utf8" => Some(Action::Overwrite),
        "a" | "ab" | "a+" | "at" | ">>" => Some(Action::Append),
        text if text.starts_with(">>") => Some(Action::Append),
        text if text.starts_with('>') => Some(Action::Overwrite),
        _ => None,
    });
    // Who opens one to add to it may open another to write.
    modes.min_by_key(|action| *action == Action::Append)
}

/// A string that may be the name of a file.
fn is_path_like(text: &str) -> bool {
    !text.is_empty()
        && !text.contains('\n')
        && text.len() < 4_096
        && !matches!(text, "w" | "a" | "r" | "wb" | "rb" | "utf8" | "utf-8")
}

fn touch(engine: &mut Engine<'_>, action: Action, target: &Text, lists: bool) -> Result<(), Stop> {
    let plain = target
        .known()
        .map(|text| text.trim_start_matches(['>', '<', '+', ' ']).to_owned());
    // What is put into a string is not known, but the directory before it is.
    let filled = plain.as_deref().and_then(|text| {
        let (before, _) = text.split_once(['{', '$'])?;
        Some(before.rsplit_once('/')?.0.to_owned())
    });
    let lists = lists || filled.is_some();
    let plain = filled.or(plain).map(Text::fixed);
    let target = plain.as_ref().unwrap_or(target);
    if !lists {
        return engine.take_away(
            action,
            target,
            matches!(action, Action::Delete | Action::Rename),
        );
    }
    for place in engine.places(&target.unquoted())? {
        let target = match place {
            Place::At(path, _) => Target::Tree(engine.resolver().beyond_links(&path)),
            Place::Like(pattern) => Target::Like(pattern),
        };
        engine.note(action, target);
    }
    Ok(())
}

/// The words of a process: a line for a shell, or a list of words.
fn start_process(engine: &mut Engine<'_>, mentioned: &[Text]) -> Result<(), Stop> {
    let known: Vec<String> = mentioned.iter().filter_map(Text::known).collect();
    for line in &known {
        engine.apart(|engine| engine.script(line))?;
    }
    let words: Vec<Text> = known
        .iter()
        .flat_map(|line| line.split_whitespace())
        .map(Text::fixed)
        .collect();
    if words.len() > 1 {
        engine.apart(|engine| engine.call(&words))?;
    }
    Ok(())
}

/// The code without its strings, so that what a string says is not taken for a call.
fn without(statement: &str, offset: usize, own: &[&Literal]) -> String {
    let mut bare = String::new();
    let mut at = 0;
    for literal in own {
        bare.push_str(
            statement
                .get(at..literal.start - offset)
                .unwrap_or_default(),
        );
        bare.push_str("\"\"");
        at = literal.end - offset;
    }
    bare.push_str(statement.get(at..).unwrap_or_default());
    bare
}

/// Statements end at a newline or a semicolon that is not in a string.
fn statements(code: &str, literals: &[Literal]) -> Vec<(usize, usize)> {
    let mut cuts = Vec::new();
    let mut start = 0;
    let mut strings = literals.iter().peekable();
    for (at, byte) in code.bytes().enumerate() {
        while strings.peek().is_some_and(|literal| literal.end <= at) {
            strings.next();
        }
        let inside = strings.peek().is_some_and(|literal| literal.start <= at);
        if !inside && matches!(byte, b'\n' | b';') {
            cuts.push((start, at));
            start = at + 1;
        }
    }
    cuts.push((start, code.len()));
    cuts
}

/// Code with those of its lines emptied that are remarks from their start.
fn without_comments(code: &str) -> String {
    let is_remark =
        |line: &&str| line.trim_start().starts_with(['#']) || line.trim_start().starts_with("//");
    let lines = code
        .split('\n')
        .map(|line| if is_remark(&line) { "" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

/// Code that is handed over in base64 is looked at as if it stood there.
fn unwrapped(code: &str) -> String {
    let mut all = code.to_owned();
    if code.contains("b64decode") || code.contains("base64") || code.contains("atob") {
        for literal in literals(code) {
            let decoded = base64(&literal.text).and_then(|bytes| String::from_utf8(bytes).ok());
            if let Some(decoded) = decoded {
                all.push('\n');
                all.push_str(&decoded);
            }
        }
    }
    all
}
