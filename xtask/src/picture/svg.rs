//! What a terminal shows, as an SVG: characters and the few attributes that fusebox uses.

use std::fmt::Write as _;

const LINE: u32 = 19;
const MARGIN: u32 = 18;
const BAR: u32 = 28;
/// The width of a character of the font, in hundredths of a pixel.
const CHARACTER: u32 = 843;

/// How a piece of text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Style {
    bold: bool,
    dim: bool,
    /// The colour's number, from black to white.
    colour: Option<usize>,
}

/// The colours of a terminal, bright enough on a dark ground.
const COLOURS: [&str; 8] = [
    "#6b7280", "#ff6b6b", "#5bd68a", "#f2c14e", "#6aa9ff", "#d08bf0", "#4fd1d9", "#e5e7eb",
];
const GROUND: &str = "#14171c";
const TEXT: &str = "#d7dae0";

/// The picture of a screen that holds SGR sequences and no others.
pub(super) fn picture(screen: &str, label: &str) -> String {
    let lines: Vec<Vec<(Style, String)>> = screen.lines().map(pieces).collect();
    let widest = lines.iter().map(|line| length(line)).max().unwrap_or(0);
    let width = 2 * MARGIN + (u32::try_from(widest).unwrap_or(u32::MAX) * CHARACTER).div_ceil(100);
    let height = BAR + MARGIN + LINE * u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"{label}\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{GROUND}\"/>\n"
    );
    for (at, colour) in ["#ff5f57", "#febc2e", "#28c840"].iter().enumerate() {
        let x = MARGIN + 18 * u32::try_from(at).unwrap_or(0);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"16\" r=\"5\" fill=\"{colour}\"/>"
        );
    }
    let _ = writeln!(
        svg,
        "<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"14\" fill=\"{TEXT}\">"
    );
    for (at, line) in lines.iter().enumerate() {
        let y = BAR + LINE * (u32::try_from(at).unwrap_or(0) + 1) - 4;
        let text: String = line.iter().map(written).collect();
        if !text.is_empty() {
            let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{y}\">{text}</text>");
        }
    }
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn length(line: &[(Style, String)]) -> usize {
    line.iter().map(|(_, text)| text.chars().count()).sum()
}

fn written((style, text): &(Style, String)) -> String {
    // A space that may not be broken is not taken for the indentation of the source, either.
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace(' ', "\u{a0}");
    let mut attributes = String::new();
    if let Some(colour) = style.colour.and_then(|number| COLOURS.get(number)) {
        let _ = write!(attributes, " fill=\"{colour}\"");
    }
    if style.bold {
        attributes.push_str(" font-weight=\"bold\"");
    }
    if style.dim {
        attributes.push_str(" opacity=\"0.6\"");
    }
    if attributes.is_empty() {
        text
    } else {
        format!("<tspan{attributes}>{text}</tspan>")
    }
}

/// The pieces of a line that look the same.
fn pieces(line: &str) -> Vec<(Style, String)> {
    let mut style = Style::default();
    let mut found: Vec<(Style, String)> = Vec::new();
    for (at, part) in line.trim_end().split("\u{1b}[").enumerate() {
        let text = if at == 0 {
            part
        } else {
            let (codes, text) = part.split_once('m').unwrap_or(("", part));
            codes.split(';').for_each(|code| style.take(code));
            text
        };
        if text.is_empty() {
            continue;
        }
        match found.last_mut() {
            Some((last, before)) if *last == style => before.push_str(text),
            _ => found.push((style, text.to_owned())),
        }
    }
    found
}

impl Style {
    fn take(&mut self, code: &str) {
        match code.parse().unwrap_or(0) {
            0 => *self = Self::default(),
            1 => self.bold = true,
            2 => self.dim = true,
            22 => (self.bold, self.dim) = (false, false),
            number @ 30..=37 => self.colour = Some(number - 30),
            number @ 90..=97 => self.colour = Some(number - 90),
            39 => self.colour = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_weight_are_kept_and_markup_is_text() {
        let svg = picture(
            "a \u{1b}[1m\u{1b}[31mOPEN\u{1b}[0m\u{1b}[39m <b> & c\n\n\u{1b}[2mdim\u{1b}[22m on",
            "a label",
        );
        assert!(svg.contains("aria-label=\"a label\""), "{svg}");
        assert!(
            svg.contains(
                "a\u{a0}<tspan fill=\"#ff6b6b\" font-weight=\"bold\">OPEN</tspan>\u{a0}&lt;b>\u{a0}&amp;\u{a0}c</text>"
            ),
            "{svg}"
        );
        assert!(
            svg.contains("<tspan opacity=\"0.6\">dim</tspan>\u{a0}on"),
            "{svg}"
        );
        assert_eq!(svg.matches("<text").count(), 2);
        assert!(!svg.contains('\u{1b}'));
    }
}
