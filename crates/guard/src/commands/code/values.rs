//! What variables hold, and for a while only some of it.

use std::collections::BTreeMap;

use super::asked::Asked;
use super::mentions::Mention;
use crate::text::Text;

/// More values than these are not held by one variable.
pub(super) const MOST_VALUES: usize = 64;

/// The values of each variable.
pub(super) type Held = BTreeMap<String, Vec<Value>>;

/// A name, or those of all files beneath it that look like this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) text: Text,
    pub(super) pattern: Option<String>,
}

impl Value {
    /// What it is where it looks like one of these. Of a listing those are in it; a name that looks
    /// so is itself one of them.
    fn narrowed(&self, patterns: &[String]) -> Vec<Self> {
        let is_all = self.pattern.as_deref().is_none_or(|pattern| pattern == "*");
        let Some(known) = self.text.known().filter(|_| is_all) else {
            return vec![self.clone()];
        };
        let name = known
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let fits = patterns
            .iter()
            .any(|pattern| crate::glob::matches(pattern, name));
        let below = patterns.iter().map(|pattern| Self {
            text: self.text.clone(),
            pattern: Some(pattern.clone()),
        });
        below.chain(fits.then(|| self.clone())).collect()
    }

    pub(super) fn of(mention: &Mention) -> Self {
        Self {
            text: mention.text.clone(),
            pattern: mention.pattern.clone(),
        }
    }
}

/// Variables of which a condition says what they look like, up to where it holds, the innermost
/// last.
#[derive(Default)]
pub(super) struct Narrowings(Vec<Narrowed>);

struct Narrowed {
    name: String,
    until: usize,
    from: Vec<Value>,
    to: Vec<Value>,
}

impl Narrowings {
    pub(super) fn begin(&mut self, held: &mut Vec<Value>, asked: Asked) {
        let narrow = |value: &Value| value.narrowed(&asked.patterns);
        let to: Vec<Value> = held.iter().flat_map(narrow).collect();
        if to.len() > MOST_VALUES {
            return;
        }
        self.0.push(Narrowed {
            name: asked.name,
            until: asked.within.1,
            from: std::mem::replace(held, to.clone()),
            to,
        });
    }

    /// Behind its condition a variable is what it was, unless it was given something else.
    pub(super) fn end(&mut self, held: &mut Held, at: usize) {
        while let Some(narrowed) = self.0.pop_if(|last| last.until <= at) {
            let held = held.get_mut(&narrowed.name);
            if let Some(held) = held.filter(|held| **held == narrowed.to) {
                *held = narrowed.from;
            }
        }
    }
}
