//! A loop's past as spans, by the conventions for generative systems.
//!
//! Ids come out of the log's own hashes, so that whoever exports twice sends the same
//! spans twice, and no state has to be kept between the two.

use fusebox_core::journal::RunEnd;
use fusebox_core::{Entry, Event};
use fusebox_store::{Log, Mark, Record};
use sha2::{Digest, Sha256};

use super::shape::{Attribute, INTERNAL, Span, Status, nanos, real, safe, text, whole};
use crate::look::calls;
use crate::look::iterations::Iteration;
use crate::look::machine::Place;
use crate::memory;
use crate::trail::calls::{Call, CallEnd, Calls};

/// One loop, as far as it was told.
pub(crate) struct Tracer<'p> {
    place: &'p Place,
    /// The run under way, or that iterations belong to which nobody began.
    run: Run,
}

struct Run {
    seed: String,
    began_ms: Option<i64>,
    ended_ms: i64,
    /// How it ended, once it has.
    end: Option<RunEnd>,
}

impl<'p> Tracer<'p> {
    pub(crate) fn of(place: &'p Place) -> Self {
        Self {
            place,
            run: Run {
                seed: place.id.to_string(),
                began_ms: None,
                ended_ms: 0,
                end: None,
            },
        }
    }

    /// Spans of everything from `from_ms` on, and of the run that is under way at the
    /// end as far as it has come.
    pub(crate) fn spans(
        mut self,
        log: &Log,
        from_ms: i64,
        tell: &mut dyn FnMut(Vec<Span>),
    ) -> Result<(), fusebox_store::Error> {
        let mut reader = log.reader_since(u64::try_from(from_ms).unwrap_or(0));
        while let Some(record) = reader.next_record()? {
            let mark = record.mark;
            let Some(entry) = read(&record).filter(|entry| entry.at.wall_ms >= from_ms) else {
                continue;
            };
            tell(self.take(mark, entry));
        }
        tell(self.run.span(self.place).into_iter().collect());
        Ok(())
    }

    fn take(&mut self, mark: Mark, entry: Entry) -> Vec<Span> {
        let at_ms = entry.at.wall_ms;
        if let Event::RunBegan { .. } = entry.event {
            let before = self.run.span(self.place);
            self.run = Run {
                seed: format!("{}{:?}", self.place.id, mark.hash),
                began_ms: Some(at_ms),
                ended_ms: at_ms,
                end: None,
            };
            return before.into_iter().collect();
        }
        if let Event::RunEnded(end) = entry.event {
            self.run.ended_ms = self.run.ended_ms.max(at_ms);
            self.run.end = Some(end);
            return Vec::new();
        }
        match Iteration::of_entry(mark.seq, entry) {
            Some(one) => self.iteration(mark, &one),
            None => Vec::new(),
        }
    }

    fn iteration(&mut self, mark: Mark, one: &Iteration) -> Vec<Span> {
        let took = i64::try_from(one.facts.duration_ms.unwrap_or(0)).unwrap_or(0);
        let start_ms = one.at_ms.saturating_sub(took);
        let began = self.run.began_ms.get_or_insert(start_ms);
        *began = start_ms.min(*began);
        self.run.ended_ms = self.run.ended_ms.max(one.at_ms);
        let calls = calls::read(self.place, one);
        let own = format!("{}{:?}", self.place.id, mark.hash);
        let span_id = id(&own, 8);
        let mut spans = vec![Span {
            trace_id: self.run.trace(),
            span_id: span_id.clone(),
            parent_span_id: Some(self.run.span_id()),
            name: safe(format!("invoke_agent {}", self.place.id.circuit)),
            kind: INTERNAL,
            start_time_unix_nano: nanos(start_ms),
            end_time_unix_nano: nanos(one.at_ms),
            attributes: attributes(self.place, one, &calls),
            status: one
                .opened
                .as_ref()
                .map(|opening| Status::error(opening.reason.as_str())),
        }];
        spans.extend(calls.calls.iter().enumerate().map(|(index, call)| {
            let ids = (self.run.trace(), id(&format!("{own}{index}"), 8));
            tool(call, ids, &span_id, start_ms)
        }));
        spans
    }
}

impl Run {
    fn trace(&self) -> String {
        id(&format!("trace{}", self.seed), 16)
    }

    fn span_id(&self) -> String {
        id(&format!("run{}", self.seed), 8)
    }

