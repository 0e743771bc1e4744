//! What each signal warns and trips at.

use super::RuleId;
use crate::observation::WorkPhase;
use crate::signals::Signal;

/// The rules of all signals. A signal without a rule is off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignalRules([Option<SignalRule>; Signal::ALL.len()]);

/// What one signal warns and trips at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SignalRule {
    /// When it warns, if it does.
    pub warn: Option<Bound>,
    /// When it trips, if it does.
    pub trip: Option<Bound>,
    /// When it trips in each phase, where phases differ.
    pub phases: Option<[u32; WorkPhase::ALL.len()]>,
    /// The written rule behind the numbers.
    pub rule: RuleId,
}

/// A value and which side of it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// This value and everything above it.
    AtLeast(u32),
    /// Everything above this value.
    Above(u32),
}

impl Bound {
    /// Whether `value` counts.
    #[must_use]
    pub fn holds(self, value: u32) -> bool {
        match self {
            Self::AtLeast(bound) => value >= bound,
            Self::Above(bound) => value > bound,
        }
    }

    /// The number itself.
    #[must_use]
    pub fn number(self) -> u32 {
        match self {
            Self::AtLeast(bound) | Self::Above(bound) => bound,
        }
    }
}

impl SignalRule {
    /// A rule with no numbers yet: the signal is read and never speaks.
    #[must_use]
    pub const fn silent(rule: &'static str) -> Self {
        Self {
            warn: None,
            trip: None,
            phases: None,
            rule: RuleId::Borrowed(rule),
        }
    }

    /// Adds the value it warns at.
    #[must_use]
    pub const fn warns(mut self, at: Bound) -> Self {
        self.warn = Some(at);
        self
    }

    /// Adds the value it trips at.
    #[must_use]
    pub const fn trips(mut self, at: Bound) -> Self {
        self.trip = Some(at);
        self
    }

    /// Adds the values it trips at in each phase.
    #[must_use]
    pub const fn by_phase(mut self, values: [u32; WorkPhase::ALL.len()]) -> Self {
        self.phases = Some(values);
        self
    }

    /// When it trips in `phase`.
    #[must_use]
    pub fn trip_at(&self, phase: Option<WorkPhase>) -> Option<Bound> {
        match (self.phases, phase) {
            (Some(values), Some(phase)) => Some(Bound::AtLeast(values[phase as usize])),
            _ => self.trip,
        }
    }

    /// Trips at `count`, in every phase, and warns one earlier if it warned.
    pub(super) fn retarget(&mut self, count: u32) {
        self.trip = Some(Bound::AtLeast(count));
        self.phases = None;
        if self.warn.is_some() {
            self.warn = (count > 1).then(|| Bound::AtLeast(count - 1));
        }
    }
}

impl SignalRules {
    /// The rules of these signals, and of no others.
    #[must_use]
    pub fn only(rules: impl IntoIterator<Item = (Signal, SignalRule)>) -> Self {
        let mut all = Self([const { None }; Signal::ALL.len()]);
        for (signal, rule) in rules {
            all.0[signal as usize] = Some(rule);
        }
        all
    }

    /// The rule of `signal`; `None` if it is off.
    #[must_use]
    pub fn get(&self, signal: Signal) -> Option<&SignalRule> {
        self.0[signal as usize].as_ref()
    }

    /// The rule of `signal`, to be edited.
    pub fn get_mut(&mut self, signal: Signal) -> Option<&mut SignalRule> {
        self.0[signal as usize].as_mut()
    }

    /// Switches a signal off.
    pub fn switch_off(&mut self, signal: Signal) {
        self.0[signal as usize] = None;
    }

    /// All signals that are on, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (Signal, &SignalRule)> {
        Signal::ALL
            .into_iter()
            .filter_map(|signal| Some((signal, self.get(signal)?)))
    }

    /// Whether errors and missing progress are counted against one number.
    pub(super) fn shares_stagnation_threshold(&self) -> bool {
        let trip = |signal| self.get(signal).and_then(|rule| rule.trip);
        trip(Signal::NoProgress).is_some()
            && trip(Signal::NoProgress) == trip(Signal::RepeatedError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_000_037_and_004_022_the_bound_itself_counts_or_does_not() {
        for (bound, below, at, above) in [
            (Bound::AtLeast(3), false, true, true),
            (Bound::Above(3), false, false, true),
        ] {
            let found = [2, 3, 4].map(|value| bound.holds(value));
            assert_eq!(found, [below, at, above], "{bound:?}");
        }
    }
}
