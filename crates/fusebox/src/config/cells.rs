//! A policy taken apart into single values that can be compared.
//!
//! Whether a change tightens or relaxes is asked of one number at a time. A
//! setting may be about several of them: a threshold that differs between
//! phases is one for each phase.

use fusebox_core::observation::WorkPhase;
use fusebox_core::policy::{Bound, HaltMode, Policy, SignalRule, WindowLimit};
use fusebox_core::signals::Signal;

use super::key::Key;
use super::kind::Stricter;
use super::layer::{Layer, Setting, Source};
use super::loop_key::LoopKey;
use super::pattern_key::PatternKey;
use super::task_keys::TaskKey;

/// The longest an iteration may stand idle, in every way of working.
const IDLE_TIMEOUT_MS: u64 = 10 * 60 * 1_000;
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// How long the past is kept, in every way of working.
const RETENTION_MS: u64 = 90 * DAY_MS;
/// And how much of it.
const RETENTION_BYTES: u64 = 256 << 20;
/// From which share of a budget on it is scarce, in percent.
const WARN_PERCENT: u64 = 80;

/// The longest that a run waits at a stretch: a usage limit of five hours, and
/// some.
const LONGEST_WAIT_MS: u64 = 6 * 3_600 * 1_000;

impl Key {
    /// Whether lower or higher values are the stricter ones.
    pub(super) fn stricter(self) -> Stricter {
        match self {
            Self::Task(key) => key.stricter(),
            Self::Pattern(key) => key.stricter(),
            Self::StagnationAction
            | Self::SignalEnabled(_)
            | Self::NotifyDesktop
            | Self::CallWindow
            | Self::TokenWindow
            | Self::MoneyWindow
            | Self::RetentionAge
            | Self::RetentionBytes
            | Self::Cooldown
            | Self::Longest => Stricter::Higher,
            _ => Stricter::Lower,
        }
    }
}

/// One value and who set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) key: Key,
    /// Where a signal's threshold differs between phases.
    pub(crate) phase: Option<WorkPhase>,
    /// `None` is no bound at all.
    pub(super) amount: Option<u64>,
    pub(crate) origin: Origin,
}

/// Who set a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) source: Source,
    /// File and line, variable or flag; empty for what is built in.
    pub(crate) place: String,
    /// The key that was written: one key can set several values.
    pub(super) written: Option<Key>,
}

/// All values of one policy, in the order they are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cells(Vec<Cell>);

impl Origin {
    pub(super) fn of(layer: &Layer, setting: &Setting) -> Self {
        Self {
            source: layer.source,
            place: layer.place(setting),
            written: Some(setting.key),
        }
    }

    pub(super) fn built_in() -> Self {
        Self {
            source: Source::Preset,
            place: String::new(),
            written: None,
        }
    }
}

impl Cell {
    /// Whether `amount` in place of `held` would be less strict.
    pub(super) fn relaxes(&self, held: Option<u64>, amount: u64) -> bool {
        // No bound at all is as high as it gets: the loosest of what may not be
        // exceeded, the strictest of what must be waited for.
        let held = held.unwrap_or(u64::MAX);
        match self.key.stricter() {
            Stricter::Lower => amount > held,
            Stricter::Higher => amount < held,
        }
    }

    /// The value as it would be written in a file; `None` is no bound.
    pub(crate) fn written(&self) -> Option<String> {
        Some(self.key.kind().written(self.amount?))
    }
}

