//! A page as one HTML file that needs nothing beside it.

use super::part::line;
use super::{Block, Document, part};

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
        let mut blocks = self.blocks.as_slice();
        while let Some((first, rest)) = blocks.split_first() {
            // Pictures that follow each other stand side by side.
            let pictures = blocks.iter().take_while(|part| is_picture(part)).count();
            if pictures > 1 {
                let (row, after) = blocks.split_at(pictures);
                out.push_str("<div class=\"charts\">\n");
                row.iter().for_each(|part| part::write(&mut out, part));
                out.push_str("</div>\n");
                blocks = after;
                continue;
            }
            part::write(&mut out, first);
            blocks = rest;
        }
        out
    }
}

fn is_picture(part: &Block) -> bool {
    matches!(part, Block::Chart(chart) if !chart.is_empty())
}
