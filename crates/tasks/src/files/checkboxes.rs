//! Boxes in a Markdown plan: `- [ ]` is to be done, `- [x]` somebody says is done.
//!
//! Such a list has no ids. One that stands in the text is taken; else a name is
//! made from the words of the line, which survive a plan that is sorted anew.

use std::collections::HashMap;
use std::ops::Range;

use super::Shape;
use crate::source::{Capabilities, Move};
use crate::status::Status;
use crate::task::Task;

/// Boxes in a plan.
pub(crate) struct Checkboxes;

/// Under these headings stands what need not be done.
const OPTIONAL: [&str; 4] = ["optional", "future", "nice to have", "nice-to-have"];

/// The longest id that is taken from a line.
const ID_BYTES: usize = 24;

/// One box.
struct Boxed<'a> {
    /// The byte between the brackets.
    mark: Range<usize>,
    ticked: bool,
    text: &'a str,
    heading: Option<&'a str>,
    optional: bool,
}

impl Shape for Checkboxes {
    fn name(&self) -> &'static str {
        "boxes"
    }

    fn capabilities(&self, _text: &str) -> Capabilities {
        Capabilities {
            close: true,
            ..Capabilities::default()
        }
    }

    fn recognises(&self, text: &str) -> bool {
        boxes(text).next().is_some()
    }

    fn read(&self, text: &str) -> Option<Vec<Task>> {
        let tasks: Vec<Task> = named(text).map(|(id, boxed)| boxed.task(id)).collect();
        (!tasks.is_empty()).then_some(tasks)
    }

    fn moved(&self, text: &str, id: &str, to: &Move<'_>) -> Option<String> {
        let mark = match to {
            Move::Close { .. } => "x",
            Move::Open { .. } => " ",
            _ => return None,
        };
        let (_, boxed) = named(text).find(|(name, _)| name == id)?;
        let mut changed = text.to_owned();
        changed.replace_range(boxed.mark, mark);
        Some(changed)
    }
}

impl Boxed<'_> {
    fn task(&self, id: String) -> Task {
        let named_by_words = given_id(&plain(self.text)).is_none();
        let status = match (self.ticked, self.optional) {
            (true, _) => Status::Done,
            (false, true) => Status::Deferred,
            (false, false) => Status::Open,
        };
        Task {
            named_by_words,
            kind: self.heading.map(str::to_owned),
            ..Task::new(id, plain(self.text), status)
        }
    }
}

/// The boxes with their names; the second of two with the same words is another.
fn named(text: &str) -> impl Iterator<Item = (String, Boxed<'_>)> {
    let mut taken: HashMap<String, u32> = HashMap::new();
    boxes(text).map(move |boxed| {
        let id = id(boxed.text);
        let count = taken.entry(id.clone()).or_default();
        *count += 1;
        let id = if *count == 1 {
            id
        } else {
            format!("{id}-{count}")
        };
        (id, boxed)
    })
}

fn boxes(text: &str) -> impl Iterator<Item = Boxed<'_>> {
    let mut at = 0;
    let mut fenced = false;
    let mut heading: Option<&str> = None;
    let mut optional: Option<usize> = None;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
        }
        if fenced {
            return None;
        }
        let level = trimmed.bytes().take_while(|byte| *byte == b'#').count();
        if level > 0 && trimmed[level..].starts_with(' ') {
            let words = trimmed[level..].trim();
            // What stands below an optional heading is optional, too.
            if optional.is_none_or(|above| level <= above) {
                let lower = words.to_lowercase();
                optional = OPTIONAL
                    .iter()
                    .any(|word| lower.contains(word))
                    .then_some(level);
            }
            heading = Some(words);
            return None;
        }
        let mark = start + mark(line)?;
        let ticked = matches!(text.as_bytes()[mark], b'x' | b'X');
        Some(Boxed {
            mark: mark..mark + 1,
            ticked,
            text: text[mark + 2..start + line.len()].trim(),
            heading,
            optional: optional.is_some(),
        })
    })
}

