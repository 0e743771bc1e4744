//! Numbers over iterations, as a picture: data in, SVG out.
//!
//! A chart is one `<svg>` element for the middle of a page. It carries no style
//! and no script, so that it can stand in a page with the strictest policy: its
//! strokes take the page's colours through classes (`s0`, `s1`, `mark`, `grid`),
//! and differ in dashes too, because not everybody sees colours.

mod scale;

use std::fmt::Write as _;

use crate::html;
use scale::{Scale, label};

/// As wide as a phone, so that its letters can be read on one; where there is
/// room, two stand side by side.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 176.0;
/// What the numbers at the left and the lines at top and bottom need.
const LEFT: f64 = 44.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 24.0;
const RIGHT: f64 = 8.0;
/// The most points that are drawn of one line: two for each column of pixels
/// would be more than anybody sees.
const POINTS: usize = 1_000;
/// The most marks that are drawn, the latest.
const MARKS: usize = 200;
const DASHES: [&str; 3] = ["", "6 3", "2 3"];

/// A picture of some numbers over iterations.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The lines; three at most differ in their dashes.
    pub series: Vec<Series>,
    /// Iterations that are marked.
    pub marks: Vec<Mark>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it stands for.
    pub name: String,
    /// Iterations and values, in order. A value that is not known is a gap.
    pub points: Vec<(u64, Option<f64>)>,
}

/// Something that happened at an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Which.
    pub iteration: u64,
    /// What, for whoever points at it.
    pub what: String,
}

impl Chart {
    /// Whether there is anything to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values().next().is_none()
    }

    fn values(&self) -> impl Iterator<Item = (u64, f64)> {
        let points = self.series.iter().flat_map(|series| &series.points);
        let known = points.filter_map(|(at, value)| Some((*at, (*value)?)));
        known.filter(|(_, value)| value.is_finite())
    }

    /// The picture; empty where there is nothing to draw.
    #[must_use]
    pub fn svg(&self) -> String {
        let Some(frame) = Frame::around(self) else {
            return String::new();
        };
        let title = html::text(&self.title);
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\" class=\"chart\">\
             <title>{title}</title>"
        );
        frame.grid(&mut out);
        let surplus = self.marks.len().saturating_sub(MARKS);
        for mark in &self.marks[surplus..] {
            frame.mark(&mut out, mark);
        }
        for (index, series) in self.series.iter().enumerate() {
            frame.line(&mut out, index, series);
        }
        out.push_str("</svg>");
        out
    }
}

/// The drawing area: where an iteration and a value are on it.
struct Frame {
    x: Scale,
    y: Scale,
}

impl Frame {
    fn around(chart: &Chart) -> Option<Self> {
        let values: Vec<(u64, f64)> = chart.values().collect();
        let first = values.iter().map(|(at, _)| *at).min()?;
        let last = values.iter().map(|(at, _)| *at).max()?;
        let fold = |pick: fn(f64, f64) -> f64| values.iter().map(|(_, value)| *value).reduce(pick);
        // Zero is always in sight: a line that hardly moves must not look wild.
        let low = fold(f64::min)?.min(0.0);
        let high = fold(f64::max)?.max(0.0);
        let whole = values.iter().all(|(_, value)| value.fract() == 0.0);
        Some(Self {
            x: Scale::new(number(first), number(last), LEFT, WIDTH - RIGHT),
            y: Scale::rounded(low, high, whole, HEIGHT - BOTTOM, TOP),
        })
    }

