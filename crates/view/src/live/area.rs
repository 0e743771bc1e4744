//! Lines that stay at the bottom while output scrolls above them.
//!
//! There is no alternate screen, no scroll region and no hidden cursor:
//! nothing that would have to be undone. Before each piece of output our
//! lines are erased from the last to the first, the output is printed where
//! they were, and they are drawn anew below it. All of that is one write, so nobody sees the gap. Whatever ends
//! the program, the worst that is left behind is a few lines of text.
//!
//! The cursor must be where we believe it is, at the end of our last line. So
//! our lines never reach the right edge, where terminals disagree, and a line
//! of output that has no end yet is not printed but shown, cut to the width,
//! as a first line of ours, until its end arrives.

use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use rustix::termios::tcgetwinsize;

use super::colours::{self, Colours};
use super::model::{LiveView, Paint};
use crate::escape::{self, columns};

/// The most often that a change of our own lines alone is drawn.
const PERIOD: Duration = Duration::from_millis(100);

/// The most that is kept of a line without an end. Beyond it the line is
/// printed as two.
const UNFINISHED: usize = 64 * 1024;

/// The most of such a line that is looked at to show its beginning.
const LOOKED_AT: usize = 4 * 1024;

/// How large the terminal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
}

impl Default for Size {
    /// What a terminal that does not tell is taken for.
    fn default() -> Self {
        Self {
            columns: 80,
            rows: 24,
        }
    }
}

/// A few lines at the bottom of a terminal.
pub struct StatusArea<W: Write> {
    out: W,
    size: Box<dyn Fn(&W) -> Size + Send>,
    paint: Paint,
    /// What is to be seen; put into lines when it is drawn, for only then is
    /// the width known.
    view: Option<LiveView>,
    /// The lines that are on the screen now.
    drawn: Vec<String>,
    drawn_at: Option<Instant>,
    /// Output after the last end of a line.
    unfinished: Vec<u8>,
    colours: Colours,
}

impl<D: Write + AsFd> StatusArea<D> {
    /// An area on a terminal; `None` where there is none, or none that can
    /// move its cursor. `term` is the value of `TERM`.
    #[must_use]
    pub fn on(device: D, term: Option<&str>, paint: Paint) -> Option<Self> {
        let moves = term.is_some_and(|term| !term.is_empty() && term != "dumb");
        if !moves || !device.as_fd().is_terminal() {
            return None;
        }
        Some(Self::new(device, paint, |device: &D| {
            size_of(device.as_fd())
        }))
    }
}

impl<W: Write> StatusArea<W> {
    /// An area on anything that understands a terminal's sequences.
    pub fn new(out: W, paint: Paint, size: impl Fn(&W) -> Size + Send + 'static) -> Self {
        Self {
            out,
            size: Box::new(size),
            paint,
            view: None,
            drawn: Vec::new(),
            drawn_at: None,
            unfinished: Vec::new(),
            colours: Colours::default(),
        }
    }

    /// Prints output above the area. It must be neutralised already: text,
    /// line ends, tabs and colours.
    ///
    /// # Errors
    ///
    /// Whatever the terminal reports.
    pub fn output(&mut self, text: &[u8]) -> io::Result<()> {
        let before = self.unfinished.len();
        self.unfinished.extend_from_slice(text);
        let last_end = text.iter().rposition(|&byte| byte == b'\n');
        let whole = match last_end {
            Some(end) => before + end + 1,
            None if self.unfinished.len() > UNFINISHED => {
                self.unfinished.push(b'\n');
                self.unfinished.len()
            }
            None => 0,
        };
        let rest = self.unfinished.split_off(whole);
        let printed = std::mem::replace(&mut self.unfinished, rest);
        let size = (self.size)(&self.out);
        let mut frame = self.erasure(size);
        self.print(&printed, &mut frame);
        self.draw(frame, self.lines(size))
    }

