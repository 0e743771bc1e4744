//! Gemini `generateContent` and `streamGenerateContent`.

use super::{Event, Protocol, Refusal, Turn};
use crate::Failure;
use serde_json::{Value, json};

pub(crate) struct GenerateContent;

impl Protocol for GenerateContent {
    fn whole(&self, turn: &Turn) -> Value {
        let mut response = unfinished(turn);
        response["candidates"][0]["finishReason"] = "STOP".into();
        response
    }

    /// A turn may be one single event, and then is the whole of it.
    fn stream(&self, turn: &Turn) -> Vec<Event> {
        vec![Event::unnamed(&self.whole(turn))]
    }

    fn broken_off(&self, turn: &Turn, failure: Failure) -> Vec<Event> {
        let failed = json!({"error": error(failure).1});
        [unfinished(turn), failed]
            .iter()
            .map(Event::unnamed)
            .collect()
    }

    fn refusal(&self, failure: Failure, _now: u64) -> Refusal {
        let (status, error) = error(failure);
        Refusal::new(status, json!({"error": error}))
    }
}

fn unfinished(turn: &Turn) -> Value {
    let text = (!turn.text.is_empty()).then(|| json!({"text": turn.text}));
    let calls = turn
        .calls
        .iter()
        .map(|call| json!({"functionCall": {"name": call.name, "args": call.args}}));
    let parts: Vec<Value> = text.into_iter().chain(calls).collect();
    json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "usageMetadata": {
            "promptTokenCount": turn.usage.input,
            "candidatesTokenCount": turn.usage.output,
            "totalTokenCount": turn.total_tokens(),
        },
        "modelVersion": turn.model,
        "responseId": format!("response-{}", turn.serial),
    })
}

/// The status of the response and the object under `error`. A bad key is a
/// bad request here, not an unauthorised one.
fn error(failure: Failure) -> (u16, Value) {
    let (code, status, message, details) = match failure {
        Failure::UsageLimit { resets_in_s } => (
            429,
            "RESOURCE_EXHAUSTED",
            format!("Your quota will reset after {resets_in_s}s."),
            json!([
                {
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                    "reason": "QUOTA_EXHAUSTED",
                    "domain": "cloudcode-pa.googleapis.com",
                    "metadata": {"quotaResetDelay": format!("{resets_in_s}s")},
                },
                retry_in(resets_in_s),
            ]),
        ),
        Failure::RateLimited => (
            429,
            "RESOURCE_EXHAUSTED",
            "Too many requests per minute.".to_owned(),
            json!([retry_in(1)]),
        ),
        Failure::Overloaded => (
            503,
            "UNAVAILABLE",
            "The model is overloaded. Please try again later.".to_owned(),
            json!([]),
        ),
        Failure::Unauthorized => (
            400,
            "INVALID_ARGUMENT",
            "API key not valid. Please pass a valid API key.".to_owned(),
            json!([{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "API_KEY_INVALID",
                "domain": "googleapis.com",
            }]),
        ),
    };
    let error = json!({"code": code, "message": message, "status": status, "details": details});
    (code, error)
}

fn retry_in(seconds: u64) -> Value {
    json!({
        "@type": "type.googleapis.com/google.rpc.RetryInfo",
        "retryDelay": format!("{seconds}s"),
    })
}
