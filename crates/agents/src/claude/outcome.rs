//! What a result of Claude Code means.

use crate::class::EndClass;
use crate::message::TokenUsage;
use crate::phrases;
use crate::usage::{Reach, Usage, micro_usd};

use super::obstacle::Synthetic;
use super::texts::{self, TEXTS};
use super::wire::{ResultLine, names_unpriced, sum};

/// How a result says the run went, and in which words.
pub(super) fn of_result(
    line: &ResultLine<'_>,
    last_error: Option<&Synthetic>,
) -> (EndClass, String) {
    let words = explanation(line);
    let ending = [&line.subtype, &line.terminal_reason]
        .into_iter()
        .flatten()
        .find_map(|word| texts::of_ending(word));
    if let Some(class) = ending {
        return (class, words.text);
    }
    if line.stop_reason.as_deref() == Some("refusal") {
        return (EndClass::Refusal, words.text);
    }
    if line.is_error == Some(false) {
        return (EndClass::Finished, words.text);
    }
    // What the result says of itself, then its text, which tells a timeout
    // from a failing server, then the message before it, then the codes.
    let class = line
        .api_error
        .as_deref()
        .and_then(texts::of_error_code)
        .or(words.class)
        .or_else(|| last_error.and_then(Synthetic::class))
        .or_else(|| texts::of_error_code(line.api_error_type.as_deref()?))
        .or_else(|| line.api_error_status.and_then(EndClass::of_status))
        .unwrap_or(EndClass::Unclear);
    (class, words.text)
}

/// Why, in the words of the result, and what these words mean.
struct Explanation {
    text: String,
    class: Option<EndClass>,
}

fn explanation(line: &ResultLine<'_>) -> Explanation {
    let complaint = line.error.as_ref().and_then(|error| error.0.as_deref());
    let mut marked = [line.result.as_deref(), complaint].into_iter().flatten();
    if let Some(text) = marked.find(|text| !text.is_empty()) {
        return Explanation {
            text: text.to_owned(),
            class: phrases::of_error(TEXTS, text),
        };
    }
    let Some(errors) = &line.errors else {
        let reason = line.terminal_reason.as_deref().unwrap_or("");
        return Explanation {
            text: reason.to_owned(),
            class: None,
        };
    };
    // Whatever went wrong, a tool's words included: only what speaks for itself counts.
    let errors: Vec<&str> = errors
        .iter()
        .filter_map(|error| error.0.as_deref())
        .collect();
    Explanation {
        text: errors.join("; "),
        class: errors
            .iter()
            .find_map(|error| phrases::of_own_line(TEXTS, error)),
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
