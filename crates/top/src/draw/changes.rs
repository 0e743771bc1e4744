//! What one iteration changed, as a patch.

use fusebox_view::escape;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::Paint;
use crate::board::Board;

pub(super) fn draw(board: &Board, frame: &mut Frame<'_>, area: Rect, paint: Paint) {
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(area);
    let iteration = board.iteration().map_or(0, |one| one.row.iteration);
    let place = match board.changes.len() {
        0 => "no diff stored for this iteration".to_owned(),
        lines => format!("line {} of {lines}", board.scroll + 1),
    };
    let title = format!("iteration {iteration} {} {place}", paint.dot());
    frame.render_widget(Paragraph::new(Line::styled(title, paint.accent())), head);
    let shown = board.changes.iter().skip(board.scroll);
    let lines: Vec<Line<'_>> = shown
        .take(usize::from(body.height))
        .map(|line| {
            let text = escape::block(line, 1, usize::from(body.width));
            Line::styled(text, style(line, paint))
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), body);
}

/// The sign at the beginning of the line says the same as its colour.
fn style(line: &str, paint: Paint) -> Style {
    match line.as_bytes() {
        [b'+', ..] => paint.coloured(Color::Green),
        [b'-', ..] => paint.coloured(Color::Red),
        [b'@', ..] => paint.coloured(Color::Cyan),
        _ => Style::new(),
    }
}
