//! Runs call-level detection over stored sessions, and writes verdicts down.
//!
//! Standard input holds one session a line, in the neutral format: an object
//! with `source`, `session` and `events`. One object comes out for the first
//! verdict of each level. With a file of policies as the argument, one JSON
//! object a line, every session is run with each of them, and a verdict carries
//! the number of its policy: that is how the numbers were chosen. `--native`
//! prints the policy that was; `--time` prints how long a decision takes.

#![expect(clippy::print_stdout, reason = "an example that prints its findings")]

use std::io::{self, BufRead};
use std::time::{Duration, Instant};

use fusebox_core::calls::reading::{self, Outcome};
use fusebox_core::calls::{Arguments, CallEvent, CallPolicy, CallState, Level, step};
use serde::Deserialize;

#[derive(Deserialize)]
struct Session {
    source: String,
    session: String,
    events: Vec<Event>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Event {
    Call(Box<Called>),
    Say { text: String },
    User { text: String },
    Iteration {},
}

#[derive(Deserialize)]
struct Called {
    tool: String,
    args: Arguments,
    say: Option<String>,
    result: Option<String>,
    result_len: Option<usize>,
    is_error: Option<bool>,
    ts: Option<String>,
    ts_result: Option<String>,
}

fn main() -> io::Result<()> {
    let native = CallPolicy::native();
    let policies = match std::env::args().nth(1).as_deref() {
        Some("--native") => {
            println!("{}", serde_json::to_string(&native)?);
            return Ok(());
        }
        Some("--time") => return time(&native),
        Some(path) => {
            let lines = std::fs::read_to_string(path)?;
            let parsed: Result<Vec<_>, _> = lines.lines().map(serde_json::from_str).collect();
            parsed?
        }
        None => vec![native],
    };
    for line in io::stdin().lock().lines() {
        let session: Session = serde_json::from_str(&line?)?;
        let events = events(&session.events);
        for (number, policy) in policies.iter().enumerate() {
            report(&session, &events, number, policy);
        }
    }
    Ok(())
}

/// Prints how long a decision takes, and how long making an event takes.
fn time(policy: &CallPolicy) -> io::Result<()> {
    let lines: Result<Vec<_>, _> = io::stdin().lock().lines().collect();
    let sessions: Result<Vec<Session>, _> = lines?
        .iter()
        .map(|line| serde_json::from_str(line))
        .collect();
    let sessions = sessions?;
    let began = Instant::now();
    let made: Vec<_> = sessions
        .iter()
        .map(|session| events(&session.events))
        .collect();
    let making = began.elapsed();
    let count: usize = made.iter().map(Vec::len).sum();
    let began = Instant::now();
    let mut verdicts = 0;
    for events in &made {
        let mut state = CallState::default();
        let told = events
            .iter()
            .filter(|event| step(&mut state, policy, event).is_some());
        verdicts += told.count();
    }
    let deciding = began.elapsed();
    let each = |all: Duration| all.as_secs_f64() * 1e6 / count.max(1) as f64;
    println!("{count} events, {verdicts} verdicts");
    println!("making an event:  {:.2} µs", each(making));
    println!("deciding on one:  {:.2} µs", each(deciding));
    Ok(())
}

/// Prints the first verdict of each level. Whoever is tripped was warned.
fn report(session: &Session, events: &[CallEvent], number: usize, policy: &CallPolicy) {
    let mut state = CallState::default();
    let (mut warned, mut tripped) = (false, false);
    for event in events {
        let Some(verdict) = step(&mut state, policy, event) else {
            continue;
        };
        let line = |level: &str| {
            serde_json::json!({
                "policy": number,
                "source": session.source,
                "session": session.session,
                "level": level,
                "call": verdict.call,
                "signal": verdict.evidence[0].signal.name(),
                "message": verdict.message,
            })
        };
        if verdict.level >= Level::Steer && !warned {
            warned = true;
            println!("{}", line("warn"));
        }
        if verdict.level == Level::Trip && !tripped {
            tripped = true;
            println!("{}", line("trip"));
        }
    }
}

/// The events of a stored session. Calls that were made before the answer to the
/// one before them had come are one round.
fn events(stored: &[Event]) -> Vec<CallEvent> {
    let mut out = Vec::new();
    let mut waiting: Vec<(usize, &Called)> = Vec::new();
    for (at, event) in stored.iter().enumerate() {
        match event {
            Event::Call(called) => {
                let parallel = waiting.last().is_some_and(|(_, before)| {
                    matches!((&called.ts, &before.ts_result), (Some(made), Some(answered)) if made < answered)
                });
                if !parallel {
                    answers(&mut waiting, &mut out);
                }
                if let Some(text) = &called.say {
                    out.push(CallEvent::Said(reading::said(text)));
                }
                let call = reading::call(&at.to_string(), &called.tool, &called.args);
                out.push(CallEvent::Call(call));
                waiting.push((at, called));
            }
            Event::Say { text } => {
                answers(&mut waiting, &mut out);
                out.push(CallEvent::Said(reading::said(text)));
                if !matches!(stored.get(at + 1), Some(Event::Call(_) | Event::Say { .. })) {
                    out.push(CallEvent::TurnEnded);
                }
            }
            Event::User { text } => {
                answers(&mut waiting, &mut out);
                out.push(reading::user(text));
            }
            Event::Iteration {} => {}
        }
    }
    answers(&mut waiting, &mut out);
    out
}

/// Adds the answers to the calls that wait for theirs.
fn answers(waiting: &mut Vec<(usize, &Called)>, out: &mut Vec<CallEvent>) {
    for (at, called) in waiting.drain(..) {
        let Some(text) = &called.result else { continue };
        let outcome = match called.is_error {
            Some(true) => Outcome::Failed,
            _ => Outcome::Ran,
        };
        let bytes = called.result_len.unwrap_or(text.len());
        let bytes = if text.chars().count() == bytes {
            text.len()
        } else {
            bytes
        };
        out.push(CallEvent::Result(reading::result(
            &at.to_string(),
            outcome,
            text,
            bytes,
        )));
    }
}
