//! Commands that are put together bit by bit: `cmd.Dir = "a"` behind `cmd := exec.Command("b")`,
//! `p.arguments = ["a"]` behind `p = Process()`.

use super::outline::{Outline, Span};
use super::started::DIRECTORIES;

/// What makes a command that can be told more later, and the call that starts one told all
/// at once.
const MAKING: [(&str, &str); 8] = [
    ("exec.Command", "exec.Command"),
    ("exec.CommandContext", "exec.Command"),
    ("exec.Cmd", "exec.Command"),
    ("Process", "Process"),
    ("ProcessStartInfo", "Process.Start"),
    ("ProcessBuilder", "ProcessBuilder"),
    ("Command::new", "Command::new"),
    ("Child.init", "Child.init"),
];

/// More than these of one kind are left as they are.
const MOST_MADE: usize = 64;

/// What a command is told by giving it a value. By the same names a call is told.
const FIELDS: [&str; 12] = [
    "executableURL",
    "launchPath",
    "arguments",
    "currentDirectoryURL",
    "currentDirectoryPath",
    "FileName",
    "Arguments",
    "WorkingDirectory",
    "Path",
    "Args",
    "Dir",
    "cwd",
];

/// What a command is told by a call, and as what.
const METHODS: [(&str, &str); 6] = [
    ("arg", ""),
    ("args", ""),
    ("command", ""),
    ("ArgumentList.Add", ""),
    ("directory", "cwd="),
    ("current_dir", "cwd="),
];

/// Something else that a command is told.
struct More {
    /// Where it ends.
    end: usize,
    text: String,
    is_directory: bool,
    /// How many blocks it stands in.
    depth: usize,
}

/// A command where it is made.
struct Made<'o> {
    start: usize,
    end: usize,
    call: &'static str,
    told: String,
    /// What it is called afterwards, if it is called anything.
    name: Option<&'o str>,
    depth: usize,
    /// Whether it is told more there than the call is that makes it.
    is_assembled: bool,
}

/// Code with each such command written out as one call, which stands where it is told the
/// last of all. Where a directory is only said under a condition, it is started in both.
pub(super) fn written_out(code: String) -> String {
    if !MAKING.iter().any(|(making, _)| code.contains(making)) {
        return code;
    }
    let outline = Outline::new(&code);
    let all = made(&outline);
    let mut changes: Vec<(usize, usize, String)> = Vec::new();
    for (index, own) in all.iter().enumerate() {
        let until = all[index + 1..].iter().find(|next| next.name == own.name);
        let until = until.map_or(code.len(), |next| next.start);
        let more = own.name.map_or(Vec::new(), |name| {
            told_later(&outline, name, (own.end, until))
        });
        let Some(last) = more.iter().map(|one| one.end).max() else {
            if own.is_assembled {
                changes.push((own.start, own.end, format!("{}({})", own.call, own.told)));
            }
            continue;
        };
        let is_certain = |one: &&More| !one.is_directory || one.depth <= own.depth;
        let mut calls = own.with(more.iter());
        if !more.iter().all(|one| is_certain(&one)) {
            calls.push_str(&own.with(more.iter().filter(is_certain)));
        }
        changes.push((own.start, own.end, "nil".to_owned()));
        changes.push((last, last, calls));
    }
    changes.sort_by_key(|(start, end, _)| (*start, *end));
    let mut written = String::new();
    let mut copied = 0;
    for (start, end, text) in changes {
        // What is made within another is told there.
        if start >= copied {
            written.push_str(&code[copied..start]);
            written.push_str(&text);
            copied = end;
        }
    }
    written.push_str(&code[copied..]);
    written
}

impl Made<'_> {
    /// The call, told this as well, as a statement of its own.
    fn with<'m>(&self, more: impl Iterator<Item = &'m More>) -> String {
        let own = Some(self.told.as_str()).filter(|told| !told.is_empty());
        let told: Vec<&str> = own
            .into_iter()
            .chain(more.map(|one| one.text.as_str()))
            .collect();
        format!("; {}({})", self.call, told.join(", "))
    }
}

/// The commands that code makes, in their order. One that is told nothing else is left out.
fn made<'o>(outline: &'o Outline<'_>) -> Vec<Made<'o>> {
    let bare = &outline.bare;
    let mut all = Vec::new();
    for (making, call) in MAKING {
        for (start, _) in bare.match_indices(making).take(MOST_MADE) {
            let end = start + making.len();
            let is_whole = !bare[..start].ends_with(|c: char| is_word(c))
                && !bare[end..].starts_with(|c: char| is_word(c) || c == '.');
            let told = is_whole
                .then(|| told_at_once(outline, (start, end)))
                .flatten();
            let Some((told, end, is_assembled)) = told else {
                continue;
            };
            let name = name_before(&bare[..start]);
            if name.is_some() || is_assembled {
                all.push(Made {
                    start,
                    end,
                    call,
                    told: told.join(", "),
                    name,
                    depth: depth(outline, start),
                    is_assembled,
                });
            }
        }
    }
    all.sort_by_key(|one| one.start);
    all
}