    /// `None` where nothing of it was seen.
    fn span(&self, place: &Place) -> Option<Span> {
        Some(Span {
            trace_id: self.trace(),
            span_id: self.span_id(),
            parent_span_id: None,
            name: "invoke_workflow fusebox".into(),
            kind: INTERNAL,
            start_time_unix_nano: nanos(self.began_ms?),
            end_time_unix_nano: nanos(self.ended_ms),
            attributes: {
                let end = self.end.as_ref();
                let known = [
                    Some(text("gen_ai.operation.name", "invoke_workflow")),
                    Some(text("gen_ai.workflow.name", "fusebox")),
                    Some(text("fusebox.loop", place.id.to_string())),
                    Some(text("fusebox.workspace", place.root.to_string_lossy())),
                    end.map(|end| text("fusebox.run.end", end.why.name())),
                    end.map(|end| whole("fusebox.run.exit_code", end.code)),
                ];
                known.into_iter().flatten().collect()
            },
            // An end that was not a success is one, whatever the iterations were like.
            status: self
                .end
                .as_ref()
                .filter(|end| end.code != 0)
                .map(|end| Status::error(end.said.as_str())),
        })
    }
}

fn read(record: &Record<'_>) -> Option<Entry> {
    memory::entry(record).ok()
}

fn attributes(place: &Place, one: &Iteration, calls: &Calls) -> Vec<Attribute> {
    let (row, usage) = (&one.row, &one.facts.usage);
    let model = calls.model.as_deref();
    let known = [
        Some(text("gen_ai.operation.name", "invoke_agent")),
        Some(text("gen_ai.agent.name", place.id.circuit.as_str())),
        model.and_then(provider),
        model.map(|model| text("gen_ai.request.model", model)),
        calls
            .session
            .as_deref()
            .map(|session| text("gen_ai.conversation.id", session)),
        usage
            .input_tokens
            .map(|tokens| whole("gen_ai.usage.input_tokens", tokens)),
        usage
            .cached_tokens
            .map(|tokens| whole("gen_ai.usage.cache_read.input_tokens", tokens)),
        usage
            .output_tokens
            .map(|tokens| whole("gen_ai.usage.output_tokens", tokens)),
        usage
            .micro_usd
            .map(|spent| real("fusebox.cost_usd", spent as f64 / 1e6)),
        one.opened
            .as_ref()
            .map(|opening| text("error.type", opening.rule.to_string())),
        Some(whole("fusebox.iteration", row.iteration)),
        Some(text("fusebox.state", one.state.name())),
        row.score.map(|score| whole("fusebox.score", score)),
        row.files.map(|files| whole("fusebox.files_changed", files)),
        row.error_count
            .map(|errors| whole("fusebox.errors", errors)),
        one.facts
            .task
            .as_deref()
            .map(|task| text("fusebox.task", task)),
    ];
    known.into_iter().flatten().collect()
}

/// Who made a model, by how its name begins.
fn provider(model: &str) -> Option<Attribute> {
    let makers = [
        ("claude", "anthropic"),
        ("gpt", "openai"),
        ("o1", "openai"),
        ("o3", "openai"),
        ("gemini", "gcp.gemini"),
    ];
    let maker = makers.into_iter().find(|(name, _)| model.starts_with(name));
    maker.map(|(_, maker)| text("gen_ai.provider.name", maker))
}

fn tool(call: &Call, (trace_id, span_id): (String, String), parent: &str, start_ms: i64) -> Span {
    let begun = start_ms.saturating_add(i64::try_from(call.after_ms).unwrap_or(0));
    let took = i64::try_from(call.took_ms.unwrap_or(0)).unwrap_or(0);
    let wrong = match call.outcome {
        Some(CallEnd::Succeeded) => None,
        Some(CallEnd::Failed) => Some("failed"),
        Some(CallEnd::Denied) => Some("denied"),
        None => Some("unanswered"),
    };
    let mut attributes = vec![
        text("gen_ai.operation.name", "execute_tool"),
        text("gen_ai.tool.name", call.tool.as_str()),
        text("gen_ai.tool.call.id", call.id.as_str()),
    ];
    attributes.extend(wrong.map(|word| text("error.type", word)));
    Span {
        trace_id,
        span_id,
        parent_span_id: Some(parent.to_owned()),
        name: safe(format!("execute_tool {}", call.tool)),
        kind: INTERNAL,
        start_time_unix_nano: nanos(begun),
        end_time_unix_nano: nanos(begun.saturating_add(took)),
        attributes,
        status: wrong.map(Status::error),
    }
}

/// So many bytes of a digest, as hexadecimal digits.
fn id(seed: &str, bytes: usize) -> String {
    let digest = Sha256::digest(seed);
    base16ct::lower::encode_string(&digest[..bytes])
}
