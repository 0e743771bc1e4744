//! The copies of the protected files, in words.

use fusebox_core::journal::Losses;
use fusebox_guard::keep::{Changed, KeepError, LeftOut, Lost, Report};

use crate::exit;
use crate::failure::Failure;

/// The protected files could not be looked at, or not be copied.
pub(crate) fn unkept(error: &KeepError) -> Failure {
    let failure = Failure::new(exit::STATE, error.to_string());
    match error {
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
