//! The numbers of a policy, by name.
//!
//! Whoever compares thresholds has to name them, and the names are those under
//! which the policy is stored, so that a number that is added to it can be
//! swept without a word here.

use std::fmt;

use fusebox_core::calls::CallPolicy;
use serde_json::Value;
use thiserror::Error;

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
        write!(out, "{}={}", self.name, self.value)
    }
}

/// A number that a policy does not have, or cannot have.
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
    let Ok(Value::Object(fields)) = serde_json::to_value(policy) else {
        return Vec::new();
    };
    let numbers = fields.into_iter().filter_map(|(name, value)| {
        let value = u32::try_from(value.as_u64()?).ok()?;
        Some(Setting { name, value })
    });
    numbers.collect()
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
    let mut fields = serde_json::to_value(policy).unwrap_or_default();
    for Setting { name, value } in settings {
        let field = fields.get_mut(name).filter(|field| field.is_u64());
        *field.ok_or_else(|| refused(name))? = Value::from(*value);
    }
    let last = settings.last().map_or("", |setting| &setting.name);
    serde_json::from_value(fields).map_err(|_| refused(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_can_be_changed_and_no_other() {
        let native = CallPolicy::native();
        assert!(!numbers(&native).is_empty());
        for Setting { name, value } in numbers(&native) {
            let changed = Setting {
                name,
                value: value + 1,
            };
            let policy = with(&native, std::slice::from_ref(&changed)).unwrap();
            assert!(numbers(&policy).contains(&changed));
            assert_ne!(policy, native);
        }
        let unknown = Setting {
            name: "highest".to_owned(),
            value: 1,
        };
        let error = with(&native, &[unknown]).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the policy has no number `highest`; it has ")
        );
    }
}
