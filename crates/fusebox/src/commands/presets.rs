//! `fusebox presets`: the ways of working, as data.

mod data;

use std::collections::BTreeMap;

use fusebox_core::machine::{self, Refused};
use fusebox_core::patterns::Pattern;
use fusebox_core::policy::{
    Bound, DriftRule, ErrorIdentity, HaltMode, Policy, Preset, ProgressRule, SignalRule,
    StreakRule, ThresholdEdits, TickUnit,
};
use fusebox_core::signals::Signal;
use fusebox_view::phrase;
use serde::Serialize;

use self::data::PresetData;
use super::Context;
use crate::authority;
use crate::cli::{Presets, PresetsAction};
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

/// A preset as rows of a name and a value, which can be shown and compared.
#[derive(Serialize)]
struct Rows {
    preset: Preset,
    /// In words.
    values: BTreeMap<String, String>,
    /// For programs.
    #[serde(flatten)]
    data: PresetData,
}

pub(super) fn run(context: &Context<'_>, args: &Presets) -> Result<u8, Failure> {
    match args.action {
        None => Preset::ALL
            .into_iter()
            .for_each(|preset| show(context, &rows(preset))),
        Some(PresetsAction::Diff { one, other }) => diff(context, &rows(one), &rows(other)),
        Some(PresetsAction::Use { next }) => change(context, next)?,
    }
    Ok(exit::GO)
}

/// Goes on with another way of working.
fn change(context: &Context<'_>, preset: Preset) -> Result<(), Failure> {
    let session = context.session()?;
    let circuit = session.store.peek()?.state.0;
    let in_force = session.policy(&circuit)?;
    let bound = session.layers.borrow().bound_preset();
    if let Some(bound) = bound.filter(|bound| *bound != preset) {
        let what = format!("the machine holds everybody to preset `{bound}`");
        return Err(Failure::new(exit::REFUSED, what));
    }
    // Whoever may not is told so before they are asked to confirm.
    if circuit.core.phase.opening().is_some() {
        return Err(Refused::StillOpen.into());
    }
    let what = format!(
        "{} · circuit {} · from preset {} to {preset}; the counters start over",
        shown(&session.located.root),
        session.circuit,
        in_force.preset
    );
    let by = authority::person(&session, &what)?;
    session.try_apply(|circuit, _, now| {
        let layers = session.layers.borrow();
        let new = layers.resolve_for(Some(preset), &circuit.imported)?.policy;
        machine::change_preset(circuit, &new, by, now).map_err(Failure::from)
    })?;
    context.speech.say(&format!("preset {preset} from here on"));
    Ok(())
}

fn show(context: &Context<'_>, rows: &Rows) {
    if context.speech.json {
        context.speech.json(rows);
        return;
    }
    context.speech.data(&format!("{}\n", rows.preset));
    for (name, value) in &rows.values {
        context.speech.data(&format!("  {name:<28} {value}\n"));
    }
}

#[derive(Serialize)]
struct Difference<'a> {
    name: &'a str,
    one: Option<&'a str>,
    other: Option<&'a str>,
}

fn diff(context: &Context<'_>, one: &Rows, other: &Rows) {
    let names: std::collections::BTreeSet<&String> =
        one.values.keys().chain(other.values.keys()).collect();
    if !context.speech.json {
        context.speech.data(&format!(
            "{:<28} {:<48} {}\n",
            "",
            one.preset.name(),
            other.preset.name()
        ));
    }
    for name in names {
        let (a, b) = (one.values.get(name), other.values.get(name));
        if a == b {
            continue;
        }
        if context.speech.json {
            let (one, other) = (a.map(String::as_str), b.map(String::as_str));
            context.speech.json(&Difference { name, one, other });
        } else {
            let shown = |value: Option<&String>| value.map_or("off", String::as_str).to_owned();
            context
                .speech
                .data(&format!("{name:<28} {:<48} {}\n", shown(a), shown(b)));
        }
    }
}

