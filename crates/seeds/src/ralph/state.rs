//! `.circuit_breaker_state`, as far as it can be believed.

use fusebox_core::machine::Adoption;
use serde::Deserialize;

use crate::existing::Understood;
use crate::json::{Wrong, without_mark, wrong};

#[derive(Deserialize)]
struct File {
    state: Label,
    #[serde(default)]
    consecutive_no_progress: u32,
    #[serde(default)]
    consecutive_same_error: u32,
    #[serde(default)]
    total_opens: u64,
    reason: Option<String>,
    current_loop: Option<u64>,
    opened_at: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Label {
    Closed,
    HalfOpen,
    Open,
}

pub(super) fn understand(text: &str) -> Result<Understood, Wrong> {
    let file: File =
        serde_json::from_str(without_mark(text)).map_err(|error| wrong(text, &error))?;
    let reason = file.reason.filter(|reason| !reason.is_empty());
    let mut taken = Vec::new();
    let mut left = Vec::new();
    let open = (file.state == Label::Open).then(|| {
        let reason = reason.unwrap_or_else(|| "Opened by another tool".to_owned());
        taken.push(format!("the breaker is open: {reason}"));
        reason
    });
    let opened = file.opened_at.filter(|_| open.is_some());
    let opened_ms = opened.as_deref().and_then(crate::time::read);
    if let Some(ms) = opened_ms {
        let since = crate::time::written(ms);
        taken.push(format!("its cooldown began at {since}"));
    }
    if file.consecutive_no_progress > 0 {
        let count = file.consecutive_no_progress;
        taken.push(format!("{count} loops in a row without progress"));
    }
    if file.consecutive_same_error > 0 {
        let count = file.consecutive_same_error;
        left.push(format!(
            "{count} loops in a row with errors: which errors they were is not kept there"
        ));
    }
    let loops = file.current_loop.unwrap_or(0);
    left.push(format!(
        "its own counts: {loops} loops, {} openings",
        file.total_opens
    ));
    Ok(Understood {
        taken,
        left,
        adoption: Adoption {
            open,
            opened_ms,
            no_progress: file.consecutive_no_progress,
            ..Adoption::default()
        },
        ..Understood::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_d_064_an_open_breaker_comes_along_open_and_half_a_file_is_not_taken_for_closed() {
        let text = r#"{"state":"OPEN","last_change":"2026-11-15T20:08:30+00:00",
            "consecutive_no_progress":3,"consecutive_same_error":2,"total_opens":1,
            "reason":"No recovery, opening circuit after 3 loops","current_loop":3,
            "opened_at":"2026-11-15T20:08:30+00:00"}"#;
        let understood = understand(text).unwrap();
        assert_eq!(
            understood.adoption.open.as_deref(),
            Some("No recovery, opening circuit after 3 loops")
        );
        assert_eq!(understood.adoption.no_progress, 3);
        assert_eq!(understood.adoption.opened_ms, Some(1_794_773_310_000));
        assert_eq!(understood.adoption.error, None);
        // The original deletes a file that it cannot parse and is closed then.
        let half = &text[..text.len() / 2];
        assert!(
            understand(half)
                .unwrap_err()
                .what
                .contains("not valid JSON")
        );
        assert!(understand(r#"{"state":"MAYBE"}"#).is_err());
        let closed = understand(r#"{"state":"CLOSED"}"#).unwrap();
        assert_eq!((closed.taken.len(), closed.adoption.open), (0, None));
    }
}
