//! One loop: its signals against their thresholds, the evidence of a trip, and
//! its iterations, the latest on top.

use fusebox_core::decision::Reading;
use fusebox_core::signals::Level;
use fusebox_view::glyphs::Glyphs;
use fusebox_view::{escape, phrase};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Paragraph, Row, Table, TableState};

use super::Paint;
use crate::board::Board;
use crate::picture::{Iteration, Known, Standing};

/// The most signals that are shown, those closest to speaking.
const SIGNALS: usize = 6;
/// The most rows of evidence.
const EVIDENCE: usize = 4;
/// Columns of a bar.
const BAR: u32 = 10;

const WIDTHS: [Constraint; 9] = [
    Constraint::Length(6),
    Constraint::Length(9),
    Constraint::Length(2),
    Constraint::Length(5),
    Constraint::Length(5),
    Constraint::Length(9),
    Constraint::Length(10),
    Constraint::Length(8),
    Constraint::Min(8),
];
const NAMES: [&str; 9] = [
    "ITER", "TIME", "", "SCORE", "FILES", "TESTS", "TOOK", "COST", "WHAT",
];

pub(super) fn draw(board: &Board, frame: &mut Frame<'_>, area: Rect, paint: Paint) {
    let Some(one) = board.selected() else {
        return;
    };
    let width = usize::from(area.width);
    let mut lines = vec![Line::from(vec![
        paint.state(one),
        Span::raw(format!(
            " {} {}",
            paint.dot(),
            escape::line(&one.root, width.saturating_sub(20))
        )),
    ])];
    let run = one.run.as_ref();
    lines.extend(run.map(|run| Line::raw(escape::line(run, width))));
    match &one.standing {
        Standing::Known(known) => lines.extend(standing(known, width, paint)),
        Standing::Busy => lines.push(Line::raw("its memory is being written just now")),
        Standing::Unreadable(why) => lines.push(Line::raw(escape::line(why, width))),
    }
    // The past gets what is left, and never less than a third.
    let most = area.height.saturating_sub(area.height / 3);
    let height = u16::try_from(lines.len()).unwrap_or(most).min(most);
    let [top, past] =
        Layout::vertical([Constraint::Length(height), Constraint::Min(3)]).areas(area);
    frame.render_widget(Paragraph::new(lines), top);
    iterations(board, frame, past, paint);
}

fn standing(known: &Known, width: usize, paint: Paint) -> Vec<Line<'static>> {
    let reason = escape::line(&known.decision.reason, width);
    let mut lines = vec![Line::raw(reason)];
    let mut readings: Vec<&Reading> = known.decision.readings.iter().collect();
    readings.retain(|reading| reading.threshold.is_some());
    readings.sort_by_key(|reading| std::cmp::Reverse(share(reading, 1_000)));
    lines.extend(
        readings
            .iter()
            .take(SIGNALS)
            .map(|reading| signal(reading, paint)),
    );
    if let Some(opening) = known.circuit.core.phase.opening() {
        let rows = opening.evidence.iter().rev().take(EVIDENCE).rev();
        lines.extend(rows.map(|row| {
            let text = format!("  {}: {}", row.place, row.found);
            Line::raw(escape::line(&text, width))
        }));
    }
    lines
}

/// A reading's share of its threshold, in parts of `whole`.
fn share(reading: &Reading, whole: u32) -> u32 {
    let threshold = u64::from(reading.threshold.unwrap_or(1).max(1));
    let parts = u64::from(reading.value) * u64::from(whole) / threshold;
    u32::try_from(parts).unwrap_or(whole).min(whole)
}

fn signal(reading: &Reading, paint: Paint) -> Line<'static> {
    let full = share(reading, BAR) as usize;
    let (bar, rest) = match paint.glyphs {
        Glyphs::Unicode => ("█", "░"),
        Glyphs::Ascii => ("#", "."),
    };
    let bar = bar.repeat(full) + &rest.repeat(BAR as usize - full);
    let (style, word) = match reading.level {
        Level::Quiet => (Style::new(), ""),
        Level::Warn => (paint.coloured(Color::Yellow), "  warning"),
        Level::Trip => (paint.coloured(Color::Red), "  tripped"),
    };
    let name = reading.signal.name().replace('_', " ");
    let threshold = reading.threshold.unwrap_or_default();
    Line::from(vec![
        Span::raw(format!("{name:<20} ")),
        Span::styled(bar, style),
        Span::raw(format!(
            " {} of {}",
            reading.signal.shown(reading.value),
            reading.signal.shown(threshold)
        )),
        Span::styled(word, style.add_modifier(Modifier::BOLD)),
    ])
}

fn iterations(board: &Board, frame: &mut Frame<'_>, area: Rect, paint: Paint) {
    let dim = Style::new().add_modifier(Modifier::DIM);
    let rows = board
        .detail
        .iterations
        .iter()
        .rev()
        .map(|one| row(one, paint));
    let table = Table::new(rows, WIDTHS)
        .block(Block::new().borders(Borders::TOP).border_style(dim))
        .header(Row::new(NAMES).style(dim))
        .highlight_symbol(Text::raw(format!("{} ", paint.pointer())))
        .row_highlight_style(Style::new().add_modifier(Modifier::BOLD));
    let any = !board.detail.iterations.is_empty();
    let mut state = TableState::new().with_selected(any.then_some(board.back));
    frame.render_stateful_widget(table, area, &mut state);
}

fn row(one: &Iteration, paint: Paint) -> Row<'static> {
    let unknown = || "?".to_owned();
    let row = &one.row;
    let time = phrase::time(one.at_ms);
    let clock = time
        .split_once('T')
        .map_or(time.as_str(), |(_, clock)| clock);
    let tests = row
        .tests
        .map(|tests| format!("{}+ {}-", tests.passed, tests.failed));
    let error = row.errors.first().map(|error| error.shown.as_str());
    let opened = one.opened.as_ref().map(|opening| opening.reason.as_str());
    let what = opened.or(error).or(one.task.as_deref()).unwrap_or_default();
    Row::new([
        Line::raw(row.iteration.to_string()),
        Line::raw(clock.to_owned()),
        Line::styled(
            paint.glyphs.sign(one.state).to_string(),
            paint.state_style(one.state),
        ),
        Line::raw(row.score.map_or_else(unknown, |score| format!("{score:+}"))),
        Line::raw(row.files.map_or_else(unknown, |files| files.to_string())),
        Line::raw(tests.unwrap_or_else(unknown)),
        Line::raw(one.duration_ms.map_or_else(unknown, phrase::duration)),
        Line::raw(one.micro_usd.map_or_else(|| "-".into(), phrase::dollars)),
        Line::raw(escape::line(what, 200)),
    ])
}
