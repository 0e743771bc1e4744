//! The environment as a layer. Every command reads it, also those that have no
//! flag of the same name: `check` must decide as the `run` beside it does.

use fusebox_core::policy::{Variable, VariableMeaning};
use fusebox_core::signals::Signal;

use super::fleet_keys::FleetKey;
use super::key::Key;
use super::kind::{Kind, Value};
use super::layer::{At, Layer, Setting, Source};
use super::task_keys::TaskKey;
use crate::exit;
use crate::failure::Failure;

/// The variable that chooses the way of working.
pub(super) const PRESET: &str = "FUSEBOX_PRESET";

/// Paths below the root that are protected besides all others, with colons between them: how
/// hooks inside a run learn what it rests on.
pub(crate) const PROTECT: &str = "FUSEBOX_PROTECT";

/// Ours; companions have their own.
pub(super) const VARIABLES: [(&str, Key); 18] = [
    (PRESET, Key::Preset),
    ("FUSEBOX_STAGNATION_THRESHOLD", Key::StagnationThreshold),
    ("FUSEBOX_ON_STAGNATION", Key::StagnationAction),
    ("FUSEBOX_TIMEOUT", Key::Timeout),
    ("FUSEBOX_IDLE_TIMEOUT", Key::IdleTimeout),
    ("FUSEBOX_MAX_ITERATIONS", Key::MaxIterations),
    ("FUSEBOX_MAX_TOKENS", Key::TokenLimit),
    ("FUSEBOX_MAX_USD", Key::MoneyLimit),
    ("FUSEBOX_MAX_TIME", Key::MaxTime),
    ("FUSEBOX_LONGEST_WAIT", Key::LongestWait),
    ("FUSEBOX_WAIT", Key::Wait),
    ("FUSEBOX_OBSERVE", Key::Observe),
    (PROTECT, Key::Protect),
    ("FUSEBOX_STALE_SECONDS", Key::Task(TaskKey::StaleSeconds)),
    ("FUSEBOX_TASK_SOURCE", Key::Task(TaskKey::Source)),
    ("FUSEBOX_FLEET", Key::Fleet(FleetKey::Url)),
    ("FUSEBOX_FLEET_REPOSITORY", Key::Fleet(FleetKey::Repository)),
    ("FUSEBOX_FLEET_TEAM", Key::Fleet(FleetKey::Team)),
];

/// What the environment sets by these variables; `None` if it sets nothing.
pub(super) fn layer(variables: &[(&'static str, Key)]) -> Result<Option<Layer>, Failure> {
    read(variables, |name| {
        std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
    })
}

/// The same for any environment.
pub(super) fn read(
    variables: &[(&'static str, Key)],
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Layer>, Failure> {
    let mut settings = Vec::new();
    for &(name, key) in variables {
        if let Some(text) = variable(name) {
            settings.push(setting(name, key, &text)?);
        }
    }
    Ok(of(settings))
}

/// What the tools of another system would find in the environment.
pub(super) fn of_others(variables: &[Variable]) -> Result<Option<Layer>, Failure> {
    let mut settings = Vec::new();
    for &(name, meaning) in variables {
        // Their scripts write `${NAME:-default}`: an empty variable says nothing.
        let Some(text) = std::env::var_os(name).filter(|text| !text.is_empty()) else {
            continue;
        };
        let text = text.to_string_lossy();
        let (key, in_seconds) = match meaning {
            VariableMeaning::Threshold => (Key::StagnationThreshold, false),
            VariableMeaning::Action => (Key::StagnationAction, false),
            VariableMeaning::NoProgress => (Key::SignalTrip(Signal::NoProgress), false),
            VariableMeaning::SameError => (Key::SignalTrip(Signal::RepeatedError), false),
            VariableMeaning::OutputDecline => (Key::SignalTrip(Signal::OutputDecline), false),
            VariableMeaning::CallsPerHour => (Key::CallLimit, false),
            VariableMeaning::StaleSeconds => (Key::Task(TaskKey::StaleSeconds), false),
            VariableMeaning::CooldownSeconds => (Key::Cooldown, true),
            VariableMeaning::IterationSeconds => (Key::Timeout, true),
        };
        let bare = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let text = match in_seconds {
            true if bare => format!("{text}s"),
            _ => text.into_owned(),
        };
        settings.push(setting(name, key, &text)?);
        if meaning == VariableMeaning::StaleSeconds {
            // Whoever says when a task is stale wants it taken care of.
            let cared_for = u64::from(!text.trim_matches('0').is_empty());
            settings.push(Setting {
                key: Key::Task(TaskKey::Recover),
                value: Value::Amount(cared_for),
                at: At::Name(name),
            });
        }
    }
    Ok(of(settings))
}

fn of(settings: Vec<Setting>) -> Option<Layer> {
    (!settings.is_empty()).then_some(Layer {
        source: Source::Environment,
        document: None,
        settings,
        remarks: Vec::new(),
    })
}

fn setting(name: &'static str, key: Key, text: &str) -> Result<Setting, Failure> {
    let kind = key.kind();
    let value = match kind {
        Kind::Number { .. } => text.parse().ok().and_then(|n| kind.read_number(n)),
        Kind::Switch => switch(text).and_then(|on| kind.read_switch(on)),
        Kind::Paths => {
            let paths = text.split(':').filter(|path| !path.is_empty());
            kind.read_paths(paths.map(|path| (path.to_owned(), None)).collect())
        }
        _ => kind.read_text(text),
    };
    let value = value.ok_or_else(|| {
        let expected = kind.expected().replace(" in quotes", "").replace('"', "");
        let what = format!("{name} is `{text}`, and must be {expected}");
        // An action that does not exist is wrong usage, whichever way it is asked for.
        let code = match key {
            Key::StagnationAction => exit::USAGE,
            _ => exit::CONFIG,
        };
        Failure::new(code, what)
    })?;
    Ok(Setting {
        key,
        value,
        at: At::Name(name),
    })
}

/// On or off, as people write it into variables: the words that flags take as well.
fn switch(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "y" | "yes" | "t" | "true" | "on" | "1" => Some(true),
        "n" | "no" | "f" | "false" | "off" | "0" => Some(false),
        _ => None,
    }
}
