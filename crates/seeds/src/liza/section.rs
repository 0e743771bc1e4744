//! The observer's own section of the blackboard, edited in place.

use fusebox_core::patterns::{Pattern, Severity};
use fusebox_edit::yaml::{Broken, Document, Node, Value, push, set};

use super::board::{Past, is_moment};
use super::{REPORT, moment, pattern_name};

const ROOT: &str = "circuit_breaker";

/// The section in the making.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section(String);

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// No pattern.
    Clean,
    /// A pattern, where nothing was triggered before.
    Triggered(Trigger),
    /// A pattern, but the breaker is triggered already; what triggered it stands.
    StillThere,
}

/// Why the breaker was triggered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// When.
    pub at_ms: i64,
    /// By which pattern, if it is one of those the rules know.
    pub pattern: Option<Pattern>,
    /// How far up the problem lies, if anybody said.
    pub severity: Option<Severity>,
}

impl Section {
    /// The section as it was found, or a new one.
    #[must_use]
    pub fn of(found: Option<&str>) -> Self {
        Self(found.unwrap_or_default().to_owned())
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Notes a check made at `at_ms`; `latched` says that the breaker is triggered
    /// and stays so whatever was found.
    ///
    /// # Errors
    /// [`Broken`] where the section has another shape than it must have.
    pub fn checked(&mut self, at_ms: i64, check: Check, latched: bool) -> Result<(), Broken> {
        let now = plain(&moment::written(at_ms));
        self.set(&["last_check"], &now)?;
        match check {
            Check::Triggered(trigger) => self.trigger(trigger)?,
            Check::StillThere => {}
            Check::Clean => {
                if !latched {
                    self.set(&["status"], &plain("OK"))?;
                    self.default("current_trigger")?;
                }
                let entry = [
                    ("timestamp", now),
                    ("pattern", Value::Null),
                    ("result", plain("OK")),
                ];
                self.note(&entry)?;
            }
        }
        Ok(())
    }

    fn trigger(&mut self, trigger: Trigger) -> Result<(), Broken> {
        let at = plain(&moment::written(trigger.at_ms));
        let pattern = plain(pattern_name(trigger.pattern));
        let severity = trigger
            .severity
            .map_or(Value::Null, |severity| plain(severity.name()));
        self.set(&["status"], &plain("TRIGGERED"))?;
        let current = [
            ("timestamp", at.clone()),
            ("pattern", pattern.clone()),
            ("severity", severity.clone()),
            ("report_file", plain(REPORT)),
        ];
        self.set(&["current_trigger"], &map(&current))?;
        let entry = [
            ("timestamp", at),
            ("pattern", pattern),
            ("severity", severity),
            ("result", plain("TRIGGERED")),
        ];
        self.note(&entry)
    }

    /// Moves the trigger at hand to the history with the words of a person. The
    /// entry that was made when it was triggered is completed, not doubled.
    ///
    /// # Errors
    /// [`Broken`] where the section has another shape than it must have.
    pub fn resolved(&mut self, at_ms: i64, resolution: &str) -> Result<(), Broken> {
        let (trigger, entry) = self.open_entry()?;
        let words = Value::Text(resolution.to_owned());
        let now = plain(&moment::written(at_ms));
        match entry {
            Some(place) => {
                let place = place.to_string();
                self.set(&["history", &place, "resolution"], &words)?;
                self.set(&["history", &place, "resolved_at"], &now)?;
            }
            None if trigger == Past::default() => {}
            None => {
                let word = |text: Option<String>| text.map_or(Value::Null, Value::Plain);
                let moved = [
                    (
                        "timestamp",
                        trigger.timestamp.map_or_else(|| now.clone(), Value::Plain),
                    ),
                    ("pattern", word(trigger.pattern)),
                    ("severity", word(trigger.severity)),
                    ("result", plain("TRIGGERED")),
                    ("resolution", words),
                    ("resolved_at", now),
                ];
                self.note(&moved)?;
            }
        }
        self.set(&["current_trigger"], &Value::Null)?;
        self.set(&["status"], &plain("OK"))
    }

    /// The trigger at hand, and the place of its entry in the history.
    fn open_entry(&self) -> Result<(Past, Option<usize>), Broken> {
        let document = Document::parse(&self.0)?;
        let section = document.root().get(ROOT);
        let trigger = section
            .and_then(|s| s.get("current_trigger"))
            .map(Past::of)
            .unwrap_or_default();
        let items = section
            .and_then(|s| s.get("history"))
            .and_then(Node::items)
            .unwrap_or_default();
        let place = items.iter().rposition(|item| {
            let past = Past::of(item);
            past.result.as_deref() == Some("TRIGGERED")
                && past.resolution.is_none()
                && (trigger.timestamp.is_none()
                    || is_moment(past.timestamp.as_deref(), trigger.timestamp.as_deref()))
        });
        Ok((trigger, place))
    }

    fn set(&mut self, path: &[&str], value: &Value) -> Result<(), Broken> {
        let path: Vec<&str> = [ROOT].into_iter().chain(path.iter().copied()).collect();
        self.0 = set(&self.0, &path, value)?;
        Ok(())
    }

    /// Lets a name that is not there stand for nothing.
    fn default(&mut self, key: &str) -> Result<(), Broken> {
        let document = Document::parse(&self.0)?;
        if document
            .root()
            .get(ROOT)
            .and_then(|section| section.get(key))
            .is_none()
        {
            self.set(&[key], &Value::Null)?;
        }
        Ok(())
    }

    fn note(&mut self, entry: &[(&str, Value)]) -> Result<(), Broken> {
        self.0 = push(&self.0, &[ROOT, "history"], &map(entry))?;
        Ok(())
    }
}

fn plain(text: &str) -> Value {
    Value::Plain(text.to_owned())
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(
        entries
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    )
}
