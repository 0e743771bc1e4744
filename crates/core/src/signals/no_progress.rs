//! Iterations in a row in which nothing was gained.

use super::{Progress, Signal, reading};
use crate::circuit::Row;
use crate::decision::{Evidence, Reading};
use crate::policy::Threshold;

pub(super) fn count(before: u32, progress: Progress) -> u32 {
    match progress {
        Progress::Made => 0,
        Progress::None => before.saturating_add(1),
        Progress::Exempt => before,
    }
}

pub(super) fn read(value: u32, threshold: &Threshold, rows: &[Row]) -> Reading {
    reading(Signal::NoProgress, value, threshold, || {
        let idle: Vec<&Row> = rows
            .iter()
            .filter(|row| row.progress == Progress::None)
            .collect();
        let from = idle.len().saturating_sub(value as usize);
        idle[from..]
            .iter()
            .map(|row| Evidence {
                iteration: row.iteration,
                found: found(row),
            })
            .collect()
    })
}

pub(super) fn sentence(value: u32) -> String {
    format!("No progress for {value} iterations")
}

fn found(row: &Row) -> String {
    let files = match row.files {
        Some(0) => "no file changed",
        Some(_) => "files changed",
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
