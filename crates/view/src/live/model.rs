//! The picture of a running loop, and its lines.

use anstyle::{AnsiColor, Style};
use fusebox_core::circuit::State;
use fusebox_core::decision::{Gate, Risk};
use fusebox_core::limiter::CallsLeft;

use super::line::Line;
use crate::answer::style_of;
use crate::escape;
use crate::glyphs::Glyphs;
use crate::phrase;
use crate::sparkline::sparkline;

/// The most columns for one name that comes from outside.
const NAME: usize = 40;

/// The most columns for a sentence; it is cut to the window later.
const SENTENCE: usize = 200;

/// How many iterations the curve of scores shows.
const CURVE: usize = 24;

/// What is known of a running loop. What is not known is left out.
#[derive(Clone, Debug)]
pub struct LiveView {
    /// The iteration under way.
    pub iteration: u64,
    /// How many there may be.
    pub of: Option<u64>,
    /// How long this iteration has been running.
    pub elapsed_ms: u64,
    /// The breaker's state.
    pub state: State,
    /// What this way of working calls it.
    pub label: &'static str,
    /// What the breaker said when it was last asked.
    pub gate: Gate,
    /// How close to a trip the loop is.
    pub risk: Risk,
    /// What happens right now.
    pub activity: Activity,
    /// Files changed in this iteration so far.
    pub files: Option<u64>,
    /// Tokens used by the run.
    pub tokens: Option<u64>,
    /// Millionths of a dollar spent by the run.
    pub micro_usd: Option<u64>,
    /// What is left of the rolling limit.
    pub calls: Option<CallsLeft>,
    /// The progress score of each iteration, the newest last.
    pub scores: Vec<Option<i32>>,
    /// The last iteration that really changed something.
    pub last_change: Option<u64>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The model it works with.
    pub model: Option<String>,
    /// The wall clock, for countdowns.
    pub now_ms: i64,
}

/// What happens right now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Activity {
    /// The agent has not said anything yet.
    Starting,
    /// The agent works without using a tool.
    Thinking,
    /// The agent uses a tool.
    Tool {
        /// The tool's name.
        name: String,
        /// What it was given, or the beginning of that.
        argument: String,
    },
    /// The agent has ended; what it changed is being looked at.
    Measuring,
    /// Nothing runs until a time has come.
    Waiting {
        /// When it goes on.
        until_ms: i64,
        /// What for.
        why: String,
    },
    /// Nothing runs until a person has answered.
    Asking,
}

/// How lines are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    /// Whether colours are wanted. They never carry a meaning alone.
    pub colour: bool,
    /// The signs at hand.
    pub glyphs: Glyphs,
}

impl LiveView {
    /// Two to four lines, each less than `width` columns wide, so that none
    /// ever touches the right edge and wraps. What matters most stands at the
    /// left; what does not fit is left out from the right.
    #[must_use]
    pub fn render(&self, width: usize, paint: Paint) -> Vec<String> {
        [
            self.head(paint),
            self.now(),
            self.course(paint),
            self.spent(),
        ]
        .into_iter()
        .filter(|line| !line.is_empty())
        .map(|line| line.render(width.saturating_sub(1), paint))
        .collect()
    }

    fn head(&self, paint: Paint) -> Line {
        let style = style_of(self.state);
        let mut line = Line::default();
        line.styled(
            format!("{} {}", paint.glyphs.sign(self.state), self.label),
            style,
        );
        line.add(match self.of {
            Some(of) => format!("iteration {} of {of}", self.iteration),
            None => format!("iteration {}", self.iteration),
        });
        match self.gate {
            Gate::Allow => {}
            Gate::AllowOnce => line.add("probe"),
            Gate::Deny(_) if matches!(self.activity, Activity::Waiting { .. }) => {
                line.styled("waiting", style);
            }
            Gate::Deny(_) => line.styled("stopped", style),
        }
        line.add(phrase::duration(self.elapsed_ms));
        if let Some(agent) = &self.agent {
            line.add(escape::line(agent, NAME));
        }
        if let Some(model) = &self.model {
            line.add(escape::line(model, NAME));
        }
        line
    }

    fn now(&self) -> Line {
        let mut line = Line::indented();
        match &self.activity {
            Activity::Starting => line.add("starting"),
            Activity::Thinking => line.add("thinking"),
            Activity::Tool { name, argument } => {
                let name = escape::line(name, NAME);
                let argument = escape::line(argument.trim(), SENTENCE);
                line.add(format!("{name} {argument}").trim_end());
            }
            Activity::Measuring => line.add("measuring what changed"),
            Activity::Waiting { until_ms, why } => {
                line.add(format!(
                    "waiting until {} ({})",
                    clock(*until_ms),
                    phrase::until(*until_ms, self.now_ms)
                ));
                line.add(escape::line(why, SENTENCE));
            }
            Activity::Asking => line.add("waiting for your answer"),
        }
        line
    }

    fn course(&self, paint: Paint) -> Line {
        let mut line = Line::indented();
        line.styled(format!("risk {}", self.risk.word()), risk_style(self.risk));
        let curve = sparkline(&self.scores, CURVE, paint.glyphs);
        if !curve.is_empty() {
            line.drawing(curve);
        }
        if let Some(files) = self.files {
            line.add(format!("{} changed", phrase::count(files, "file")));
        }
        line.add(match self.last_change {
            Some(last) if last == self.iteration => "changing things now".into(),
            Some(last) => format!("last change in iteration {last}"),
            None => "no change yet".to_owned(),
        });
        line
    }

    fn spent(&self) -> Line {
        let mut line = Line::indented();
        if let Some(calls) = &self.calls {
            line.styled(calls_left(calls), calls_style(calls));
        }
        if let Some(micro_usd) = self.micro_usd {
            line.add(phrase::dollars(micro_usd));
        }
        if let Some(tokens) = self.tokens {
            line.add(format!("{} tokens", compact(tokens)));
        }
        line
    }
}

fn risk_style(risk: Risk) -> Style {
    match risk {
        Risk::Low => Style::new(),
        Risk::Medium => AnsiColor::Yellow.on_default(),
        Risk::High => AnsiColor::Red.on_default(),
    }
}

fn calls_left(calls: &CallsLeft) -> String {
    let left = format!("{} of {} calls left", calls.left, calls.limit);
    match (calls.left, calls.near) {
        (0, _) => format!("{left}, next in {}", phrase::duration(calls.next_in_ms)),
        (_, true) => format!("{left}, nearly used up"),
        _ => left,
    }
}

fn calls_style(calls: &CallsLeft) -> Style {
    if calls.near || calls.left == 0 {
        AnsiColor::Yellow.on_default()
    } else {
        Style::new()
    }
}

/// The time of day, in UTC.
fn clock(ms: i64) -> String {
    let time = phrase::time(ms);
    time.split_once('T')
        .map_or(time.as_str(), |(_, clock)| clock)
        .to_owned()
}

/// Three figures are enough for a glance.
fn compact(n: u64) -> String {
    match n {
        0..10_000 => n.to_string(),
        10_000..1_000_000 => format!("{}.{}k", n / 1_000, n % 1_000 / 100),
        _ => format!("{}.{}M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}
