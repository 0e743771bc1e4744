//! Anomalies as they stand on the blackboard.

use fusebox_core::clip;
use fusebox_core::patterns::{Anomaly, AnomalyKind, Details};
use fusebox_edit::yaml::{Broken, Node, Value, item};

use sha2::{Digest as _, Sha256};

use super::moment;

/// How much of a text is kept, besides a digest of the rest: two that differ further on are
/// not the same.
const TEXT_BYTES: usize = 1_024;

/// Reads one anomaly.
///
/// The inner error says why this one cannot be counted although the blackboard is
/// sound.
pub(super) fn read(node: &Node<'_>) -> Result<Result<Anomaly, String>, Broken> {
    if node.entries().is_none() {
        return Err(wrong(
            node.line,
            "an anomaly is not a list of names and values",
        ));
    }
    let word = |key: &str| match node.get(key) {
        None => Ok(None),
        Some(value) if value.is_null() => Ok(None),
        Some(value) => match value.text() {
            Some(text) => Ok(Some(kept(text))),
            None => Err(wrong(
                value.line,
                &format!("`{key}` of an anomaly is not a single value"),
            )),
        },
    };
    let (named, task, reporter, at) = (
        word("type")?,
        word("task")?,
        word("reporter")?,
        word("timestamp")?,
    );
    let details = match node.get("details") {
        Some(details) if !details.is_null() => read_details(details)?,
        _ => Details::default(),
    };
    let Some(named) = named else {
        return Ok(Err("it has no type".into()));
    };
    let known = AnomalyKind::ALL
        .into_iter()
        .find(|kind| kind.name() == named);
    let Some(kind) = known else {
        return Ok(Err(format!("no pattern counts the type `{named}`")));
    };
    let at_ms = at.as_deref().and_then(moment::read);
    Ok(Ok(Anomaly {
        at_ms: at_ms.unwrap_or_default(),
        undated: at_ms.is_none(),
        task: task.unwrap_or_default(),
        reporter: reporter.unwrap_or_default(),
        kind,
        details,
    }))
}

fn read_details(node: &Node<'_>) -> Result<Details, Broken> {
    if node.entries().is_none() {
        return Err(wrong(node.line, "`details` are not names and values"));
    }
    let word = |key: &str| Some(kept(node.get(key)?.text()?));
    let debt = match node.get("debt_created") {
        Some(value) if !value.is_null() => Some(switch(value)?),
        _ => None,
    };
    Ok(Details {
        count: word("count").and_then(|count| count.parse().ok()),
        error_pattern: word("error_pattern"),
        root_cause_hypothesis: word("root_cause_hypothesis"),
        root_cause: word("root_cause"),
        what: word("what"),
        why: word("why"),
        debt_created: debt,
        assumption: word("assumption"),
        reality: word("reality"),
        spec_ref: word("spec_ref"),
        blocker_service: word("blocker_service"),
        protocol_section: word("protocol_section"),
        question: word("question"),
    })
}

fn switch(node: &Node<'_>) -> Result<bool, Broken> {
    match node.text().map(str::to_ascii_lowercase).as_deref() {
        Some("true" | "yes" | "on") => Ok(true),
        Some("false" | "no" | "off") => Ok(false),
        _ => Err(wrong(node.line, "`debt_created` is neither true nor false")),
    }
}

fn kept(text: &str) -> String {
    let beginning = clip(text, TEXT_BYTES);
    match &text[beginning.len()..] {
        "" => text.to_owned(),
        rest => {
            let digest = Sha256::digest(rest);
            let digest = base16ct::lower::encode_string(&digest[..8]);
            format!("{beginning}… [{} bytes more, {digest}]", rest.len())
        }
    }
}

fn wrong(line: usize, what: &str) -> Broken {
    Broken {
        line,
        what: what.to_owned(),
    }
}

/// The lines that put `anomaly` onto a blackboard.
#[must_use]
pub fn entry(anomaly: &Anomaly) -> String {
    let Details {
        count,
        error_pattern,
        root_cause_hypothesis,
        root_cause,
        what,
        why,
        debt_created,
        assumption,
        reality,
        spec_ref,
        blocker_service,
        protocol_section,
        question,
    } = &anomaly.details;
    let text = |text: &Option<String>| text.clone().map(Value::Text);
    let details: Vec<(String, Value)> = [
        ("count", count.map(|count| Value::Plain(count.to_string()))),
        ("error_pattern", text(error_pattern)),
        ("root_cause_hypothesis", text(root_cause_hypothesis)),
        ("root_cause", text(root_cause)),
        ("what", text(what)),
        ("why", text(why)),
        (
            "debt_created",
            debt_created.map(|debt| Value::Plain(debt.to_string())),
        ),
        ("assumption", text(assumption)),
        ("reality", text(reality)),
        ("spec_ref", text(spec_ref)),
        ("blocker_service", text(blocker_service)),
        ("protocol_section", text(protocol_section)),
        ("question", text(question)),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key.to_owned(), value?)))
    .collect();
    let value = Value::Map(vec![
        (
            "timestamp".into(),
            Value::Plain(moment::written(anomaly.at_ms)),
        ),
        ("task".into(), word(&anomaly.task)),
        ("reporter".into(), word(&anomaly.reporter)),
        ("type".into(), Value::Plain(anomaly.kind.name().into())),
        ("details".into(), Value::Map(details)),
    ]);
    item(&value, 2)
}

/// A name, which needs quotes only if there is more to it.
fn word(text: &str) -> Value {
    let simple = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    if text.bytes().next().is_some_and(|b| b.is_ascii_alphabetic()) && text.bytes().all(simple) {
        Value::Plain(text.to_owned())
    } else {
        Value::Text(text.to_owned())
    }
}
