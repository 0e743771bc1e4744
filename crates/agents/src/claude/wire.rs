//! The lines of `--output-format stream-json`, as far as they are read. The
//! order of keys is not stable, so lines are never told apart by their start.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use crate::json::{Maybe, Text, lenient_object};
use crate::message::{Block, TokenUsage};
use crate::moment::Moment;
use crate::usage::{Usage, micro_usd};

lenient_object! {
    /// Any line.
    Envelope<'a> {
        #[serde(rename = "type")]
        kind: Text<'a>,
        subtype: Text<'a>,
        parent_tool_use_id: Text<'a>,
        error: Text<'a>,
        api_error_type: Text<'a>,
        api_error_status: u64,
        session_id: Text<'a>,
        message: Message<'a>,
        rate_limit_info: RateLimitInfo<'a>,
        tool_result_meta: Vec<Maybe<ResultMeta<'a>>>,
    }
}

lenient_object! {
    /// `message` of an assistant's or a user's line.
    Message<'a> {
        id: Text<'a>,
        model: Text<'a>,
        content: Vec<Maybe<Block<'a>>>,
        usage: TokenUsage,
    }
}

impl<'a> Message<'a> {
    /// Its parts, without those that are no objects.
    pub(super) fn blocks(&self) -> impl Iterator<Item = &Block<'a>> {
        let content = self.content.iter().flatten();
        content.filter_map(|block| block.0.as_ref())
    }
}

lenient_object! {
    /// Why a tool did not run.
    ResultMeta<'a> {
        id: Text<'a>,
        permission_decision: Decision<'a>,
    }
}

impl ResultMeta<'_> {
    /// Whether it says that this call was not permitted.
    pub(super) fn rejects(&self, call: &str) -> bool {
        let decision = self.permission_decision.as_ref();
        let decision = decision.and_then(|decision| decision.decision.as_deref());
        self.id.as_deref() == Some(call) && decision == Some("reject")
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
        resets_at: Moment,
        #[serde(rename = "rateLimitType")]
        window: Text<'a>,
        #[serde(rename = "isUsingOverage")]
        is_using_overage: bool,
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
        api_error_type: Text<'a>,
        terminal_reason: Text<'a>,
        stop_reason: Text<'a>,
        result: Text<'a>,
        errors: Vec<Maybe<Text<'a>>>,
        error: Complaint<'a>,
        num_turns: u64,
        total_cost_usd: f64,
        result_index: u64,
        usage: TokenUsage,
        permission_denials: Vec<Maybe<DeniedCall<'a>>>,
        #[serde(rename = "modelUsage")]
        model_usage: BTreeMap<String, Maybe<ModelUsage>>,
        model_usage_since_last_result: BTreeMap<String, Maybe<ModelUsage>>,
    }
}

lenient_object! {
    /// An error as an object.
    ComplaintObject<'a> {
        message: Text<'a>,
    }
}

/// An error of those who speak like Claude Code: a string, or an object with a message.
#[derive(Debug)]
pub(super) struct Complaint<'a>(pub(super) Option<Text<'a>>);

impl<'de> Deserialize<'de> for Complaint<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ComplaintVisitor)
    }
}

struct ComplaintVisitor;

impl<'de> Visitor<'de> for ComplaintVisitor {
    type Value = Complaint<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string or an object with a message")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Complaint(Some(text.into())))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Complaint(Some(text.to_owned().into())))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let object = ComplaintObject::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Complaint(object.message))
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
    /// Tokens and money by model, with those of sub-agents.
    #[serde(rename_all = "camelCase")]
    ModelUsage {
        input_tokens: u64,
        output_tokens: u64,
        cache_read_input_tokens: u64,
        cache_creation_input_tokens: u64,
        thinking_tokens: u64,
        #[serde(rename = "costUSD")]
        cost_usd: f64,
        cost_basis: String,
    }
}

impl ModelUsage {
    /// Whether the agent says that it does not know the price, which is not the same
    /// as not saying what was paid.
    fn is_unpriced(&self) -> bool {
        self.cost_basis.as_deref() == Some("unknown")
    }

    fn usage(&self) -> Usage {
        Usage {
            input_tokens: self.input_tokens,
            cache_read_tokens: self.cache_read_input_tokens,
            cache_write_tokens: self.cache_creation_input_tokens,
            output_tokens: self.output_tokens,
            reasoning_tokens: self.thinking_tokens,
            micro_usd: self
                .cost_usd
                .filter(|_| !self.is_unpriced())
                .and_then(micro_usd),
        }
    }
}

/// Whether there is a model among them whose price the agent does not know.
pub(super) fn names_unpriced(models: &BTreeMap<String, Maybe<ModelUsage>>) -> bool {
    let mut models = models.values().filter_map(|model| model.0.as_ref());
    models.any(ModelUsage::is_unpriced)
}

/// All models together. One without a price makes the price of all unknown.
pub(super) fn sum(models: &BTreeMap<String, Maybe<ModelUsage>>) -> Usage {
    let nothing = Usage {
        input_tokens: Some(0),
        output_tokens: Some(0),
        micro_usd: Some(0),
        ..Usage::default()
    };
    models.values().fold(nothing, |sum, Maybe(model)| {
        let model = model.as_ref().map(ModelUsage::usage).unwrap_or_default();
        let micro_usd = sum.micro_usd.zip(model.micro_usd);
        Usage {
            micro_usd: micro_usd.map(|(one, other)| one.saturating_add(other)),
            ..sum.plus(&model)
        }
    })
}
