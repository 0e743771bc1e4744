//! For loops in any language: the commands `check` and `record`, and what there is to see,
//! without a process for each.

use serde_json::value::RawValue;

use super::questions::{Desk, Nothing};
use super::refusal::Refusal;
use super::rpc::{Answers, Params, result};
use crate::cli::Global;
use crate::clock::Clock;

const METHODS: &str = "status, check, record, history, explain, report_anomaly";

/// The methods of `serve --stdio`.
pub(crate) struct Library(pub(super) Desk);

impl Library {
    pub(crate) fn new(global: &Global, clock: Clock) -> Self {
        Self(Desk::new(global, clock))
    }
}

impl Answers for Library {
    fn answer(&mut self, method: &str, params: Params<'_>) -> Result<Box<RawValue>, Refusal> {
        let desk = &self.0;
        match method {
            "status" => params.read::<Nothing>().and_then(|_| desk.status()),
            "check" => desk.check(&params.read()?),
            "record" => desk.record(&params.read()?),
            "history" => desk.history(params.read()?),
            "explain" => params
                .read::<Nothing>()
                .and_then(|_| result(&desk.explain()?)),
            "report_anomaly" => result(&desk.report_anomaly(params.read()?)?),
            other => Err(Refusal::unknown(other, METHODS)),
        }
    }
}
