//! What the agent is told: what repeats, and what has not been tried.

use super::kind::CallKind;
use super::ladder::Reading;
use super::state::CallState;
use super::verdict::CallSignal;

/// The message for a loop.
pub(super) fn message(state: &CallState, reading: &Reading) -> String {
    let mut out = what_repeats(state, reading);
    let untried = untried(state);
    if !untried.is_empty() {
        out.push_str(" Not tried since then: ");
        out.push_str(&untried.join(", "));
        out.push('.');
    }
    out.push_str(" Try something whose result you cannot predict, or say what you need.");
    out
}

fn what_repeats(state: &CallState, reading: &Reading) -> String {
    let value = reading.value;
    let call = &state.last_call;
    let error = &state.last_error;
    match reading.signal {
        CallSignal::NothingNew => {
            let count = reading.calls.len();
            let error = if error.is_empty() {
                String::new()
            } else {
                format!(" The error is still: {error}.")
            };
            format!("Your last {count} calls produced nothing new; the last was `{call}`.{error}")
        }
        CallSignal::Repeat => {
            format!(
                "You have made the call `{call}` {value} times in a row, with the same answer each time."
            )
        }
        CallSignal::Cycle => format!(
            "You are cycling through the same few calls with the same answers: {value} calls so far, the last was `{call}`."
        ),
        CallSignal::IdleTurns => format!("{value} turns in a row without a single call."),
        CallSignal::RecurringError => {
            format!(
                "The same error has come back {value} times, whatever was changed in between: {error}."
            )
        }
        CallSignal::FutileEdits => {
            format!(
                "The same failure has come {value} times, each time after another edit: {error}. What you change is not what causes it."
            )
        }
        CallSignal::Failures => {
            format!("{value} calls in a row have failed, the last one with: {error}.")
        }
        CallSignal::Oscillation => {
            format!("You have made and reverted the same edit {value} times: `{call}`.")
        }
        CallSignal::Paging => {
            format!(
                "You have read {value} pieces of one file in a row: `{call}`. Searching it would find the place at once."
            )
        }
        CallSignal::Claims => {
            format!("The work was called done {value} times, with nothing new between.")
        }
        CallSignal::Denials => {
            format!(
                "{value} calls in a row were not permitted, the last being `{call}`. Asking again will not change that."
            )
        }
        CallSignal::Compaction => {
            format!(
                "The conversation was compacted {value} times with hardly anything new in between."
            )
        }
        CallSignal::Spending => {
            format!("{value} thousand tokens were spent since anything new came up.")
        }
    }
}

/// Kinds of calls that were not made since things began to repeat.
fn untried(state: &CallState) -> Vec<&'static str> {
    [
        (CallKind::Read, "looking at the file again"),
        (CallKind::Search, "searching for what is really there"),
        (CallKind::Shell, "running something that shows the state"),
        (CallKind::Edit, "changing something"),
    ]
    .into_iter()
    .filter(|(kind, _)| state.kinds & kind.bit() == 0)
    .map(|(_, what)| what)
    .collect()
}
