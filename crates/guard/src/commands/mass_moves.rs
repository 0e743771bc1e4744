//! Programs that move many files at once and match their names themselves: `mmv`, `rename`,
//! `zmv`, and those that have a list of names edited.

use std::collections::BTreeSet;

use super::{Options, code};
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Part, Text};

/// More pairs than these are not taken from what comes in.
const MOST_PAIRS: usize = 64;

/// Of longer names it is not told which part of them is which.
const LONGEST_NAME: usize = 512;

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    match name {
        "mmv" | "mcp" | "mad" | "mln" => by_pattern(engine, name, words)?,
        "zmv" | "zcp" | "zln" => by_groups(engine, name, words)?,
        "rename" | "prename" | "file-rename" | "perl-rename" | "rename.ul" => {
            by_expression(engine, words)?;
        }
        "vidir" | "qmv" | "massren" | "edir" => by_editor(engine, words)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// What becomes of a file and of what stands where it goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Move,
    Copy,
    Append,
    Link,
}

/// `mmv 'a/*.c' 'b/#1.d'`, or such pairs line by line.
fn by_pattern(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &[]);
    if options.has(&["-n", "--dryrun", "--help", "--version"]) {
        return Ok(());
    }
    let modes = [
        (Mode::Copy, ["-c", "-o", "--copy", "--overwrite"]),
        (Mode::Append, ["-a", "--append", "-a", "--append"]),
        (Mode::Link, ["-l", "-s", "--hardlink", "--symlink"]),
        (Mode::Move, ["-m", "-x", "-r", "--rename"]),
    ];
    let told = modes.iter().find(|(_, flags)| options.has(flags));
    let mode = match (told, name) {
        (Some((mode, _)), _) => *mode,
        (None, "mcp") => Mode::Copy,
        (None, "mad") => Mode::Append,
        (None, "mln") => Mode::Link,
        (None, _) => Mode::Move,
    };
    match options.operands.as_slice() {
        [from, to] => one_pattern(engine, mode, from, to),
        [] => {
            let input = engine.stdin.clone();
            let Some(text) = input.text() else {
                engine.could_do_anything();
                return Ok(());
            };
            for line in text.lines().take(MOST_PAIRS) {
                let mut fields = line.split_whitespace().map(Text::fixed);
                if let (Some(from), Some(to)) = (fields.next(), fields.next()) {
                    one_pattern(engine, mode, &from, &to)?;
                }
            }
            Ok(())
        }
        others => others
            .iter()
            .try_for_each(|word| engine.take_away(Action::Rename, word, true)),
    }
}

/// Each file that a pattern matches goes where the other says.
fn one_pattern(engine: &mut Engine<'_>, mode: Mode, from: &Text, to: &Text) -> Result<(), Stop> {
    let Some(pattern) = from.known() else {
        if mode == Mode::Move {
            engine.take_away(Action::Rename, from, true)?;
        }
        return engine.touch(Action::Overwrite, &unfilled(to, '#'));
    };
    // A semicolon stands for any number of directories.
    let wildcard = pattern.replace(';', "**/");
    for path in matched(engine, &wildcard)? {
        engine.spend()?;
        let source = Text::fixed(path.as_str());
        let filled = to.known().and_then(|to| {
            let here = engine.shell.directories.iter().flatten();
            let pieces = std::iter::once(pattern.clone())
                .chain(here.map(|here| here.join(&pattern).to_string_lossy().into_owned()))
                .find_map(|pattern| pieces(&pattern, &path))?;
            Some(Text::fixed(filled(&to, &pieces)))
        });
        let target = filled.unwrap_or_else(|| unfilled(to, '#'));
        arrive(engine, mode, &source, &target)?;
    }
    Ok(())
}

/// The files that a program finds which matches names itself.
fn matched(engine: &mut Engine<'_>, wildcard: &str) -> Result<Vec<String>, Stop> {
    let mut found = Vec::new();
    if wildcard.contains("**") {
        found = engine.protected_matching(wildcard);
    }
    for place in engine.places(&Text::fixed(wildcard).unquoted())? {
        let Place::At(path, _) = place else { continue };
        let real = engine.resolver().up_to_link(&path);
        // Who spells a name out knows of the file.
        let is_there = !crate::glob::is_pattern(wildcard)
            || engine.tree.kind(&real).is_some()
            || engine.shell.put_below(&real).next().is_some();
        if is_there && !found.contains(&path) {
            found.push(path);
        }
    }
    let names = found.iter().map(|path| path.to_string_lossy().into_owned());
    Ok(names.collect())
}