impl Cells {
    /// The values of a way of working.
    pub(super) fn of(policy: &Policy) -> Self {
        let mut cells = Self(Vec::new());
        let Policy {
            recovery,
            calls,
            tasks,
            ..
        } = policy;
        for (key, amount) in [
            (Key::StagnationAction, Some(2)),
            (Key::Escalation, Some(1)),
            (Key::CallLimit, Some(u64::from(calls.limit))),
            (Key::CallWindow, Some(calls.window_ms)),
            (Key::CallWarnPercent, Some(u64::from(calls.warn_percent))),
            (Key::TokenLimit, policy.tokens.map(|rule| rule.limit)),
            (Key::TokenWindow, window(policy.tokens)),
            (Key::TokenWarnPercent, warn_percent(policy.tokens)),
            (Key::MoneyLimit, policy.micro_usd.map(|rule| rule.limit)),
            (Key::MoneyWindow, window(policy.micro_usd)),
            (Key::MoneyWarnPercent, warn_percent(policy.micro_usd)),
            (Key::Cooldown, Some(recovery.cooldown_ms)),
            (Key::Longest, recovery.longest_ms),
            (Key::Probes, recovery.probes.map(u64::from)),
            (Key::Timeout, Some(policy.iteration_limit_ms)),
            (Key::IdleTimeout, Some(IDLE_TIMEOUT_MS)),
            (Key::MaxIterations, None),
            (Key::RetentionAge, Some(RETENTION_MS)),
            (Key::RetentionBytes, Some(RETENTION_BYTES)),
            (Key::MaxTime, None),
            (Key::Wait, Some(u64::from(policy.halt == HaltMode::Wait))),
            (Key::LongestWait, Some(LONGEST_WAIT_MS)),
            (Key::Observe, Some(0)),
            (Key::NotifyDesktop, Some(1)),
            (Key::NotifyPrivate, Some(0)),
            (Key::Task(TaskKey::Recover), Some(u64::from(tasks.recover))),
            (Key::Task(TaskKey::StaleSeconds), Some(tasks.stale_seconds)),
            (Key::Task(TaskKey::Reopens), Some(tasks.reopens.into())),
            (Key::Task(TaskKey::Attempts), tasks.attempts.map(u64::from)),
        ] {
            cells.push(key, None, amount);
        }
        for (key, rules) in PatternKey::all().zip(policy.patterns.iter().cycle()) {
            cells.push(Key::Pattern(key), None, Some(key.amount(rules)));
        }
        for (signal, rule) in policy.rules.iter() {
            cells.push_rule(signal, rule);
        }
        for key in LoopKey::all().filter(|_| policy.in_session.acts()) {
            cells.push(Key::Loop(key), None, key.amount(&policy.in_session));
        }
        cells
    }

    fn push_rule(&mut self, signal: Signal, rule: &SignalRule) {
        let number = |bound: Option<Bound>| bound.map(|bound| u64::from(bound.number()));
        self.push(Key::SignalEnabled(signal), None, Some(1));
        self.push(Key::SignalWarn(signal), None, number(rule.warn));
        self.push(Key::SignalTrip(signal), None, number(rule.trip));
        for phase in WorkPhase::ALL.into_iter().filter(|_| rule.phases.is_some()) {
            let trip = number(rule.trip_at(Some(phase)));
            self.push(Key::SignalTrip(signal), Some(phase), trip);
        }
    }

