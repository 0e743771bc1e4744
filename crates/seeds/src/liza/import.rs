//! A blackboard that was there before.

use fusebox_core::Preset;
use fusebox_core::machine::Adoption;

use super::board::{Board, BoardStatus};
use super::{MOST_BYTES, STATE, moment};
use crate::existing::{Existing, Understood};
use crate::json::{Placed, Wrong};
use crate::seed::ProjectedFile;

/// The system that works with a blackboard.
pub struct Liza;

impl Existing for Liza {
    fn place(&self) -> &'static str {
        super::DIRECTORY
    }

    fn preset(&self) -> Preset {
        Preset::Liza
    }

    fn files(&self) -> &'static [ProjectedFile] {
        const {
            &[ProjectedFile {
                path: STATE,
                most_bytes: MOST_BYTES,
            }]
        }
    }

    fn understand(&self, _path: &str, text: &str) -> Result<Understood, Wrong> {
        let board = Board::read(text).map_err(|broken| {
            let before = text
                .split_inclusive('\n')
                .take(broken.line.saturating_sub(1));
            let start: usize = before.map(str::len).sum();
            Placed {
                what: broken.to_string(),
                span: start..start,
            }
        })?;
        let mut taken = Vec::new();
        let mut adoption = Adoption::default();
        match &board.status {
            BoardStatus::Absent => {}
            BoardStatus::Ok => taken.push("status OK".to_owned()),
            BoardStatus::Triggered | BoardStatus::Other(_) => {
                let pattern = board
                    .trigger
                    .as_ref()
                    .and_then(|trigger| trigger.pattern.clone());
                let pattern = pattern.unwrap_or_else(|| "no pattern named".into());
                taken.push(format!("TRIGGERED ({pattern})"));
                adoption.open = Some(format!("{STATE} says TRIGGERED: {pattern}"));
            }
        }
        let mut left = vec![format!(
            "{} anomalies, read at every analysis",
            board.anomalies.len()
        )];
        if let Some(started) = board.sprint_ms {
            left.push(format!("the sprint, begun {}", moment::written(started)));
        }
        left.push(format!("{} checks of the past", board.history.len()));
        Ok(Understood {
            taken,
            left,
            adoption,
            ..Understood::default()
        })
    }
}