/// One file goes where it is told, as `mv` and `cp` would have it.
fn arrive(engine: &mut Engine<'_>, mode: Mode, source: &Text, to: &Text) -> Result<(), Stop> {
    let program: &[&str] = match mode {
        Mode::Move => &["mv", "-f"],
        Mode::Copy => &["cp", "-r"],
        Mode::Link => &["ln", "-f"],
        Mode::Append => return engine.touch(Action::Append, to),
    };
    let mut call: Vec<Text> = program.iter().copied().map(Text::fixed).collect();
    call.extend([source.clone(), to.clone()]);
    engine.call(&call).map(drop)
}

/// What each wildcard of a pattern stands for in a name, if the pattern matches it.
fn pieces(pattern: &str, name: &str) -> Option<Vec<String>> {
    if pattern.len().max(name.len()) > LONGEST_NAME {
        return None;
    }
    let mut pieces = Vec::new();
    let fits = take(pattern, name, &mut pieces, &mut BTreeSet::new());
    fits.then(|| {
        pieces.reverse();
        pieces
    })
}

/// Takes the pieces from behind. What was found not to fit is not tried again.
fn take(
    pattern: &str,
    name: &str,
    pieces: &mut Vec<String>,
    failed: &mut BTreeSet<(usize, usize)>,
) -> bool {
    let state = (pattern.len(), name.len());
    if failed.contains(&state) {
        return false;
    }
    let mut chars = pattern.chars();
    let Some(first) = chars.next() else {
        return name.is_empty();
    };
    let rest = chars.as_str();
    let fits = match first {
        '*' | ';' => {
            let stops = |piece: &str| match first {
                '*' => piece.contains('/'),
                _ => !piece.is_empty() && !piece.ends_with('/'),
            };
            let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            let mut ends = ends.filter(|end| !stops(&name[..*end]));
            let found = ends.find(|end| take(rest, &name[*end..], pieces, failed));
            pieces.extend(found.map(|end| name[..end].to_owned()));
            found.is_some()
        }
        '?' | '[' => {
            let close = rest.find(']').map_or(0, |close| close + 1);
            let (class, rest) = rest.split_at(if first == '[' { close } else { 0 });
            let one = name.chars().next().map_or(0, char::len_utf8);
            let (piece, behind) = name.split_at(one);
            let is_one = piece != "/" && crate::glob::matches(&format!("{first}{class}"), piece);
            let fits = is_one && take(rest, behind, pieces, failed);
            pieces.extend(fits.then(|| piece.to_owned()));
            fits
        }
        own => {
            let (own, rest) = match rest.chars().next() {
                Some(escaped) if own == '\\' => (escaped, &rest[escaped.len_utf8()..]),
                _ => (own, rest),
            };
            let behind = name.strip_prefix(own);
            behind.is_some_and(|behind| take(rest, behind, pieces, failed))
        }
    };
    if !fits {
        failed.insert(state);
    }
    fits
}

/// A target with `#1`, `#u1` and `#l1` replaced.
fn filled(target: &str, pieces: &[String]) -> String {
    let mut written = String::new();
    let mut rest = target;
    while let Some((before, after)) = rest.split_once('#') {
        written.push_str(before);
        let case = after.chars().next().filter(|c| matches!(c, 'u' | 'l'));
        let digits = &after[usize::from(case.is_some())..];
        let end = digits.find(|c: char| !c.is_ascii_digit());
        let (number, behind) = digits.split_at(end.unwrap_or(digits.len()));
        let index = number.parse::<usize>().ok();
        let piece = index.and_then(|index| pieces.get(index.checked_sub(1)?));
        rest = match piece {
            Some(piece) => {
                written.push_str(&match case {
                    Some('u') => piece.to_uppercase(),
                    Some(_) => piece.to_lowercase(),
                    None => piece.clone(),
                });
                behind
            }
            None => {
                written.push('#');
                after
            }
        };
    }
    written + rest
}

/// A target in which something unknown stands from where something is to be put in.
fn unfilled(target: &Text, mark: char) -> Text {
    let start = target.known_start();
    let Some((before, _)) = start.split_once(mark) else {
        return target.clone();
    };
    let mut text = Text::default();
    if !before.is_empty() {
        text.push(Part::Fixed(before.to_owned()));
    }
    text.push(Part::Unknown);
    text
}

