//! The lines of `exec --json`, as far as they are read.

use crate::json::{Text, lenient_object};
use crate::usage::Usage;

lenient_object! {
    /// Any line.
    Event<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        thread_id: Text<'a>,
        message: Text<'a>,
        error: Trouble<'a>,
        usage: TokenUsage,
        item: Item<'a>,
    }
}

lenient_object! {
    /// Why a turn failed.
    Trouble<'a> {
        message: Text<'a>,
    }
}

lenient_object! {
    /// Something that was said or done.
    Item<'a> {
        id: Text<'a>,
        #[serde(rename = "type")]
        kind: Text<'a>,
        text: Text<'a>,
        message: Text<'a>,
        command: Text<'a>,
        aggregated_output: Text<'a>,
        exit_code: i64,
        status: Text<'a>,
        tool: Text<'a>,
    }
    raw {
        changes,
        arguments,
        query,
        result,
        error,
    }
}

lenient_object! {
    /// Tokens of the session so far.
    TokenUsage {
        input_tokens: u64,
        cached_input_tokens: u64,
        cache_write_input_tokens: u64,
        output_tokens: u64,
        reasoning_output_tokens: u64,
    }
}

impl TokenUsage {
    /// Here the input holds what came from the cache.
    pub(super) fn usage(&self) -> Usage {
        let cached = self.cached_input_tokens.unwrap_or(0);
        let written = self.cache_write_input_tokens.unwrap_or(0);
        let fresh = |input: u64| input.saturating_sub(cached).saturating_sub(written);
        Usage {
            input_tokens: self.input_tokens.map(fresh),
            cache_read_tokens: self.cached_input_tokens,
            cache_write_tokens: self.cache_write_input_tokens,
            output_tokens: self.output_tokens,
            reasoning_tokens: self.reasoning_output_tokens,
            micro_usd: None,
        }
    }
}
