//! Tasks as data, and as lines for people.

use fusebox_tasks::{Item, Now, Status, Verdict};
use fusebox_view::{escape, phrase};
use serde::{Serialize, Serializer};

/// Tasks to show.
pub(crate) struct Rows<'a> {
    pub(crate) items: &'a [Item],
    pub(crate) now: &'a Now,
}

/// A task as data.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    title: &'a str,
    status: &'static str,
    ready: bool,
    stale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    holder: Option<&'a str>,
    /// What is known of whoever has it.
    #[serde(skip_serializing_if = "String::is_empty")]
    life: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fence: Option<u64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    waits_for: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked_for: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<&'a str>,
    claims: u32,
    attempts: u32,
    reopens: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    reopened_for: Option<&'a str>,
    worked_ms: u64,
    cost_micro_usd: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_ms: Option<u64>,
    outlier: bool,
}

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.items.iter().map(|item| self.row(item)))
    }
}

impl Rows<'_> {
    fn row<'a>(&self, item: &'a Item) -> Row<'a> {
        let record = &item.record;
        let claim = record
            .claim
            .as_ref()
            .filter(|_| item.status == Status::InProgress);
        let listed = item.task.holder.name.as_deref();
        Row {
            id: &item.task.id,
            title: &item.task.title,
            status: item.status.name(),
            ready: item.is_ready(),
            stale: item.is_stale(),
            priority: item.task.priority,
            kind: item.kind(),
            started_at: item.started_ms().map(phrase::time),
            holder: claim.map(|claim| claim.actor.as_str()).or(listed),
            life: item.verdict.words(),
            fence: claim.map(|claim| claim.fence),
            waits_for: &item.waits_for,
            blocked_for: record
                .blocked
                .as_deref()
                .filter(|_| item.status == Status::Blocked),
            evidence: record.evidence.as_deref(),
            claims: record.claims,
            attempts: record.attempts,
            reopens: record.reopens,
            reopened_for: record.reopened_for.as_deref(),
            worked_ms: item.worked_ms(self.now),
            cost_micro_usd: record.micro_usd,
            expected_ms: item.expected.map(|expected| expected.median_ms),
            outlier: item.expected.is_some_and(|expected| expected.outlier),
        }
    }

    pub(crate) fn told(&self) -> String {
        let width = self
            .items
            .iter()
            .map(|item| item.task.id.chars().count())
            .max()
            .unwrap_or(0)
            .min(24);
        self.items
            .iter()
            .map(|item| self.line(item, width))
            .collect()
    }

    fn line(&self, item: &Item, width: usize) -> String {
        let status = Self::status(item);
        let id = escape::line(&item.task.id, 24);
        let title = escape::line(&item.task.title, 60);
        let notes = escape::line(&self.notes(item).join(" · "), 300);
        let gap = if notes.is_empty() { "" } else { "  " };
        format!("{id:<width$}  {status:<11}  {title}{gap}{notes}\n")
    }

    /// How a task stands, in a word.
    pub(crate) fn status(item: &Item) -> &'static str {
        if item.is_stale() {
            "stale"
        } else {
            item.status.name()
        }
    }

    /// What else is known of a task, piece by piece.
    pub(crate) fn notes(&self, item: &Item) -> Vec<String> {
        let mut notes = Vec::new();
        match &item.verdict {
            Verdict::Free => {}
            verdict => notes.push(verdict.words()),
        }
        if let Some(at) = item.started_ms() {
            notes.push(format!("since {}", phrase::time(at)));
        }
        if !item.waits_for.is_empty() {
            notes.push(format!("waits for {}", item.waits_for.join(", ")));
        }
        if item.status == Status::Blocked {
            notes.extend(item.record.blocked.clone());
        }
        if item.record.attempts > 0 {
            notes.push(phrase::count(item.record.attempts.into(), "attempt"));
        }
        let worked = item.worked_ms(self.now);
        if worked > 0 {
            notes.push(phrase::duration(worked));
        }
        if item.record.micro_usd > 0 {
            notes.push(phrase::dollars(item.record.micro_usd));
        }
        if let Some(expected) = item.expected.filter(|_| item.status != Status::Done) {
            let far = if expected.outlier {
                ", far beyond what is usual"
            } else {
                ""
            };
            notes.push(format!(
                "usually {}{far}",
                phrase::duration(expected.median_ms)
            ));
        }
        notes
    }
}
