//! Anthropic Messages.

use super::{Event, Protocol, Refusal, Turn};
use crate::Failure;
use serde_json::{Value, json};

pub(crate) struct Messages;

impl Protocol for Messages {
    fn whole(&self, turn: &Turn) -> Value {
        let mut message = opening(turn);
        message["content"] = blocks(turn).into();
        message["stop_reason"] = stop_reason(turn).into();
        message["usage"]["output_tokens"] = turn.usage.output.into();
        message
    }

    fn stream(&self, turn: &Turn) -> Vec<Event> {
        let mut events = begun(turn);
        events.push(json!({
            "type": "message_delta",
            "delta": {"stop_reason": stop_reason(turn), "stop_sequence": null},
            "usage": {"output_tokens": turn.usage.output},
        }));
        events.push(json!({"type": "message_stop"}));
        events.iter().map(Event::named).collect()
    }

    fn broken_off(&self, turn: &Turn, failure: Failure) -> Vec<Event> {
        let mut events = begun(turn);
        events.push(error(failure).1);
        events.iter().map(Event::named).collect()
    }

    fn refusal(&self, failure: Failure, now: u64) -> Refusal {
        let (status, body) = error(failure);
        let refusal = Refusal::new(status, body);
        match failure {
            Failure::UsageLimit { resets_in_s } => {
                let at = (now + resets_in_s).to_string();
                refusal.with_headers([
                    ("anthropic-ratelimit-unified-status", "rejected".to_owned()),
                    ("anthropic-ratelimit-unified-reset", at.clone()),
                    (
                        "anthropic-ratelimit-unified-representative-claim",
                        "five_hour".to_owned(),
                    ),
                    (
                        "anthropic-ratelimit-unified-5h-status",
                        "rejected".to_owned(),
                    ),
                    ("anthropic-ratelimit-unified-5h-reset", at),
                    (
                        "anthropic-ratelimit-unified-5h-utilization",
                        "1.0".to_owned(),
                    ),
                    ("retry-after", resets_in_s.to_string()),
                    ("x-should-retry", "false".to_owned()),
                ])
            }
            Failure::RateLimited => refusal.with_headers([("retry-after", "1".to_owned())]),
            Failure::Overloaded | Failure::Unauthorized => refusal,
        }
    }
}

fn opening(turn: &Turn) -> Value {
    json!({
        "id": format!("msg_{}", turn.serial),
        "type": "message",
        "role": "assistant",
        "model": turn.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {
            "input_tokens": turn.usage.input,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 1,
        },
    })
}

fn blocks(turn: &Turn) -> Vec<Value> {
    let text = (!turn.text.is_empty()).then(|| json!({"type": "text", "text": turn.text}));
    let calls = turn.identified_calls().map(
        |(id, call)| json!({"type": "tool_use", "id": id, "name": call.name, "input": call.args}),
    );
    text.into_iter().chain(calls).collect()
}

/// Everything up to the point where the turn says how it ends. A block is
/// announced empty, and its content follows as text.
fn begun(turn: &Turn) -> Vec<Value> {
    let mut events = vec![json!({"type": "message_start", "message": opening(turn)})];
    for (index, mut block) in blocks(turn).into_iter().enumerate() {
        let delta = if block["type"] == "text" {
            json!({"type": "text_delta", "text": block["text"].take()})
        } else {
            let input = block["input"].take().to_string();
            json!({"type": "input_json_delta", "partial_json": input})
        };
        if block["type"] == "text" {
            block["text"] = "".into();
        } else {
            block["input"] = json!({});
        }
        events.extend([
            json!({"type": "content_block_start", "index": index, "content_block": block}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]);
    }
    events
}

fn stop_reason(turn: &Turn) -> &'static str {
    if turn.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    }
}

fn error(failure: Failure) -> (u16, Value) {
    let (status, kind, message) = match failure {
        Failure::UsageLimit { .. } => (
            429,
            "rate_limit_error",
            "This request would exceed your account's rate limit.",
        ),
        Failure::RateLimited => (
            429,
            "rate_limit_error",
            "This request would exceed your organization's rate limit.",
        ),
        Failure::Overloaded => (529, "overloaded_error", "Overloaded"),
        Failure::Unauthorized => (401, "authentication_error", "invalid x-api-key"),
    };
    let body = json!({"type": "error", "error": {"type": kind, "message": message}});
    (status, body)
}
