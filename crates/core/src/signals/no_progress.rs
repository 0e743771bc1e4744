//! Ticks in a row in which nothing was gained.

use super::{Progress, found, lacks};
use crate::circuit::Row;
use crate::decision::Evidence;
use crate::observation::Ended;

pub(super) fn count(before: u32, progress: Progress) -> u32 {
    match progress {
        Progress::Made => 0,
        Progress::None => before.saturating_add(1),
        Progress::Tests | Progress::Exempt => before,
    }
}

pub(super) fn evidence(rows: &[Row], value: u32) -> Vec<Evidence> {
    let idle = idle(rows, value).map(|row| found(row, words(row)));
    let mut evidence: Vec<Evidence> = idle.collect();
    evidence.reverse();
    evidence
}

/// How many of the iterations that were counted nobody ever reported.
pub(super) fn unreported(rows: &[Row], value: u32) -> u32 {
    let silent = idle(rows, value).filter(|row| !row.reported).count();
    u32::try_from(silent).unwrap_or(u32::MAX)
}

/// The iterations that were counted, the last first.
fn idle(rows: &[Row], value: u32) -> impl Iterator<Item = &Row> {
    let idle = rows.iter().rev();
    idle.filter(|row| row.progress == Progress::None)
        .take(value as usize)
}

fn words(row: &Row) -> String {
    let files = match row.files {
        Some(0) => "no file changed",
        Some(_) => "files changed, nothing that counts was gained",
        None if row.reported => "file changes unknown",
        None => return "started and never reported".into(),
    };
    let ended = row.ended.map(Ended::words);
    let tasks = (row.tasks == Some(0)).then(|| "no task completed".into());
    let lacks = lacks(row);
    let parts = [ended, Some(files.into()), tasks, lacks];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::claims;

    #[test]
    fn what_a_completion_lacks_is_told_with_the_iteration() {
        let row = Row {
            files: Some(0),
            lacks: vec!["no plan".into(), "and 2 more".into()],
            ..Row::blank(3)
        };
        let told = "no file changed, no plan, and 2 more";
        assert_eq!(evidence(std::slice::from_ref(&row), 1), [found(&row, told)]);
        assert!(claims::words(&row).contains("no plan, and 2 more"));
    }
}