    /// Replaces what is shown. A change that comes too soon after another is
    /// drawn with the next one, or with the next output.
    ///
    /// # Errors
    ///
    /// Whatever the terminal reports.
    pub fn show(&mut self, view: LiveView, now: Instant) -> io::Result<()> {
        self.view = Some(view);
        let too_soon = self
            .drawn_at
            .is_some_and(|at| now.saturating_duration_since(at) < PERIOD);
        if too_soon {
            return Ok(());
        }
        self.drawn_at = Some(now);
        let size = (self.size)(&self.out);
        let lines = self.lines(size);
        if lines == self.drawn {
            return Ok(());
        }
        let frame = self.erasure(size);
        self.draw(frame, lines)
    }

    /// Takes the area off the screen, for as long as nothing is shown or
    /// printed: before the terminal is lent to somebody else.
    ///
    /// # Errors
    ///
    /// Whatever the terminal reports.
    pub fn clear(&mut self) -> io::Result<()> {
        let size = (self.size)(&self.out);
        let mut frame = self.erasure(size);
        if !self.unfinished.is_empty() {
            let mut rest = std::mem::take(&mut self.unfinished);
            rest.push(b'\n');
            self.print(&rest, &mut frame);
        }
        self.write(&frame)
    }

    /// What takes the drawn lines away and leaves the cursor where the first
    /// of them began. A terminal that has become narrower has wrapped them.
    ///
    /// Each line is erased by itself. Clearing to the end of the screen would
    /// be shorter, but from the top row tmux takes that for a cleared screen
    /// and keeps our lines in its history.
    fn erasure(&mut self, size: Size) -> Vec<u8> {
        let drawn = std::mem::take(&mut self.drawn);
        if drawn.is_empty() {
            return Vec::new();
        }
        let rows_of = |line: &String| shown_columns(line).div_ceil(size.columns.max(1)).max(1);
        let rows: usize = drawn.iter().map(rows_of).sum();
        let mut erasure = b"\r\x1b[2K".to_vec();
        (1..rows).for_each(|_| erasure.extend_from_slice(b"\x1b[1A\x1b[2K"));
        erasure
    }

    fn print(&mut self, text: &[u8], frame: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.colours.resume(frame);
        frame.extend_from_slice(text);
        self.colours.follow(text);
        self.colours.suspend(frame);
    }

    /// What the area holds in a terminal of this size. At least half of the
    /// rows stay with the output.
    fn lines(&self, size: Size) -> Vec<String> {
        let view = self.view.iter();
        self.unfinished_line(size.columns)
            .into_iter()
            .chain(view.flat_map(|view| view.render(size.columns, self.paint)))
            .take(size.rows / 2)
            .collect()
    }

    /// Draws the area below what `frame` holds, and writes both at once.
    fn draw(&mut self, mut frame: Vec<u8>, lines: Vec<String>) -> io::Result<()> {
        frame.extend_from_slice(lines.join("\r\n").as_bytes());
        self.write(&frame)?;
        self.drawn = lines;
        Ok(())
    }

    fn unfinished_line(&self, width: usize) -> Option<String> {
        if self.unfinished.is_empty() {
            return None;
        }
        let beginning = &self.unfinished[..self.unfinished.len().min(LOOKED_AT)];
        let text = colours::without(beginning);
        let text = String::from_utf8_lossy(&text).replace('\t', " ");
        Some(escape::line(&text, width.saturating_sub(1)))
    }

    fn write(&mut self, frame: &[u8]) -> io::Result<()> {
        if frame.is_empty() {
            return Ok(());
        }
        self.out.write_all(frame)?;
        self.out.flush()
    }
}

impl<W: Write> Drop for StatusArea<W> {
    fn drop(&mut self) {
        // A terminal that is gone needs no cleaning.
        let _ = self.clear();
    }
}

fn shown_columns(line: &str) -> usize {
    let plain = colours::without(line.as_bytes());
    columns(&String::from_utf8_lossy(&plain))
}

fn size_of(device: BorrowedFd<'_>) -> Size {
    match tcgetwinsize(device) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 0 => Size {
            columns: size.ws_col.into(),
            rows: size.ws_row.into(),
        },
        _ => Size::default(),
    }
}
