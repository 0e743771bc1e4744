//! The block `stagnation` of its configuration.
//!
//! The file around the block belongs to other parts of that system, so what
//! stands beside it is no concern of ours. Inside of it every key counts: one
//! that is not known is reported, because a misspelt threshold would otherwise
//! be a threshold that nobody has set.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json::{Object, Placed, Wrong, object, span};

/// The name of the block.
const BLOCK: &str = "stagnation";

/// More complaints than this about one file help nobody.
const MOST_WRONG: usize = 20;

/// What a block says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// What it sets, in the order of the file.
    pub settings: Vec<Placed<Setting>>,
    /// What becomes of tasks that nobody finishes. A block that does not mention
    /// them leaves them alone; one that does, takes care of them unless it says no.
    pub stale_task_recovery: Option<StaleTaskRecovery>,
    /// The paths of keys that mean nothing.
    pub unknown: Vec<Placed<String>>,
}

/// One value that a block sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// How many iterations in a row without progress, or with the same error.
    Threshold(u64),
    /// What is done then.
    Action(Action),
    /// Whether iterations that change no file are counted.
    NoFileChanges(bool),
    /// Whether the same error again and again is counted.
    RepeatedErrors(bool),
    /// How many iterations one task may take; none is ever too many at 0, which `false` says as
    /// well, as it does for the other signals.
    TaskTimeoutIterations(u64),
    /// Whether a claim of completion is held against the evidence.
    CompletionWithoutEvidence(bool),
    /// Whether another model may take over.
    EscalationEnabled(bool),
    /// The models, the least capable first.
    ModelProgression(Vec<String>),
    /// Whether the desktop is told.
    Desktop(bool),
    /// Which address is told, if any.
    Webhook(Option<String>),
}

/// What is done on stagnation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Wait for a person.
    Pause,
    /// Tell somebody and go on.
    Alert,
    /// End the run.
    Abort,
    /// Let the next model try.
    Escalate,
}

/// What becomes of tasks that are in progress and that nobody works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaleTaskRecovery {
    /// Whether anything does.
    pub enabled: bool,
    /// After how many seconds a task is stale.
    pub stale_seconds: u64,
    /// What is done with it.
    pub action: StaleAction,
}

/// What is done with a stale task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StaleAction {
    /// It can be taken up again.
    Reopen,
}

impl Default for StaleTaskRecovery {
    fn default() -> Self {
        Self {
            enabled: true,
            stale_seconds: 3_600,
            action: StaleAction::Reopen,
        }
    }
}

impl Setting {
    /// Whether it is a person's to say: which models run, and who is told.
    pub(super) fn is_a_persons(&self) -> bool {
        matches!(
            self,
            Self::ModelProgression(_) | Self::Desktop(_) | Self::Webhook(_)
        )
    }

    /// Where it stands in the file.
    #[must_use]
    pub fn path(&self) -> &'static str {
        match self {
            Self::Threshold(_) => "stagnation.threshold",
            Self::Action(_) => "stagnation.action",
            Self::NoFileChanges(_) => "stagnation.signals.no_file_changes",
            Self::RepeatedErrors(_) => "stagnation.signals.repeated_errors",
            Self::TaskTimeoutIterations(_) => "stagnation.signals.task_timeout_iterations",
            Self::CompletionWithoutEvidence(_) => "stagnation.signals.completion_without_evidence",
            Self::EscalationEnabled(_) => "stagnation.escalation.enabled",
            Self::ModelProgression(_) => "stagnation.escalation.model_progression",
            Self::Desktop(_) => "stagnation.notifications.desktop",
            Self::Webhook(_) => "stagnation.notifications.webhook",
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path();
        match self {
            Self::Threshold(count) | Self::TaskTimeoutIterations(count) => {
                write!(out, "{path} = {count}")
            }
            Self::NoFileChanges(on)
            | Self::RepeatedErrors(on)
            | Self::CompletionWithoutEvidence(on)
            | Self::EscalationEnabled(on)
            | Self::Desktop(on) => write!(out, "{path} = {on}"),
            Self::Action(action) => {
                let word = match action {
                    Action::Pause => "pause",
                    Action::Alert => "alert",
                    Action::Abort => "abort",
                    Action::Escalate => "escalate",
                };
                write!(out, "{path} = {word}")
            }
            Self::ModelProgression(models) => write!(out, "{path} = {}", models.join(", ")),
            // An address may hold a key.
            Self::Webhook(Some(_)) => write!(out, "{path} = an address"),
            Self::Webhook(None) => write!(out, "{path} = none"),
        }
    }
}

impl fmt::Display for StaleTaskRecovery {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = "stagnation.stale_task_recovery";
        match (self.enabled, self.action) {
            (false, _) => write!(out, "{path} is off"),
            (true, StaleAction::Reopen) => {
                write!(out, "{path}: reopened after {} s", self.stale_seconds)
            }
        }
    }
}

/// Reads the block in the text of a file; `None` if there is none in it.
///
/// # Errors
/// Everything that is wrong with it, in the order of the file.
pub fn read(text: &str) -> Result<Option<Config>, Vec<Wrong>> {
    let object = object(text).map_err(|wrong| vec![wrong])?;
    let mut blocks = object.fields().iter().filter(|(name, _)| name == BLOCK);
    let Some((_, block)) = blocks.next() else {
        return Ok(None);
    };
    let is_nothing = is_null(block) && blocks.clone().next().is_none();
    if is_nothing {
        return Ok(None);
    }
    let mut reader = Reader {
        text,
        config: Config::default(),
        wrong: Vec::new(),
    };
    reader.table(BLOCK, block);
    if let Some((_, again)) = blocks.next() {
        reader.complain(format!("`{BLOCK}` is there twice"), again);
    }
    if reader.wrong.is_empty() {
        Ok(Some(reader.config))
    } else {
        Err(reader.wrong)
    }
}

