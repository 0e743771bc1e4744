//! What an agent delivers in the end, as well as it can be read: its result,
//! else the last thing it said, else all it printed, for a person to look at.

use std::path::Path;

use fusebox_agents::EndClass;
use fusebox_view::escape;

use super::listener::Heard;

/// The text that claims are looked for in.
pub(super) fn final_text(heard: &Heard) -> String {
    match (&heard.end.result, &heard.activity.last_said) {
        (Some(result), _) => result.text.text.clone(),
        (None, Some(said)) => said.clone(),
        (None, None) => heard.last_text(),
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
