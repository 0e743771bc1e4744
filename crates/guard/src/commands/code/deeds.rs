//! What the calls in a statement do, and which part of it says to what.

use super::calls::{COPYING, DELETING, HANDLES, NAMED_FIRST, WRITING_ITSELF};
use super::outline::{Outline, Span};
use crate::commands::literals::Literal;
use crate::effect::Action;

/// Something that is done to paths.
pub(super) struct Deed {
    pub(super) action: Action,
    /// Where the paths stand; nowhere if that cannot be told.
    pub(super) spans: Vec<Span>,
    /// Where that stands which is only read.
    pub(super) source: Option<Span>,
}

/// A call by its name.
pub(super) struct Call {
    pub(super) name: &'static str,
    pub(super) at: usize,
    pub(super) receiver: Span,
    pub(super) arguments: Span,
}

impl Call {
    /// Whether it is a method of what is called so.
    pub(super) fn receiver_is(&self, outline: &Outline<'_>, name: &str) -> bool {
        outline.bare[self.receiver.0..self.receiver.1].ends_with(name)
    }
}

/// Every call of one of these between two places, as a whole name.
pub(super) fn calls(outline: &Outline<'_>, span: Span, names: &[&'static str]) -> Vec<Call> {
    let (start, end) = span;
    let bare = outline.bare.get(start..end).unwrap_or_default();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for name in names {
        for (at, _) in bare.match_indices(name) {
            let before = bare[..at].chars().next_back();
            let after = bare[at + name.len()..].chars().next();
            let starts = name.starts_with(['.', '$', '%', '<']) || !before.is_some_and(is_word);
            let ends = name.ends_with(['(', '[', '`', '*']) || !after.is_some_and(is_word);
            if !starts || !ends || is_defined(&bare[..at]) {
                continue;
            }
            let word = name.trim_start_matches('.').len();
            let own = start + at + name.len() - word;
            // `write(toFile`: what a call is told may be part of how it is known.
            let name_end = start + at + name.find('(').unwrap_or(name.len());
            found.push(Call {
                name,
                at: start + at,
                receiver: outline.receiver(own, start),
                arguments: outline.arguments(name_end, end),
            });
        }
    }
    found
}

/// Whether a name is given here to something of the program's own.
fn is_defined(before: &str) -> bool {
    let before = before.trim_end();
    ["def", "function", "sub", "fn", "func", "fun"]
        .iter()
        .any(|defining| {
            let rest = before.strip_suffix(defining);
            rest.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
}

/// What a statement does.
pub(super) fn deeds(outline: &Outline<'_>, span: Span) -> Vec<Deed> {
    let own = outline.within(span);
    let mut deeds = Vec::new();
    let all = |call: Call| vec![call.receiver, call.arguments];
    for call in calls(outline, span, &outline.tables.deleting) {
        deeds.push(deed(Action::Delete, all(call)));
    }
    for call in calls(outline, span, &outline.tables.perhaps_deleting) {
        if takes_files(outline, &call) {
            deeds.push(deed(Action::Delete, all(call)));
        }
    }
    if own
        .iter()
        .any(|literal| calls_by_name(outline, span, literal))
    {
        deeds.push(deed(Action::Delete, Vec::new()));
    }
    let replacing = calls(outline, span, &outline.tables.replacing);
    let replacing = replacing.into_iter().filter(|call| is_path(outline, call));
    for call in calls(outline, span, &outline.tables.renaming)
        .into_iter()
        .chain(replacing)
    {
        deeds.push(deed(Action::Rename, all(call)));
    }
    for call in calls(outline, span, &outline.tables.writing) {
        let mut deed = writing(outline, &call);
        if let (Some(deed), "O_WRONLY") = (&mut deed, call.name) {
            deed.action = by_flags(outline, span);
        }
        deeds.extend(deed);
    }
    for call in calls(outline, span, &outline.tables.opening) {
        let action = opened_to(outline, &call);
        deeds.extend(action.map(|action| deed(action, opened(outline, &call))));
    }
    deeds
}

/// The parts of a statement that are opened and not to be written.
pub(super) fn opened_to_read(outline: &Outline<'_>, span: Span) -> Vec<Span> {
    let opening = calls(outline, span, &outline.tables.opening).into_iter();
    let read = opening.filter(|call| opened_to(outline, call).is_none());
    let mut spans: Vec<Span> = read.map(|call| outline.first(call.arguments)).collect();
    spans.sort_unstable();
    spans
}

fn deed(action: Action, spans: Vec<Span>) -> Deed {
    Deed {
        action,
        spans: spans.into_iter().filter(|(from, to)| from < to).collect(),
        source: None,
    }
}

/// Lists, sets and maps have these methods too, and are told what to lose; a path that is
/// called so goes itself.
fn takes_files(outline: &Outline<'_>, call: &Call) -> bool {
    let (from, to) = call.receiver;
    let receiver = &outline.code[from..to];
    let (begin, end) = call.arguments;
    let is_told = !outline.code[begin..end].trim().is_empty();
    let is_method = from < to;
    let words = receiver.split(|c: char| !c.is_alphanumeric() && c != '_');
    let of_files = words.into_iter().any(|word| HANDLES.contains(&word));
    let is_call = outline.bare[call.at + call.name.len()..].starts_with(['(', '!']);
    match (is_method, call.name) {
        (true, "discard") => false,
        (true, _) => of_files || (!is_told && is_call),
        (false, "remove") => is_call,
        (false, _) => false,
    }
}

/// Functions of PHP that are told by its name which function they call.
const CALLING_BY_NAME: [&str; 5] = [
    "array_map(",
    "array_walk(",
    "array_filter(",
    "call_user_func(",
    "call_user_func_array(",
];

/// `getattr(os, 'remove')`, `fs['rmSync']`, `array_map('unlink', …)` and `require('rimraf')` call
/// by name.
fn calls_by_name(outline: &Outline<'_>, span: Span, literal: &Literal) -> bool {
    let name = literal.text.as_str();
    let takes_away = DELETING.contains(&name) || matches!(name, "remove" | "rm" | "delete");
    let before = outline.bare[span.0..literal.start].trim_end();
    let is_element = before
        .strip_suffix('[')
        .is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || "_)]".contains(c)));
    let is_module = before.ends_with("require(");
    let is_callback = CALLING_BY_NAME
        .iter()
        .any(|caller| before.ends_with(caller));
    let asked = ["getattr", "send", "attrgetter", "methodcaller"];
    let is_asked = asked.iter().any(|asked| before.contains(asked));
    takes_away && (is_element || is_module || is_callback || is_asked)
}