    fn grid(&self, out: &mut String) {
        for value in self.y.ticks() {
            let y = self.y.place(value);
            let _ = write!(
                out,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\" stroke=\"currentColor\" stroke-opacity=\".2\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"12\" fill=\"currentColor\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                label(value)
            );
        }
        for (value, anchor) in [(self.x.low, "start"), (self.x.high, "end")] {
            let _ = write!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" font-size=\"12\" fill=\"currentColor\">{value}</text>",
                self.x.place(value),
                HEIGHT - 6.0
            );
        }
    }

    fn mark(&self, out: &mut String, mark: &Mark) {
        let at = number(mark.iteration);
        if !(self.x.low..=self.x.high).contains(&at) {
            return;
        }
        let _ = write!(
            out,
            "<path class=\"mark\" d=\"M{:.1} {TOP}V{:.1}\" stroke=\"currentColor\" stroke-dasharray=\"1 2\" stroke-width=\"2\"><title>{}</title></path>",
            self.x.place(at),
            HEIGHT - BOTTOM,
            html::text(&mark.what)
        );
    }

    fn line(&self, out: &mut String, index: usize, series: &Series) {
        let mut path = String::new();
        let mut is_down = false;
        for (at, value) in thinned(&series.points) {
            let Some(value) = value.filter(|value| value.is_finite()) else {
                is_down = false;
                continue;
            };
            let (x, y) = (self.x.place(number(at)), self.y.place(value));
            // A point between two gaps is a line of no length, which round ends
            // make visible.
            let step = if is_down { "L" } else { "M" };
            let _ = write!(path, "{step}{x:.1} {y:.1}");
            if !is_down {
                path.push_str("h0");
            }
            is_down = true;
        }
        let dashes = DASHES[index % DASHES.len()];
        let _ = write!(
            out,
            "<path class=\"s{index}\" d=\"{path}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\" stroke-dasharray=\"{dashes}\"><title>{}</title></path>",
            html::text(&series.name)
        );
    }
}

/// At most so many points that each column still shows its lowest and its
/// highest.
fn thinned(points: &[(u64, Option<f64>)]) -> Vec<(u64, Option<f64>)> {
    if points.len() <= POINTS {
        return points.to_vec();
    }
    let size = points.len().div_ceil(POINTS / 2);
    let order = |a: &&(u64, Option<f64>), b: &&(u64, Option<f64>)| {
        let value = |point: &(u64, Option<f64>)| point.1.unwrap_or(f64::NAN);
        value(a).total_cmp(&value(b))
    };
    let extremes = points.chunks(size).flat_map(|chunk| {
        let known = || chunk.iter().filter(|(_, value)| value.is_some());
        let ends = (known().min_by(order), known().max_by(order));
        let mut both: Vec<_> = match ends {
            (Some(low), Some(high)) => vec![*low, *high],
            _ => chunk.first().copied().into_iter().collect(),
        };
        both.sort_by_key(|(at, _)| *at);
        both.dedup();
        both
    });
    extremes.collect()
}

/// Iterations are counted, and no count that fits on a screen is inexact here.
fn number(iteration: u64) -> f64 {
    iteration as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(u64, Option<f64>)>) -> Chart {
        Chart {
            title: "score & <more>".into(),
            series: vec![Series {
                name: "score".into(),
                points,
            }],
            marks: vec![Mark {
                iteration: 2,
                what: "\"><script>alert(1)</script>".into(),
            }],
        }
    }

    #[test]
    fn points_are_placed_and_gaps_are_left() {
        let drawn = chart(vec![
            (1, Some(0.0)),
            (2, Some(10.0)),
            (3, None),
            (4, Some(-10.0)),
        ]);
        let svg = drawn.svg();
        // The lowest value is at the bottom, the highest at the top.
        assert!(
            svg.contains("M44.0 82.0h0L173.3 12.0M432.0 152.0h0"),
            "{svg}"
        );
        for tick in [">-10<", ">0<", ">10<"] {
            assert!(svg.contains(tick), "{tick} in {svg}");
        }
        assert!(
            svg.contains("class=\"mark\" d=\"M173.3 12V152.0\""),
            "{svg}"
        );
    }

    #[test]
    fn foreign_text_stays_text() {
        let svg = chart(vec![(1, Some(1.0)), (3, Some(2.0))]).svg();
        assert!(!svg.contains("<script"), "{svg}");
        assert!(
            svg.contains("aria-label=\"score &amp; &lt;more&gt;\""),
            "{svg}"
        );
    }

    #[test]
    fn nothing_known_is_nothing_drawn() {
        for points in [vec![], vec![(1, None)], vec![(1, Some(f64::NAN))]] {
            assert_eq!(chart(points).svg(), "");
        }
    }

    #[test]
    fn a_long_past_keeps_its_peaks_and_stays_small() {
        let mut points: Vec<_> = (0..100_000).map(|at| (at, Some(1.0))).collect();
        points[54_321].1 = Some(500.0);
        let thin = thinned(&points);
        assert!(thin.len() <= POINTS, "{}", thin.len());
        assert!(thin.contains(&(54_321, Some(500.0))));
        assert!(chart(points).svg().len() < 50_000);
        let gaps: Vec<_> = (0..100_000).map(|at| (at, None)).collect();
        assert!(thinned(&gaps).iter().all(|(_, value)| value.is_none()));
    }
}
