//! The lines of `run --format json`, as far as they are read.

use std::time::Duration;

use crate::json::{Text, lenient_object};
use crate::usage::{Usage, micro_usd};

lenient_object! {
    /// Any line.
    Event<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        #[serde(rename = "sessionID")]
        session: Text<'a>,
        part: Part<'a>,
        error: Trouble<'a>,
    }
}

lenient_object! {
    /// What was said or done, or the end of a step.
    Part<'a> {
        text: Text<'a>,
        synthetic: bool,
        metadata: PartMetadata,
        tool: Text<'a>,
        #[serde(rename = "callID")]
        call: Text<'a>,
        reason: Text<'a>,
        tokens: Tokens,
        cost: f64,
        state: ToolState<'a>,
    }
}

lenient_object! {
    /// Marks of texts that nobody wrote.
    PartMetadata {
        compaction_continue: bool,
    }
}

lenient_object! {
    /// A tool call and its answer.
    ToolState<'a> {
        status: Text<'a>,
        output: Text<'a>,
        error: Text<'a>,
        metadata: ToolMetadata,
    }
    raw {
        input,
    }
}

lenient_object! {
    /// What a command exited with.
    ToolMetadata {
        exit: i64,
    }
}

lenient_object! {
    /// The arguments of a call of a tool that does not exist.
    InvalidCall<'a> {
        tool: Text<'a>,
        error: Text<'a>,
    }
}

lenient_object! {
    /// Why the run cannot go on.
    Trouble<'a> {
        name: Text<'a>,
        data: TroubleData<'a>,
    }
}

lenient_object! {
    /// What the vendor's service answered.
    TroubleData<'a> {
        message: Text<'a>,
        #[serde(rename = "statusCode")]
        status: u64,
        #[serde(rename = "responseHeaders")]
        headers: Headers<'a>,
        #[serde(rename = "responseBody")]
        body: Text<'a>,
    }
}

lenient_object! {
    /// The header that asks to wait.
    Headers<'a> {
        #[serde(rename = "retry-after", alias = "Retry-After")]
        retry_after: Text<'a>,
    }
}

impl Headers<'_> {
    /// How long the service asks to wait.
    pub(super) fn wait(&self) -> Option<Duration> {
        let seconds = self.retry_after.as_deref()?.trim().parse().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    }
}

lenient_object! {
    /// Tokens of one step.
    Tokens {
        total: u64,
        input: u64,
        output: u64,
        reasoning: u64,
        cache: Cache,
    }
}

lenient_object! {
    /// Tokens that were in a cache, or are now.
    Cache {
        read: u64,
        write: u64,
    }
}

impl Part<'_> {
    /// What the step used. Whether the output holds the thinking differs
    /// between models, so the total decides.
    pub(super) fn usage(&self) -> Usage {
        let Some(tokens) = &self.tokens else {
            return Usage::default();
        };
        let read = tokens.cache.as_ref().and_then(|cache| cache.read);
        let write = tokens.cache.as_ref().and_then(|cache| cache.write);
        let sent = [tokens.input, read, write]
            .into_iter()
            .flatten()
            .fold(0, u64::saturating_add);
        let received = tokens.total.map(|total| total.saturating_sub(sent));
        Usage {
            input_tokens: tokens.input,
            cache_read_tokens: read,
            cache_write_tokens: write,
            output_tokens: tokens.output.max(received),
            reasoning_tokens: tokens.reasoning,
            micro_usd: self.cost.and_then(micro_usd),
        }
    }
}
