//! Standard output that is text: kept as a result when there is no other.

use crate::end::FinalResult;
use crate::excerpt::{Excerpt, FINAL_BYTES, clip, clip_front};

/// The longest text that can be nothing but words about a failure, in bytes and lines.
const SHORT_BYTES: usize = 1000;
const SHORT_LINES: u64 = 6;

/// What was printed instead of events. Of a long text the end is kept, because
/// that is where agents answer.
#[derive(Debug, Default)]
pub(crate) struct PlainText {
    text: String,
    bytes: usize,
    lines: u64,
}

impl PlainText {
    pub(crate) fn push(&mut self, line: &str) {
        self.lines += 1;
        self.bytes += line.len() + 1;
        self.text.push_str(clip(line, FINAL_BYTES));
        self.text.push('\n');
        if self.text.len() > 4 * FINAL_BYTES {
            self.text = clip_front(&self.text, FINAL_BYTES).to_owned();
        }
    }

    /// Where a short text says why it is all there is: its first line, and its last.
    pub(crate) fn telling_lines(&self) -> Option<[&str; 2]> {
        let is_short = self.lines <= SHORT_LINES && self.bytes <= SHORT_BYTES;
        let mut lines = self.text.lines().filter(|line| !line.trim().is_empty());
        let first = lines.next().filter(|_| is_short)?;
        Some([first, lines.next_back().unwrap_or(first)])
    }

    /// The text as the result of a run that delivered none.
    pub(crate) fn take(&mut self, results: u64) -> Option<FinalResult> {
        let text = std::mem::take(&mut self.text);
        (results == 0 && !text.is_empty()).then(|| FinalResult {
            text: Excerpt {
                text: clip_front(text.trim_end(), FINAL_BYTES).to_owned(),
                bytes: self.bytes,
            },
            printed: true,
            ..FinalResult::default()
        })
    }
}
