//! OpenAI Responses, as Codex speaks it.

use super::{Event, Protocol, Refusal, Turn};
use crate::Failure;
use serde_json::{Value, json};

pub(crate) struct Responses;

impl Protocol for Responses {
    fn whole(&self, turn: &Turn) -> Value {
        let mut response = opening(turn);
        response["status"] = "completed".into();
        response["output"] = items(turn).into();
        response["usage"] = json!({
            "input_tokens": turn.usage.input,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": turn.usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": turn.total_tokens(),
        });
        response
    }

    fn stream(&self, turn: &Turn) -> Vec<Event> {
        let mut events = begun(turn);
        events.push(json!({"type": "response.completed", "response": self.whole(turn)}));
        numbered(events)
    }

    fn broken_off(&self, turn: &Turn, failure: Failure) -> Vec<Event> {
        let mut response = opening(turn);
        response["status"] = "failed".into();
        response["error"] = error(failure).1;
        let mut events = begun(turn);
        events.push(json!({"type": "response.failed", "response": response}));
        numbered(events)
    }

    fn refusal(&self, failure: Failure, now: u64) -> Refusal {
        let (status, mut error) = error(failure);
        let Failure::UsageLimit { resets_in_s } = failure else {
            return Refusal::new(status, json!({"error": error}));
        };
        error["plan_type"] = "plus".into();
        error["resets_at"] = (now + resets_in_s).into();
        Refusal::new(status, json!({"error": error})).with_headers([
            ("x-codex-primary-used-percent", "100".to_owned()),
            ("x-codex-primary-window-minutes", "300".to_owned()),
            ("x-codex-primary-reset-at", (now + resets_in_s).to_string()),
        ])
    }
}

fn opening(turn: &Turn) -> Value {
    json!({
        "id": format!("resp_{}", turn.serial),
        "object": "response",
        "created_at": 0,
        "status": "in_progress",
        "model": turn.model,
        "output": [],
        "usage": null,
        "error": null,
        "incomplete_details": null,
    })
}

fn items(turn: &Turn) -> Vec<Value> {
    let message = || {
        json!({
            "type": "message",
            "id": format!("msg_{}", turn.serial),
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": turn.text, "annotations": []}],
        })
    };
    let calls = turn.identified_calls().map(|(id, call)| {
        json!({
            "type": "function_call",
            "id": format!("fc_{id}"),
            "call_id": id,
            "name": call.name,
            "arguments": Value::from(call.args.clone()).to_string(),
            "status": "completed",
        })
    });
    let message = (!turn.text.is_empty()).then(message);
    message.into_iter().chain(calls).collect()
}

/// The response announced, and each item as it is done. The deltas in
/// between are for those who watch; clients act on the finished items.
fn begun(turn: &Turn) -> Vec<Value> {
    let mut events = vec![json!({"type": "response.created", "response": opening(turn)})];
    for (index, item) in items(turn).into_iter().enumerate() {
        let mut announced = item.clone();
        announced["status"] = "in_progress".into();
        events.push(json!({
            "type": "response.output_item.added",
            "output_index": index,
            "item": announced,
        }));
        if item["type"] == "message" {
            events.push(json!({
                "type": "response.output_text.delta",
                "item_id": item["id"],
                "output_index": index,
                "content_index": 0,
                "delta": turn.text,
            }));
        }
        events.push(json!({
            "type": "response.output_item.done",
            "output_index": index,
            "item": item,
        }));
    }
    events
}

fn numbered(events: Vec<Value>) -> Vec<Event> {
    let number = |(index, mut event): (usize, Value)| {
        event["sequence_number"] = index.into();
        Event::named(&event)
    };
    events.into_iter().enumerate().map(number).collect()
}

fn error(failure: Failure) -> (u16, Value) {
    match failure {
        Failure::UsageLimit { .. } => (
            429,
            json!({"type": "usage_limit_reached", "message": "The usage limit has been reached"}),
        ),
        Failure::RateLimited => (
            429,
            json!({
                "type": "tokens",
                "code": "rate_limit_exceeded",
                "message": "Rate limit reached on tokens per min. Please try again in 1s.",
            }),
        ),
        Failure::Overloaded => (
            503,
            json!({"code": "server_is_overloaded", "message": "The server is overloaded."}),
        ),
        Failure::Unauthorized => (
            401,
            json!({
                "type": "invalid_request_error",
                "code": "invalid_api_key",
                "message": "Incorrect API key provided.",
            }),
        ),
    }
}