/// `null` says as little as a key that is not there.
fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

/// How many iterations a task may take, or whether that is looked at.
#[derive(Deserialize)]
#[serde(untagged)]
enum TaskTimeout {
    Iterations(u64),
    Off(Never),
}

/// `false`, and nothing else.
#[derive(Deserialize)]
#[serde(try_from = "bool")]
struct Never;

impl TryFrom<bool> for Never {
    type Error = &'static str;

    fn try_from(on: bool) -> Result<Self, Self::Error> {
        if on {
            Err("there must be a number")
        } else {
            Ok(Self)
        }
    }
}

impl TaskTimeout {
    fn iterations(self) -> u64 {
        match self {
            Self::Iterations(count) => count,
            Self::Off(Never) => 0,
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    config: Config,
    wrong: Vec<Wrong>,
}

impl<'a> Reader<'a> {
    fn table(&mut self, path: &str, raw: &'a RawValue) {
        let Some(object) = self.value::<Object<'_>>(path, raw, "an object") else {
            return;
        };
        let mut seen = BTreeSet::new();
        for (name, raw) in object.fields() {
            let path = format!("{path}.{name}");
            // A name with a dot in it only looks like a path.
            if name.contains('.') {
                self.unknown(&path, raw);
            } else if seen.contains(&path) {
                self.complain(format!("`{path}` is there twice"), raw);
            } else if !self.stale(&path, raw) {
                self.entry(&path, raw);
            }
            if self.wrong.len() >= MOST_WRONG {
                return;
            }
            seen.insert(path);
        }
    }

    fn entry(&mut self, path: &str, raw: &'a RawValue) {
        match path {
            "stagnation.signals" | "stagnation.escalation" | "stagnation.notifications" => {
                self.table(path, raw);
            }
            "stagnation.threshold" => self.number(path, raw, Setting::Threshold),
            "stagnation.action" => {
                let one_of = "one of \"pause\", \"alert\", \"abort\", \"escalate\"";
                self.setting(path, raw, one_of, Setting::Action);
            }
            "stagnation.signals.no_file_changes" => self.switch(path, raw, Setting::NoFileChanges),
            "stagnation.signals.repeated_errors" => self.switch(path, raw, Setting::RepeatedErrors),
            "stagnation.signals.task_timeout_iterations" => {
                let make = |limit: TaskTimeout| Setting::TaskTimeoutIterations(limit.iterations());
                self.setting(path, raw, "a whole number, or false", make);
            }
            "stagnation.signals.completion_without_evidence" => {
                self.switch(path, raw, Setting::CompletionWithoutEvidence);
            }
            "stagnation.escalation.enabled" => self.switch(path, raw, Setting::EscalationEnabled),
            "stagnation.escalation.model_progression" => {
                self.setting(path, raw, "a list of texts", Setting::ModelProgression);
            }
            "stagnation.notifications.desktop" => self.switch(path, raw, Setting::Desktop),
            "stagnation.notifications.webhook" => {
                self.setting(path, raw, "an address in quotes, or null", Setting::Webhook);
            }
            _ => self.unknown(path, raw),
        }
    }

    fn unknown(&mut self, path: &str, raw: &RawValue) {
        self.config.unknown.push(Placed {
            what: path.to_owned(),
            span: span(self.text, raw),
        });
    }

    /// What is about stale tasks; `false` for anything else.
    fn stale(&mut self, path: &str, raw: &'a RawValue) -> bool {
        let mut stale = self.config.stale_task_recovery.unwrap_or_default();
        match path {
            "stagnation.stale_task_recovery" if is_null(raw) => return true,
            "stagnation.stale_task_recovery" => {
                self.config.stale_task_recovery = Some(stale);
                self.table(path, raw);
                return true;
            }
            "stagnation.stale_task_recovery.enabled" => {
                let read = self.value(path, raw, "true or false");
                stale.enabled = read.unwrap_or(stale.enabled);
            }
            "stagnation.stale_task_recovery.stale_seconds" => {
                let read = self.value(path, raw, "a whole number");
                stale.stale_seconds = read.unwrap_or(stale.stale_seconds);
            }
            "stagnation.stale_task_recovery.action" => {
                let read = self.value(path, raw, "\"reopen\"");
                stale.action = read.unwrap_or(stale.action);
            }
            _ => return false,
        }
        self.config.stale_task_recovery = Some(stale);
        true
    }

    fn switch(&mut self, path: &str, raw: &'a RawValue, make: fn(bool) -> Setting) {
        self.setting(path, raw, "true or false", make);
    }

    fn number(&mut self, path: &str, raw: &'a RawValue, make: fn(u64) -> Setting) {
        self.setting(path, raw, "a whole number", make);
    }

    fn setting<T: Deserialize<'a>>(
        &mut self,
        path: &str,
        raw: &'a RawValue,
        expected: &str,
        make: impl FnOnce(T) -> Setting,
    ) {
        if let Some(value) = self.value(path, raw, expected) {
            self.config.settings.push(Placed {
                what: make(value),
                span: span(self.text, raw),
            });
        }
    }

    fn value<T: Deserialize<'a>>(
        &mut self,
        path: &str,
        raw: &'a RawValue,
        expected: &str,
    ) -> Option<T> {
        let read = serde_json::from_str(raw.get()).ok();
        if read.is_none() && !is_null(raw) {
            self.complain(format!("`{path}` must be {expected}"), raw);
        }
        read
    }

    fn complain(&mut self, what: String, raw: &RawValue) {
        self.wrong.push(Placed {
            what,
            span: span(self.text, raw),
        });
    }
}
