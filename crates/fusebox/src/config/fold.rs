//! Laying one layer over the others: what is taken, what stays, and who is told.

use fusebox_core::policy::{Enforcement, Policy, ThresholdEdits};
use fusebox_core::signals::Signal;

use super::cells::{Cell, Cells, Origin};
use super::key::Key;
use super::kind::{self, Value};
use super::layer::{Held, Layer, Setting, Source};
use super::{InForce, advice};
use crate::cli::OnStagnation;
use crate::exit;
use crate::failure::Failure;

/// The windows of budgets, with the limits that they are for.
const BUDGETS: [(Key, Key); 2] = [
    (Key::TokenWindow, Key::TokenLimit),
    (Key::MoneyWindow, Key::MoneyLimit),
];

/// What becomes of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Take,
    /// The stricter value stays, and the writer is told.
    Hold,
    /// The way of working does not allow it.
    Refuse,
}

/// The layers so far.
pub(super) struct Fold<'a> {
    base: &'a Policy,
    /// The preset's own values.
    start: Cells,
    now: Cells,
    /// What the machine's file has set, by place in the cells.
    floor: Vec<(usize, u64)>,
    warnings: Vec<String>,
    held: Vec<Held>,
    refused: Vec<Failure>,
}

impl<'a> Fold<'a> {
    /// Nothing but the values of the way of working itself.
    pub(super) fn over(base: &'a Policy, warnings: Vec<String>) -> Self {
        let start = Cells::of(base);
        Self {
            base,
            now: start.clone(),
            start,
            floor: Vec::new(),
            warnings,
            held: Vec::new(),
            refused: Vec::new(),
        }
    }

    pub(super) fn layer(&mut self, layer: &Layer) {
        for remark in &layer.remarks {
            // What a file said at first and says now may share its remarks.
            if !self.warnings.contains(remark) {
                self.warnings.push(remark.clone());
            }
        }
        let mut unread: Vec<&str> = Vec::new();
        // A window is for the limit that is set with it, wherever in the file it stands.
        let is_window = |one: &&Setting| BUDGETS.iter().any(|(window, _)| *window == one.key);
        let windows = layer.settings.iter().filter(is_window);
        let others = layer.settings.iter().filter(|one| !is_window(one));
        for setting in windows.chain(others) {
            let Value::Amount(amount) = setting.value else {
                continue;
            };
            let Some(name) = self.unread(setting.key) else {
                self.setting(layer, setting, amount);
                continue;
            };
            let preset = self.base.preset;
            let why = format!("preset `{preset}` does not read {name}");
            self.held.extend(Held::of(layer, setting, why));
            if !unread.contains(&name) {
                unread.push(name);
            }
        }
        if !unread.is_empty() {
            self.warnings.push(format!(
                "{}: preset `{}` does not read {}, so what is set there has no effect",
                layer.name(),
                self.base.preset,
                unread.join(", ")
            ));
        }
    }