/// `zmv '(*).c' '$1.d'`: groups are matched by zsh, and nothing is replaced unless it is forced.
fn by_groups(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["-o", "-p", "-P"]);
    let [from, to] = options.operands.as_slice() else {
        return Ok(());
    };
    if options.has(&["-n"]) {
        return Ok(());
    }
    let moves = name == "zmv" && !options.has(&["-C", "-L"]);
    let pattern = from.known().unwrap_or_default();
    let plain: String = pattern
        .chars()
        .filter(|c| !matches!(c, '(' | ')'))
        .collect();
    for path in matched(engine, &plain)? {
        if moves {
            engine.take_away(Action::Rename, &Text::fixed(path), true)?;
        }
    }
    if options.has(&["-f"]) {
        engine.touch(Action::Overwrite, &unfilled(to, '$'))?;
    }
    Ok(())
}

/// `rename 's/a/b/' FILE…`: the expression is code in perl, unless it is one of two words.
fn by_expression(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(words, &["-e", "-E", "-f"]);
    let only_tells = ["-n", "--no-act", "--nono", "--dry-run", "--just-print"];
    let is_told = options.has(&["-e", "-E"]);
    let mut operands = options.operands.as_slice();
    let mut codes: Vec<Text> = options.values(&["-e", "-E"]).cloned().collect();
    if !is_told && let Some((first, rest)) = operands.split_first() {
        codes.push(first.clone());
        operands = rest;
    }
    for code in codes.iter().filter_map(Text::known) {
        // `s/a/b/` alone does nothing to files.
        if code.contains(['(', '"', '\'', '`']) {
            let arguments = engine.all_named(operands)?;
            code::follow(engine, &Data::Known(code), &arguments, code::Origin::Inline)?;
        }
    }
    if options.has(&only_tells) {
        return Ok(());
    }
    if operands.is_empty() {
        let input = engine.stdin.clone();
        return each_line(engine, &input, Action::Rename);
    }
    operands
        .iter()
        .try_for_each(|file| engine.take_away(Action::Rename, file, false))
}

/// Names are written down, edited, and what is gone from the list goes.
fn by_editor(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let options = Options::parse(
        words,
        &["-e", "--editor", "-f", "--format", "-o", "--options"],
    );
    let here = [Text::fixed(".")];
    let listed = match options.operands.as_slice() {
        [] => &here[..],
        operands => operands,
    };
    for word in listed {
        if word.known().as_deref() == Some("-") {
            let input = engine.stdin.clone();
            each_line(engine, &input, Action::Unknown)?;
            continue;
        }
        for place in engine.places(word)? {
            let target = match place {
                Place::At(path, _) => Target::Tree(engine.resolver().beyond_links(&path)),
                Place::Like(pattern) => Target::Like(pattern),
            };
            engine.note(Action::Unknown, target);
        }
    }
    Ok(())
}

fn each_line(engine: &mut Engine<'_>, input: &Data, action: Action) -> Result<(), Stop> {
    let Some(text) = input.text() else {
        engine.could_do_anything();
        return Ok(());
    };
    for line in text.lines().filter(|line| !line.is_empty()) {
        engine.take_away(action, &Text::fixed(line), false)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_are_what_they_match() {
        let all = |pattern: &str, name: &str| pieces(pattern, name).map(|all| all.join("|"));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(all("a/*.c", "a/b.c"), some("b"));
        assert_eq!(all("*a*", "xaya"), some("x|ya"));
        assert_eq!(all("*", "a/b"), None);
        assert_eq!(all(";*.c", "a/b/d.c"), some("a/b/|d"));
        assert_eq!(all(";*.c", "d.c"), some("|d"));
        assert_eq!(all("?[b-d]x", "acx"), some("a|c"));
        assert_eq!(all("?[b-d]x", "aex"), None);
        assert_eq!(all("a?b", "a/b"), None);
        assert_eq!(all("\\*b", "*b"), some(""));
        assert_eq!(all("\\*b", "ab"), None);
        assert_eq!(all("ab", "a"), None);
        assert_eq!(all("é*", "éü"), some("ü"));
    }

    #[test]
    fn marks_are_replaced_by_their_pieces() {
        let pieces = ["Ab".to_owned(), "c".to_owned()];
        for (target, expected) in [
            ("/x/#1", "/x/Ab"),
            ("#2#1.d", "cAb.d"),
            ("#u1#l1", "ABab"),
            ("#3#0#", "#3#0#"),
            ("#12", "#12"),
            ("plain", "plain"),
        ] {
            assert_eq!(filled(target, &pieces), expected, "{target}");
        }
    }
}
