//! The lines of `-o stream-json` and the object of `-o json`.

use std::collections::BTreeMap;

use crate::json::{Maybe, Text, lenient_object};
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

lenient_object! {
    /// The counts of a document.
    DocumentStats {
        models: BTreeMap<String, Maybe<ModelStats>>,
    }
}

lenient_object! {
    /// The counts of one model.
    ModelStats {
        tokens: ModelTokens,
    }
}

lenient_object! {
    /// Tokens of one model.
    ModelTokens {
        prompt: u64,
        candidates: u64,
        total: u64,
        cached: u64,
        thoughts: u64,
    }
}

impl ModelTokens {
    fn usage(&self) -> Usage {
        let cached = self.cached.unwrap_or(0);
        let written = self.candidates.zip(self.thoughts);
        let written = written.map(|(answer, thoughts)| answer.saturating_add(thoughts));
        let rest = self.total.zip(self.prompt);
        let rest = rest.map(|(total, prompt)| total.saturating_sub(prompt));
        Usage {
            input_tokens: self.prompt.map(|prompt| prompt.saturating_sub(cached)),
            cache_read_tokens: self.cached,
            output_tokens: written.max(rest),
            reasoning_tokens: self.thoughts,
            ..Usage::default()
        }
    }
}

impl DocumentStats {
    pub(super) fn usage(&self) -> Usage {
        let models = self.models.iter().flat_map(BTreeMap::values);
        let tokens = models.filter_map(|model| model.0.as_ref()?.tokens.as_ref());
        tokens.fold(Usage::default(), |sum, tokens| sum.plus(&tokens.usage()))
    }
}