    /// What a key is about, where this way of working does not read that at all.
    fn unread(&self, key: Key) -> Option<&'static str> {
        if key == Key::StagnationThreshold && self.parts(key, 0).is_empty() {
            return Some("stagnation");
        }
        if let Some(name) = key.unread_by(self.base) {
            return Some(name);
        }
        let signal = key.signal()?;
        let off = self.base.rules.get(signal).is_none();
        off.then(|| signal.name())
    }

    fn setting(&mut self, layer: &Layer, setting: &Setting, amount: u64) {
        let mut verdicts = Vec::new();
        let parts = self.parts(setting.key, amount);
        for (key, amount) in &parts {
            for place in self.now.places(*key) {
                verdicts.push(match self.is_for_its_own_limit(layer, *key) {
                    true => self.take(layer, setting, place, *amount),
                    false => self.value(layer, setting, place, *amount),
                });
            }
        }
        if verdicts.contains(&Verdict::Take) {
            self.take_window_back(layer, setting.key);
        }
        if verdicts.contains(&Verdict::Refuse) {
            self.refused.push(self.refusal(layer, setting));
        } else if !verdicts.contains(&Verdict::Take)
            && let Some((key, _)) = parts.first()
            && let Some(cell) = self.now.cell(*key)
        {
            let stays = format!("{} stays in effect", stated(cell));
            let held = format!("it would relax the limit in effect; {stays}");
            self.held.extend(Held::of(layer, setting, held));
            self.warnings.push(format!(
                "{}: `{}` would loosen it and is ignored; {stays}",
                layer.place(setting),
                told(setting),
            ));
        }
    }

    /// The values that a key is about. The threshold of stagnation is one for
    /// all that counts ticks without gain, and the warning before it.
    fn parts(&self, key: Key, amount: u64) -> Vec<(Key, u64)> {
        if key != Key::StagnationThreshold {
            return vec![(key, amount)];
        }
        let trip = |signal| self.start.get(Key::SignalTrip(signal));
        let shared = trip(Signal::NoProgress) == trip(Signal::RepeatedError);
        let mut parts = Vec::new();
        for signal in [
            Signal::NoProgress,
            Signal::FailedSessions,
            Signal::RepeatedError,
        ] {
            if trip(signal).is_none() || (signal == Signal::RepeatedError && !shared) {
                continue;
            }
            parts.push((Key::SignalTrip(signal), amount));
            if amount > 1 && self.start.get(Key::SignalWarn(signal)).is_some() {
                parts.push((Key::SignalWarn(signal), amount - 1));
            }
        }
        parts
    }

    fn value(&mut self, layer: &Layer, setting: &Setting, place: usize, amount: u64) -> Verdict {
        match self.verdict(layer.source, place, amount) {
            Verdict::Take => self.take(layer, setting, place, amount),
            verdict => verdict,
        }
    }

    fn take(&mut self, layer: &Layer, setting: &Setting, place: usize, amount: u64) -> Verdict {
        if layer.source == Source::Managed {
            self.floor.push((place, amount));
        }
        self.now.set(place, amount, Origin::of(layer, setting));
        Verdict::Take
    }

    /// Whether a repository says which window its own limit is for, where there was no limit and
    /// nobody has spoken of its window. That relaxes nothing: without the limit there is none.
    fn is_for_its_own_limit(&self, layer: &Layer, key: Key) -> bool {
        let Some((_, limit)) = BUDGETS.into_iter().find(|(window, _)| *window == key) else {
            return false;
        };
        let unsaid = |cell: &Cell| cell.origin.source == Source::Preset;
        layer.source == Source::Project
            && layer.settings.iter().any(|one| one.key == limit)
            && self.now.get(limit).is_none()
            && self.now.cell(key).is_some_and(unsaid)
    }

    /// A limit of somebody else's is not for the window that a repository named for its own.
    fn take_window_back(&mut self, layer: &Layer, key: Key) {
        let budget = BUDGETS.into_iter().find(|(_, limit)| *limit == key);
        let Some((window, _)) = budget.filter(|_| layer.source != Source::Project) else {
            return;
        };
        for place in self.now.places(window) {
            let (start, now) = (self.start.at(place), self.now.at(place));
            let relaxed = now.origin.source == Source::Project
                && now
                    .amount
                    .is_some_and(|amount| now.relaxes(start.amount, amount));
            if let Some(amount) = start.amount.filter(|_| relaxed) {
                let origin = start.origin.clone();
                self.now.set(place, amount, origin);
            }
        }
    }

    fn verdict(&self, source: Source, place: usize, amount: u64) -> Verdict {
        let (cell, own) = (self.now.at(place), self.start.at(place).amount);
        let switches_off = matches!(cell.key, Key::SignalEnabled(_)) && amount == 0;
        if source == Source::Project {
            return hold_if(cell.relaxes(cell.amount, amount));
        }
        let rigid =
            self.base.edits == ThresholdEdits::TightenOnly && !cell.key.is_outside_presets();
        let fixed = switches_off && !self.base.capabilities.switch_off_signals;
        if fixed || self.beyond_its_powers(cell.key, amount) || (rigid && cell.relaxes(own, amount))
        {
            return Verdict::Refuse;
        }
        let mut floor = self.floor.iter().filter(|(at, _)| *at == place);
        let floor = floor.next_back().map(|(_, amount)| *amount);
        hold_if(
            source != Source::Managed
                && floor.is_some_and(|floor| cell.relaxes(Some(floor), amount)),
        )
    }

    /// Whether this way of working does not know that at all.
    fn beyond_its_powers(&self, key: Key, amount: u64) -> bool {
        let can = &self.base.capabilities;
        match key {
            Key::Observe => amount == 1 && !can.advise_only,
            Key::StagnationAction => match kind::action(amount) {
                OnStagnation::Alert => !can.advise_only,
                OnStagnation::Escalate => !can.switch_model,
                OnStagnation::Pause | OnStagnation::Abort => false,
            },
            _ => false,
        }
    }

    fn refusal(&self, layer: &Layer, setting: &Setting) -> Failure {
        let preset = self.base.preset;
        if matches!(setting.key, Key::SignalEnabled(_)) {
            let what = format!(
                "`{}` is refused: preset `{preset}` lets no signal be switched off",
                told(setting)
            );
            return layer
                .complaint(what, setting)
                .hint("there is no off switch; a threshold may be anything from 1 to 99");
        }
        if matches!(setting.key, Key::Observe | Key::StagnationAction) {
            let what = format!(
                "`{}` is refused: that is not among the powers of preset `{preset}`",
                told(setting)
            );
            let failure = layer
                .complaint(what, setting)
                .hint("`fusebox presets` shows which ways of working can do that");
            return Failure {
                code: exit::REFUSED,
                ..failure
            };
        }
        let what = format!(
            "`{}` is refused: preset `{preset}` can only be tightened",
            told(setting)
        );
        let parts = self.parts(setting.key, 0);
        let own = parts.first().and_then(|(key, _)| self.start.cell(*key));
        let own = own
            .and_then(Cell::written)
            .unwrap_or_else(|| "no bound".into());
        layer.complaint(what, setting).hint(format!(
            "its own value is {own}; leave the key out to keep it"
        ))
    }

    /// Switching off signal by signal must not add up to an off switch.
    pub(super) fn refuse_silence(&mut self) {
        let off =
            |cell: &&Cell| matches!(cell.key, Key::SignalEnabled(_)) && cell.amount == Some(0);
        let Some(last) = self.now.iter().filter(off).last() else {
            return;
        };
        let trips = self.base.rules.iter().any(|(signal, _)| {
            self.now.get(Key::SignalEnabled(signal)) == Some(1)
                && self.now.get(Key::SignalTrip(signal)).is_some()
        });
        if !trips {
            let what = format!(
                "{}: every signal that trips is switched off",
                last.origin.place
            );
            let failure = Failure::new(exit::CONFIG, what)
                .hint("there is no off switch for the breaker; leave at least one of them on");
            self.refused.push(failure);
        }
    }

    fn on_stagnation(&self) -> OnStagnation {
        let action = kind::action(self.now.get(Key::StagnationAction).unwrap_or_default());
        match action {
            OnStagnation::Escalate if self.now.get(Key::Escalation) == Some(0) => {
                OnStagnation::Pause
            }
            action => action,
        }
    }

    pub(super) fn finish(
        mut self,
        preset: Origin,
        operator_key: Option<Origin>,
    ) -> Result<InForce, Failure> {
        if !self.refused.is_empty() {
            let mut first = self.refused.remove(0);
            first.also = self.refused;
            return Err(first);
        }
        self.warnings
            .extend(advice::on_thresholds(&self.start, &self.now));
        let mut policy = self.base.clone();
        self.now.write_into(&mut policy);
        let on_stagnation = self.on_stagnation();
        let observes = self.now.get(Key::Observe) == Some(1);
        policy.enforcement = match on_stagnation {
            _ if observes => Enforcement::Observe,
            OnStagnation::Alert => Enforcement::Announce,
            _ => Enforcement::Halt,
        };
        Ok(InForce {
            policy,
            preset,
            operator_key,
            on_stagnation,
            warnings: self.warnings,
            held: self.held,
            cells: self.now,
        })
    }
}

fn hold_if(relaxes: bool) -> Verdict {
    if relaxes {
        Verdict::Hold
    } else {
        Verdict::Take
    }
}

/// A setting as it was written.
fn told(setting: &Setting) -> String {
    let kind = setting.key.kind();
    format!("{} = {}", setting.key.path(), setting.value.written(kind))
}

/// A value, and who set it, in a few words.
fn stated(cell: &Cell) -> String {
    let Origin { source, place, .. } = &cell.origin;
    let value = cell.written().unwrap_or_else(|| "no bound".into());
    match place.as_str() {
        "" => format!("{value} ({source})"),
        place => format!("{value} ({source}, {place})"),
    }
}
