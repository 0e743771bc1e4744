//! What we write into the list ourselves, which is nobody's change to tell of.

use std::path::{Path, PathBuf};

use fusebox_tasks::Desk;

use super::TaskLine;
use crate::run::Ready;

/// How the list stood when the copies of what is protected were last brought up to date.
#[derive(Debug, Default)]
pub(super) struct OwnWrites {
    copied: Option<String>,
    /// Whether it still stood like that when we began to write.
    alone: bool,
}

impl OwnWrites {
    pub(super) fn since(desk: &Desk) -> Self {
        Self {
            copied: desk.copy(),
            alone: false,
        }
    }

    /// We are about to write.
    pub(super) fn begin(&mut self, desk: &Desk) {
        self.alone = desk.copy() == self.copied;
    }
}

impl TaskLine {
    /// The copies are up to date.
    pub(in crate::run) fn note_copied(&mut self) {
        self.own = OwnWrites::since(&self.open.desk);
    }

    /// The list, if it changed since its copy was made and nobody but us changed it.
    fn written_by_us(&mut self) -> Option<PathBuf> {
        let path = self.path().map(Path::to_owned)?;
        let alone = std::mem::take(&mut self.own.alone);
        let now = self.open.desk.copy();
        if !alone || now == self.own.copied {
            return None;
        }
        self.own.copied = now;
        Some(path)
    }
}

impl Ready<'_> {
    /// Brings the copy of the list up to date with what we wrote into it ourselves.
    pub(in crate::run) fn keep_own_writes(&mut self) {
        let written = self.tasks.as_mut().and_then(TaskLine::written_by_us);
        if let Some(path) = written {
            self.keep_anew(&path);
        }
    }
}
