//! The copies of the protected files: who answers for what is found of them, and what that is
//! in words.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use fusebox_core::journal::Losses;
use fusebox_guard::keep::{Changed, KeepError, Kept, LeftOut, Lost, Report};

use crate::exit;
use crate::failure::Failure;
use crate::protection::vault;
use crate::session::Session;

/// The supervisors whose agents may have been at the protected files since anybody looked. As
/// long as there is one, nothing that is missing is a person's wish.
pub(crate) struct AtWork {
    is_watched: bool,
    gone: Vec<OsString>,
}

impl AtWork {
    /// All of them, apart from the one that asks, if a supervisor does: who begins has none of
    /// its own at work.
    pub(crate) fn beside(session: &Session) -> Self {
        let own = session.supervises.get().then_some(&session.circuit);
        let mut gone = Kept::handed_over(&vault(session));
        let noted = gone.len();
        gone.retain(|name| {
            let circuit = name.to_str().and_then(|name| name.parse().ok());
            !circuit.is_some_and(|name| own != Some(&name) && session.has_supervisor(&name))
        });
        Self {
            is_watched: gone.len() < noted,
            gone,
        }
    }

    /// Whether there is one, alive or not.
    pub(crate) fn is_anybody(&self) -> bool {
        self.is_watched || !self.gone.is_empty()
    }

    /// Whether one of them lives, and will put back and count what its agent loses. Who did so
    /// before would have that pass unnoticed.
    pub(crate) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// What was lost by those who are gone has been put back.
    pub(crate) fn settled(&self, vault: &Path) {
        self.gone
            .iter()
            .for_each(|name| Kept::take_back(vault, name));
    }
}

/// The protected files could not be looked at, or not be copied.
pub(crate) fn unkept(error: &KeepError) -> Failure {
    let failure = Failure::new(exit::STATE, error.to_string());
    match error {
        KeepError::Vault { path, error } if error.kind() == io::ErrorKind::StorageFull => {
            let what = format!("no space to keep copies in {}: {error}", path.display());
            Failure::new(exit::STATE, what)
        }
        KeepError::Damaged { .. } => {
            failure.hint("look at the protected files, then `fusebox guard snapshot`")
        }
        KeepError::Root { .. } | KeepError::Vault { .. } => failure,
    }
}

/// What became of something that was lost.
pub(crate) fn of_loss(lost: &Lost) -> String {
    let (path, how) = (lost.path.display(), &lost.how);
    match &lost.restored {
        None => format!("{path} {how}"),
        Some(Ok(())) => format!("{path} {how}; it is back"),
        Some(Err(why)) => format!("{path} {how}; it cannot be put back: {why}"),
    }
}

/// What became of something that was changed.
pub(crate) fn of_change(changed: &Changed) -> String {
    format!("{} {}", changed.path.display(), changed.change)
}

/// Why something is not kept.
pub(crate) fn of_left_out(left_out: &LeftOut) -> String {
    format!("{} is not kept: {}", left_out.path.display(), left_out.why)
}

/// The losses as the engine counts them.
pub(crate) fn losses(report: &Report) -> Losses {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Losses {
        missing: number(report.missing()),
        replaced: number(report.replaced()),
        found: report.lost.iter().map(of_loss).collect(),
    }
}
