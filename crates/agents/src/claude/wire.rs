//! The lines of `--output-format stream-json`, as far as they are read. The
//! order of keys is not stable, so lines are never told apart by their start.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::{Text, lenient_object};
use crate::usage::{Usage, micro_usd};

lenient_object! {
    /// Any line.
    Envelope<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        subtype: Text<'a>,
        parent_tool_use_id: Text<'a>,
        error: Text<'a>,
        session_id: Text<'a>,
    }
    raw {
        message,
        rate_limit_info,
        tool_result_meta,
    }
}

lenient_object! {
    /// `message` of an assistant's or a user's line.
    Message<'a> {
        id: Text<'a>,
        model: Text<'a>,
        content: Vec<&'a RawValue>,
    }
    raw {
        usage,
    }
}

lenient_object! {
    /// One part of a message.
    Block<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        text: Text<'a>,
        id: Text<'a>,
        name: Text<'a>,
        tool_use_id: Text<'a>,
        is_error: bool,
    }
    raw {
        input,
        content,
    }
}

lenient_object! {
    /// Why a tool did not run.
    ResultMeta<'a> {
        id: Text<'a>,
        permission_decision: Decision<'a>,
    }
}

lenient_object! {
    /// Who decided about a tool call, and how.
    Decision<'a> {
        decision: Text<'a>,
    }
}

lenient_object! {
    /// A line of type `system`, all subtypes together.
    System<'a> {
        cwd: Text<'a>,
        model: Text<'a>,
        claude_code_version: Text<'a>,
        attempt: u64,
        max_retries: u64,
        retry_delay_ms: f64,
        error_status: u64,
        error: Text<'a>,
        tool_name: Text<'a>,
        tool_use_id: Text<'a>,
        message: Text<'a>,
        content: Text<'a>,
    }
}

lenient_object! {
    /// The state of a usage window.
    RateLimitInfo<'a> {
        status: Text<'a>,
        #[serde(rename = "resetsAt")]
        resets_at: i64,
        #[serde(rename = "rateLimitType")]
        window: Text<'a>,
        utilization: f64,
    }
}

lenient_object! {
    /// A line of type `result`, the one that tells the bill.
    ResultLine<'a> {
        subtype: Text<'a>,
        is_error: bool,
        api_error_status: u64,
        api_error: Text<'a>,
        terminal_reason: Text<'a>,
        stop_reason: Text<'a>,
        result: Text<'a>,
        errors: Vec<Text<'a>>,
        num_turns: u64,
        total_cost_usd: f64,
        result_index: u64,
        usage: TokenUsage,
        permission_denials: Vec<DeniedCall<'a>>,
        #[serde(rename = "modelUsage")]
        model_usage: BTreeMap<String, ModelUsage>,
        model_usage_since_last_result: BTreeMap<String, ModelUsage>,
    }
}

lenient_object! {
    /// A call that was not permitted.
    DeniedCall<'a> {
        tool_name: Text<'a>,
        tool_use_id: Text<'a>,
    }
}

lenient_object! {
    /// Tokens as the API counts them, without those of sub-agents.
    TokenUsage {
        input_tokens: u64,
        cache_creation_input_tokens: u64,
        cache_read_input_tokens: u64,
        output_tokens: u64,
    }
}

impl TokenUsage {
    pub(super) fn usage(&self) -> Usage {
        Usage {
            input_tokens: self.input_tokens,
            cache_read_tokens: self.cache_read_input_tokens,
            cache_write_tokens: self.cache_creation_input_tokens,
            output_tokens: self.output_tokens,
            ..Usage::default()
        }
    }
}

/// Tokens and money by model, with those of sub-agents.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ModelUsage {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_input_tokens: u64,
    cache_creation_input_tokens: u64,
    thinking_tokens: u64,
    #[serde(rename = "costUSD")]
    cost_usd: Option<f64>,
    cost_basis: Option<String>,
}

impl ModelUsage {
    fn usage(&self) -> Usage {
        let priced = self.cost_basis.as_deref() != Some("unknown");
        Usage {
            input_tokens: Some(self.input_tokens),
            cache_read_tokens: Some(self.cache_read_input_tokens),
            cache_write_tokens: Some(self.cache_creation_input_tokens),
            output_tokens: Some(self.output_tokens),
            reasoning_tokens: Some(self.thinking_tokens),
            micro_usd: self.cost_usd.filter(|_| priced).and_then(micro_usd),
        }
    }
}

/// All models together. One without a price makes the price of all unknown.
pub(super) fn sum(models: &BTreeMap<String, ModelUsage>) -> Usage {
    let nothing = ModelUsage {
        cost_usd: Some(0.0),
        ..ModelUsage::default()
    };
    models.values().fold(nothing.usage(), |sum, model| {
        let model = model.usage();
        let micro_usd = sum.micro_usd.zip(model.micro_usd);
        Usage {
            micro_usd: micro_usd.map(|(one, other)| one.saturating_add(other)),
            ..sum.plus(&model)
        }
    })
}
