//! What programs print, where later commands may act on it.
//!
//! A list of names may hold more than what is really printed, but never less: whoever acts
//! on it is then thought to act on all of them. Of a search through the tree only what is
//! protected is listed, since nothing else matters to the verdict.

use super::hosts::own_name;
use super::{Options, counts, listing, path_parts, search, sed, temporary};
use crate::shell::{Engine, echo_escapes, printf_escapes};
use crate::stop::Stop;
use crate::text::{Data, Text};

/// More numbers than these are not written out.
const MOST_NUMBERS: usize = 512;

/// No wider field is filled with blanks.
const LONGEST_FIELD: usize = 1_024;

/// Programs whose output is meant for `eval` and only sets variables.
const SET_UP: &[&str] = &[
    "ssh-agent",
    "direnv",
    "pyenv",
    "rbenv",
    "nodenv",
    "fnm",
    "starship",
    "brew",
    "opam",
    "dircolors",
    "mise",
    "zoxide",
    "conda",
    "luarocks",
    "rustup",
    "sdk",
    "lesspipe",
    "tset",
];

/// What the program prints.
pub(super) fn predict(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<Data, Stop> {
    if SET_UP.contains(&name) {
        return Ok(Data::empty());
    }
    Ok(match name {
        "echo" => echo(&engine.all_named(words)?),
        "printf" => known(printf(&engine.all_named(words)?)),
        "pwd" => line(&engine.working_directory()),
        "cat" | "uniq" if adds_to_lines(words) => Data::Unknown,
        "cat" | "tac" | "sort" => filter(engine, words)?,
        "head" | "tail" if ends_at_bytes(words) => bytes_of(engine, name, words)?,
        "head" | "tail" | "uniq" | "shuf" => some_of(filter(engine, words)?),
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => search::run(engine, name, words)?,
        "base64" => decoded(engine, words)?,
        "rev" => {
            let text = filter(engine, words)?;
            mapped(&text, |line| line.chars().rev().collect())
        }
        "tr" => translated(engine, words),
        "basename" | "dirname" | "realpath" | "readlink" => path_parts::run(engine, name, words)?,
        "ls" | "dir" | "eza" | "exa" => listing::run(engine, words)?,
        "seq" => sequence(words),
        "mktemp" => temporary::make(engine, words)?,
        "tee" => engine.stdin.clone(),
        "sed" | "gsed" => sed::printed(engine, words)?,
        "wc" | "stat" | "du" => counts::run(engine, name, words)?,
        "hostname" if !words.iter().any(is_operand) => Data::Known(format!("{}\n", own_name())),
        "uname" if words == [Text::fixed("-n")] => Data::Known(format!("{}\n", own_name())),
        "date" | "nproc" | "id" => Data::Known("0\n".to_owned()),
        "rm" | "mv" | "cp" | "mkdir" | "touch" | "ln" | "chmod" | "sleep" => Data::empty(),
        _ => Data::Unknown,
    })
}

fn is_operand(word: &Text) -> bool {
    !matches!(
        word.known().as_deref(),
        Some("-s" | "-f" | "--short" | "--fqdn" | "--long")
    )
}

fn known(text: Option<Text>) -> Data {
    text.and_then(|text| text.known())
        .map_or(Data::Unknown, Data::Known)
}

/// A text on a line, or each that it may be on one of its own.
pub(crate) fn line(text: &Text) -> Data {
    let Some(texts) = text.known_alternatives() else {
        return Data::Unknown;
    };
    let lines: String = texts.iter().map(|text| format!("{text}\n")).collect();
    match lines.lines().count() {
        1 => Data::Known(lines),
        _ => Data::Lines(lines),
    }
}

fn echo(words: &[Text]) -> Data {
    let mut words = words;
    let (mut newline, mut escapes) = (true, false);
    while let Some((first, rest)) = words.split_first()
        && let Some(flags) = first.known()
        && flags.len() > 1
        && flags.starts_with('-')
        && flags[1..].chars().all(|c| "neE".contains(c))
    {
        newline &= !flags.contains('n');
        escapes |= flags.contains('e');
        words = rest;
    }
    let text = crate::shell::joined(words);
    match text {
        Data::Known(mut text) => {
            if escapes {
                text = echo_escapes(&text);
            }
            if newline {
                text.push('\n');
            }
            Data::Known(text)
        }
        Data::Lines(_) | Data::Unknown => alternatives(words),
    }
}

/// `echo "$f"` in a loop, or of a value that is one of a few.
fn alternatives(words: &[Text]) -> Data {
    match words {
        [only] => line(only),
        _ => Data::Unknown,
    }
}

/// What `printf` prints, with its format used again as long as there are words left.
pub(crate) fn printf(words: &[Text]) -> Option<Text> {
    let format = printf_escapes(&words.first()?.known()?);
    let values: Option<Vec<String>> = words[1..].iter().map(Text::known).collect();
    let values = values?;
    let mut values = values.iter();
    let mut printed = String::new();
    loop {
        let before = values.len();
        let mut rest = format.as_str();
        while let Some(at) = rest.find('%') {
            printed.push_str(&rest[..at]);
            let spec = &rest[at + 1..];
            let length = spec.find(|c: char| c.is_alphabetic() || c == '%')?;
            let kind = spec[length..].chars().next()?;
            let mut value = || values.next().map_or("", String::as_str);
            match kind {
                '%' => printed.push('%'),
                'b' => printed.push_str(&shaped(&spec[..length], &echo_escapes(value()))?),
                's' => printed.push_str(&shaped(&spec[..length], value())?),
                _ => printed.push_str(value()),
            }
            rest = &spec[length + kind.len_utf8()..];
        }
        printed.push_str(rest);
        if values.len() == 0 || values.len() == before {
            return Some(Text::fixed(printed));
        }
    }
}

/// A value as wide as a format asks for, and no longer: `%-8s`, `%.5s`.
fn shaped(spec: &str, value: &str) -> Option<String> {
    let (width, most) = spec.split_once('.').unwrap_or((spec, ""));
    let number = |text: &str| match text {
        "" => Some(None),
        text => text.parse::<usize>().ok().map(Some),
    };
    let most = match spec.contains('.') {
        true => Some(number(most)?.unwrap_or(0)),
        false => None,
    };
    let is_left = width.starts_with('-');
    let width = number(width.trim_start_matches('-'))?
        .unwrap_or(0)
        .min(LONGEST_FIELD);
    let cut: String = value.chars().take(most.unwrap_or(usize::MAX)).collect();
    Some(match is_left {
        true => format!("{cut:width$}"),
        false => format!("{cut:>width$}"),
    })
}

/// Whether so many bytes are taken and not so many lines.
fn ends_at_bytes(words: &[Text]) -> bool {
    Options::parse(words, &["-n", "-c", "--lines", "--bytes"]).has(&["-c", "--bytes"])
}

/// `head -c 5`, `tail -c +3`.
fn bytes_of(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<Data, Stop> {
    let options = Options::parse(words, &["-n", "-c", "--lines", "--bytes"]);
    let count = options.value(&["-c", "--bytes"]).and_then(Text::known);
    let input = filter(engine, words)?;
    let (Some(count), Data::Known(text), [] | [_]) = (count, input, &options.operands[..]) else {
        return Ok(Data::Unknown);
    };
    let Ok(number) = count.trim_start_matches(['+', '-']).parse::<usize>() else {
        return Ok(Data::Unknown);
    };
    let from_end = text.len().saturating_sub(number);
    let part = match (name, count.starts_with('-'), count.starts_with('+')) {
        ("head", true, _) => text.get(..from_end),
        ("head", ..) => text.get(..number.min(text.len())),
        (_, _, true) => text.get(number.saturating_sub(1).min(text.len())..),
        _ => text.get(from_end..),
    };
    Ok(part.map_or(Data::Unknown, |part| Data::Known(part.to_owned())))
}

/// Whether lines get numbers or marks.
fn adds_to_lines(words: &[Text]) -> bool {
    let options = Options::parse(words, &["-f", "-s", "-w"]);
    options.has(&["-n", "-b", "-A", "-E", "-T", "-e", "-t", "-v", "-c"])
        || options.has(&["--number", "--show-all", "--show-ends", "--count"])
}

/// What goes through, or some lines of it.
fn filter(engine: &mut Engine<'_>, words: &[Text]) -> Result<Data, Stop> {
    let options = Options::parse(words, &["-n", "-c", "-k", "-t", "--lines", "--bytes"]);
    if options.operands.is_empty() {
        return Ok(engine.stdin.clone());
    }
    let mut all = Data::empty();
    for operand in &options.operands {
        let content = match operand.known().as_deref() {
            Some("-") => engine.stdin.clone(),
            _ => engine.content(operand)?,
        };
        all.add(&content);
    }
    Ok(all)
}

/// What is left of it is not known, only that nothing is added.
pub(super) fn some_of(data: Data) -> Data {
    match data {
        Data::Known(text) | Data::Lines(text) => Data::Lines(text),
        Data::Unknown => Data::Unknown,
    }
}

fn mapped(data: &Data, change: impl Fn(&str) -> String) -> Data {
    let all = |text: &str| text.lines().map(|line| change(line) + "\n").collect();
    match data {
        Data::Known(text) => Data::Known(all(text)),
        Data::Lines(text) => Data::Lines(all(text)),
        Data::Unknown => Data::Unknown,
    }
}

fn decoded(engine: &mut Engine<'_>, words: &[Text]) -> Result<Data, Stop> {
    let options = Options::parse(words, &["-w", "--wrap"]);
    if !options.has(&["-d", "-D", "--decode"]) {
        return Ok(Data::Unknown);
    }
    let input = filter(engine, words)?;
    let bytes = input.text().and_then(base64);
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    Ok(text.map_or(Data::Unknown, Data::Known))
}

/// Base64, leniently: what is no letter of it is passed over, as `base64 -di` does.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for letter in text.bytes() {
        let Some(value) = LETTERS.iter().position(|own| *own == letter) else {
            continue;
        };
        bits = (bits << 6 | u32::try_from(value).ok()?) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
        }
    }
    Some(bytes)
}

