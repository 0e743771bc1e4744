//! What a result of Claude Code means.

use crate::class::{self, EndClass};
use crate::usage::{Reach, Usage, micro_usd};

use super::texts::{self, TEXTS};
use super::wire::{ResultLine, TokenUsage, names_unpriced, sum};

/// How a result says the run went, and in which words.
pub(super) fn of_result(line: &ResultLine<'_>, last_error: Option<&str>) -> (EndClass, String) {
    let words = explanation(line);
    let ending = [&line.subtype, &line.terminal_reason]
        .into_iter()
        .flatten()
        .find_map(|word| texts::of_ending(word));
    if let Some(class) = ending {
        return (class, words);
    }
    if line.is_error == Some(false) {
        return (EndClass::Finished, words);
    }
    if line.stop_reason.as_deref() == Some("refusal") {
        return (EndClass::Refusal, words);
    }
    // What the result says of itself, then its text, which tells a timeout
    // from a failing server, then the codes that do not.
    let class = line
        .api_error
        .as_deref()
        .and_then(texts::of_error_code)
        .or_else(|| class::of_text(TEXTS, &words))
        .or_else(|| last_error.and_then(texts::of_error_code))
        .or_else(|| line.api_error_status.and_then(EndClass::of_status))
        .unwrap_or(EndClass::Unclear);
    (class, words)
}

fn explanation(line: &ResultLine<'_>) -> String {
    match (&line.result, &line.errors) {
        (Some(text), _) if !text.is_empty() => text.to_string(),
        (_, Some(errors)) => {
            let errors: Vec<&str> = errors
                .iter()
                .filter_map(|error| error.0.as_deref())
                .collect();
            errors.join("; ")
        }
        _ => line.terminal_reason.as_deref().unwrap_or("").to_owned(),
    }
}

/// The totals of a result: tokens by model where it tells, because only these hold
/// what sub-agents used. The bill stands on its own: it counts without any tokens
/// beside it, and is doubted only where a model is named that has no price.
pub(super) fn total(line: &ResultLine<'_>) -> Option<Usage> {
    let models = line.model_usage.as_ref();
    let tokens = models
        .map(sum)
        .or_else(|| line.usage.as_ref().map(TokenUsage::usage));
    let bill = line.total_cost_usd.and_then(micro_usd);
    let bill = bill.filter(|_| !models.is_some_and(names_unpriced));
    if tokens.is_none() && bill.is_none() {
        return None;
    }
    let usage = tokens.unwrap_or_default();
    Some(Usage {
        micro_usd: bill.or(usage.micro_usd),
        ..usage
    })
}

/// Releases that number their results also count on over resumed runs; older
/// ones began anew with each process.
pub(super) fn reach(line: &ResultLine<'_>) -> Reach {
    if line.result_index.is_some() {
        Reach::Session
    } else {
        Reach::Run
    }
}
