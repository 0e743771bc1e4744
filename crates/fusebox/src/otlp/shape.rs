//! Traces in the JSON form of OTLP: numbers of 64 bits are texts, ids hexadecimal. They leave the
//! machine, so no text gets in but through [`text`] and its like, which redact it.

use fusebox_notify::redact;
use serde::Serialize;

/// A request to a collector; one line of a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Export {
    resource_spans: [ResourceSpans; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    resource: Resource,
    scope_spans: [ScopeSpans; 1],
}

#[derive(Debug, Serialize)]
struct Resource {
    attributes: Vec<Attribute>,
}

#[derive(Debug, Serialize)]
struct ScopeSpans {
    scope: Scope,
    spans: Vec<Span>,
}

#[derive(Debug, Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

/// Something that took a while.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Span {
    pub(super) trace_id: String,
    pub(super) span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parent_span_id: Option<String>,
    pub(super) name: String,
    /// Something within this process, as the protocol numbers it.
    pub(super) kind: u8,
    pub(super) start_time_unix_nano: String,
    pub(super) end_time_unix_nano: String,
    pub(super) attributes: Vec<Attribute>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<Status>,
}

/// How it ended, where it did not end well.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Status {
    code: u8,
    message: String,
}

/// A name and its value.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Attribute {
    key: &'static str,
    value: Value,
}

#[derive(Clone, Debug, Serialize)]
enum Value {
    #[serde(rename = "stringValue")]
    Text(String),
    #[serde(rename = "intValue")]
    Whole(String),
    #[serde(rename = "doubleValue")]
    Real(f64),
}

/// Inside this process.
pub(super) const INTERNAL: u8 = 1;
const ERROR: u8 = 2;

impl Export {
    /// Spans of the loops of one machine.
    pub(crate) fn of(spans: Vec<Span>) -> Self {
        let version = env!("CARGO_PKG_VERSION");
        let resource = Resource {
            attributes: vec![
                text("service.name", "fusebox"),
                text("service.version", version),
            ],
        };
        let scope = Scope {
            name: "fusebox",
            version,
        };
        Self {
            resource_spans: [ResourceSpans {
                resource,
                scope_spans: [ScopeSpans { scope, spans }],
            }],
        }
    }
}

impl Status {
    pub(super) fn error(message: impl Into<String>) -> Self {
        let message = safe(message);
        Self {
            code: ERROR,
            message,
        }
    }
}

/// Text that may leave this machine.
pub(super) fn safe(text: impl Into<String>) -> String {
    redact(&text.into()).into_owned()
}

pub(super) fn text(key: &'static str, value: impl Into<String>) -> Attribute {
    let value = Value::Text(safe(value));
    Attribute { key, value }
}

pub(super) fn whole(key: &'static str, value: impl Into<i128>) -> Attribute {
    let value: i128 = value.into();
    let value = Value::Whole(value.to_string());
    Attribute { key, value }
}

pub(super) fn real(key: &'static str, value: f64) -> Attribute {
    let value = Value::Real(value);
    Attribute { key, value }
}

/// A moment; what lies before 1970 is 1970.
pub(super) fn nanos(ms: i64) -> String {
    (i128::from(ms.max(0)) * 1_000_000).to_string()
}
