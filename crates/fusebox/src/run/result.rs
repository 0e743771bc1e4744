//! What an agent delivers in the end, as well as it can be read: its result,
//! else the last thing it said, else all it printed, for a person to look at.

use std::path::Path;

use fusebox_agents::EndClass;
use fusebox_evidence::Evidence;
use fusebox_view::escape;

use super::listener::Heard;

/// Takes what it claims: in its last message, or in what it printed if its messages cannot be
/// told from the rest.
pub(super) fn take_claims(heard: &Heard, evidence: &mut Evidence) {
    let message = heard.end.result.as_ref().filter(|result| !result.printed);
    match (message, &heard.activity.last_said) {
        (Some(result), _) => evidence.set_final_text(result.text.text.as_bytes()),
        (None, Some(said)) => evidence.set_final_text(said.as_bytes()),
        (None, None) => {
            let prompt = heard.prompt.as_deref().unwrap_or_default();
            let printed = heard.end.result.as_ref();
            let text = printed.map_or_else(|| heard.last_text(), |all| all.text.text.clone());
            evidence.set_printed(text.as_bytes(), prompt);
        }
    }
}

/// What a person is told where there is no result, and nothing says why.
pub(super) fn remark(heard: &Heard, kept: Option<&Path>) -> Option<String> {
    if heard.end.class != EndClass::Unclear || heard.cut.is_some() {
        return None;
    }
    let look = kept.map_or_else(String::new, |dir| {
        let output = dir.join("output").display().to_string();
        format!("; look at {}", escape::line(&output, 1_000))
    });
    Some(format!(
        "the agent ended without a result that can be read; what it printed is taken as text{look}"
    ))
}