/// A string has `replace` too; what is called a path has it for itself.
fn is_path(outline: &Outline<'_>, call: &Call) -> bool {
    let receiver = &outline.bare[call.receiver.0..call.receiver.1];
    let is_text = ["read", "str(", ".name", ".suffix", "format"];
    receiver.contains("Path(") && !is_text.iter().any(|text| receiver.contains(text))
}

/// What a call writes to: what it is called on, what it is told first, or whatever it is told.
fn writing(outline: &Outline<'_>, call: &Call) -> Option<Deed> {
    let Call {
        name,
        receiver,
        arguments,
        ..
    } = *call;
    let first = outline.first(arguments);
    if COPYING.contains(&name) {
        let others = (first.1, arguments.1);
        let mut deed = deed(Action::Overwrite, vec![others]);
        deed.source = (first.1 < arguments.1).then_some(first);
        let is_copy_of_itself = arguments.0 >= arguments.1;
        return (!is_copy_of_itself).then_some(deed);
    }
    let spans = if WRITING_ITSELF.contains(&name) {
        vec![receiver]
    } else if NAMED_FIRST.contains(&name) {
        vec![first]
    } else {
        vec![receiver, arguments]
    };
    Some(deed(Action::Overwrite, spans))
}

/// What flags open a file for: who only adds to it leaves what it holds.
fn by_flags(outline: &Outline<'_>, (from, to): Span) -> Action {
    let text = &outline.bare[from..to];
    match text.contains("O_APPEND") && !text.contains("TRUNC") {
        true => Action::Append,
        false => Action::Overwrite,
    }
}

/// What an opened file is opened for, if not to be read.
fn opened_to(outline: &Outline<'_>, call: &Call) -> Option<Action> {
    let (from, to) = call.arguments;
    let flags = ["WRONLY", "RDWR", "TRUNC"];
    if flags
        .iter()
        .any(|flag| outline.bare[from..to].contains(flag))
    {
        return Some(by_flags(outline, call.arguments));
    }
    let own = outline.within(call.arguments);
    // A mode comes behind a name, is called so, or is all that is given.
    let is_mode = |literal: &&Literal| {
        let before = outline.bare[..literal.start].trim_end();
        let is_alone = before.len() <= call.arguments.0;
        let starts = [",", "mode=", "mode =", "mode:"];
        is_alone || starts.iter().any(|start| before.ends_with(start))
    };
    let modes = own.iter().filter(is_mode);
    let modes = modes.filter_map(|literal| mode(&literal.text));
    // Who opens one to add to it may open another to write.
    modes.min_by_key(|action| *action == Action::Append)
}

fn mode(text: &str) -> Option<Action> {
    let is_letters = text.len() <= 6 && text.chars().all(|c| "rwabtxgz2+|:".contains(c));
    match text.chars().next()? {
        '>' if text.starts_with(">>") => Some(Action::Append),
        '>' => Some(Action::Overwrite),
        '+' if matches!(text, "+<" | "+>") => Some(Action::Overwrite),
        'w' if is_letters => Some(Action::Overwrite),
        'r' if is_letters && text.contains('+') => Some(Action::Overwrite),
        'a' if is_letters => Some(Action::Append),
        _ => None,
    }
}

/// What is opened: what comes first, or the path itself where only a mode is given. Perl has
/// the handle first and the path behind the mode or in one with it.
fn opened(outline: &Outline<'_>, call: &Call) -> Vec<Span> {
    let own = outline.within(call.arguments);
    if own
        .iter()
        .any(|literal| literal.text.starts_with(['>', '+', '<']))
    {
        return vec![call.arguments];
    }
    let first = outline.first(call.arguments);
    let is_only_mode = match outline.within(first) {
        [only] => mode(&only.text).is_some(),
        _ => outline.code[first.0..first.1]
            .trim_start()
            .starts_with("mode"),
    };
    vec![if is_only_mode { call.receiver } else { first }]
}
