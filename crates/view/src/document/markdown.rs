//! A page as Markdown.

use std::fmt::Write as _;

use super::{Block, Document, Meter, Piece, Text};
use crate::chart::{Chart, Series};
use crate::escape;
use crate::glyphs::Glyphs;
use crate::phrase;
use crate::sparkline::sparkline;

/// The longest line of foreign text.
const WIDTH: usize = 500;
/// Iterations that a curve shows.
const CURVE: usize = 60;
/// The most lines of output.
const LINES: usize = 200;

impl Document {
    /// The page as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n", line(&self.title));
        for part in &self.blocks {
            out.push('\n');
            block(&mut out, part);
        }
        out
    }
}

fn block(out: &mut String, part: &Block) {
    // Writing into a `String` cannot fail.
    let _ = match part {
        Block::Heading(text) => writeln!(out, "## {}", line(text)),
        Block::Paragraph(text) => writeln!(out, "{}", line(text)),
        Block::Facts(facts) | Block::Tiles(facts) => {
            let rows = facts
                .iter()
                .map(|(name, value)| vec![Text::ours(*name), value.clone()]);
            table(out, &["", ""], &rows.collect::<Vec<_>>())
        }
        Block::List(items) => items
            .iter()
            .try_for_each(|item| writeln!(out, "- {}", line(item))),
        Block::Table { head, rows, .. } => table(out, head, rows),
        Block::Meters(meters) => {
            let rows: Vec<_> = meters.iter().map(meter).collect();
            table(out, &["signal", "count", "threshold", ""], &rows)
        }
        Block::Verbatim(text) => fenced(out, text, "text"),
        Block::Diff(text) => fenced(out, text, "diff"),
        Block::Chart(chart) => curves(out, chart),
    };
}

fn fenced(out: &mut String, text: &str, language: &str) -> std::fmt::Result {
    let text = escape::block(text, LINES, WIDTH);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    writeln!(out, "{fence}{language}\n{text}\n{fence}")
}

fn meter(meter: &Meter) -> Vec<Text> {
    vec![
        Text::ours(meter.name.as_str()),
        Text::ours(meter.value.to_string()),
        Text::ours(meter.threshold.to_string()),
        Text::ours(meter.word.unwrap_or_default()),
    ]
}

fn table(out: &mut String, head: &[&str], rows: &[Vec<Text>]) -> std::fmt::Result {
    writeln!(out, "| {} |", head.join(" | "))?;
    writeln!(out, "|{}", "---|".repeat(head.len()))?;
    rows.iter().try_for_each(|row| {
        // A cell ends at a bar even inside a code span, unless it is escaped.
        let cells: Vec<String> = row.iter().map(|cell| barred(&line(cell))).collect();
        writeln!(out, "| {} |", cells.join(" | "))
    })
}

/// Bars that are not escaped already.
fn barred(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    let mut escaped = false;
    for c in cell.chars() {
        if c == '|' && !escaped {
            out.push('\\');
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out
}

/// A chart in a line for each series: Markdown has no pictures of its own.
fn curves(out: &mut String, chart: &Chart) -> std::fmt::Result {
    if chart.is_empty() {
        return Ok(());
    }
    for series in &chart.series {
        let curve = sparkline(&whole(series), CURVE, Glyphs::Unicode);
        writeln!(
            out,
            "- {}: {} `{curve}`",
            ours(&chart.title),
            ours(&series.name)
        )?;
    }
    Ok(())
}

/// The values in thousandths, or as near as a curve of eight steps needs them.
fn whole(series: &Series) -> Vec<Option<i32>> {
    let known = || series.points.iter().filter_map(|(_, value)| *value);
    let largest = known().map(f64::abs).fold(1.0, f64::max);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a share of the largest value, times a million"
    )]
    let scaled = |value: f64| (value / largest * 1e6) as i32;
    series
        .points
        .iter()
        .map(|(_, value)| value.map(scaled))
        .collect()
}

fn line(text: &Text) -> String {
    let pieces = text.0.iter().map(|piece| match piece {
        Piece::Ours(text)
        | Piece::Link {
            text,
            theirs: false,
            ..
        } => ours(text),
        Piece::Theirs(text)
        | Piece::Link {
            text, theirs: true, ..
        } => theirs(text),
        Piece::State(state, label) => {
            format!("{} {}", Glyphs::Unicode.sign(*state), ours(label))
        }
        Piece::Curve(values) => sparkline(values, CURVE, Glyphs::Unicode),
        Piece::Time(ms) => phrase::time(*ms),
        Piece::Unknown => "unknown".to_owned(),
    });
    pieces.collect()
}

/// Words of ours, with every character that could mean something escaped.
fn ours(text: &str) -> String {
    let text = escape::line(text, WIDTH);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\`*_{}[]<>#|~".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Words of others: a code span, with a fence that they do not contain.
fn theirs(text: &str) -> String {
    let text = escape::line(text, WIDTH);
    if text.trim().is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // A span that begins or ends with a backtick needs a space beside it.
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}
