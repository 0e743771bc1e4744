//! The parts of a page as HTML.

use std::fmt::{Result, Write as _};

use fusebox_core::State;

use super::{Block, Meter, Piece, Text};
use crate::chart::Chart;
use crate::glyphs::Glyphs;
use crate::html;
use crate::phrase;
use crate::sparkline::sparkline;

/// The most lines of output.
const LINES: usize = 2_000;
/// Iterations that a small curve shows.
const CURVE: usize = 16;

pub(super) fn write(out: &mut String, part: &Block) {
    // Writing into a `String` cannot fail.
    let _ = match part {
        Block::Heading(text) => writeln!(out, "<h2>{}</h2>", line(text)),
        Block::Paragraph(text) => writeln!(out, "<p>{}</p>", line(text)),
        Block::Facts(facts) => named(out, "facts", facts),
        Block::Tiles(figures) => named(out, "tiles", figures),
        Block::List(items) => {
            out.push_str("<ul>\n");
            for item in items {
                let _ = writeln!(out, "<li>{}</li>", line(item));
            }
            writeln!(out, "</ul>")
        }
        Block::Table { name, head, rows } => table(out, name, head, rows),
        Block::Meters(meters) => meters_of(out, meters),
        Block::Verbatim(text) => writeln!(
            out,
            "<pre tabindex=\"0\">{}</pre>",
            html::lines(text, LINES)
        ),
        Block::Diff(text) => diff(out, text),
        Block::Chart(chart) if chart.is_empty() => Ok(()),
        Block::Chart(chart) => figure(out, chart),
    };
}

fn named(out: &mut String, class: &str, facts: &[(&str, Text)]) -> Result {
    writeln!(out, "<dl class=\"{class}\">")?;
    for (name, value) in facts {
        let (name, value) = (html::text(name), line(value));
        writeln!(out, "<div><dt>{name}</dt><dd>{value}</dd></div>")?;
    }
    writeln!(out, "</dl>")
}

fn table(out: &mut String, name: &str, head: &[&str], rows: &[Vec<Text>]) -> Result {
    writeln!(
        out,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table class=\"rows\">\n<thead><tr>",
        html::text(name)
    )?;
    for name in head {
        write!(out, "<th scope=\"col\">{}</th>", html::text(name))?;
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (index, cell) in row.iter().enumerate() {
            // On a phone a row is a card, and each cell says what it is.
            let name = html::text(head.get(index).copied().unwrap_or_default());
            write!(out, "<td data-name=\"{name}\">{}</td>", line(cell))?;
        }
        out.push_str("</tr>\n");
    }
    writeln!(out, "</tbody>\n</table>\n</div>")
}

/// A bar for each, its length an attribute: the strictest policy allows no style
/// in a page.
fn meters_of(out: &mut String, meters: &[Meter]) -> Result {
    out.push_str("<ul class=\"meters\">\n");
    for meter in meters {
        let Meter {
            name,
            value,
            threshold,
            word,
        } = meter;
        let share = u64::from(*value) * 100 / u64::from(*threshold).max(1);
        let class = if word.is_some() { "speaks" } else { "quiet" };
        let word = word.map_or_else(String::new, |word| format!(", {word}"));
        writeln!(
            out,
            "<li class=\"{class}\"><span>{}</span>\
             <svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
             <rect class=\"whole\" width=\"100\" height=\"8\"/><rect class=\"part\" width=\"{}\" height=\"8\"/></svg>\
             <span>{value} of {threshold}{word}</span></li>",
            html::text(name),
            share.min(100),
        )?;
    }
    writeln!(out, "</ul>")
}

/// A patch, each line marked by what it does. The sign at its beginning stays, for
/// whoever sees no colours.
fn diff(out: &mut String, text: &str) -> Result {
    out.push_str("<pre tabindex=\"0\" class=\"diff\">");
    for line in html::lines(text, LINES).lines() {
        let class = match line.as_bytes() {
            [b'+', b'+', b'+', ..]
            | [b'-', b'-', b'-', ..]
            | [b'd', b'i', b'f', b'f', b' ', ..] => "file",
            [b'+', ..] => "more",
            [b'-', ..] => "less",
            [b'@', ..] => "place",
            _ => "same",
        };
        writeln!(out, "<span class=\"{class}\">{line}</span>")?;
    }
    writeln!(out, "</pre>")
}

fn figure(out: &mut String, chart: &Chart) -> Result {
    let names = chart.series.iter().enumerate().map(|(index, series)| {
        let name = html::text(&series.name);
        format!("<span class=\"s{index}\">{name}</span>")
    });
    let names = match chart.series.len() {
        0 | 1 => String::new(),
        _ => names.collect::<Vec<_>>().join(" "),
    };
    let title = html::text(&chart.title);
    let svg = chart.svg();
    writeln!(
        out,
        "<figure>\n<figcaption>{title} {names}</figcaption>\n{svg}\n</figure>"
    )
}

/// A line of text.
pub(super) fn line(text: &Text) -> String {
    text.0.iter().map(piece).collect()
}

fn piece(piece: &Piece) -> String {
    match piece {
        Piece::Ours(text) | Piece::Theirs(text) => html::text(text),
        Piece::Link { text, to, .. } => {
            format!("<a href=\"{}\">{}</a>", html::text(to), html::text(text))
        }
        Piece::State(state, label) => format!(
            "<span class=\"state {}\"><span aria-hidden=\"true\">{}</span> {}</span>",
            class(*state),
            Glyphs::Unicode.sign(*state),
            html::text(label)
        ),
        Piece::Time(ms) => {
            let time = html::text(&phrase::time(*ms));
            format!("<time datetime=\"{time}\">{time}</time>")
        }
        Piece::Curve(values) => format!(
            "<span class=\"curve\" role=\"img\" aria-label=\"{}\">{}</span>",
            last(values),
            sparkline(values, CURVE, Glyphs::Unicode)
        ),
        Piece::Unknown => {
            "<span class=\"unknown\" role=\"img\" aria-label=\"unknown\">–</span>".to_owned()
        }
    }
}

/// The latest of a curve, for whoever hears it.
fn last(values: &[Option<i32>]) -> String {
    match values.iter().rev().find_map(|value| *value) {
        Some(value) => format!("latest {value}"),
        None => "nothing known".to_owned(),
    }
}

fn class(state: State) -> &'static str {
    match state {
        State::Closed => "closed",
        State::Watching => "watching",
        State::Open => "open",
        State::Probing => "probing",
        State::Complete => "complete",
    }
}
