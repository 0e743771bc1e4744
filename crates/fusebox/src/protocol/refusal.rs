//! Why a request is not answered, in the codes of JSON-RPC and with the one that the command would
//! have ended with.

use serde::Serialize;

use crate::exit;
use crate::failure::Failure;

/// Why a request is not answered.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) data: Option<Details>,
}

/// The codes of JSON-RPC, and one of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Parse,
    Request,
    Method,
    Params,
    Internal,
    /// The breaker's memory or configuration says no; `exit_code` says which.
    Refused,
}

impl Code {
    pub(super) fn number(self) -> i32 {
        match self {
            Self::Parse => -32700,
            Self::Request => -32600,
            Self::Method => -32601,
            Self::Params => -32602,
            Self::Internal => -32603,
            Self::Refused => -32000,
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Details {
    /// The code that the command would have ended with.
    exit_code: u8,
    hints: Vec<String>,
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Why, in words.
    pub(super) fn message(&self) -> &str {
        &self.message
    }

    pub(super) fn unknown(method: &str, known: &str) -> Self {
        let method = fusebox_view::escape::line(method, 80);
        Self::new(
            Code::Method,
            format!("there is no method `{method}`; there are {known}"),
        )
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        let code = match failure.code {
            exit::USAGE => Code::Params,
            _ => Code::Refused,
        };
        Self {
            code,
            message: failure.what,
            data: Some(Details {
                exit_code: failure.code,
                hints: failure.hints,
            }),
        }
    }
}
