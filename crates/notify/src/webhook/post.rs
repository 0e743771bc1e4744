//! A request that is ready to be sent.

use serde_json::Value;
use ureq::http::Uri;

/// JSON for a URL, with the headers that go beside it.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) url: Uri,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
}

impl Post {
    pub(super) fn json(url: &Uri, body: &Value) -> Self {
        Self {
            url: url.clone(),
            headers: Vec::new(),
            body: body.to_string(),
        }
    }
}