/// What a command is told where it is made, in brackets, in braces and by the calls that hang
/// on it; where that ends; and whether it is more than the brackets.
fn told_at_once(outline: &Outline<'_>, (start, end): Span) -> Option<(Vec<String>, usize, bool)> {
    let before = outline.bare[..start].trim_end_matches(|c: char| is_word(c) || c == '.');
    let is_new = before.trim_end() != before && last_word(before.trim_end()) == "new";
    let mut told = Vec::new();
    let mut at = end;
    for opens in ['(', '{'] {
        let rest = &outline.bare[at..];
        let open = at + rest.len() - rest.trim_start().len();
        // Where it is not said to be new, braces further away are those of a block.
        let close = outline
            .partner(open)
            .filter(|_| outline.bare[open..].starts_with(opens) && (is_new || open == end));
        if let Some(close) = close {
            let inner = in_brackets(outline, (open + 1, close));
            told.extend(Some(inner).filter(|inner| !inner.is_empty()));
            at = close + 1;
        }
    }
    if at == end {
        return None;
    }
    let braces = outline.bare[end..at].ends_with('}');
    let mut more = Vec::new();
    let after = hanging(outline, at, &mut more);
    let is_assembled = braces || !more.is_empty();
    told.extend(more.into_iter().map(|one| one.text));
    Some((told, after, is_assembled))
}

/// Follows what hangs on a command, as long as it tells it something; answers with where the
/// last of that ends.
fn hanging(outline: &Outline<'_>, from: usize, more: &mut Vec<More>) -> usize {
    let bare = &outline.bare;
    let (mut at, mut until, mut path) = (from, from, String::new());
    loop {
        let rest = &bare[at..];
        let begins = at + rest.len() - rest.trim_start().trim_start_matches(['?', '!']).len();
        if !bare[begins..].starts_with('.') {
            return until;
        }
        let rest = &bare[begins + 1..];
        let name = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        at = begins + 1 + name.len();
        path = format!("{path}.{name}");
        let is_own = |(own, _): &&(&str, &str)| path.trim_start_matches('.') == *own;
        let method = METHODS.iter().find(is_own);
        let sign = bare[at..].trim_start();
        let close = outline.partner(at).filter(|_| bare[at..].starts_with('('));
        match close {
            Some(close) => {
                if let Some((_, option)) = method {
                    more.push(More {
                        end: close + 1,
                        text: format!("{option}{}", in_brackets(outline, (at + 1, close))),
                        is_directory: !option.is_empty(),
                        depth: depth(outline, begins),
                    });
                    until = close + 1;
                }
                at = close + 1;
                path.clear();
            }
            None if sign.starts_with('=') && !sign.starts_with("==") => {
                let from = bare.len() - sign.len() + 1;
                let end = outline.up_to((from, bare.len()), b";\n");
                if FIELDS.contains(&name) {
                    more.push(More {
                        end,
                        text: format!("{name}={}", in_brackets(outline, (from, end))),
                        is_directory: DIRECTORIES.contains(&name),
                        depth: depth(outline, begins),
                    });
                }
                return end;
            }
            None => {}
        }
        if name.is_empty() {
            return until;
        }
    }
}

/// What a command of this name is told between two places.
fn told_later(outline: &Outline<'_>, name: &str, (from, to): Span) -> Vec<More> {
    let mut more = Vec::new();
    for (at, _) in outline.bare[from..to].match_indices(name) {
        let (start, end) = (from + at, from + at + name.len());
        let is_whole = !outline.bare[..start].ends_with(|c: char| is_word(c) || c == '.')
            && !outline.bare[end..].starts_with(is_word);
        if is_whole {
            hanging(outline, end, &mut more);
        }
    }
    more
}

/// The name that is given what comes next: `a := &`, `var a = new`, `let a: B = try`.
fn name_before(before: &str) -> Option<&str> {
    let line = before.rfind(['\n', ';', '{', '}']).map_or(0, |end| end + 1);
    let (given, value) = before[line..].split_once('=')?;
    let is_plain = |c: char| is_word(c) || " \t&.:!?".contains(c);
    let given = given.trim_end().trim_end_matches(':');
    let given = given.split([':', ',']).next().unwrap_or_default();
    let given = given.trim_end();
    let name = last_word(given);
    (!name.is_empty() && value.chars().all(is_plain)).then_some(name)
}

/// What is told in braces as it is told in brackets, where no line ends a statement.
fn in_brackets(outline: &Outline<'_>, (from, to): Span) -> String {
    let bare = outline.bare[from..to].char_indices();
    let told = &outline.code[from..to];
    let mut written = String::new();
    let mut copied = 0;
    for (at, brace) in bare.filter(|(_, c)| matches!(c, '{' | '}')) {
        written.push_str(&told[copied..at]);
        written.push(if brace == '{' { '(' } else { ')' });
        copied = at + 1;
    }
    written.push_str(&told[copied..]);
    written.trim().trim_end_matches(',').to_owned()
}

fn depth(outline: &Outline<'_>, at: usize) -> usize {
    let before = &outline.bare[..at];
    before
        .matches('{')
        .count()
        .saturating_sub(before.matches('}').count())
}

fn last_word(text: &str) -> &str {
    &text[text.trim_end_matches(is_word).len()..]
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
