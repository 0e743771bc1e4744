//! What the agent is told, in words that a model and a person understand.

use fusebox_agents::hook::{Answer, HookPoint};
use fusebox_core::Policy;
use fusebox_core::calls::CallVerdict;
use fusebox_core::circuit::State;
use fusebox_guard::keep::{Lost, Report};
use fusebox_guard::{Action, Mode, Verdict};
use fusebox_view::answer::label;
use fusebox_view::escape;

use crate::failure::Failure;
use crate::session::Outcome;

/// The widest that a line with foreign text becomes.
const WIDTH: usize = 600;
/// The most lines of what the detector suggests.
const LINES: usize = 12;

/// When nothing could be judged. Before a tool that is a no, and not one that the agent has
/// earned.
pub(super) fn no_answer(point: HookPoint, why: &str) -> Answer {
    let why = escape::line(why, WIDTH);
    match point {
        HookPoint::BeforeTool | HookPoint::BeforeCommand => Answer::Deny(format!(
            "fusebox could not analyze this call, so it was blocked: {why}. \
             This is not a verdict on your work; retry, or use smaller steps."
        )),
        HookPoint::AfterTool | HookPoint::AfterFailure => Answer::Context(format!(
            "fusebox could not take in what this tool did: {why}"
        )),
        _ => Answer::Notice(format!("fusebox could not do its part here: {why}")),
    }
}

/// When the memory or the configuration cannot be used. After a tool the model hears of it, for
/// that is whom every agent lets us speak to there; elsewhere the person does, where the agent
/// has a way for that.
pub(super) fn trouble(point: HookPoint, failure: &Failure) -> Answer {
    let mut lines = vec![format!("fusebox: {}", escape::line(&failure.what, WIDTH))];
    lines.extend(failure.hints.iter().map(|hint| escape::line(hint, WIDTH)));
    match point {
        HookPoint::BeforeTool | HookPoint::BeforeCommand => {
            lines.push("Until a person has looked, no tool may be used here.".into());
            Answer::Deny(lines.join("\n"))
        }
        HookPoint::AfterTool | HookPoint::AfterFailure => {
            lines.push("What this tool did is missing from what is counted.".into());
            Answer::Context(lines.join("\n"))
        }
        HookPoint::SessionStart | HookPoint::Prompt | HookPoint::Stop | HookPoint::SessionEnd => {
            Answer::Notice(lines.join("\n"))
        }
    }
}

/// What was lost, and that something else could not be kept.
pub(super) fn and_trouble(lost: Answer, point: HookPoint, failure: &Failure) -> Answer {
    match (lost, trouble(point, failure)) {
        (Answer::Context(lost), Answer::Context(trouble)) => {
            Answer::Context(format!("{lost}\n{trouble}"))
        }
        (lost, _) => lost,
    }
}

/// When the breaker is open.
pub(super) fn open(outcome: &Outcome) -> String {
    let state = label(&outcome.policy.labels, outcome.decision.state);
    let why = escape::line(&outcome.decision.reason, WIDTH);
    let mut lines = vec![format!("fusebox: the circuit breaker is {state}: {why}")];
    lines.extend(outcome.telling().way_out(&outcome.decision));
    lines.push("Stop using tools, do not try to work around this, and tell the user.".into());
    lines.join("\n")
}

/// When something protected would be lost.
pub(super) fn protected(verdict: &Verdict) -> String {
    let mut lines = vec![format!("fusebox: {}.", escape::line(&verdict.why, WIDTH))];
    if let Some(alternative) = verdict.alternative.as_ref().filter(|_| !may_edit(verdict)) {
        lines.push(format!("Instead: {}", escape::line(alternative, WIDTH)));
    }
    match &verdict.stopped {
        Some(stop) if stop.is_environment() => {
            lines.push("This says nothing about your work; try it again.".into());
        }
        Some(_) => lines.push("Write it as shorter, plainer commands.".into()),
        None => lines.push(may_be_done(verdict).into()),
    }
    lines.join("\n")
}

/// Whether what was to be done is allowed, and only the shell is not the place to do it. What a
/// shell may do to it instead would do something else.
fn may_edit(verdict: &Verdict) -> bool {
    verdict.stopped.is_none()
        && verdict.protected.first().is_some_and(|finding| {
            finding.action == Action::Overwrite && finding.rule.mode() == Mode::Keep
        })
}

/// What may be done to what would have been lost.
fn may_be_done(verdict: &Verdict) -> &'static str {
    if may_edit(verdict) {
        return "Make the change with your edit tool, which updates it in place: a shell may not \
                overwrite it.";
    }
    let first = verdict.protected.first();
    first
        .map_or(Mode::Keep, |finding| finding.rule.mode())
        .sentence()
}

/// When something protected was lost, and what became of it.
pub(super) fn lost(report: &Report) -> String {
    let line = |lost: &Lost| {
        let restored = match &lost.restored {
            Some(Ok(())) => "and was put back".to_owned(),
            Some(Err(why)) => format!("and could not be put back: {}", escape::line(why, WIDTH)),
            None => "and was left so".to_owned(),
        };
        let path = escape::line(&lost.path.to_string_lossy(), WIDTH);
        format!("fusebox: {path} {} {restored}.", lost.how)
    };
    let lines: Vec<String> = report.lost.iter().take(LINES).map(line).collect();
    lines.join("\n")
}

/// When the session goes round in circles.
pub(super) fn circles(verdict: &CallVerdict) -> String {
    let evidence = verdict.evidence.first().map_or_else(String::new, |one| {
        let signal = one.signal.name().replace('_', " ");
        format!(" ({signal}: {} of {})", one.value, one.threshold)
    });
    let message = escape::block(&verdict.message, LINES, WIDTH);
    format!(
        "fusebox: this goes round in circles{evidence}. {}",
        message.trim_end()
    )
}

/// When it has done so for too long.
pub(super) fn turn_over(verdict: &CallVerdict) -> String {
    format!(
        "{}\nNo more tools may be used in this turn. Say what you tried and what is missing, and stop.",
        circles(verdict)
    )
}

/// With the words that a way of working announces itself with. Under a supervisor, that one says
/// them.
pub(super) fn announced(policy: &Policy, answer: Answer) -> Answer {
    let Some(words) = policy.announcement else {
        return answer;
    };
    match answer {
        Answer::Silence => Answer::Context(words.to_owned()),
        Answer::Context(text) => Answer::Context(format!("{words}\n{text}")),
        answer @ (Answer::Notice(_) | Answer::Deny(_) | Answer::Halt(_)) => answer,
    }
}

/// How things stand, for the beginning of a session.
pub(super) fn standing(outcome: &Outcome) -> Answer {
    let decision = &outcome.decision;
    match decision.state {
        State::Closed | State::Complete => Answer::Silence,
        State::Open => Answer::Context(open(outcome)),
        State::Watching | State::Probing => {
            let state = label(&outcome.policy.labels, decision.state);
            let why = escape::line(&decision.reason, WIDTH);
            Answer::Context(format!(
                "fusebox, the circuit breaker of this workspace, is {state}: {why}. \
                 Do not repeat what failed; what gains nothing measurable stops the work."
            ))
        }
    }
}
