//! Acceptance criteria: boxes in a Markdown document that are ticked or not.

use crate::markdown::{Fences, Line};
use crate::plain_text::clean;

/// Under these headings stands what need not be met. Lists of tasks go by the same words.
const OPTIONAL: [&str; 4] = ["optional", "future", "nice to have", "nice-to-have"];

/// How many criteria there are of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Criteria {
    /// Ticked boxes.
    pub met: u32,
    /// Empty boxes.
    pub unmet: u32,
}

/// Counts the boxes of a document, or of one section of it with the parts below it.
///
/// `None` if there is no such section, or no box in it: criteria that cannot be found are
/// unknown, not met.
/// What stands below a heading such as "Optional" need not be met, unless that is the section
/// that was asked for. Boxes in code fences and comments are examples and do not count.
pub fn count(markdown: &[u8], section: Option<&str>) -> Option<Criteria> {
    read(markdown, section, &mut |_| {})
}

/// The same, with the words of each that is not met.
pub(crate) fn read(
    markdown: &[u8],
    section: Option<&str>,
    unmet: &mut dyn FnMut(&str),
) -> Option<Criteria> {
    let text = clean(markdown);
    let mut criteria = Criteria::default();
    let mut scope = match section {
        None => Scope::Inside { level: 0 },
        Some(_) => Scope::Outside,
    };
    let mut found = section.is_none();
    let mut hidden = Hidden::default();
    let mut optional: Option<usize> = None;
    for line in text.lines() {
        if hidden.hides(line) {
            continue;
        }
        let heading = heading(line);
        if let (Some((level, title)), Some(section)) = (heading, section) {
            scope = scope.at_heading(level, is_title(title, section));
            found |= scope != Scope::Outside;
        }
        if let Some((level, title)) = heading {
            let is_wanted = section.is_some_and(|section| is_title(title, section));
            if optional.is_none_or(|above| level <= above) {
                optional = (is_optional(title) && !is_wanted).then_some(level);
            } else if is_wanted {
                optional = None;
            }
        } else if scope != Scope::Outside && optional.is_none() {
            match ticked(line) {
                Some((true, _)) => criteria.met = criteria.met.saturating_add(1),
                Some((false, words)) => {
                    criteria.unmet = criteria.unmet.saturating_add(1);
                    unmet(words);
                }
                None => {}
            }
        }
    }
    found &= criteria != Criteria::default();
    found.then_some(criteria)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Outside,
    /// Inside the section whose heading has this level.
    Inside {
        level: usize,
    },
}

impl Scope {
    /// A section reaches up to the next heading of its own level or a higher one.
    fn at_heading(self, level: usize, is_wanted: bool) -> Self {
        match self {
            Self::Inside { level: above } if level > above => self,
            _ if is_wanted => Self::Inside { level },
            _ => Self::Outside,
        }
    }
}

/// The parts of a document that are not its text.
#[derive(Default)]
struct Hidden {
    fences: Fences,
    in_comment: bool,
}

impl Hidden {
    /// Whether the line is quoted, or lies in a comment as a whole.
    fn hides(&mut self, line: &str) -> bool {
        if self.in_comment {
            self.in_comment = !line.contains("-->");
            return true;
        }
        if self.fences.take(line) != Line::Text {
            return true;
        }
        let comment = line.rsplit_once("<!--");
        self.in_comment = comment.is_some_and(|(_, rest)| !rest.contains("-->"));
        comment.is_some_and(|(before, _)| before.trim().is_empty())
    }
}

/// Whether a heading says that what stands below it need not be done: what lists of tasks put off
/// as well.
fn is_optional(title: &str) -> bool {
    let title = title.to_lowercase();
    OPTIONAL.iter().any(|word| title.contains(word))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then_some((level, title))
}

fn is_title(title: &str, section: &str) -> bool {
    let bare = |text: &str| {
        text.trim_matches(|it: char| it.is_whitespace() || "#*:_".contains(it))
            .to_lowercase()
    };
    bare(title) == bare(section)
}

