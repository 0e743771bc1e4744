//! A verdict on the session, in words for whoever watches. The agent is told in words of its own.

use fusebox_core::calls::{CallEvidence, CallSignal, CallVerdict, Level};
use fusebox_view::escape;

/// The widest that a message is shown.
const WIDTH: usize = 600;
/// The widest that a call is shown in it.
const CALL: usize = 120;

/// The verdict in one line.
pub(super) fn told(verdict: &CallVerdict) -> String {
    let mut reading = String::new();
    let mut what = "it gets nowhere".to_owned();
    if let Some(one) = verdict.evidence.first() {
        let signal = one.signal.name().replace('_', " ");
        reading = format!(", {signal}: {} of {}", one.value, one.threshold);
        what = what_repeats(one, named(&verdict.message));
    }
    let end = match verdict.level {
        Level::Trip => "; the iteration is ended",
        Level::Observe | Level::Steer | Level::Block => "",
    };
    format!(
        "! going in circles at call {} ({}{reading}): {}{end}",
        verdict.call,
        verdict.level.name(),
        escape::line(&what, WIDTH)
    )
}

/// The call that is told of. It stands in the agent's message alone, between the first two marks,
/// and is the same there whether a hook or the stream told of it first.
fn named(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once('`')?;
    rest.split_once('`').map(|(call, _)| call)
}

fn what_repeats(one: &CallEvidence, call: Option<&str>) -> String {
    let value = one.value;
    let call = call.map(|call| escape::line(call, CALL).trim().to_owned());
    let call = call.map_or_else(|| "the same call".to_owned(), |call| format!("'{call}'"));
    match one.signal {
        CallSignal::NothingNew => {
            let count = one.calls.len();
            format!("{count} calls with nothing new, the last {call}")
        }
        CallSignal::Repeat => format!("{call} {value} times with the same answer"),
        CallSignal::Cycle => {
            format!("{value} calls, the same few in turn with the same answers, the last {call}")
        }
        CallSignal::IdleTurns => format!("{value} turns in a row without a single call"),
        CallSignal::RecurringError => {
            format!("the same error {value} times, whatever was changed in between")
        }
        CallSignal::FutileEdits => {
            format!("the same failure {value} times, each time after another edit")
        }
        CallSignal::Failures => format!("{value} calls in a row failed"),
        CallSignal::Oscillation => {
            format!("the same edit made and taken back {value} times: {call}")
        }
        CallSignal::Paging => format!("{value} pieces of one file read in a row: {call}"),
        CallSignal::Claims => {
            format!("the work was called done {value} times, with nothing new between")
        }
        CallSignal::Denials => {
            format!("{value} calls in a row were not permitted, the last {call}")
        }
        CallSignal::Compaction => {
            format!("the conversation was compacted {value} times with hardly anything new between")
        }
        CallSignal::Spending => {
            format!("{value} thousand tokens were spent since anything new came up")
        }
    }
}
