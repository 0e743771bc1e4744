//! `.call_count` and `.last_reset`: how many calls were made within an hour of the clock, and
//! within which.

use crate::existing::Understood;
use crate::json::{Placed, Wrong};

/// The number of calls.
pub(super) fn counted(text: &str) -> Result<Understood, Wrong> {
    let calls = text.trim().parse().map_err(|_| Placed {
        what: "this is not a number of calls".to_owned(),
        span: 0..text.trim_end().len(),
    })?;
    Ok(Understood {
        calls: Some(calls),
        ..Understood::default()
    })
}

/// The hour, as `2026111920`.
pub(super) fn hour(text: &str) -> Understood {
    Understood {
        hour: Some(text.trim().to_owned()),
        left: vec!["the hour that its calls were counted in".to_owned()],
        ..Understood::default()
    }
}
