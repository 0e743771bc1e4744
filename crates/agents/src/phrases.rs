//! What services tell people when a request fails, whichever agent passes it on.
//!
//! Agents quote their services, and most of them can be used with several. Their own
//! tables are looked at first, because only these know what a word means there.

use crate::class::EndClass::{
    self, Auth, Billing, Context, Network, Overloaded, RateLimited, Refusal, Setup, Timeout,
    UsageLimit,
};
use crate::class::{TextRow, of_status_in, row_in};
use crate::excerpt::normalised;

/// Texts of services. Money and a full context come before limits, and all of them
/// before the connection, which breaks for any of these reasons.
const SHARED: &[TextRow] = &[
    (&["context_length_exceeded"], Context),
    (&["context window"], Context),
    (&["context length"], Context),
    (&["context limit"], Context),
    (&["prompt is too long"], Context),
    (&["prompt token count", "exceeds"], Context),
    (&["input token count", "exceeds"], Context),
    (&["spending limit"], Billing),
    (&["spend limit"], Billing),
    (&["insufficient balance"], Billing),
    (&["insufficient", "credits"], Billing),
    (&["insufficient_quota"], Billing),
    (&["credit balance is too low"], Billing),
    (&["usage limit has been reached"], UsageLimit),
    (&["usage limit reached"], UsageLimit),
    (&["usage_limit_reached"], UsageLimit),
    (&["usagelimiterror"], UsageLimit),
    (&["reached your", "limit"], UsageLimit),
    (&["hit your", "usage limit"], UsageLimit),
    (&["incorrect api key"], Auth),
    (&["invalid api key"], Auth),
    (&["api key expired"], Auth),
    (&["api key not found"], Auth),
    (&["api key not valid"], Auth),
    (&["authentication_error"], Auth),
    (&["aws sso login"], Auth),
    (&["could not load credentials from any providers"], Auth),
    (&["could not load the default credentials"], Auth),
    (&["security token", "is expired"], Auth),
    (&["security token", "is invalid"], Auth),
    (&["rate_limit_exceeded"], RateLimited),
    (&["rate limit"], RateLimited),
    (&["rate-limited"], RateLimited),
    (&["too many requests"], RateLimited),
    (&["overloaded"], Overloaded),
    (&["experiencing high demand"], Overloaded),
    (&["service unavailable"], Overloaded),
    (&["internal server error"], Overloaded),
    (&["econnrefused"], Network),
    (&["econnreset"], Network),
    (&["enotfound"], Network),
    (&["etimedout"], Network),
    (&["eai_again"], Network),
    (&["connection error"], Network),
    (&["connection refused"], Network),
    (&["connection reset"], Network),
    (&["connection closed"], Network),
    (&["socket connection was closed"], Network),
    (&["socket hang up"], Network),
    (&["premature close"], Network),
    (&["api error: terminated"], Network),
    (&["client network socket disconnected"], Network),
    (&["streaming response failed"], Network),
    (&["response stalled mid-stream"], Network),
    (&["stream idle timeout"], Timeout),
    (&["sse read timed out"], Timeout),
    (&["the operation timed out"], Timeout),
    (&["fetch failed"], Network),
    (&["cannot connect to api"], Network),
    (&["unable to connect"], Network),
    (&["request timed out"], Timeout),
    (&["model", "does not exist"], Setup),
    (&["model", "is not supported"], Setup),
    (&["model", "is not found"], Setup),
    (&["model identifier is invalid"], Setup),
    (&["usage policy"], Refusal),
];

/// How lines begin that tell of one tool or of one attempt, and not of the run.
const PASSING: [&str; 3] = ["error executing tool", "error executing hook", "attempt "];

/// What stands before words that somebody else said.
const QUOTING: [char; 14] = [
    ':', '"', '\'', '=', '[', ']', '(', ')', '{', '}', '/', '\\', '|', '$',
];

/// The class of what an agent marked as an error: by its own table, by what services
/// say, and by the status that is quoted.
pub(crate) fn of_error(own: &[TextRow], text: &str) -> Option<EndClass> {
    let text = normalised(text);
    let known = row_in(own, &text).or_else(|| row_in(SHARED, &text));
    known
        .map(|(_, class)| class)
        .or_else(|| of_status_in(&text))
}

