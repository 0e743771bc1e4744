//! How a step ended, and what that alone means: for the loop, for the breaker, for whom
//! trouble outside is told to.

use fusebox_agents::Exit;
use fusebox_core::Observation;
use fusebox_supervise::{Crowd, StartFailureKind, StepEnd, StepReport, StopCause};
use fusebox_view::phrase;

use super::ending::Ending;
use super::listener::{Cut, Heard};
use super::plan::Plan;
use super::trouble::{Remedy, Told};

pub(super) fn exit_of(report: &StepReport) -> Exit {
    match report.end {
        StepEnd::Exited(code) => Exit::Code(code),
        StepEnd::Signaled(signal) => Exit::Signal(signal),
        _ => Exit::StoppedByUs,
    }
}

pub(super) fn told(heard: &Heard, now_ms: i64) -> Told {
    let (class, slept) = match heard.cut {
        Some(Cut::Slept(class, wait)) => (class, Some(wait)),
        _ => (heard.end.class, None),
    };
    Told {
        class,
        retry_after: slept.or(heard.end.retry_after),
        own_limit: heard.cut == Some(Cut::Calls),
        now_ms,
    }
}

/// Why the breaker must open whatever the signals say: the agent turned on the
/// supervision itself, multiplied, or got away from it.
pub(super) fn betrayal(report: &StepReport) -> Option<String> {
    if report.end == StepEnd::KeeperLost {
        return Some("The agent ended the process that keeps it".into());
    }
    if let StepEnd::TooMany { of, count, cap } = report.end {
        let what = match of {
            Crowd::Processes => "processes",
            Crowd::Agents => "agents",
        };
        return Some(format!(
            "The agent grew to {count} {what}, {cap} are allowed"
        ));
    }
    let alive = report.escaped.len() as u64;
    (alive > 0).then(|| {
        format!(
            "{} of the agent could not be ended",
            phrase::count(alive, "process")
        )
    })
}

pub(super) fn ending(
    report: &StepReport,
    heard: &Heard,
    plan: &Plan,
    remedy: Remedy,
    facts: &Observation,
) -> Option<Ending> {
    match report.end {
        StepEnd::Stopped {
            by: StopCause::Signal(signal),
        } => return Some(Ending::Signal(signal)),
        StepEnd::NotStarted(failure) => {
            return Some(Ending::NotStarted {
                command: plan.work.name(),
                why: failure.to_string(),
                missing: failure.kind == StartFailureKind::NotFound,
            });
        }
        _ => {}
    }
    match heard.cut {
        Some(Cut::Asked) => return Some(Ending::Asked),
        Some(Cut::Time) => return Some(Ending::TimeUsedUp),
        _ => {}
    }
    match (remedy, facts.environment) {
        (Remedy::GiveUp, Some(kind)) => Some(Ending::Outside {
            kind,
            said: heard.end.detail.clone(),
        }),
        _ => None,
    }
}

/// One iteration was asked for, and it did not come to its end by itself.
pub(super) fn cut_short(report: &StepReport, plan: &Plan) -> Option<Ending> {
    match report.end {
        StepEnd::TimedOut(_) | StepEnd::TooMany { .. } if plan.once => Some(Ending::CutShort),
        _ => None,
    }
}
