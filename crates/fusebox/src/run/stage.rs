//! The terminal of a run: what scrolls, and the few lines that stay below it.
//!
//! Whoever writes to the terminal while those lines are there writes through
//! here. Where there is no terminal, there is no stage, and lines are lines.

use std::cell::RefCell;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::time::Instant;

use fusebox_view::glyphs::Glyphs;
use fusebox_view::live::{LiveView, Paint, StatusArea};

use crate::outlet::{self, Outlet};

/// The terminal of a run, shared by all who write to it.
#[derive(Clone, Default)]
pub(crate) struct Stage(Option<Rc<RefCell<StatusArea<Outlet>>>>);

impl Stage {
    /// The terminal behind standard error, if there is one and it is wanted.
    pub(crate) fn open(wanted: bool) -> Self {
        if !wanted {
            return Self::default();
        }
        let variable = |name: &str| std::env::var(name).ok();
        let stderr = io::stderr();
        let colour = anstream::AutoStream::choice(&stderr) != anstream::ColorChoice::Never;
        let paint = Paint {
            colour,
            glyphs: Glyphs::told_by(variable),
        };
        let outlet = Outlet::on(stderr.as_fd()).ok();
        let area = outlet.and_then(|outlet| {
            StatusArea::on(outlet.drawn_on(), variable("TERM").as_deref(), paint)
        });
        Self(area.map(|area| Rc::new(RefCell::new(area))))
    }

    /// Whether lines stay below what scrolls.
    pub(super) fn is_live(&self) -> bool {
        self.0.is_some()
    }

    /// Shows how things stand.
    pub(super) fn show(&self, view: LiveView) {
        if let Some(area) = &self.0 {
            // A terminal that went away must not end the loop.
            let mut area = area.borrow_mut();
            let _ = own_up(&mut area).and_then(|()| area.show(view, Instant::now()));
        }
    }

    /// Takes the lines away, before the terminal is lent to somebody else.
    pub(crate) fn clear(&self) {
        if let Some(area) = &self.0 {
            let _ = area.borrow_mut().clear();
        }
    }

    /// Something to write to that keeps the lines below.
    pub(super) fn writer(&self) -> Option<StageWriter> {
        self.0.clone().map(StageWriter)
    }
}

/// Says what was not shown, above the lines that stay.
fn own_up(area: &mut StatusArea<Outlet>) -> io::Result<()> {
    match outlet::owed(io::stderr().as_fd()) {
        Some(note) => area.output(note.as_bytes()),
        None => Ok(()),
    }
}

/// Writes above the lines that stay.
pub(super) struct StageWriter(Rc<RefCell<StatusArea<Outlet>>>);

impl Write for StageWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut area = self.0.borrow_mut();
        own_up(&mut area)?;
        area.output(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
