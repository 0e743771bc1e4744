//! OpenAI Chat Completions, which most other clients can speak.

use super::{Event, Protocol, Refusal, Turn};
use crate::Failure;
use serde_json::{Value, json};

pub(crate) struct Completions;

impl Protocol for Completions {
    fn whole(&self, turn: &Turn) -> Value {
        let mut message = json!({"role": "assistant", "content": turn.text});
        if !turn.calls.is_empty() {
            message["tool_calls"] = calls(turn).into();
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": finish(turn)});
        json!({
            "id": format!("chatcmpl-{}", turn.serial),
            "object": "chat.completion",
            "created": 0,
            "model": turn.model,
            "choices": [choice],
            "usage": usage(turn),
        })
    }

    fn stream(&self, turn: &Turn) -> Vec<Event> {
        let mut events = vec![opening(turn)];
        if !turn.calls.is_empty() {
            events.push(chunk(turn, &json!({"tool_calls": calls(turn)}), None));
        }
        let mut last = chunk(turn, &json!({}), Some(finish(turn)));
        last["usage"] = usage(turn);
        events.push(last);
        let mut events: Vec<_> = events.iter().map(Event::unnamed).collect();
        events.push(Event::mark("[DONE]"));
        events
    }

    fn broken_off(&self, turn: &Turn, failure: Failure) -> Vec<Event> {
        let failed = json!({"error": error(failure).1});
        [opening(turn), failed].iter().map(Event::unnamed).collect()
    }

    /// A usage limit has no agreed way to say when it ends here, so none is
    /// said.
    fn refusal(&self, failure: Failure, _now: u64) -> Refusal {
        let (status, error) = error(failure);
        let refusal = Refusal::new(status, json!({"error": error}));
        if failure == Failure::RateLimited {
            return refusal.with_headers([("retry-after", "1".to_owned())]);
        }
        refusal
    }
}

fn opening(turn: &Turn) -> Value {
    let delta = json!({"role": "assistant", "content": turn.text});
    chunk(turn, &delta, None)
}

fn chunk(turn: &Turn, delta: &Value, finish_reason: Option<&str>) -> Value {
    json!({
        "id": format!("chatcmpl-{}", turn.serial),
        "object": "chat.completion.chunk",
        "created": 0,
        "model": turn.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    })
}

fn calls(turn: &Turn) -> Vec<Value> {
    let word = |(index, (id, call)): (usize, (String, &super::Call))| {
        let arguments = Value::from(call.args.clone()).to_string();
        json!({
            "index": index,
            "id": id,
            "type": "function",
            "function": {"name": call.name, "arguments": arguments},
        })
    };
    turn.identified_calls().enumerate().map(word).collect()
}

fn finish(turn: &Turn) -> &'static str {
    if turn.calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    }
}

fn usage(turn: &Turn) -> Value {
    json!({
        "prompt_tokens": turn.usage.input,
        "completion_tokens": turn.usage.output,
        "total_tokens": turn.total_tokens(),
    })
}

fn error(failure: Failure) -> (u16, Value) {
    let (status, kind, code, message) = match failure {
        Failure::UsageLimit { .. } => (
            429,
            "insufficient_quota",
            "insufficient_quota",
            "You exceeded your current quota.",
        ),
        Failure::RateLimited => (
            429,
            "requests",
            "rate_limit_exceeded",
            "Rate limit reached for requests",
        ),
        Failure::Overloaded => (
            503,
            "server_error",
            "server_is_overloaded",
            "The server is overloaded.",
        ),
        Failure::Unauthorized => (
            401,
            "invalid_request_error",
            "invalid_api_key",
            "Incorrect API key provided.",
        ),
    };
    let error = json!({"message": message, "type": kind, "code": code});
    (status, error)
}