/// Whether the box at the start of a list item is ticked, and what stands behind it; `None` if
/// there is no box.
///
/// `[NOTE]`, `[v1.0]` and links are not boxes.
fn ticked(line: &str) -> Option<(bool, &str)> {
    let line = line.trim_start().trim_start_matches("> ").trim_start();
    let number = line.trim_start_matches(|it: char| it.is_ascii_digit());
    let item = match line.strip_prefix(['-', '*', '+']) {
        Some(item) => item,
        None if number.len() < line.len() => number.strip_prefix(['.', ')'])?,
        None => return None,
    };
    let inner = item.strip_prefix(' ')?.trim_start().strip_prefix('[')?;
    let mut characters = inner.chars();
    let mark = characters.next()?;
    let is_box = characters.next() == Some(']') && matches!(characters.next(), None | Some(' '));
    match mark {
        ' ' if is_box => Some((false, characters.as_str().trim())),
        'x' | 'X' if is_box => Some((true, characters.as_str().trim())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn both(markdown: &str, section: Option<&str>) -> Option<(u32, u32)> {
        count(markdown.as_bytes(), section).map(|it| (it.met, it.unmet))
    }

    #[test]
    fn boxes_and_what_only_looks_like_one() {
        for (line, expected) in [
            ("- [ ] a", (0, 1)),
            ("- [x] a", (1, 0)),
            ("* [X] a", (1, 0)),
            ("+ [ ] a", (0, 1)),
            ("12. [ ] a", (0, 1)),
            ("  - [ ] indented", (0, 1)),
            ("> - [ ] quoted", (0, 1)),
            ("- [ ]", (0, 1)),
            ("- [ ] windows\r", (0, 1)),
            ("- [NOTE] a", (0, 0)),
            ("- [v1.0] a", (0, 0)),
            ("- [#123] a", (0, 0)),
            ("- [2026-01-29] a", (0, 0)),
            ("- [x](link) a", (0, 0)),
            ("- []", (0, 0)),
            ("[ ] no item", (0, 0)),
            ("-[ ] no space", (0, 0)),
            ("text - [ ] text", (0, 0)),
            ("- [é] a", (0, 0)),
        ] {
            let expected = Some(expected).filter(|counts| *counts != (0, 0));
            assert_eq!(both(line, None), expected, "{line}");
        }
    }

    #[test]
    fn unmet_criteria_of_a_section_are_counted() {
        let document = "# Plan\n- [ ] before\n## Acceptance Criteria:\n- [x] one\n- [ ] two\n\
                        ### Details\n- [ ] three\n```\n- [ ] an example\n## Other\n```\n\
                        <!-- - [ ] an old one\n- [ ] more of it -->\n- [x] four\n\
                        ## Later\n- [ ] after\n";
        for (section, expected) in [
            (Some("Acceptance Criteria"), Some((2, 2))),
            (Some("acceptance criteria"), Some((2, 2))),
            (Some("## Details"), Some((1, 1))),
            (Some("Later"), Some((0, 1))),
            (Some("Other"), None),
            (Some("Missing"), None),
            (None, Some((2, 4))),
        ] {
            assert_eq!(both(document, section), expected, "{section:?}");
        }
    }

    #[test]
    fn only_a_fence_of_its_kind_closes_a_fence() {
        assert_eq!(both("```\n- [ ] never closed\n", None), None);
        for (document, unmet) in [
            ("````\n```\n- [ ] a\n````\n- [ ] b\n", 1),
            ("~~~\n```\n- [ ] a\n~~~\n- [ ] b\n", 1),
            ("```md\n- [ ] a\n```md\n- [ ] b\n```\n- [ ] c\n", 1),
            ("- [ ] a <!-- note -->\n- [ ] b\n", 2),
        ] {
            assert_eq!(both(document, None), Some((0, unmet)), "{document}");
        }
    }

    proptest! {
        #[test]
        fn any_document_is_counted(text in "[-*#`~\\[\\]x \n<>!1.é]{0,200}") {
            count(text.as_bytes(), None);
            count(text.as_bytes(), Some("x"));
        }
    }
}
