//! Ticks in a row in which nothing was gained.

use super::{Progress, found};
use crate::circuit::Row;
use crate::decision::Evidence;

pub(super) fn count(before: u32, progress: Progress) -> u32 {
    match progress {
        Progress::Made => 0,
        Progress::None => before.saturating_add(1),
        Progress::Exempt => before,
    }
}

pub(super) fn evidence(rows: &[Row], value: u32) -> Vec<Evidence> {
    let idle: Vec<&Row> = rows
        .iter()
        .filter(|row| row.progress == Progress::None)
        .collect();
    let from = idle.len().saturating_sub(value as usize);
    idle[from..]
        .iter()
        .map(|row| found(row, words(row)))
        .collect()
}

fn words(row: &Row) -> String {
    let files = match row.files {
        Some(0) => "no file changed",
        Some(_) => "files changed, nothing that counts was gained",
        None if row.reported => "file changes unknown",
        None => return "started and never reported".into(),
    };
    let tasks = if row.tasks == Some(0) {
        ", no task completed"
    } else {
        ""
    };
    format!("{files}{tasks}")
}