/// The class of a line that could be anybody's: a tool, a hook and a server write to the
/// same place. It counts if it begins like an error, or says by itself what an agent
/// says of itself.
pub(crate) fn of_line(own: &[TextRow], line: &str) -> Option<EndClass> {
    let text = normalised(line.trim());
    if PASSING.iter().any(|start| text.starts_with(start)) {
        return None;
    }
    if begins_as_error(&text) {
        return of_error(own, &text);
    }
    said_in(own, &text)
}

/// The same where errors of tools stand beside the agent's own: `TypeError: …` is one of a
/// program that it ran.
pub(crate) fn of_own_line(own: &[TextRow], line: &str) -> Option<EndClass> {
    let text = normalised(line.trim());
    if text.starts_with("api error") || text.starts_with("error:") {
        return of_error(own, &text);
    }
    said_in(own, &text)
}

/// What an agent says of itself, unless it is quoted.
fn said_in(own: &[TextRow], text: &str) -> Option<EndClass> {
    let (words, class) = row_in(own, text)?;
    let said_at = words.iter().filter_map(|word| text.find(word)).min()?;
    (!text[..said_at].contains(QUOTING)).then_some(class)
}

/// Whether a line says of itself that it is an error: `Error: …`, `[API Error: …`,
/// `aider: error: …`, `SomeError: …`.
pub(crate) fn begins_as_error(line: &str) -> bool {
    let line = normalised(line.trim());
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let is_mark = |word: &str| {
        let word = word.trim_matches(['[', ']', ':']);
        let letters = word.chars().all(|c| c.is_ascii_alphabetic());
        letters && (word.ends_with("error") || word == "fatal")
    };
    let speaker = first.trim_matches(['[', ':']);
    let speaks_of_itself = speaker == "api" || crate::programs().any(|name| name == speaker);
    is_mark(first) || (speaks_of_itself && words.next().is_some_and(is_mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &[TextRow] = &[
        (&["you've hit your", "limit"], UsageLimit),
        (&["please run /login"], Auth),
        (&["no rollout found"], Setup),
    ];

    #[test]
    fn errors_of_services_are_known_whoever_passes_them_on() {
        let table = [
            ("You've hit your limit", Some(UsageLimit)),
            ("input exceeds the context window of it", Some(Context)),
            (
                "prompt token count of 9 exceeds the limit of 8",
                Some(Context),
            ),
            (
                "length and tokens exceed context limit: 9 > 8",
                Some(Context),
            ),
            ("It has reached its monthly spending limit", Some(Billing)),
            ("Insufficient Balance", Some(Billing)),
            ("You've reached your weekly rate limit.", Some(UsageLimit)),
            (r#"{"type":"usage_limit_reached"}"#, Some(UsageLimit)),
            ("connect ECONNREFUSED 127.0.0.1:1", Some(Network)),
            ("TypeError: fetch failed", Some(Network)),
            ("Last error: 503 {}", Some(Overloaded)),
            (r#"{"error":{"code":404,"message":"x"}}"#, Some(Setup)),
            ("something else", None),
        ];
        for (text, expected) in table {
            assert_eq!(of_error(OWN, text), expected, "{text}");
        }
    }

    #[test]
    fn a_line_that_anybody_could_have_written_counts_only_if_it_speaks_for_itself() {
        let table = [
            ("You've hit your limit · resets 3pm", Some(UsageLimit)),
            ("Error: you've hit your limit", Some(UsageLimit)),
            ("Error: resume: failed: no rollout found", Some(Setup)),
            ("[API Error: fetch failed]", Some(Network)),
            ("API Error: 500 {}", Some(Overloaded)),
            ("aider: error: please run /login", Some(Auth)),
            ("fetch failed", None),
            ("[hook] grep: a.ts: \"please run /login\"", None),
            ("level=ERROR error=\"please run /login\"", None),
            ("server \"x\": please run /login", None),
            ("Error executing tool fetch: please run /login", None),
            ("Attempt 1 failed: please run /login", None),
            ("grep: error: please run /login", None),
        ];
        for (text, expected) in table {
            assert_eq!(of_line(OWN, text), expected, "{text}");
        }
    }
}
