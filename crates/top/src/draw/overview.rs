//! All loops, a line each, and more about the one that is selected.

use fusebox_core::signals::Progress;
use fusebox_view::answer::Telling;
use fusebox_view::sparkline::sparkline;
use fusebox_view::{escape, phrase};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Borders, Paragraph, Row, Table, TableState};

use super::{Paint, ago, calls, fleet};
use crate::board::Board;
use crate::picture::{Known, Loop, Standing};

/// Lines below the list.
const PANEL: u16 = 8;
/// Iterations that the curve of scores shows.
const CURVE: usize = 8;
/// Below this width only what matters most is shown.
const NARROW: u16 = 76;

/// The columns: name, width, and whether it stays in a narrow window.
const COLUMNS: [(&str, u16, bool); 9] = [
    ("STATE", 12, true),
    ("RISK", 6, true),
    ("RUN", 3, true),
    ("ITER", 6, true),
    ("CHANGE", 6, true),
    ("SCORE", 8, false),
    ("ERR", 3, false),
    ("CALLS", 9, false),
    ("COST", 7, false),
];

pub(super) fn draw(board: &Board, frame: &mut Frame<'_>, area: Rect, paint: Paint) {
    let room = area.height.saturating_sub(PANEL);
    let below = board.fleet.as_ref();
    let below = below.map_or(0, |one| fleet::height(one, board.loops.len(), room));
    let [list, workers, panel] = Layout::vertical([
        Constraint::Min(3),
        Constraint::Length(below),
        Constraint::Length(PANEL),
    ])
    .areas(area);
    let stays = |index: usize| {
        let column = COLUMNS.get(index);
        area.width >= NARROW || column.is_none_or(|(_, _, narrow)| *narrow)
    };
    let columns = || {
        COLUMNS
            .iter()
            .enumerate()
            .filter(|(index, _)| stays(*index))
    };
    let mut widths: Vec<_> = columns()
        .map(|(_, (_, width, _))| Constraint::Length(*width))
        .collect();
    widths.push(Constraint::Min(8));
    let names = columns().map(|(_, (name, ..))| *name).chain(["LOOP"]);
    let rows = board.loops.iter().map(|one| {
        let cells = cells(one, paint).into_iter().enumerate();
        Row::new(
            cells
                .filter(|(index, _)| stays(*index))
                .map(|(_, cell)| cell),
        )
    });
    let dim = Style::new().add_modifier(Modifier::DIM);
    let table = Table::new(rows, widths)
        .header(Row::new(names).style(dim))
        .highlight_symbol(Text::raw(format!("{} ", paint.pointer())))
        .row_highlight_style(Style::new().add_modifier(Modifier::BOLD));
    let selected = (!board.loops.is_empty()).then(|| board.index());
    let mut state = TableState::new().with_selected(selected);
    frame.render_stateful_widget(table, list, &mut state);
    if let Some(one) = &board.fleet {
        fleet::glance(one, frame, workers, paint);
    }
    let width = usize::from(panel.width);
    let lines = board.selected().map_or_else(nothing, |one| {
        let task = board.detail.iterations.last();
        let task = task.and_then(|last| last.task.as_deref());
        about(one, task, width, paint)
    });
    let block = Block::new().borders(Borders::TOP).border_style(dim);
    frame.render_widget(Paragraph::new(lines).block(block), panel);
}

fn nothing() -> Vec<Line<'static>> {
    vec![
        Line::raw("No loop has a memory here yet."),
        Line::raw("`fusebox run -- CMD` starts one; `fusebox demo` shows how it ends."),
    ]
}

fn cells(one: &Loop, paint: Paint) -> Vec<Line<'static>> {
    let run = Line::raw(match (one.live, one.paused) {
        (true, true) => "||",
        (true, false) => "yes",
        (false, _) => "no",
    });
    let name = Line::raw(escape::line(&one.name(), 60));
    let Standing::Known(known) = &one.standing else {
        let mut cells = vec![Line::from(paint.state(one)), Line::raw("-"), run];
        cells.extend((cells.len()..COLUMNS.len()).map(|_| Line::raw("-")));
        cells.push(name);
        return cells;
    };
    let Known {
        circuit, decision, ..
    } = &**known;
    let rows = &circuit.rows;
    let changed = rows.iter().rev().find(|row| row.progress == Progress::Made);
    let scores: Vec<_> = rows.iter().map(|row| row.score).collect();
    let errors = rows.last().and_then(|row| row.error_count);
    vec![
        Line::from(paint.state(one)),
        Line::styled(decision.risk.word(), paint.risk_style(decision.risk)),
        run,
        Line::raw(circuit.core.iterations.to_string()),
        Line::raw(changed.map_or_else(|| "none".into(), |row| ago(row.at_ms, paint.now_ms))),
        Line::raw(sparkline(&scores, CURVE, paint.glyphs)),
        Line::raw(errors.map_or_else(|| "?".into(), |errors| errors.to_string())),
        Line::raw(calls(decision)),
        Line::raw(match circuit.core.totals.micro_usd {
            0 => "-".into(),
            spent => phrase::dollars(spent),
        }),
        name,
    ]
}

/// More about one loop, a line for each question somebody would ask.
fn about(one: &Loop, task: Option<&str>, width: usize, paint: Paint) -> Vec<Line<'static>> {
    let line = |name: &str, value: &str| {
        let value = escape::line(value, width.saturating_sub(8));
        let dim = Style::new().add_modifier(Modifier::DIM);
        Line::from(vec![
            Span::styled(format!("{name:<7} "), dim),
            Span::raw(value),
        ])
    };
    let place = format!("{} {} circuit {}", one.root, paint.dot(), one.circuit);
    let mut lines = vec![line("where", &place)];
    lines.extend(task.map(|task| line("task", task)));
    lines.extend(one.run.as_deref().map(|run| line("run", run)));
    match &one.standing {
        Standing::Busy => lines.push(line("why", "its memory is being written just now")),
        Standing::Unreadable(why) => {
            lines.push(line("why", why));
            lines.push(line("next", "`fusebox doctor` there says what was found"));
        }
        Standing::Known(known) => {
            lines.push(line("why", &known.decision.reason));
            let telling = Telling {
                policy: &known.policy,
                circuit: &known.circuit,
                now_ms: paint.now_ms,
            };
            let ways = telling.way_out(&known.decision);
            lines.extend(ways.iter().map(|way| line("next", way)));
            let mut rows = known.circuit.rows.iter().rev();
            let error = rows.find_map(|row| row.errors.first());
            lines.extend(error.map(|error| line("error", &error.shown)));
            let alerts = known.decision.alerts.iter();
            lines.extend(alerts.map(|alert| line("alert", alert.sentence())));
        }
    }
    lines.truncate(usize::from(PANEL) - 1);
    lines
}
