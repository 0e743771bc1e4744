//! Hostile text stays text, in both renderings.

use super::*;
use crate::chart::{Mark, Series};

/// What an agent, an error or a file name could contain.
const HOSTILE: [&str; 22] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "</pre></td></title><iframe src=//evil.example>",
    "javascript:alert(1)",
    "<!-- --><style>*{display:none}</style>",
    "&lt;script&gt;",
    "[click](javascript:alert(1))",
    "![x](https://evil.example/pixel.png)",
    "https://evil.example/?q=1 and www.evil.example",
    "# a heading\n## another",
    "| a | b |\n|---|---|\n| c | d |",
    "\\| \\\\| a bar",
    "``` not the end\n```\n<b>out</b>",
    "`one` ``two`` ```three```",
    "@everyone #1 a@b.example",
    "- [x] done\n> quote",
    "\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}]8;;https://evil.example\u{1b}\\",
    "\u{202e}gnp.exe \u{200b}\u{feff}",
    "\r\nSet-Cookie: a=b\0",
    "$(rm -rf /) `id` ${IFS}",
];

fn document(text: &str) -> Document {
    Document {
        title: Text::theirs(text),
        blocks: vec![
            Block::Heading(Text::ours("why ").then(Text::theirs(text))),
            Block::Paragraph(Text::theirs(text)),
            Block::Facts(vec![("reason", Text::theirs(text))]),
            Block::List(vec![Text::theirs(text)]),
            Block::Tiles(vec![("loop", Text::link_of_theirs(text, "#/loops/1"))]),
            Block::Meters(vec![Meter {
                name: "no progress".into(),
                value: 3,
                threshold: 2,
                word: Some("tripped"),
            }]),
            Block::Paragraph(
                Text::state(State::Open, "OPEN").then(Text::curve(vec![None, Some(1)])),
            ),
            Block::Table {
                name: "what was found",
                head: vec!["error", "file"],
                rows: vec![vec![Text::theirs(text), Text::theirs(text)]],
            },
            Block::Verbatim(text.to_owned()),
            Block::Diff(format!(" {}", text.replace('\n', " "))),
            Block::Chart(Chart {
                title: text.to_owned(),
                series: vec![Series {
                    name: text.to_owned(),
                    points: vec![(1, Some(1.0)), (2, Some(2.0))],
                }],
                marks: vec![Mark {
                    iteration: 1,
                    what: text.to_owned(),
                }],
            }),
        ],
    }
}

fn has_controls(text: &str) -> bool {
    let hostile = |c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}' | '\u{feff}')
    };
    text.chars().any(hostile)
}

#[test]
fn a_page_has_the_same_tags_whatever_the_text() {
    let tags = |page: &str| {
        let starts = page.split('<').skip(1).map(|rest| {
            let name = rest.split(['>', ' ']).next().unwrap_or_default();
            name.to_owned()
        });
        starts.collect::<Vec<String>>()
    };
    let harmless = tags(&document("harmless").html());
    for text in HOSTILE {
        let page = document(text).html();
        assert_eq!(tags(&page), harmless, "{text:?}: {page}");
        assert!(!has_controls(&page), "{text:?}");
        // A quote of theirs would end an attribute of ours.
        let quotes = page.matches('"').count();
        assert_eq!(
            quotes,
            document("harmless").html().matches('"').count(),
            "{text:?}"
        );
    }
}

#[test]
fn markdown_keeps_what_is_theirs_inside_code() {
    for text in HOSTILE {
        let page = document(text).markdown();
        assert!(!has_controls(&page), "{text:?}");
        let mut fence: Option<String> = None;
        for line in page.lines() {
            if let Some(open) = &fence {
                if line == open {
                    fence = None;
                }
                continue;
            }
            if let Some(mark) = line.strip_suffix("text").or(line.strip_suffix("diff"))
                && mark.len() > 2
                && mark.chars().all(|c| c == '`')
            {
                fence = Some(mark.to_owned());
                continue;
            }
            let outside = without_code(line);
            for sign in [
                "<script",
                "<img",
                "<svg",
                "](",
                "evil.example",
                "@everyone",
                "rm -rf",
            ] {
                // A chart's title is ours by its type, and escaped as such.
                let bare = outside
                    .replace("\\<", "")
                    .replace("\\]", "")
                    .replace("\\[", "");
                let is_chart = line.starts_with("- ") && line.ends_with("▁█`");
                assert!(is_chart || !bare.contains(sign), "{text:?}: {line}");
            }
        }
        assert_eq!(fence, None, "{text:?}: the output has an end");
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
        for row in rows {
            let mut bars = row.replace("\\\\", "").replace("\\|", "");
            bars.retain(|c| c == '|');
            // Two columns, or the four of counts against thresholds.
            let counts = row.contains("threshold") || row.contains("no progress");
            assert_eq!(bars.len(), if counts { 5 } else { 3 }, "{text:?}: {row}");
        }
    }
}

/// A line without its code spans.
fn without_code(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let before = &rest[..start];
        let run = rest[start..].chars().take_while(|c| *c == '`').count();
        if before.ends_with('\\') {
            out.push_str(&rest[..start + run]);
            rest = &rest[start + run..];
            continue;
        }
        let after = &rest[start + run..];
        let close = closing(after, run);
        out.push_str(before);
        rest = match close {
            Some(end) => &after[end + run..],
            None => after,
        };
    }
    out + rest
}

/// Where a run of exactly so many backticks begins.
fn closing(text: &str, run: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`') {
        let start = at + start;
        let length = text[start..].chars().take_while(|c| *c == '`').count();
        if length == run {
            return Some(start);
        }
        at = start + length;
    }
    None
}

#[test]
fn a_page_loads_nothing_and_reads_well_in_both_forms() {
    let page = Document {
        title: Text::ours("report"),
        blocks: vec![
            Block::Heading(Text::ours("in_short")),
            Block::Facts(vec![("state", Text::ours("OPEN"))]),
            Block::Meters(vec![Meter {
                name: "no progress".into(),
                value: 3,
                threshold: 2,
                word: Some("tripped"),
            }]),
            Block::Paragraph(
                Text::state(State::Open, "OPEN").then(Text::curve(vec![None, Some(1)])),
            ),
            Block::Table {
                name: "what was found",
                head: vec!["iteration", "error"],
                rows: vec![vec![Text::ours("3"), Text::theirs("a|b")]],
            },
        ],
    };
    let expected = "# report\n\n## in\\_short\n\n|  |  |\n|---|---|\n| state | OPEN |\n\n\
        | signal | count | threshold |  |\n|---|---|---|---|\n| no progress | 3 | 2 | tripped |\n\n\
        ✖ OPEN ▄\n\n\
        | iteration | error |\n|---|---|\n| 3 | `a\\|b` |\n";
    assert_eq!(page.markdown(), expected);
    let html = page.html();
    assert!(html.contains("default-src 'none'"), "{html}");
    for loads in [
        "src=", "href=", "url(", "@import", "<script", "http:", "https:",
    ] {
        assert!(!html.contains(loads), "{loads}");
    }
}
