//! The lines of `-o stream-json` and the object of `-o json`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::json::{Text, lenient_object};
use crate::usage::Usage;

lenient_object! {
    /// Any line.
    Event<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        session_id: Text<'a>,
        model: Text<'a>,
        role: Text<'a>,
        content: Text<'a>,
        tool_name: Text<'a>,
        tool_id: Text<'a>,
        status: Text<'a>,
        output: Text<'a>,
        error: Trouble<'a>,
        message: Text<'a>,
        severity: Text<'a>,
        stats: Stats,
    }
    raw {
        parameters,
    }
}

lenient_object! {
    /// What went wrong with a tool or with the run.
    Trouble<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        message: Text<'a>,
    }
}

lenient_object! {
    /// Tokens of the run.
    Stats {
        total_tokens: u64,
        input_tokens: u64,
        output_tokens: u64,
        cached: u64,
    }
}

impl Stats {
    /// The total also holds the thinking, which no other field does.
    pub(super) fn usage(&self) -> Usage {
        let cached = self.cached.unwrap_or(0);
        let answer = self.output_tokens;
        let all_output = self.total_tokens.zip(self.input_tokens);
        let all_output = all_output.map(|(total, input)| total.saturating_sub(input));
        Usage {
            input_tokens: self.input_tokens.map(|input| input.saturating_sub(cached)),
            cache_read_tokens: self.cached,
            output_tokens: answer.max(all_output),
            ..Usage::default()
        }
    }
}

lenient_object! {
    /// The whole output of `-o json`.
    Document<'a> {
        session_id: Text<'a>,
        response: Text<'a>,
        error: Trouble<'a>,
        stats: DocumentStats,
    }
}

/// The counts of a document.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DocumentStats {
    models: BTreeMap<String, ModelStats>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ModelStats {
    tokens: ModelTokens,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ModelTokens {
    prompt: u64,
    candidates: u64,
    total: u64,
    cached: u64,
    thoughts: u64,
}

impl DocumentStats {
    pub(super) fn usage(&self) -> Usage {
        let models = self.models.values().map(|model| &model.tokens);
        models.fold(Usage::default(), |sum, tokens| {
            let written = tokens.candidates.saturating_add(tokens.thoughts);
            sum.plus(&Usage {
                input_tokens: Some(tokens.prompt.saturating_sub(tokens.cached)),
                cache_read_tokens: Some(tokens.cached),
                output_tokens: Some(written.max(tokens.total.saturating_sub(tokens.prompt))),
                reasoning_tokens: Some(tokens.thoughts),
                ..Usage::default()
            })
        })
    }
}