/// `tr a b`, for single characters and ranges of one length.
fn translated(engine: &Engine<'_>, words: &[Text]) -> Data {
    let options = Options::parse(words, &[]);
    let (Some(input), [from, rest @ ..]) = (engine.stdin.text(), options.operands.as_slice())
    else {
        return Data::Unknown;
    };
    let set = |text: &Text| text.known().map(|text| character_set(&echo_escapes(&text)));
    let Some(from) = set(from) else {
        return Data::Unknown;
    };
    if options.has(&["-d", "--delete"]) {
        return Data::Known(input.chars().filter(|c| !from.contains(c)).collect());
    }
    let Some(to) = rest.first().and_then(set) else {
        return Data::Unknown;
    };
    let swap = |c: char| match from.iter().position(|own| *own == c) {
        Some(at) => to.get(at).or(to.last()).copied().unwrap_or(c),
        None => c,
    };
    Data::Known(input.chars().map(swap).collect())
}

fn character_set(text: &str) -> Vec<char> {
    let letters: Vec<char> = text.chars().collect();
    let mut set = Vec::new();
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        match letters.get(at + 1..at + 3) {
            Some(['-', last]) if letter <= last => {
                set.extend(*letter..=*last);
                at += 3;
            }
            _ => {
                set.push(*letter);
                at += 1;
            }
        }
    }
    set
}

