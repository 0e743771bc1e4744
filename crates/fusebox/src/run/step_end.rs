//! How a step ended, and what that alone means: for the loop, for the breaker, for whom
//! trouble outside is told to.

use fusebox_agents::{EndClass, Exit};
use fusebox_core::Observation;
use fusebox_core::observation::Ended;
use fusebox_supervise::{Crowd, Limit, StartFailureKind, StepEnd, StepReport, StopCause};
use fusebox_view::{escape, phrase};

use super::ending::Ending;
use super::iteration::Came;
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
    went_on: bool,
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
    // It never began, and would not the next time. With a session that is not there any more
    // the next one begins anew.
    if heard.end.class == EndClass::Setup && !went_on && did_nothing(heard, facts) {
        return Some(Ending::Unusable(heard.end.detail.clone()));
    }
    match (remedy, facts.environment) {
        (Remedy::GiveUp, Some(kind)) => Some(Ending::Outside {
            kind,
            said: heard.end.detail.clone(),
        }),
        _ => None,
    }
}

fn did_nothing(heard: &Heard, facts: &Observation) -> bool {
    let changed = facts.files.seen().is_some_and(|files| files.count > 0);
    heard.activity.tool_calls == 0 && !changed
}

/// One iteration was asked for, and it did not come to its end by itself.
pub(super) fn cut_short(report: &StepReport, plan: &Plan) -> Option<Ending> {
    match report.end {
        StepEnd::TimedOut(_) | StepEnd::TooMany { .. } if plan.once => Some(Ending::CutShort),
        _ => None,
    }
}

/// How an iteration ended, in words.
pub(super) fn words(came: &Came) -> String {
    let class = came.end.class;
    let told = match class {
        EndClass::Finished | EndClass::Unclear => false,
        // By us, if we did that.
        EndClass::Stopped => matches!(came.report.end, StepEnd::Exited(_)),
        _ => true,
    };
    if told
        && matches!(
            came.report.end,
            StepEnd::Exited(_) | StepEnd::Stopped { .. }
        )
    {
        let said = escape::line(&came.end.detail, 100);
        let colon = if said.is_empty() { "" } else { ": " };
        return format!("{}{colon}{said}", class.name());
    }
    if came.facts.ended == Some(Ended::Circling) {
        return "ended for going round in circles".into();
    }
    match came.report.end {
        StepEnd::Exited(code) if came.facts.ended == Some(Ended::TimedOut) => {
            format!("ended at a time limit of its own (exit code {code})")
        }
        StepEnd::Exited(code) => format!("exit code {code}"),
        StepEnd::Signaled(signal) => format!("ended by signal {signal}"),
        StepEnd::TimedOut(Limit::Overall) => "killed: time limit reached".into(),
        StepEnd::TimedOut(Limit::Idle) => "killed: idle too long".into(),
        StepEnd::TooMany { of, count, cap } => match of {
            Crowd::Processes => format!("ended for its {count} processes ({cap} are allowed)"),
            Crowd::Agents => format!("ended for its {count} agents ({cap} are allowed)"),
        },
        StepEnd::Lingered => "killed: kept running after its result".into(),
        StepEnd::Stopped { by } => stopped(by, came.cut),
        StepEnd::NotStarted(_) => "never started".into(),
        StepEnd::KeeperLost => "the keeper was killed".into(),
    }
}

/// Who stopped it, and why.
fn stopped(by: StopCause, cut: Option<Cut>) -> String {
    let why = match cut.filter(|_| by == StopCause::Observer) {
        Some(Cut::Slept(_, wait)) => {
            let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            return format!("ended: it would sleep for {}", phrase::duration(wait));
        }
        Some(Cut::Time) => "ended: the time for the run is used up",
        Some(Cut::Budget) => "ended at its budget",
        Some(Cut::Calls) => "ended at the limit on calls",
        Some(Cut::LeaseLost) => "ended: the lease on its task is over",
        Some(Cut::Unrecorded) => "ended: what it spends cannot be written down",
        Some(Cut::Circles) => "ended for going round in circles",
        Some(Cut::Asked) | None => "stopped as asked",
    };
    why.to_owned()
}