    fn push(&mut self, key: Key, phase: Option<WorkPhase>, amount: Option<u64>) {
        self.0.push(Cell {
            key,
            phase,
            amount,
            origin: Origin::built_in(),
        });
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Cell> {
        self.0.iter()
    }

    /// The places of the cells of `key`: one for each phase where phases differ.
    pub(super) fn places(&self, key: Key) -> Vec<usize> {
        let all = self.0.iter().enumerate();
        all.filter(|(_, cell)| cell.key == key)
            .map(|(place, _)| place)
            .collect()
    }

    /// The cell at one of its [`places`](Cells::places).
    pub(super) fn at(&self, place: usize) -> &Cell {
        &self.0[place]
    }

    /// Puts a value there.
    pub(super) fn set(&mut self, place: usize, amount: u64, origin: Origin) {
        self.0[place].amount = Some(amount);
        self.0[place].origin = origin;
    }

    /// The value of `key`, whatever the phase.
    pub(super) fn get(&self, key: Key) -> Option<u64> {
        self.cell(key)?.amount
    }

    /// The cell of `key`, whatever the phase.
    pub(super) fn cell(&self, key: Key) -> Option<&Cell> {
        self.0
            .iter()
            .find(|cell| cell.key == key && cell.phase.is_none())
    }

    /// Puts the values into the policy they were taken from.
    pub(super) fn write_into(&self, policy: &mut Policy) {
        // Most often nothing is configured, and then it says all of this already.
        let configured = |cell: &Cell| cell.origin.source != Source::Preset;
        if self.0.iter().any(configured) {
            self.write_all_into(policy);
        }
    }

    fn write_all_into(&self, policy: &mut Policy) {
        let small = |key| self.get(key).and_then(|amount| u32::try_from(amount).ok());
        let keep = |key, old: u32| small(key).unwrap_or(old);
        let calls = &mut policy.calls;
        calls.limit = keep(Key::CallLimit, calls.limit);
        calls.window_ms = self.get(Key::CallWindow).unwrap_or(calls.window_ms);
        calls.warn_percent = keep(Key::CallWarnPercent, calls.warn_percent);
        let [tokens, money] = [
            [Key::TokenLimit, Key::TokenWindow, Key::TokenWarnPercent],
            [Key::MoneyLimit, Key::MoneyWindow, Key::MoneyWarnPercent],
        ]
        .map(|keys| self.budget(keys));
        (policy.tokens, policy.micro_usd) = (tokens, money);
        let recovery = &mut policy.recovery;
        recovery.cooldown_ms = self.get(Key::Cooldown).unwrap_or(recovery.cooldown_ms);
        // Doubling never makes a wait shorter than the first one.
        let longest = self.get(Key::Longest);
        recovery.longest_ms = longest.map(|longest| longest.max(recovery.cooldown_ms));
        recovery.probes = small(Key::Probes);
        policy.iteration_limit_ms = self.get(Key::Timeout).unwrap_or(policy.iteration_limit_ms);
        let tasks = &mut policy.tasks;
        tasks.recover = self.get(Key::Task(TaskKey::Recover)) == Some(1);
        tasks.stale_seconds = self
            .get(Key::Task(TaskKey::StaleSeconds))
            .unwrap_or(tasks.stale_seconds);
        tasks.reopens = keep(Key::Task(TaskKey::Reopens), tasks.reopens);
        tasks.attempts = small(Key::Task(TaskKey::Attempts));
        for (key, amount) in
            PatternKey::all().filter_map(|key| Some((key, self.get(Key::Pattern(key))?)))
        {
            policy.patterns = policy.patterns.map(|rules| key.with(rules, amount));
        }
        for key in LoopKey::all() {
            if let Some(amount) = self.get(Key::Loop(key)) {
                key.write(amount, &mut policy.in_session);
            }
        }
        for signal in Signal::ALL {
            if self.get(Key::SignalEnabled(signal)) == Some(0) {
                policy.rules.switch_off(signal);
            } else if let Some(rule) = policy.rules.get_mut(signal) {
                self.write_rule(signal, rule);
            }
        }
    }

    /// A budget, if it is limited. What an iteration will use is not known before
    /// it ends, so a tenth of the budget must be left for one to begin, and that
    /// much counts if it never says.
    fn budget(&self, [limit, window, warn_percent]: [Key; 3]) -> Option<WindowLimit> {
        let limit = self.get(limit)?;
        let warn_percent = self.get(warn_percent);
        Some(WindowLimit {
            limit,
            window_ms: self.get(window).unwrap_or(DAY_MS),
            reserve: limit / 10,
            warn_percent: warn_percent
                .and_then(|p| u32::try_from(p).ok())
                .unwrap_or(0),
        })
    }

    fn write_rule(&self, signal: Signal, rule: &mut SignalRule) {
        rule.trip = bound(self.get(Key::SignalTrip(signal)), rule.trip);
        rule.warn = bound(self.get(Key::SignalWarn(signal)), rule.warn);
        if let Some(values) = &mut rule.phases {
            let cells = self.0.iter().filter(|c| c.key == Key::SignalTrip(signal));
            for (phase, cell) in cells.filter_map(|cell| Some((cell.phase?, cell))) {
                let amount = cell.amount.and_then(|amount| u32::try_from(amount).ok());
                values[phase as usize] = amount.unwrap_or(values[phase as usize]);
            }
        }
        // A warning that comes no earlier than the trip warns of nothing.
        let number = |bound: Option<Bound>| bound.map(Bound::number);
        if number(rule.trip).is_some_and(|trip| number(rule.warn) >= Some(trip)) {
            rule.warn = None;
        }
    }
}

fn window(budget: Option<WindowLimit>) -> Option<u64> {
    Some(budget.map_or(DAY_MS, |rule| rule.window_ms))
}

fn warn_percent(budget: Option<WindowLimit>) -> Option<u64> {
    Some(budget.map_or(WARN_PERCENT, |rule| u64::from(rule.warn_percent)))
}

/// The same side of another number; where there was none, the number and above.
fn bound(amount: Option<u64>, old: Option<Bound>) -> Option<Bound> {
    let number = u32::try_from(amount?).ok()?;
    Some(match old {
        Some(Bound::Above(_)) => Bound::Above(number),
        Some(Bound::AtLeast(_)) | None => Bound::AtLeast(number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fusebox_core::Preset;

    #[test]
    fn a_policy_taken_apart_and_put_together_is_the_same() {
        for preset in Preset::ALL {
            let mut policy = Policy::of(preset);
            Cells::of(&policy).write_all_into(&mut policy);
            assert_eq!(policy, Policy::of(preset));
        }
    }

    #[test]
    fn no_bound_is_the_loosest_limit_and_the_strictest_wait() {
        let cells = Cells::of(&Policy::native());
        let relaxes = |key, held, amount| cells.cell(key).unwrap().relaxes(held, amount);
        assert!(!relaxes(Key::MaxIterations, None, 5));
        assert!(relaxes(Key::MaxIterations, Some(5), 6));
        assert!(relaxes(Key::Longest, None, 5));
        assert!(relaxes(Key::Cooldown, Some(5), 4));
        assert!(!relaxes(Key::Cooldown, Some(5), 6));
        assert!(relaxes(Key::StagnationAction, Some(3), 2));
        let enabled = Key::SignalEnabled(Signal::NoProgress);
        assert!(relaxes(enabled, Some(1), 0));
        assert!(!relaxes(enabled, Some(0), 1));
    }
}
