//! The numbers of a policy, by name.
//!
//! Whoever compares thresholds has to name them. A signal's rungs are
//! `signal.rung`, such as `repeat.trip`; the others are called as they are stored.

use std::fmt;
use std::str::FromStr;

use fusebox_core::calls::{CallPolicy, CallSignal, NEVER};
use serde_json::Value;
use thiserror::Error;

/// How a number that is never reached is written.
const NEVER_WORD: &str = "never";

/// A number of the policy that is to be another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Which one.
    pub name: String,
    /// What it is to be.
    pub value: u32,
}

impl fmt::Display for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            NEVER => write!(out, "{}={NEVER_WORD}", self.name),
            value => write!(out, "{}={value}", self.name),
        }
    }
}

/// What is no setting.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not a threshold such as repeat.trip=5")]
pub struct NoSetting(String);

impl FromStr for Setting {
    type Err = NoSetting;

    fn from_str(text: &str) -> Result<Self, NoSetting> {
        let parsed = text.split_once('=').and_then(|(name, value)| {
            let value = match value {
                NEVER_WORD => NEVER,
                number => number.parse().ok()?,
            };
            let name = name.to_owned();
            Some(Self { name, value })
        });
        parsed.ok_or_else(|| NoSetting(text.to_owned()))
    }
}

/// A number that a policy does not have.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("the policy has no number `{name}`; it has {}", .known.join(", "))]
pub struct NoSuchNumber {
    /// What was asked for.
    pub name: String,
    /// What there is.
    pub known: Vec<String>,
}

/// The numbers of a policy and what they are.
#[must_use]
pub fn numbers(policy: &CallPolicy) -> Vec<Setting> {
    let mut stored = serde_json::to_value(policy).unwrap_or_default();
    let mut numbers = Vec::new();
    each_number(&mut stored, "", &mut |name, value| {
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        numbers.extend(number.map(|value| Setting {
            name: name.to_owned(),
            value,
        }));
    });
    numbers
}

/// The policy with some of its numbers changed.
///
/// # Errors
///
/// If it has no such number.
pub fn with(policy: &CallPolicy, settings: &[Setting]) -> Result<CallPolicy, NoSuchNumber> {
    let refused = |name: &str| NoSuchNumber {
        name: name.to_owned(),
        known: numbers(policy)
            .into_iter()
            .map(|number| number.name)
            .collect(),
    };
    let mut stored = serde_json::to_value(policy).unwrap_or_default();
    for setting in settings {
        let mut found = false;
        each_number(&mut stored, "", &mut |name, value| {
            if name == setting.name {
                found = true;
                *value = Value::from(setting.value);
            }
        });
        if !found {
            return Err(refused(&setting.name));
        }
    }
    let last = settings.last().map_or("", |setting| &setting.name);
    serde_json::from_value(stored).map_err(|_| refused(last))
}

/// Goes through the numbers of a stored policy, each with its name.
fn each_number(value: &mut Value, name: &str, visit: &mut dyn FnMut(&str, &mut Value)) {
    let below = |part: &str| match name {
        "" => part.to_owned(),
        name => format!("{name}.{part}"),
    };
    match value {
        Value::Number(_) => visit(name, value),
        // The rungs, which are stored in the order of the signals.
        Value::Array(list) => {
            for (signal, rungs) in CallSignal::ALL.iter().zip(list) {
                each_number(rungs, signal.name(), visit);
            }
        }
        Value::Object(fields) => {
            for (part, field) in fields {
                each_number(field, &below(part), visit);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_can_be_changed_and_no_other() {
        let native = CallPolicy::native();
        let names: Vec<_> = numbers(&native)
            .into_iter()
            .map(|number| number.name)
            .collect();
        for known in [
            "repeat.trip",
            "nothing_new.steer",
            "points.known",
            "prompt_bytes",
        ] {
            assert!(names.iter().any(|name| name == known), "{known}: {names:?}");
        }
        for Setting { name, value } in numbers(&native) {
            let value = value.wrapping_add(1);
            let changed = Setting { name, value };
            let policy = with(&native, std::slice::from_ref(&changed)).unwrap();
            assert!(numbers(&policy).contains(&changed));
            assert_ne!(policy, native);
        }
        let unknown = "highest=1".parse().unwrap();
        let error = with(&native, &[unknown]).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the policy has no number `highest`; it has ")
        );
    }

    #[test]
    fn settings_are_read_as_they_are_written() {
        for text in ["repeat.trip=5", "paging.steer=never"] {
            assert_eq!(text.parse::<Setting>().unwrap().to_string(), text);
        }
        for text in ["repeat.trip", "repeat.trip=", "repeat.trip=x", ""] {
            assert!(text.parse::<Setting>().is_err(), "{text}");
        }
    }
}