/// Where the mark of a box stands in a line that is one.
fn mark(line: &str) -> Option<usize> {
    let item = line.trim_start();
    let indent = line.len() - item.len();
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let bullet = match (digits, item.as_bytes().get(digits)?) {
        (0, b'-' | b'*' | b'+') => 1,
        (1.., b'.' | b')') => digits + 1,
        _ => return None,
    };
    let rest = &item[bullet..];
    let gap = rest.len() - rest.trim_start_matches(' ').len();
    match rest.as_bytes().get(gap..)? {
        [b'[', b' ' | b'x' | b'X', b']', b' ', ..] if gap > 0 => Some(indent + bullet + gap + 1),
        _ => None,
    }
}

/// The words without marks of emphasis.
fn plain(text: &str) -> String {
    text.replace("**", "").replace('`', "").trim().to_owned()
}

/// The id that a line names; else one that is made of its words.
fn id(text: &str) -> String {
    let words = plain(text);
    if let Some(given) = given_id(&words) {
        return given.to_owned();
    }
    // FNV-1a: the same words have the same name in every release.
    let hash = words
        .to_lowercase()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("box-{:06x}", (hash >> 40) ^ (hash & 0xff_ffff))
}

/// The id that stands before the other words: `[bd-12] …`, `T-12: …` or `US-001 …`.
fn given_id(words: &str) -> Option<&str> {
    let first = words.split_whitespace().next().unwrap_or_default();
    let bare = first.trim_matches(|c: char| "[]():.".contains(c));
    let is_id = bare.len() <= ID_BYTES
        && bare.contains('-')
        && bare.ends_with(|c: char| c.is_ascii_alphanumeric())
        && (first.starts_with('[')
            || bare
                .rsplit('-')
                .next()
                .is_some_and(|end| end.bytes().all(|b| b.is_ascii_digit())));
    is_id.then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "# Plan\n## High Priority\n- [ ] **T-1**: log in\n  * [x] write a test\n1. [ ] write a test\n\
        ```\n- [ ] an example\n```\n## Nice to Have\n- [ ] dark mode\n### Details\n- [ ] icons\n## Low\n- [X] [bd-a3f] colours\n- [] no box\n";

    #[test]
    fn boxes_are_found_where_a_reader_sees_them() {
        let tasks = Checkboxes.read(PLAN).unwrap();
        let told: Vec<_> = tasks
            .iter()
            .map(|task| (task.title.as_str(), task.status))
            .collect();
        assert_eq!(
            told,
            [
                ("T-1: log in", Status::Open),
                ("write a test", Status::Done),
                ("write a test", Status::Open),
                ("dark mode", Status::Deferred),
                ("icons", Status::Deferred),
                ("[bd-a3f] colours", Status::Done),
            ]
        );
        assert_eq!(
            (tasks[0].id.as_str(), tasks[5].id.as_str()),
            ("T-1", "bd-a3f")
        );
        assert_eq!(tasks[2].id, format!("{}-2", tasks[1].id));
        assert_eq!(tasks[0].kind.as_deref(), Some("High Priority"));
        let by_words = |place: usize| tasks[place].named_by_words;
        assert!(!by_words(0) && by_words(1) && by_words(2) && !by_words(5));
        assert_eq!(Checkboxes.read("# Plan\nno boxes\n"), None);
    }

    #[test]
    fn a_tick_is_one_byte() {
        let close = Move::Close {
            evidence: "tests",
            at_ms: 0,
        };
        let ticked = Checkboxes.moved(PLAN, "T-1", &close).unwrap();
        assert_eq!(ticked, PLAN.replace("[ ] **T-1**", "[x] **T-1**"));
        let open = Move::Open { note: "" };
        assert_eq!(Checkboxes.moved(&ticked, "T-1", &open).unwrap(), PLAN);
        assert_eq!(
            Checkboxes.moved(PLAN, "T-1", &Move::Block { reason: "" }),
            None
        );
    }
}
