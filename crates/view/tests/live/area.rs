//! The area, on a terminal that only remembers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fusebox_view::live::{LiveView, Size, StatusArea};

use crate::sample::{PLAIN, working};

/// What was written, one entry for each write.
#[derive(Clone, Default)]
struct Writes(Arc<Mutex<Vec<String>>>);

impl Writes {
    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl std::io::Write for Writes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        self.0.lock().unwrap().push(text);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn area() -> (StatusArea<Writes>, Writes, Arc<AtomicUsize>) {
    let writes = Writes::default();
    let columns = Arc::new(AtomicUsize::new(80));
    let width = Arc::clone(&columns);
    let area = StatusArea::new(writes.clone(), PLAIN, move |_| Size {
        columns: width.load(Ordering::Relaxed),
        rows: 24,
    });
    (area, writes, columns)
}

fn drawn(view: &LiveView, width: usize) -> String {
    view.render(width, PLAIN).join("\r\n")
}

/// What takes `rows` rows off the screen.
fn erased(rows: usize) -> String {
    format!("\r\x1b[2K{}", "\x1b[1A\x1b[2K".repeat(rows - 1))
}

#[test]
fn output_and_area_are_one_write() {
    let (mut area, writes, _) = area();
    area.show(working(), Instant::now()).unwrap();
    let lines = drawn(&working(), 80);
    assert_eq!(writes.taken(), [lines.as_str()]);
    area.output(b"one\ntwo\n").unwrap();
    assert_eq!(writes.taken(), [format!("{}one\ntwo\n{lines}", erased(4))]);
    drop(area);
    assert_eq!(writes.taken(), [erased(4)]);
}

#[test]
fn a_line_without_an_end_is_shown_and_printed_once() {
    let (mut area, writes, _) = area();
    area.output("he\x1b[32mllo 漢\t".as_bytes()).unwrap();
    assert_eq!(writes.taken(), ["hello 漢 "]);
    area.output(b"world\nnext").unwrap();
    let line = "he\x1b[32mllo 漢\tworld\n\x1b[0m";
    assert_eq!(writes.taken(), [format!("{}{line}next", erased(1))]);
    drop(area);
    let end = "\x1b[32mnext\n\x1b[0m";
    assert_eq!(writes.taken(), [format!("{}{end}", erased(1))]);
}

#[test]
fn an_endless_line_is_bounded() {
    let (mut area, writes, _) = area();
    for _ in 0..100 {
        area.output(&[b'.'; 1024]).unwrap();
    }
    drop(area);
    let printed: usize = writes
        .taken()
        .iter()
        .filter(|write| write.contains('\n'))
        .map(|write| write.matches('.').count())
        .sum();
    // Every dot, and once more the beginning that was shown last.
    assert!((102_400..102_400 + 200).contains(&printed), "{printed}");
}

#[test]
fn changes_are_drawn_ten_times_a_second() {
    let (mut area, writes, _) = area();
    let start = Instant::now();
    for step in 0..100_u64 {
        let view = LiveView {
            iteration: step,
            ..working()
        };
        area.show(view, start + Duration::from_millis(step * 10))
            .unwrap();
    }
    assert_eq!(writes.taken().len(), 10);
    area.show(working(), start + Duration::from_secs(2))
        .unwrap();
    writes.taken();
    area.show(working(), start + Duration::from_secs(3))
        .unwrap();
    assert!(writes.taken().is_empty(), "nothing had changed");
}

#[test]
fn a_narrower_window_has_wrapped_the_lines() {
    let (mut area, writes, columns) = area();
    area.show(working(), Instant::now()).unwrap();
    writes.taken();
    columns.store(40, Ordering::Relaxed);
    area.output(b"x\n").unwrap();
    // Rows of 66, 44, 66 and 45 columns.
    let expected = format!("{}x\n{}", erased(8), drawn(&working(), 40));
    assert_eq!(writes.taken(), [expected]);
}

#[test]
fn a_cleared_area_comes_back() {
    let (mut area, writes, _) = area();
    let start = Instant::now();
    area.show(working(), start).unwrap();
    area.clear().unwrap();
    area.clear().unwrap();
    assert_eq!(writes.taken(), [drawn(&working(), 80), erased(4)]);
    area.show(working(), start + Duration::from_secs(1))
        .unwrap();
    assert_eq!(writes.taken(), [drawn(&working(), 80)]);
}

#[test]
fn without_a_terminal_there_is_no_area() {
    let file = tempfile::tempfile().unwrap();
    for term in [None, Some("dumb"), Some("xterm-256color")] {
        assert!(StatusArea::on(&file, term, PLAIN).is_none());
    }
}
