//! How each vendor's interface words the same turn and the same failure.

mod anthropic;
mod chat;
mod gemini;
mod question;
mod responses;

pub(crate) use question::Question;

use crate::{Failure, Usage};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One vendor's interface.
pub(crate) trait Protocol: Sync {
    /// The turn as a single JSON document.
    fn whole(&self, turn: &Turn) -> Value;

    /// The turn as a stream of events.
    fn stream(&self, turn: &Turn) -> Vec<Event>;

    /// A stream that begins with the turn's text and ends in a failure.
    fn broken_off(&self, turn: &Turn, failure: Failure) -> Vec<Event>;

    /// The failure as a response of its own. `now` is in seconds since 1970.
    fn refusal(&self, failure: Failure, now: u64) -> Refusal;
}

/// A turn of the model, with its calls addressed to tools that exist.
#[derive(Debug)]
pub(crate) struct Turn {
    /// Makes the identifiers of this turn differ from all others.
    pub(crate) serial: u64,
    pub(crate) model: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) usage: Usage,
}

/// A call of a tool by its name.
#[derive(Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) args: Map<String, Value>,
}

impl Turn {
    /// The calls, each with an identifier that the client answers it by.
    fn identified_calls(&self) -> impl Iterator<Item = (String, &Call)> {
        let identify = |(index, call)| (format!("call_{}_{index}", self.serial), call);
        self.calls.iter().enumerate().map(identify)
    }

    fn total_tokens(&self) -> u64 {
        self.usage.input + self.usage.output
    }
}

/// One server-sent event.
#[derive(Debug)]
pub(crate) struct Event {
    name: Option<String>,
    data: String,
}

impl Event {
    /// An event named after the `type` in its data, as some vendors have it.
    fn named(data: &Value) -> Self {
        Self {
            name: data["type"].as_str().map(str::to_owned),
            data: data.to_string(),
        }
    }

    fn unnamed(data: &Value) -> Self {
        Self {
            name: None,
            data: data.to_string(),
        }
    }

    /// An event that is no JSON but a mark, such as that of the end.
    fn mark(data: &str) -> Self {
        Self {
            name: None,
            data: data.to_owned(),
        }
    }

    pub(crate) fn to_wire(&self) -> String {
        match &self.name {
            Some(name) => format!("event: {name}\ndata: {}\n\n", self.data),
            None => format!("data: {}\n\n", self.data),
        }
    }
}

/// A response other than 200.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

impl Refusal {
    fn new(status: u16, body: Value) -> Self {
        Self {
            status,
            headers: BTreeMap::new(),
            body,
        }
    }

    fn with_headers<const N: usize>(mut self, headers: [(&str, String); N]) -> Self {
        for (name, value) in headers {
            self.headers.insert(name.to_owned(), value);
        }
        self
    }
}

/// The interface that is served under a path.
pub(crate) fn at(path: &str) -> Option<&'static dyn Protocol> {
    if path.ends_with("/messages") {
        Some(&anthropic::Messages)
    } else if path.ends_with("/chat/completions") {
        Some(&chat::Completions)
    } else if path.ends_with("/responses") {
        Some(&responses::Responses)
    } else if path.ends_with("enerateContent") {
        Some(&gemini::GenerateContent)
    } else {
        None
    }
}