fn rows(preset: Preset) -> Rows {
    let policy = Policy::of(preset);
    let mut values = BTreeMap::new();
    let mut put = |name: &str, value: String| drop(values.insert(name.to_owned(), value));
    let labels = &policy.labels;
    let half_open = labels.watching.unwrap_or("none");
    put(
        "states",
        format!(
            "{} / {half_open} / {} / {}",
            labels.closed, labels.open, labels.probing
        ),
    );
    put("tick", tick(policy.unit).to_owned());
    put("progress", progress(policy.progress).to_owned());
    put("same error", same_error(policy.errors).to_owned());
    if policy.rules.get(Signal::RepeatedError).is_some() {
        put("error streak", streak(policy.streaks));
    }
    if policy.rules.get(Signal::Drift).is_some() {
        put("drift", drift(policy.drift));
    }
    put("on a trip", on_a_trip(policy.halt).to_owned());
    put("threshold edits", edits(policy.edits).to_owned());
    put("exit when open", policy.exits.open.to_string());
    put("release", release(&policy));
    put(
        "calls",
        format!(
            "{} in any {}",
            policy.calls.limit,
            phrase::duration(policy.calls.window_ms)
        ),
    );
    for (signal, rule) in policy.rules.iter() {
        put(&format!("signal {}", signal.name()), told(rule));
    }
    for pattern in Pattern::ALL {
        if let Some(rules) = policy.patterns {
            let condition = pattern.condition(rules.threshold(pattern));
            let severity = pattern.severity().name();
            put(
                &format!("pattern {}", pattern.name()),
                format!("{condition}: {severity} (rule {})", pattern.rule()),
            );
        }
    }
    Rows {
        preset,
        values,
        data: PresetData::of(&policy),
    }
}

fn tick(unit: TickUnit) -> &'static str {
    match unit {
        TickUnit::Iteration => "an iteration",
        TickUnit::PhaseAction => "an action of a phase",
        TickUnit::Session => "a session",
        TickUnit::Analysis => "an analysis",
    }
}

fn progress(rule: ProgressRule) -> &'static str {
    match rule {
        ProgressRule::AnyGain => "a changed file, a completed task, a passing feature",
        ProgressRule::BeyondTests => "a changed file that is no test, a completed task",
        ProgressRule::PhaseMetrics => "a better metric of the phase",
        ProgressRule::Features => "a newly passing feature",
    }
}

fn same_error(identity: ErrorIdentity) -> &'static str {
    match identity {
        ErrorIdentity::Normalised => "same type and message, what varies masked",
        ErrorIdentity::Placed => "same type, message and test or file, what varies masked",
        ErrorIdentity::Exact => "same type and message, byte for byte",
        ErrorIdentity::FirstLine => "same first line that names an error",
    }
}

fn streak(rule: StreakRule) -> String {
    match rule {
        StreakRule::Unbroken => "goes on, whatever is gained beside the error".to_owned(),
        StreakRule::SinceGain { excused, mended } => format!(
            "begins anew with a measured gain in tests or in the build; \
             {excused} iterations excused for tests that were added, {mended} for repairs"
        ),
    }
}

fn drift(rule: DriftRule) -> String {
    let (points, tenths) = (rule.expected / 10, rule.expected % 10);
    format!(
        "{points}.{tenths} points expected of an iteration, over the best of the last {}; \
         {} excused for tests that were added, until a repair",
        rule.compared, rule.excused
    )
}

fn on_a_trip(halt: HaltMode) -> &'static str {
    match halt {
        HaltMode::Pause => "asks a person, or stays halted",
        HaltMode::Prompt => "prints the block with the choices, and halts",
        HaltMode::Checkpoint => "leaves a checkpoint, and waits for its removal",
        HaltMode::Exit => "writes the report, and leaves",
        HaltMode::Wait => "waits for the cooldown",
    }
}

fn edits(edits: ThresholdEdits) -> &'static str {
    match edits {
        ThresholdEdits::Free => "both ways",
        ThresholdEdits::Reevaluate => "both ways, and the state follows",
        ThresholdEdits::TightenOnly => "only to stricter values",
    }
}

fn release(policy: &Policy) -> String {
    let mut ways = Vec::new();
    if policy.release.person {
        ways.push("a person".to_owned());
    }
    if policy.release.cooldown {
        ways.push(format!(
            "a probe after {}",
            phrase::duration(policy.recovery.cooldown_ms)
        ));
    }
    if ways.is_empty() {
        ways.push("a correction of its own files".to_owned());
    }
    ways.join(", ")
}

fn told(rule: &SignalRule) -> String {
    let bound = |bound: Bound| match bound {
        Bound::AtLeast(value) => format!("at {value}"),
        Bound::Above(value) => format!("above {value}"),
    };
    let mut parts = Vec::new();
    parts.extend(rule.warn.map(|at| format!("warns {}", bound(at))));
    match rule.phases {
        Some(values) => {
            let values = values.map(|value| value.to_string()).join(", ");
            parts.push(format!("trips at {values} by phase"));
        }
        None => parts.extend(rule.trip.map(|at| format!("trips {}", bound(at)))),
    }
    if parts.is_empty() {
        parts.push("shown only".to_owned());
    }
    format!("{} (rule {})", parts.join(", "), rule.rule)
}
