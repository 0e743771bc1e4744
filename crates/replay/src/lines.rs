//! Reads the lines of one file, each by the reader of its format.

use fusebox_agents::Line;
use fusebox_agents::json::mended;
use serde::de::IgnoredAny;

use crate::desk::Desk;
use crate::file::FileReport;
use crate::follow::Follower;
use crate::format::Format;
use crate::readers::LineReader;

/// Changes of format that are told one by one.
const CHANGES_TOLD: usize = 8;

/// Reads lines, and remembers what could not be read.
#[derive(Default)]
pub(crate) struct Lines {
    number: u64,
    first: Option<Format>,
    reading: Option<(Format, Box<dyn LineReader>)>,
    too_long: Missed,
    broken: Missed,
    unknown: Missed,
    changes: Vec<(u64, Format)>,
}

/// Lines that could not be read, for one reason.
#[derive(Default)]
struct Missed {
    lines: u64,
    first: u64,
}

impl Missed {
    fn note(&mut self, number: u64) {
        if self.lines == 0 {
            self.first = number;
        }
        self.lines += 1;
    }

    fn told(&self, why: &str) -> Option<String> {
        match self.lines {
            0 => None,
            1 => Some(format!("line {}: {why}", self.first)),
            lines => Some(format!("{lines} lines from line {} on: {why}", self.first)),
        }
    }
}

impl Lines {
    pub(crate) fn take<F: Follower>(&mut self, line: Line<'_>, desk: &mut Desk<'_, F>) {
        self.number += 1;
        if line.is_cut() {
            return self.too_long.note(self.number);
        }
        let text = line.text();
        let text = text.trim_ascii().trim_start_matches('\u{feff}');
        if text.is_empty() || self.read(text, desk) {
            return;
        }
        if let Some(mended) = mended(text)
            && self.read(&mended, desk)
        {
            return;
        }
        if serde_json::from_str::<IgnoredAny>(text).is_ok() {
            self.unknown.note(self.number);
        } else {
            self.broken.note(self.number);
        }
    }

    /// Reads a line in the format of the last one, or else in its own.
    fn read<F: Follower>(&mut self, text: &str, desk: &mut Desk<'_, F>) -> bool {
        let current = self.reading.as_mut();
        if current.is_some_and(|(_, reader)| reader.line(text, desk).is_some()) {
            return true;
        }
        let known = self.reading.as_ref().map(|(format, _)| *format);
        match Format::of_line(text) {
            Some(format) if known != Some(format) => self.change(format, text, desk),
            _ => false,
        }
    }

    fn change<F: Follower>(&mut self, format: Format, text: &str, desk: &mut Desk<'_, F>) -> bool {
        if let Some((_, mut last)) = self.reading.take() {
            last.end(desk);
            desk.close_all();
            if self.changes.len() < CHANGES_TOLD {
                self.changes.push((self.number, format));
            }
        }
        desk.source = format.name();
        self.first = self.first.or(Some(format));
        let mut reader = format.reader();
        let read = reader.line(text, desk).is_some();
        self.reading = Some((format, reader));
        read
    }

    pub(crate) fn finish<F: Follower>(mut self, desk: &mut Desk<'_, F>, report: &mut FileReport) {
        if let Some((_, last)) = &mut self.reading {
            last.end(desk);
        }
        report.format = self.first;
        let changes = self.changes.iter();
        report.notes.extend(changes.map(|(number, format)| {
            format!(
                "from line {number} on it is of the format {}",
                format.name()
            )
        }));
        let missed = [
            self.broken.told("no JSON, or cut off"),
            self.unknown.told("of no known kind"),
            self.too_long.told("longer than 64 MB"),
        ];
        if self.first.is_some() || self.too_long.lines > 0 {
            report.notes.extend(missed.into_iter().flatten());
        }
    }
}
