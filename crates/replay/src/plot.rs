//! The frontier as a picture: harm to the right, catches upwards, each policy a
//! point with its intervals.

use std::fmt::Write;

use crate::frontier::Trial;
use crate::share::Share;

/// The picture, in pixels.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 480.0;
/// Around the diagram.
const MARGIN: f64 = 60.0;

/// What a point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A policy that was tried.
    Tried,
    /// One that no other beats.
    Frontier,
    /// The one in force.
    Chosen,
    /// The one that it is compared with.
    Other,
}

impl Mark {
    fn style(self) -> (&'static str, f64) {
        match self {
            Self::Tried => ("#b8c0c8", 3.0),
            Self::Frontier => ("#2b7bba", 4.0),
            Self::Chosen => ("#c23030", 6.0),
            Self::Other => ("#7d4698", 6.0),
        }
    }
}

/// An SVG of all trials. The words come from policies, not from sessions.
#[must_use]
pub fn plot(trials: &[(Mark, &Trial)]) -> String {
    let highest = trials
        .iter()
        .map(|(_, trial)| trial.trip.harmed().interval().1);
    let most = highest.fold(1.0, f64::max);
    let x = |percent: f64| MARGIN + percent / most * (WIDTH - 2.0 * MARGIN);
    let y = |percent: f64| HEIGHT - MARGIN - percent / 100.0 * (HEIGHT - 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    axes(&mut svg, most, &x, &y);
    for (mark, trial) in trials {
        point(&mut svg, *mark, trial, &x, &y);
    }
    svg.push_str("</svg>\n");
    svg
}

fn axes(svg: &mut String, most: f64, x: &impl Fn(f64) -> f64, y: &impl Fn(f64) -> f64) {
    for tenth in (0..=10).step_by(2) {
        let share = f64::from(tenth) / 10.0;
        let (at, up) = (x(share * most), y(share * 100.0));
        let (left, right) = (x(0.0), x(most));
        let _ = writeln!(
            svg,
            "<line x1=\"{left:.1}\" x2=\"{right:.1}\" y1=\"{up:.1}\" y2=\"{up:.1}\" stroke=\"#e4e4e4\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.0} %</text>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.1} %</text>",
            left - 6.0,
            up + 4.0,
            share * 100.0,
            y(0.0) + 18.0,
            share * most
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">good work stopped</text>\
         <text x=\"{:.1}\" y=\"{:.1}\">stuck and spent sessions stopped</text>",
        x(most / 2.0),
        HEIGHT - 14.0,
        x(0.0),
        MARGIN - 24.0
    );
}

fn point(
    svg: &mut String,
    mark: Mark,
    trial: &Trial,
    x: &impl Fn(f64) -> f64,
    y: &impl Fn(f64) -> f64,
) {
    let (harmed, caught) = (trial.trip.harmed(), trial.trip.caught());
    let (at, up) = (x(harmed.percent()), y(caught.percent()));
    let (colour, size) = mark.style();
    if mark != Mark::Tried {
        let (low, high) = harmed.interval();
        let (least, most) = caught.interval();
        let _ = write!(
            svg,
            "<path d=\"M{:.1} {up:.1}H{:.1}M{at:.1} {:.1}V{:.1}\" stroke=\"{colour}\" opacity=\"0.5\"/>",
            x(low),
            x(high),
            y(least),
            y(most)
        );
    }
    let settings = trial.settings.iter().map(|setting| setting.to_string());
    let settings = settings.collect::<Vec<_>>().join(" ");
    let _ = writeln!(
        svg,
        "<circle cx=\"{at:.1}\" cy=\"{up:.1}\" r=\"{size}\" fill=\"{colour}\"><title>{settings} stops {} of those it should and {} of those it should not</title></circle>",
        counted(caught),
        counted(harmed)
    );
}

fn counted(share: Share) -> String {
    format!("{} of {}", share.hits, share.of)
}
