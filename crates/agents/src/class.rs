//! Why a run ended, in a closed list.

use serde::{Deserialize, Serialize};

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndClass {
    /// The agent came to the end of its turn. That is no claim about the work.
    Finished,
    /// A usage window of the vendor is used up until it resets.
    UsageLimit,
    /// Too many requests at once; a short wait helps.
    RateLimited,
    /// The vendor's service cannot keep up or fails.
    Overloaded,
    /// Not logged in, no longer, or not allowed to.
    Auth,
    /// Out of credit. Waiting does not help, paying does.
    Billing,
    /// The conversation no longer fits the model.
    Context,
    /// One answer was longer than the model may write.
    OutputCap,
    /// The agent's own limit of turns.
    TurnCap,
    /// The agent's own limit of money or tokens.
    BudgetCap,
    /// It stopped because something was not permitted.
    Permission,
    /// The model or its vendor refused the content.
    Refusal,
    /// A request or the run took too long.
    Timeout,
    /// The service could not be reached, or the connection broke.
    Network,
    /// The command cannot work as it was given: an unknown flag, model or
    /// session. Repeating it changes nothing.
    Setup,
    /// The agent's own guard against loops stopped it.
    OwnLoopGuard,
    /// It was stopped from outside: by a signal of ours, a person or a hook.
    Stopped,
    /// It died, and nothing it said tells why.
    Crash,
    /// Nothing that was seen tells.
    Unclear,
}

/// Trouble that lies outside the agent and outside the work, and so must count
/// neither as progress nor as the lack of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trouble {
    /// A limit of the vendor.
    Limit,
    /// The vendor's service is overloaded.
    Overload,
    /// Not logged in, or not paid for.
    Auth,
    /// The network.
    Network,
}

impl EndClass {
    /// All of them.
    pub const ALL: [Self; 19] = [
        Self::Finished,
        Self::UsageLimit,
        Self::RateLimited,
        Self::Overloaded,
        Self::Auth,
        Self::Billing,
        Self::Context,
        Self::OutputCap,
        Self::TurnCap,
        Self::BudgetCap,
        Self::Permission,
        Self::Refusal,
        Self::Timeout,
        Self::Network,
        Self::Setup,
        Self::OwnLoopGuard,
        Self::Stopped,
        Self::Crash,
        Self::Unclear,
    ];

    /// Its name, for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::UsageLimit => "usage limit",
            Self::RateLimited => "rate limited",
            Self::Overloaded => "overloaded",
            Self::Auth => "not logged in",
            Self::Billing => "billing",
            Self::Context => "context full",
            Self::OutputCap => "answer too long",
            Self::TurnCap => "turn cap",
            Self::BudgetCap => "budget cap",
            Self::Permission => "not permitted",
            Self::Refusal => "refused",
            Self::Timeout => "timed out",
            Self::Network => "network",
            Self::Setup => "cannot run like this",
            Self::OwnLoopGuard => "its own loop guard",
            Self::Stopped => "stopped",
            Self::Crash => "crashed",
            Self::Unclear => "unclear",
        }
    }

    /// The trouble outside the agent that it stands for, if it does.
    #[must_use]
    pub fn trouble(self) -> Option<Trouble> {
        match self {
            Self::UsageLimit | Self::RateLimited => Some(Trouble::Limit),
            Self::Overloaded => Some(Trouble::Overload),
            Self::Auth | Self::Billing => Some(Trouble::Auth),
            // An agent's own time limit is for one request to the service.
            Self::Network | Self::Timeout => Some(Trouble::Network),
            Self::Finished
            | Self::Context
            | Self::OutputCap
            | Self::TurnCap
            | Self::BudgetCap
            | Self::Permission
            | Self::Refusal
            | Self::Setup
            | Self::OwnLoopGuard
            | Self::Stopped
            | Self::Crash
            | Self::Unclear => None,
        }
    }

    /// What an HTTP status of the vendor's service stands for.
    pub(crate) fn of_status(status: u64) -> Option<Self> {
        Some(match status {
            401 | 403 => Self::Auth,
            402 => Self::Billing,
            404 => Self::Setup,
            408 | 504 => Self::Timeout,
            413 => Self::Context,
            429 => Self::RateLimited,
            500..=599 => Self::Overloaded,
            _ => return None,
        })
    }
}

/// One row of an agent's table of texts: a text that contains all the words is
/// of the class.
pub(crate) type TextRow = (&'static [&'static str], EndClass);

/// The class of an explanation, by the first row that fits. Only ever given
/// what the agent itself marked as an error, never what it or a tool wrote
/// about the work: agents work on code that is full of "rate limit".
pub(crate) fn of_text(rows: &[TextRow], text: &str) -> Option<EndClass> {
    let text = crate::excerpt::normalised(text);
    row_in(rows, &text).map(|(_, class)| class)
}

/// The first row that fits a text in its one spelling.
pub(crate) fn row_in(rows: &[TextRow], normalised: &str) -> Option<TextRow> {
    rows.iter()
        .find(|(words, _)| words.iter().all(|word| normalised.contains(word)))
        .copied()
}

/// The class of an explanation that quotes an HTTP status, as in
/// `unexpected status 503 Service Unavailable`, `last status: 429`, `API Error: 500 …`,
/// `API Error (the-model): 429 …` or `{"error":{"code":404,…`.
pub(crate) fn of_status_in(text: &str) -> Option<EndClass> {
    const CUES: [&str; 4] = ["status", "error:", "error (", r#""code":"#];
    let text = crate::excerpt::normalised(text);
    CUES.iter().find_map(|cue| {
        text.match_indices(cue).find_map(|(at, _)| {
            let rest = &text[at + cue.len()..];
            let rest = match cue.ends_with('(') {
                true => rest.split_once("):")?.1,
                false => rest,
            };
            let digits = rest.trim_start_matches([':', ' ']);
            let end = digits.find(|c: char| !c.is_ascii_digit());
            EndClass::of_status(digits[..end.unwrap_or(digits.len())].parse().ok()?)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct() {
        let names: std::collections::BTreeSet<_> =
            EndClass::ALL.iter().map(|class| class.name()).collect();
        assert_eq!(names.len(), EndClass::ALL.len());
    }

    #[test]
    fn a_quoted_status_tells_the_class() {
        let table = [
            (
                "unexpected status 503 Service Unavailable",
                Some(EndClass::Overloaded),
            ),
            (
                "last status: 429 Too Many Requests",
                Some(EndClass::RateLimited),
            ),
            ("API Error: 529 Overloaded", Some(EndClass::Overloaded)),
            (
                "API Error (us.anthropic.claude-x): 429 Too many tokens, please wait",
                Some(EndClass::RateLimited),
            ),
            ("error (a 404 (or so): 7", None),
            (r#"{"error":{"code": 403}}"#, Some(EndClass::Auth)),
            ("status 200", None),
            ("status of things", None),
            ("nothing", None),
        ];
        for (text, expected) in table {
            assert_eq!(of_status_in(text), expected, "{text}");
        }
    }

    #[test]
    fn the_first_row_that_fits_wins_whatever_the_spelling() {
        const ROWS: &[TextRow] = &[
            (&["you've hit your", "limit"], EndClass::UsageLimit),
            (&["limit"], EndClass::RateLimited),
        ];
        let table = [
            ("You’ve hit your 5-hour LIMIT", Some(EndClass::UsageLimit)),
            ("limit", Some(EndClass::RateLimited)),
            ("fine", None),
        ];
        for (text, expected) in table {
            assert_eq!(of_text(ROWS, text), expected, "{text}");
        }
    }
}
