//! The board as characters.

mod changes;
mod detail;
mod fleet;
mod overview;

use fusebox_core::decision::Risk;
use fusebox_core::{Decision, State};
use fusebox_view::escape;
use fusebox_view::glyphs::Glyphs;
use fusebox_view::phrase;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use crate::board::{Board, Page, Question};
use crate::picture::{Loop, Standing};

/// Below this there is no room for anything.
const LEAST: (u16, u16) = (40, 8);

/// How it is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    pub(crate) glyphs: Glyphs,
    pub(crate) colour: bool,
    /// The wall clock.
    pub(crate) now_ms: i64,
}

/// Draws all of it.
pub(crate) fn draw(board: &Board, frame: &mut Frame<'_>, paint: Paint) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let (width, height) = LEAST;
        let words = format!("terminal too small: {width} by {height} at least; q quits");
        let words = Paragraph::new(words).wrap(Wrap { trim: true });
        frame.render_widget(words, area);
        return;
    }
    let rows = [
        Constraint::Length(1),
        Constraint::Min(0),
        Constraint::Length(1),
    ];
    let [head, body, foot] = Layout::vertical(rows).areas(area);
    frame.render_widget(Paragraph::new(paint.title(board)), head);
    match board.page {
        Page::Overview => overview::draw(board, frame, body, paint),
        Page::Detail => detail::draw(board, frame, body, paint),
        Page::Changes => changes::draw(board, frame, body, paint),
        Page::Fleet => fleet::page(board, frame, body, paint),
    }
    frame.render_widget(Paragraph::new(paint.footer(board, foot)), foot);
}

impl Paint {
    fn title(self, board: &Board) -> Line<'static> {
        let clock = phrase::time(self.now_ms);
        let live = board.loops.iter().filter(|one| one.live).count();
        let open = board
            .loops
            .iter()
            .filter(|one| one.state() == Some(State::Open));
        let counts = format!(
            "{} {} {live} running {} {} open {} {clock}",
            phrase::count(board.loops.len() as u64, "loop"),
            self.dot(),
            self.dot(),
            open.count(),
            self.dot(),
        );
        Line::from(vec![
            Span::styled("fusebox top", Style::new().add_modifier(Modifier::BOLD)),
            Span::raw(format!(" {} {counts}", self.dot())),
        ])
    }

    fn footer(self, board: &Board, area: Rect) -> Line<'static> {
        let width = usize::from(area.width);
        let asked = |text: &str, typed: &str| {
            // The end of what is typed stays in sight.
            let room = width.saturating_sub(text.len() + 2);
            let skipped = typed.chars().count().saturating_sub(room);
            let shown: String = typed.chars().skip(skipped).collect();
            Line::styled(
                format!("{text}{}_", escape::line(&shown, room)),
                self.accent(),
            )
        };
        match (&board.question, &board.message) {
            (Some(Question::TripReason(typed)), _) => asked("open the breaker, because: ", typed),
            (Some(Question::ResetReason(typed)), _) => asked("close the breaker, because: ", typed),
            (Some(Question::Skip), _) => asked("give the task up and end the run? y/n ", ""),
            (Some(Question::Stop), _) => asked("end the run after this iteration? y/n ", ""),
            (Some(Question::Answer), _) => asked(
                "answer: c continue (asks) | s skip the task | x end the run ",
                "",
            ),
            (None, Some(message)) => Line::styled(escape::line(message, width), self.accent()),
            (None, None) => {
                Line::styled(keys(&board.page), Style::new().add_modifier(Modifier::DIM))
            }
        }
    }

    /// A loop's state by its shape, its word and its colour.
    fn state(self, one: &Loop) -> Span<'static> {
        let (state, word) = match &one.standing {
            Standing::Known(known) => {
                let state = known.decision.state;
                let word = fusebox_view::answer::label(&known.policy.labels, state);
                (state, word)
            }
            Standing::Busy => return Span::raw("… busy"),
            Standing::Unreadable(_) => (State::Open, "UNREADABLE"),
        };
        let text = format!("{} {word}", self.glyphs.sign(state));
        Span::styled(text, self.state_style(state))
    }

    fn state_style(self, state: State) -> Style {
        self.coloured(match state {
            State::Closed | State::Complete => Color::Green,
            State::Watching | State::Probing => Color::Yellow,
            State::Open => Color::Red,
        })
        .add_modifier(Modifier::BOLD)
    }

    fn risk_style(self, risk: Risk) -> Style {
        match risk {
            Risk::Low => Style::new(),
            Risk::Medium => self.coloured(Color::Yellow),
            Risk::High => self.coloured(Color::Red),
        }
    }

    fn coloured(self, colour: Color) -> Style {
        if self.colour {
            Style::new().fg(colour)
        } else {
            Style::new()
        }
    }

    fn accent(self) -> Style {
        self.coloured(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    fn dot(self) -> &'static str {
        match self.glyphs {
            Glyphs::Unicode => "·",
            Glyphs::Ascii => "|",
        }
    }

    fn pointer(self) -> &'static str {
        match self.glyphs {
            Glyphs::Unicode => "▶",
            Glyphs::Ascii => ">",
        }
    }
}

fn keys(page: &Page) -> &'static str {
    match page {
        Page::Overview => {
            "up/down  enter open  p pause  c go on  t trip  r reset  s skip  a answer  q quit"
        }
        Page::Detail => {
            "up/down iteration  d changes  p c t r s a x as in the list  esc back  q quit"
        }
        Page::Changes | Page::Fleet => "up/down  page up/down  esc back  q quit",
    }
}

/// How long ago, in a word.
fn ago(then_ms: i64, now_ms: i64) -> String {
    let ms = u64::try_from(now_ms.saturating_sub(then_ms)).unwrap_or(0);
    match ms / 1_000 {
        0..60 => format!("{} s", ms / 1_000),
        60..3_600 => format!("{} min", ms / 60_000),
        3_600..86_400 => format!("{} h", ms / 3_600_000),
        _ => format!("{} d", ms / 86_400_000),
    }
}

/// What is left of the rolling limit, and how long until there is more.
fn calls(decision: &Decision) -> String {
    let calls = &decision.calls;
    match calls.left {
        0 => format!(
            "in {}",
            ago(0, i64::try_from(calls.next_in_ms).unwrap_or(i64::MAX))
        ),
        left => {
            let warning = if calls.near { "!" } else { "" };
            format!("{left}/{}{warning}", calls.limit)
        }
    }
}
