//! Code in other languages, read by what it calls and which names it mentions.
//!
//! No language is parsed. A statement that calls something destructive is taken to do so
//! to every path that it spells out, or that the whole program spells out if the statement
//! names none. A statement that starts a process has its words followed as a command.

use super::calls::{COPYING, DELETING, LISTING, OPENING, READING, RENAMING, STARTING, WRITING};
use super::printing::base64;
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

/// Where code comes from. A program in a file is long and works on many names of its own, so
/// that only what it does to paths in the same statement counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Inline,
    File,
}

/// A string in code, with where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Every string in code; those joined by `+` or `.` or by standing side by side are one.
pub(super) fn literals(code: &str) -> Vec<Literal> {
    let bytes = code.as_bytes();
    let mut found: Vec<Literal> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if let Some((words, end)) = word_list(code, at) {
            found.extend(words);
            at = end;
            continue;
        }
        let quote = bytes[at];
        if !matches!(quote, b'"' | b'\'' | b'`') {
            at += 1;
            continue;
        }
        let Some((text, end)) = literal(code, at, quote) else {
            at += 1;
            continue;
        };
        let joins = found.last().is_some_and(|last| {
            let between = code[last.end..at].trim();
            matches!(between, "" | "+" | "." | "..") && !code[last.end..at].contains('\n')
        });
        match found.last_mut() {
            Some(last) if joins => {
                last.text.push_str(&text);
                last.end = end;
            }
            _ => found.push(Literal {
                text,
                start: at,
                end,
            }),
        }
        at = end;
    }
    found
}

/// The words of a list such as `%w[a b]`, each a string of its own.
fn word_list(code: &str, at: usize) -> Option<(Vec<Literal>, usize)> {
    let rest = code.get(at..)?;
    let inner = ["%w", "%W", "%i"]
        .iter()
        .find_map(|mark| rest.strip_prefix(mark))?;
    let close = match inner.chars().next()? {
        '[' => ']',
        '(' => ')',
        '{' => '}',
        _ => return None,
    };
    let start = at + 3;
    let end = start + code.get(start..)?.find(close)?;
    let words = code[start..end].split_whitespace().map(|text| Literal {
        text: text.to_owned(),
        start,
        end,
    });
    Some((words.collect(), end + 1))
}

fn literal(code: &str, start: usize, quote: u8) -> Option<(String, usize)> {
    let triple = [quote; 3];
    let bytes = code.as_bytes();
    let (open, close): (usize, &[u8]) = if bytes[start..].starts_with(&triple) && quote != b'`' {
        (3, &triple)
    } else {
        (1, &triple[..1])
    };
    let mut end = start + open;
    while end < bytes.len() && !bytes[end..].starts_with(close) {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    let inner = code.get(start + open..end)?;
    Some((crate::shell::ansi_c(inner), end + close.len()))
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

/// Follows code.
pub(super) fn follow(
    engine: &mut Engine<'_>,
    code: &Data,
    arguments: &[Text],
    origin: Origin,
) -> Result<(), Stop> {
    let Some(code) = code.text() else {
        if origin == Origin::Inline {
            engine.could_do_anything();
        }
        return Ok(());
    };
    let code = unwrapped(code);
    engine.apart(|engine| statements_of(engine, &code, arguments, origin))
}

fn statements_of(
    engine: &mut Engine<'_>,
    code: &str,
    arguments: &[Text],
    origin: Origin,
) -> Result<(), Stop> {
    let all = literals(code);
    let lists = calls(code, LISTING);
    for (start, end) in statements(code, &all) {
        engine.spend()?;
        let statement = &code[start..end];
        let own: Vec<&Literal> = all
            .iter()
            .filter(|literal| literal.start >= start && literal.end <= end)
            .collect();
        let bare = without(statement, start, &own);
        if calls(&bare, STARTING)
            || bare.contains('`')
            || own
                .iter()
                .any(|literal| code[literal.start..].starts_with('`'))
        {
            start_process(engine, &own)?;
        }
        if calls(&bare, &["chdir"])
            && let Some(directory) = own.first()
        {
            engine.call(&[Text::fixed("cd"), Text::fixed(directory.text.as_str())])?;
            continue;
        }
        if calls(&bare, &["exec", "eval"]) {
            for literal in &own {
                let inner = Data::Known(literal.text.clone());
                engine.deeper(|engine| follow(engine, &inner, arguments, origin))?;
            }
        }
        let Some(action) = action(&bare, &own) else {
            continue;
        };
        let copies = calls(&bare, COPYING);
        let named = own
            .iter()
            .copied()
            .filter(|literal| is_path_like(&literal.text) && !is_read(code, literal));
        let named: Vec<&Literal> = named.skip(usize::from(copies)).collect();
        let targets: Vec<Text> = match (named.is_empty(), origin) {
            (false, _) => named
                .iter()
                .map(|literal| Text::fixed(literal.text.as_str()))
                .collect(),
            (true, Origin::Inline) => {
                let everywhere = all.iter().filter(|literal| is_path_like(&literal.text));
                everywhere
                    .map(|literal| Text::fixed(literal.text.as_str()))
                    .chain(arguments.iter().cloned())
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

/// What a statement does to the paths that it names.
fn action(bare: &str, own: &[&Literal]) -> Option<Action> {
    if calls(bare, DELETING) || (calls(bare, &["remove"]) && bare.contains("remove(")) {
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
    let opens = calls(bare, OPENING) || calls(bare, &["open("]);
    let mode = own.iter().find_map(|literal| match literal.text.as_str() {
        "w" | "wb" | "w+" | "wt" | "wb+" | "w+b" | "wx" | "r+" | "rb+" | "r+b" | "+<" | "+>"
        | ">" | ">:utf8" => Some(Action::Overwrite),
        "a" | "ab" | "a+" | "at" | ">>" => Some(Action::Append),
        text if text.starts_with(">>") => Some(Action::Append),
        text if text.starts_with('>') => Some(Action::Overwrite),
        _ => None,
    });
    if opens { mode } else { None }
}

/// Whether a name only stands where something is read: `open('a')`, `Path('a').read_text()`.
fn is_read(code: &str, literal: &Literal) -> bool {
    let before = code[..literal.start].trim_end();
    let after = code[literal.end..].trim_start();
    let read_by_call = READING.iter().any(|call| before.ends_with(call));
    let opened = before.ends_with("open(") && after.starts_with(')');
    let opened_to_read = before.ends_with("open(")
        && ["'r'", "\"r\"", "'rb'", "\"rb\""]
            .iter()
            .any(|mode| after.trim_start_matches([',', ' ']).starts_with(mode));
    read_by_call || opened || opened_to_read || after.starts_with(").read")
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
        .map(|text| Text::fixed(text.trim_start_matches(['>', '<', '+', ' '])));
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
fn start_process(engine: &mut Engine<'_>, own: &[&Literal]) -> Result<(), Stop> {
    for literal in own {
        engine.apart(|engine| engine.script(&literal.text))?;
    }
    let words: Vec<Text> = own
        .iter()
        .flat_map(|literal| literal.text.split_whitespace())
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
