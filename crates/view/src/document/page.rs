//! A page as one HTML file that needs nothing beside it.

use std::fmt::Write as _;

use super::{Block, Document, Piece, Text};
use crate::html;

/// The most lines of output.
const LINES: usize = 2_000;
/// Nothing may be loaded or run, whatever the page contains.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// How such a page looks: in light and dark, on paper and on a phone.
pub const STYLE: &str = include_str!("page.css");

impl Document {
    /// The page as one HTML file.
    #[must_use]
    pub fn html(&self) -> String {
        let title = line(&self.title);
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
        );
        out.push_str(&self.fragment());
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }

    /// The same without a frame, for the middle of another page.
    #[must_use]
    pub fn fragment(&self) -> String {
        let mut out = format!("<h1>{}</h1>\n", line(&self.title));
        self.blocks.iter().for_each(|part| block(&mut out, part));
        out
    }
}

fn block(out: &mut String, part: &Block) {
    // Writing into a `String` cannot fail.
    let _ = match part {
        Block::Heading(text) => writeln!(out, "<h2>{}</h2>", line(text)),
        Block::Paragraph(text) => writeln!(out, "<p>{}</p>", line(text)),
        Block::Facts(facts) => {
            out.push_str("<dl>\n");
            for (name, value) in facts {
                let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", html::text(name), line(value));
            }
            writeln!(out, "</dl>")
        }
        Block::List(items) => {
            out.push_str("<ul>\n");
            for item in items {
                let _ = writeln!(out, "<li>{}</li>", line(item));
            }
            writeln!(out, "</ul>")
        }
        Block::Table { head, rows } => table(out, head, rows),
        Block::Verbatim(text) => {
            writeln!(
                out,
                "<pre tabindex=\"0\">{}</pre>",
                html::lines(text, LINES)
            )
        }
        Block::Chart(chart) if chart.is_empty() => Ok(()),
        Block::Chart(chart) => {
            let names = chart.series.iter().enumerate().map(|(index, series)| {
                format!(
                    "<span class=\"s{index}\">{}</span>",
                    html::text(&series.name)
                )
            });
            let names = names.collect::<Vec<_>>().join(" ");
            let title = html::text(&chart.title);
            let svg = chart.svg();
            writeln!(
                out,
                "<figure>\n<figcaption>{title}: {names}</figcaption>\n{svg}\n</figure>"
            )
        }
    };
}

fn table(out: &mut String, head: &[&str], rows: &[Vec<Text>]) -> std::fmt::Result {
    out.push_str("<div class=\"wide\" tabindex=\"0\">\n<table>\n<thead><tr>");
    for name in head {
        write!(out, "<th scope=\"col\">{}</th>", html::text(name))?;
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            write!(out, "<td>{}</td>", line(cell))?;
        }
        out.push_str("</tr>\n");
    }
    writeln!(out, "</tbody>\n</table>\n</div>")
}

fn line(text: &Text) -> String {
    let pieces = text.0.iter().map(|piece| match piece {
        Piece::Ours(text) | Piece::Theirs(text) => html::text(text),
        Piece::Link { text, to } => {
            format!("<a href=\"{}\">{}</a>", html::text(to), html::text(text))
        }
    });
    pieces.collect()
}
