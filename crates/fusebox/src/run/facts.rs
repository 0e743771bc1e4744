//! What an iteration comes down to: the engine's facts, each from the best
//! witness there is for it.

use fusebox_agents::{EndClass, Trouble};
use fusebox_core::Observation;
use fusebox_core::fact::Fact;
use fusebox_core::observation::{Ended, Environment, ErrorReport, MESSAGE_BYTES, Usage};
use fusebox_core::policy::ErrorIdentity;
use fusebox_notify::redact;
use fusebox_supervise::{Limit, StepEnd, StepReport};
use fusebox_workspace::Changes;

use super::last_words;
use super::listener::{Cut, Heard};
use crate::session::measure::meaningful;

/// What a shell tells of a `timeout` whose command had to be killed.
const KILLED_BY_TIMEOUT: i32 = 137;

/// How an iteration ended, for the engine.
fn ended(report: &StepReport, heard: &Heard) -> Ended {
    if heard.cut == Some(Cut::Circles) && !was_ended_otherwise(heard.end.class) {
        return Ended::Circling;
    }
    match report.end {
        // It had delivered; only leaving was too much for it.
        StepEnd::Lingered => Ended::Exited(0),
        StepEnd::Exited(code) => Ended::exited(code),
        StepEnd::Signaled(signal) => Ended::Signaled(signal),
        StepEnd::TimedOut(Limit::Overall) => Ended::TimedOut,
        StepEnd::TimedOut(Limit::Idle) => Ended::Idle,
        StepEnd::Stopped { .. } | StepEnd::TooMany { .. } => Ended::Interrupted,
        StepEnd::NotStarted(_) => Ended::NotStarted,
        StepEnd::KeeperLost => Ended::Unreported,
    }
}

/// Whether the agent's own account says that something else ended it: trouble outside, or a
/// cap of its own. What it repeated on the way there is the end of it, not the reason.
fn was_ended_otherwise(class: EndClass) -> bool {
    let is_cap = matches!(
        class,
        EndClass::OutputCap | EndClass::TurnCap | EndClass::BudgetCap
    );
    is_cap || class.trouble().is_some()
}

/// The facts of an iteration, all of them seen from outside.
pub(super) fn facts(
    report: &StepReport,
    heard: &Heard,
    changes: Option<&Changes>,
    identity: ErrorIdentity,
    structured: bool,
) -> Observation {
    let ended = ended(report, heard);
    let lines = report.output.stdout.lines + report.output.stderr.lines;
    Observation {
        files: Fact::measured(changes.map(meaningful)),
        errors: errors(ended, heard, identity, structured),
        output_lines: Fact::Measured(lines),
        permission_denials: if structured {
            Fact::Measured(heard.activity.denied_in_a_row)
        } else {
            Fact::Unknown
        },
        environment: environment(heard),
        retry_at_ms: heard.end.resets_at.or(heard.activity.resets_at()),
        ended: Some(ended),
        duration_ms: Some(u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX)),
        usage: usage(heard),
        ..Observation::default()
    }
}

/// Trouble outside the agent, if that is what ended the iteration.
fn environment(heard: &Heard) -> Option<Environment> {
    let class = match heard.cut {
        // Our own limit, and no fault of the agent's.
        Some(Cut::Calls) => return Some(Environment::Limit),
        Some(Cut::Slept(class, _)) => class,
        _ => heard.end.class,
    };
    Some(match class.trouble()? {
        Trouble::Limit => Environment::Limit,
        Trouble::Overload => Environment::Overload,
        Trouble::Auth => Environment::Auth,
        Trouble::Network => Environment::Network,
    })
}

fn usage(heard: &Heard) -> Usage {
    let used = &heard.end.usage;
    let cached = [used.cache_read_tokens, used.cache_write_tokens]
        .into_iter()
        .flatten()
        .reduce(u64::saturating_add);
    Usage {
        calls: Some(heard.activity.turns).filter(|turns| *turns > 0),
        input_tokens: used.input_tokens,
        cached_tokens: cached,
        output_tokens: used.output_tokens,
        micro_usd: used.micro_usd,
    }
}

/// A command that fails says so by its exit code and, as a rule, by its last
/// line; an agent by how its run ended, and by the last tool that failed with
/// nothing after it to show that it was overcome.
fn errors(
    ended: Ended,
    heard: &Heard,
    identity: ErrorIdentity,
    structured: bool,
) -> Fact<Vec<ErrorReport>> {
    if identity == ErrorIdentity::FirstLine {
        return match ended {
            Ended::Interrupted | Ended::NotStarted | Ended::Unreported => Fact::Unknown,
            _ => Fact::Measured(heard.first_error.report().into_iter().collect()),
        };
    }
    let mut found = Vec::new();
    if structured {
        found.extend(run_error(heard));
        found.extend(heard.activity.unresolved.as_ref().map(|open| {
            let kind = match open.exit_code {
                Some(code) => format!("{} exit code {code}", open.tool),
                None => format!("{} failed", open.tool),
            };
            error(Some(kind), &end_of(&open.text))
        }));
    }
    let kind = match ended {
        Ended::Exited(0) | Ended::Circling => return Fact::Measured(found),
        // The reader knows better than the number.
        Ended::Exited(_) if structured && !found.is_empty() => return Fact::Measured(found),
        Ended::Exited(code) => format!("exit code {code}"),
        Ended::Signaled(signal) => format!("signal {signal}"),
        Ended::TimedOut => "time limit".into(),
        Ended::Idle => "idle limit".into(),
        Ended::Interrupted | Ended::NotStarted | Ended::Unreported => return Fact::Unknown,
    };
    let last = last_words::of(heard, structured);
    // Whoever is ended at a limit was in the midst of something, and its last line is as a rule
    // nothing but that.
    let is_cut_short = matches!(
        ended,
        Ended::TimedOut | Ended::Idle | Ended::Exited(KILLED_BY_TIMEOUT)
    );
    if !is_cut_short || last_words::name_an_error(&last) {
        found.push(error(Some(kind), &last));
    }
    Fact::Measured(found)
}

/// What ended the agent's run, if that was an error of its own.
fn run_error(heard: &Heard) -> Option<ErrorReport> {
    match heard.end.class {
        EndClass::Context
        | EndClass::OutputCap
        | EndClass::TurnCap
        | EndClass::BudgetCap
        | EndClass::Permission
        | EndClass::Refusal
        | EndClass::Setup
        | EndClass::OwnLoopGuard
        | EndClass::Crash => Some(error(
            Some(heard.end.class.name().to_owned()),
            &last_words::in_words(heard.end.detail.clone()),
        )),
        _ => None,
    }
}

/// What an agent or a tool says may hold a key; it is not written down anywhere.
fn error(kind: Option<String>, message: &str) -> ErrorReport {
    ErrorReport {
        kind,
        message: redact(message).into_owned(),
        ..ErrorReport::default()
    }
}

/// The end of a text: programs say last what failed.
fn end_of(text: &str) -> String {
    let mut start = text.len().saturating_sub(MESSAGE_BYTES);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text[start..].trim().to_owned()
}
