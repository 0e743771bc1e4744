//! What stands in the way of a run of Claude Code, as its stream tells before the result
//! does, or instead of it: a window that is full, and a request that failed.

use crate::class::EndClass;
use crate::event::EpochMs;
use crate::phrases;
use crate::run_record::{Failure, RunRecord};

use super::texts::{self, TEXTS};

/// What stands in the way, until the model answers again.
#[derive(Debug, Default)]
pub(super) struct Obstacle {
    window: Option<FullWindow>,
    error: Option<Synthetic>,
}

/// A usage window that lets nothing through, and for how long if that was told.
#[derive(Clone, Copy, Debug)]
struct FullWindow {
    until: Option<EpochMs>,
}

/// A message that no model wrote.
#[derive(Debug, Default)]
pub(super) struct Synthetic {
    /// The code of the error.
    pub(super) code: Option<String>,
    /// The type that the service gives it.
    pub(super) kind: Option<String>,
    pub(super) status: Option<u64>,
    pub(super) text: String,
}

impl Obstacle {
    /// A window lets nothing through.
    pub(super) fn rejected(&mut self, until: Option<EpochMs>) {
        self.window = Some(FullWindow { until });
    }

    /// A request failed for good.
    pub(super) fn failed(&mut self, error: Synthetic) {
        self.error = Some(error);
    }

    /// The model answered.
    pub(super) fn overcome(&mut self) {
        *self = Self::default();
    }

    /// The last error, which a result explains from now on.
    pub(super) fn take_error(&mut self) -> Option<Synthetic> {
        self.error.take()
    }

    /// The failure that nothing but the stream told of.
    pub(super) fn untold(&mut self, record: &RunRecord, now: EpochMs) -> Option<Failure> {
        let Some(error) = self.error.take() else {
            let window = self.window.filter(|_| record.results == 0)?;
            let failure = Failure::new(EndClass::UsageLimit, "");
            return Some(Failure {
                resets_at: window.until,
                ..failure
            });
        };
        let class = error.class().unwrap_or(EndClass::Unclear);
        Some(self.with_known_reset(record.explain(class, &error.text, now)))
    }

    /// The event of the window knows better than the sentence: what a full window
    /// turns away is no mere burst of requests.
    pub(super) fn with_known_reset(&self, failure: Failure) -> Failure {
        let Some(window) = self.window else {
            return failure;
        };
        match failure.class {
            EndClass::RateLimited | EndClass::UsageLimit => Failure {
                class: EndClass::UsageLimit,
                resets_at: window.until.or(failure.resets_at),
                ..failure
            },
            _ => failure,
        }
    }
}

impl Synthetic {
    /// What it means: its words say more than its codes.
    pub(super) fn class(&self) -> Option<EndClass> {
        let codes = [&self.code, &self.kind].into_iter().flatten();
        phrases::of_error(TEXTS, &self.text)
            .or_else(|| {
                codes
                    .into_iter()
                    .find_map(|code| texts::of_error_code(code))
            })
            .or_else(|| EndClass::of_status(self.status?))
    }
}
