//! Parts of messages as the Messages API has them. Claude Code prints them in the lines of its
//! stream and keeps them in the lines of its session files.

use crate::json::{Text, lenient_object};
use crate::prose::Prose;
use crate::usage::Usage;

lenient_object! {
    /// One part of a message.
    pub Block<'a> {
        /// What it is.
        #[serde(rename = "type")]
        kind: Text<'a>,
        /// What is said in it.
        text: Text<'a>,
        /// The id of the call that it is.
        id: Text<'a>,
        /// The tool that it calls.
        name: Text<'a>,
        /// The id of the call that it answers.
        tool_use_id: Text<'a>,
        /// Whether the call that it answers failed.
        is_error: bool,
        /// The answer.
        content: Prose<'a>,
    }
    raw {
        /// What the tool is told.
        input,
    }
}

lenient_object! {
    /// Tokens as the API counts them, without those of sub-agents.
    pub TokenUsage {
        /// Those of the prompt that were in no cache.
        input_tokens: u64,
        /// Those that were put into a cache.
        cache_creation_input_tokens: u64,
        /// Those that came from one.
        cache_read_input_tokens: u64,
        /// Those of the answer.
        output_tokens: u64,
    }
}

impl TokenUsage {
    /// The same in our terms.
    #[must_use]
    pub fn usage(&self) -> Usage {
        Usage {
            input_tokens: self.input_tokens,
            cache_read_tokens: self.cache_read_input_tokens,
            cache_write_tokens: self.cache_creation_input_tokens,
            output_tokens: self.output_tokens,
            ..Usage::default()
        }
    }
}
