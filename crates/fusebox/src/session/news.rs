//! What has newly come up and is worth a warning, told once, whoever asked.

use fusebox_core::alerts::Alert;
use fusebox_core::decision::{Decision, Gate, Reading};
use fusebox_core::signals::{Level, Signal};
use fusebox_core::{Policy, State};
use fusebox_view::answer::label;

/// The warnings that a step brought about. A supervisor has words of its own for an opening that
/// halts nothing, and for calls that become scarce.
pub(super) fn warnings(
    before: &Decision,
    after: &Decision,
    policy: &Policy,
    supervises: bool,
) -> Vec<String> {
    let opened = after.transitions.iter().any(|to| to.to == State::Open);
    let state = || format!("{} · {}", label(&policy.labels, after.state), after.reason);
    if opened {
        // That it opened is the news, and told as such where it halts.
        let halts = matches!(after.gate, Gate::Deny(_));
        return if halts || supervises {
            Vec::new()
        } else {
            vec![state()]
        };
    }
    let mut news = Vec::new();
    if after.state == State::Watching && before.state != State::Watching {
        news.push(state());
    }
    let stands_out = |all: &[Reading], signal: Signal| {
        let mut all = all.iter();
        all.any(|reading| reading.signal == signal && reading.level > Level::Quiet)
    };
    let counts = |signal| stands_out(&after.readings, signal);
    // A score falls by what is missing, so that it says the same once more.
    let stalls = counts(Signal::NoProgress) || counts(Signal::FailedSessions);
    // What led to the state is its reason.
    let is_told = !news.is_empty();
    let new = after.readings.iter().filter(|reading| {
        reading.level == Level::Warn
            && !stands_out(&before.readings, reading.signal)
            && !(stalls && reading.signal == Signal::Score)
    });
    let sentences = new.map(|reading| reading.sentence_on(None));
    news.extend(sentences.filter(|sentence| !is_told || *sentence != after.reason));
    let is_counted = |alert: Alert| match alert {
        Alert::LoopCount => counts(Signal::TaskLoops),
        Alert::FilesModified => stalls,
        Alert::OutputVolume => counts(Signal::OutputDecline),
        Alert::ProgressScore => stalls || counts(Signal::Score),
        Alert::CallsRemaining => supervises,
        _ => false,
    };
    let alerts = after.alerts.iter().copied();
    let alerts = alerts.filter(|alert| !before.alerts.contains(alert) && !is_counted(*alert));
    news.extend(alerts.map(|alert| alert.sentence().to_owned()));
    news
}
