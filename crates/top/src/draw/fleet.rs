//! The workers of a fleet below the loops of this machine, and a page with all of it.

use fusebox_view::{escape, phrase};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph, Row, Table};

use super::{Paint, ago};
use crate::board::Board;
use crate::picture::{Fleet, Worker};

/// The rule, the line about the fleet and the names of the columns.
const HEAD: u16 = 3;
/// The columns of a worker; the last takes what is left.
const COLUMNS: [(&str, u16); 4] = [("SEEN", 6), ("HOST", 18), ("REPOSITORY", 18), ("AGENT", 8)];

/// How many lines of `room` the glance takes: the loops of this machine come first, but
/// leave it half of them if it needs that many.
pub(super) fn height(fleet: &Fleet, loops: usize, room: u16) -> u16 {
    let lines = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    let loops = lines(loops)
        .saturating_add(1)
        .clamp(3, room.div_ceil(2).max(3));
    let head = if fleet.workers.is_empty() {
        HEAD - 1
    } else {
        HEAD
    };
    let wanted = head.saturating_add(lines(fleet.workers.len()));
    wanted.min(room.saturating_sub(loops))
}

/// The fleet in a line, and as many of its workers as there is room for.
pub(super) fn glance(fleet: &Fleet, frame: &mut Frame<'_>, area: Rect, paint: Paint) {
    let dim = Style::new().add_modifier(Modifier::DIM);
    let rule = Block::new().borders(Borders::TOP).border_style(dim);
    let body = rule.inner(area);
    frame.render_widget(rule, area);
    let [head, list] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(body);
    let line = summary(fleet, usize::from(head.width), paint);
    frame.render_widget(Paragraph::new(line), head);
    if !fleet.workers.is_empty() {
        frame.render_widget(table(&fleet.workers, paint), list);
    }
}

/// All that is known of the fleet.
pub(super) fn page(board: &Board, frame: &mut Frame<'_>, area: Rect, paint: Paint) {
    let Some(fleet) = &board.fleet else {
        return;
    };
    let width = usize::from(area.width);
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    frame.render_widget(Paragraph::new(summary(fleet, width, paint)), head);
    let shown = fleet.rest.iter().skip(board.scroll);
    let dim = Style::new().add_modifier(Modifier::DIM);
    let lines: Vec<Line<'_>> = shown
        .map(|(name, words)| {
            let words = escape::line(words, width.saturating_sub(10));
            Line::from(vec![
                Span::styled(format!("{name:<9} "), dim),
                Span::raw(words),
            ])
        })
        .collect();
    let above = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let [rest, list] =
        Layout::vertical([Constraint::Length(above), Constraint::Min(0)]).areas(body);
    frame.render_widget(Paragraph::new(lines), rest);
    let skipped = board.scroll.saturating_sub(fleet.rest.len());
    let workers = fleet.workers.get(skipped..).unwrap_or_default();
    if !workers.is_empty() {
        frame.render_widget(table(workers, paint), list);
    }
}

/// What is wrong comes before how many there are.
fn summary(fleet: &Fleet, width: usize, paint: Paint) -> Line<'static> {
    let workers = phrase::count(fleet.present, "worker");
    let (words, style) = match (&fleet.trouble, fleet.halts.first()) {
        (Some(trouble), _) => (trouble.clone(), paint.coloured(Color::Red)),
        (None, Some(halt)) => {
            let words = format!("HALTED {halt} {} {workers}", paint.dot());
            (words, paint.coloured(Color::Red))
        }
        (None, None) => (format!("{workers} at {}", fleet.address), Style::new()),
    };
    let more = " f all of it";
    let room = width.saturating_sub(6 + more.len());
    Line::from(vec![
        Span::styled("fleet ", Style::new().add_modifier(Modifier::BOLD)),
        Span::styled(escape::line(&words, room), style),
        Span::styled(more, Style::new().add_modifier(Modifier::DIM)),
    ])
}

fn table(workers: &[Worker], paint: Paint) -> Table<'static> {
    let mut widths: Vec<_> = COLUMNS.map(|(_, width)| Constraint::Length(width)).to_vec();
    widths.push(Constraint::Min(4));
    let names = COLUMNS.map(|(name, _)| name).into_iter().chain(["TASKS"]);
    let rows = workers.iter().map(|worker| {
        Row::new([
            ago(worker.seen_ms, paint.now_ms),
            escape::line(&worker.host, 40),
            escape::line(&worker.repository, 40),
            escape::line(worker.agent.as_deref().unwrap_or("-"), 20),
            match worker.tasks.is_empty() {
                true => "-".to_owned(),
                false => escape::line(&worker.tasks.join(", "), 120),
            },
        ])
    });
    // The rows of loops begin behind a pointer.
    let dim = Style::new().add_modifier(Modifier::DIM);
    Table::new(rows, widths)
        .header(Row::new(names).style(dim))
        .block(Block::new().padding(ratatui::widgets::Padding::left(2)))
}
