//! Settings out of the JSON block of a companion system.
//!
//! Its keys are translated into ours one by one, so that from here on nobody
//! needs to know in which language a value was written.

use fusebox_agents::AGENTS;
use fusebox_core::signals::Signal;
use fusebox_edit::splice::without_mark;
use fusebox_seeds::cub::{self, Action};
use fusebox_seeds::{Placed, Wrong};
use fusebox_view::escape;

use super::key::Key;
use super::kind::Value;
use super::layer::{At, Document, Layer, Setting, Source};
use super::task_keys::TaskKey;
use crate::cli::OnStagnation;
use crate::failure::Failure;
use crate::speech::shown;

/// The widest that a list of keys is shown.
const WIDTH: usize = 300;

/// Whether a text is JSON rather than TOML, which never begins with a brace.
pub(super) fn is_json(text: &str) -> bool {
    without_mark(text).trim_start().starts_with('{')
}

/// Reads the settings of a file. In a repository's file, what is not a
/// repository's to say is left out with a word about it: the file was written for
/// another tool, which may well obey it.
pub(super) fn parse(document: Document, source: Source) -> Result<Layer, Failure> {
    let (found, mut wrong) = match cub::read(&document.text) {
        Ok(found) => (found, Vec::new()),
        Err(wrong) => (None, wrong),
    };
    let remarks = remarks(&document, found.as_ref());
    let (mut settings, mut not_theirs) = (Vec::new(), Vec::new());
    if let Some(stale) = found.as_ref().and_then(|found| found.stale_task_recovery) {
        settings.extend(stale_tasks(&document.text, stale));
    }
    for Placed { what, span } in found.map(|config| config.settings).unwrap_or_default() {
        let Some((key, value)) = translated(&what) else {
            continue;
        };
        if source == Source::Project && !key.may_come_from_a_repository() {
            if !holds_anyway(&what) {
                not_theirs.push(what.path());
            }
            continue;
        }
        match value {
            Some(value) => settings.push(Setting {
                key,
                value,
                at: At::Bytes(span),
            }),
            None => wrong.push(Wrong {
                what: format!("`{}` must be {}", what.path(), key.kind().expected()),
                span,
            }),
        }
    }
    if let Some(failure) = failure(&document, wrong) {
        return Err(failure);
    }
    // It sets several thresholds at once; those that are named win over it.
    settings.sort_by_key(|setting| setting.key != Key::StagnationThreshold);
    let mut layer = Layer {
        source,
        settings,
        document: Some(document),
        remarks,
    };
    if !not_theirs.is_empty() {
        let keys = not_theirs.join(", ");
        let remark = format!(
            "{}: a repository may not set {keys}, so that is ignored",
            layer.name()
        );
        layer.remarks.push(remark);
    }
    Ok(layer)
}

/// The key and the value that a setting stands for; no value where it does not
/// fit the key, nothing at all where it only says what holds anyway.
fn translated(setting: &cub::Setting) -> Option<(Key, Option<Value>)> {
    use cub::Setting as S;
    let switch = |key: Key, on: &bool| (key, key.kind().read_switch(*on));
    let number = |key: Key, count: &u64| (key, key.kind().read_number(*count));
    Some(match setting {
        S::Threshold(count) => number(Key::StagnationThreshold, count),
        S::Action(action) => {
            let action = match action {
                Action::Pause => OnStagnation::Pause,
                Action::Alert => OnStagnation::Alert,
                Action::Abort => OnStagnation::Abort,
                Action::Escalate => OnStagnation::Escalate,
            };
            (Key::StagnationAction, Some(action.into()))
        }
        S::NoFileChanges(on) => switch(Key::SignalEnabled(Signal::NoProgress), on),
        S::RepeatedErrors(on) => switch(Key::SignalEnabled(Signal::RepeatedError), on),
        S::TaskTimeoutIterations(0) => switch(Key::SignalEnabled(Signal::TaskStuck), &false),
        S::TaskTimeoutIterations(count) => number(Key::SignalTrip(Signal::TaskStuck), count),
        S::CompletionWithoutEvidence(on) => switch(Key::SignalEnabled(Signal::Unproven), on),
        S::EscalationEnabled(on) => switch(Key::Escalation, on),
        S::ModelProgression(models) => (Key::Models, Key::Models.kind().read_list(models.clone())),
        S::Desktop(on) => switch(Key::NotifyDesktop, on),
        S::Webhook(address) => {
            let key = Key::NotifyWebhook;
            (key, key.kind().read_text(address.as_deref()?))
        }
    })
}

/// Whether a setting that is not a repository's to make is what holds where nobody makes it.
fn holds_anyway(setting: &cub::Setting) -> bool {
    match setting {
        cub::Setting::Desktop(on) => *on,
        cub::Setting::ModelProgression(models) => AGENTS
            .iter()
            .any(|agent| agent.model_ladder().iter().eq(models)),
        _ => false,
    }
}

/// What a block that speaks of stale tasks sets. It stands for itself: one that is
/// there means that they are taken care of, unless it says no.
fn stale_tasks(text: &str, stale: cub::StaleTaskRecovery) -> [Setting; 2] {
    let start = text.find("\"stale_task_recovery\"").unwrap_or(0);
    let set = |key, amount| Setting {
        key: Key::Task(key),
        value: Value::Amount(amount),
        at: At::Bytes(start..start),
    };
    [
        set(TaskKey::Recover, u64::from(stale.enabled)),
        set(TaskKey::StaleSeconds, stale.stale_seconds),
    ]
}

/// What is worth saying of a file that is not wrong, one line each.
fn remarks(document: &Document, found: Option<&cub::Config>) -> Vec<String> {
    let name = shown(&document.path);
    let Some(config) = found else {
        return vec![format!(
            "{name}: there is no `stagnation` block in it, so nothing in it has an effect"
        )];
    };
    let mut remarks = Vec::new();
    if let Some(first) = config.unknown.first() {
        let keys: Vec<_> = config.unknown.iter().map(|key| key.what.as_str()).collect();
        remarks.push(format!(
            "{}: not known, and without effect: {}",
            document.place(&first.span),
            escape::line(&keys.join(", "), WIDTH)
        ));
    }
    remarks
}

/// Everything that is wrong, as one failure.
fn failure(document: &Document, wrong: Vec<Wrong>) -> Option<Failure> {
    let wrong = wrong.into_iter();
    let mut failures = wrong.map(|Placed { what, span }| document.complaint(what, &span));
    let mut first = failures.next()?;
    first.also = failures.collect();
    Some(first)
}