/// What `seq` prints, where it is told nothing but numbers and there are not many.
fn sequence(words: &[Text]) -> Data {
    let numbers: Option<Vec<i64>> = words
        .iter()
        .map(|word| word.known()?.parse().ok())
        .collect();
    let (from, by, until) = match numbers.as_deref() {
        Some([until]) => (1, 1, *until),
        Some([from, until]) => (*from, 1, *until),
        Some([from, by, until]) if *by != 0 => (*from, *by, *until),
        _ => return Data::Unknown,
    };
    let numbers = std::iter::successors(Some(from), |number| number.checked_add(by));
    let numbers = numbers.take_while(|number| {
        if by > 0 {
            *number <= until
        } else {
            *number >= until
        }
    });
    let numbers: Vec<i64> = numbers.take(MOST_NUMBERS + 1).collect();
    if numbers.len() > MOST_NUMBERS {
        return Data::Unknown;
    }
    Data::Known(numbers.iter().map(|number| format!("{number}\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_and_printf_give_what_the_programs_give() {
        assert_eq!(
            base64("cm0gLXJmIHNwZWNz\n").as_deref(),
            Some(&b"rm -rf specs"[..])
        );
        assert_eq!(base64("YQ==").as_deref(), Some(&b"a"[..]));
        let words = ["%s-%d\\n", "a", "1", "b", "2"].map(Text::fixed);
        assert_eq!(printf(&words), Some(Text::fixed("a-1\nb-2\n")));
        assert_eq!(
            printf(&["100%%".into()].map(|s: String| Text::fixed(s))),
            Some(Text::fixed("100%"))
        );
        let words = ["%.5s|%4s|%-3s|", "specsold", "a", "b"].map(Text::fixed);
        assert_eq!(printf(&words), Some(Text::fixed("specs|   a|b  |")));
        assert_eq!(printf(&["%*s", "3", "a"].map(Text::fixed)), None);
        assert_eq!(character_set("a-cx"), ['a', 'b', 'c', 'x']);
    }
}
