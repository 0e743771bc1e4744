//! The breaker is open: ask the person at the terminal, if there is one.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use fusebox_core::State;
use fusebox_core::journal::{Actor, PauseFor};
use fusebox_core::machine::{self, Retry};
use fusebox_seeds::Choice as Asked;
use fusebox_view::escape;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::choice::{self, Choice, next_model};
use super::plan::Plan;
use super::requests::Request;
use super::screen::Screen;
use super::setup::Ready;
use crate::authority;
use crate::exit;
use crate::failure::Failure;
use crate::menu;
use crate::session::Outcome;
use crate::terminal;

/// What the person said.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The next iteration may be asked for.
    Released,
    Wait,
    /// Give the task up and end.
    Abort,
    /// Give the task up and go on with the next.
    Skip,
    Stop,
    /// There is nobody to ask.
    Nobody,
    /// A signal ended the question.
    Signal(i32),
}

/// How often a signal is looked for while nobody types.
const PULSE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};

/// How often is looked whether somebody has released the breaker elsewhere, with
/// a proof of their own.
const LOOK: Duration = Duration::from_secs(1);

/// Asks what to do, unless it was `given` beforehand.
pub(super) fn ask(
    ready: &mut Ready<'_>,
    plan: &Plan,
    outcome: &Outcome,
    given: Option<char>,
    screen: &mut Screen,
) -> Result<Answer, Failure> {
    if let Some(key) = given {
        return answer_beforehand(ready, plan, outcome, key, screen);
    }
    let Some(mut terminal) = terminal::open() else {
        screen.asked_nobody(outcome, &question(plan, outcome));
        return Ok(Answer::Nobody);
    };
    screen.opened(outcome);
    ready.rests(PauseFor::Answer)?;
    let answer = ask_at(&mut terminal, ready, plan, outcome, screen)?;
    match answer {
        Answer::Released | Answer::Wait | Answer::Skip => ready.goes_on()?,
        // The end of the run is what follows, and says so.
        Answer::Abort | Answer::Stop | Answer::Nobody | Answer::Signal(_) => {}
    }
    Ok(answer)
}

/// Asks at the terminal until somebody has chosen, there or elsewhere.
fn ask_at(
    terminal: &mut File,
    ready: &mut Ready<'_>,
    plan: &Plan,
    outcome: &Outcome,
    screen: &mut Screen,
) -> Result<Answer, Failure> {
    loop {
        // Whatever was said has brought the live lines back.
        screen.stage().clear();
        terminal::discard_typed(terminal);
        let asked = terminal.write_all(question(plan, outcome).as_bytes());
        if asked.is_err() {
            return Ok(Answer::Nobody);
        }
        match wait_for_line(terminal, ready)? {
            Heard::Line => {}
            Heard::Signal(signal) => return Ok(Answer::Signal(signal)),
            Heard::Elsewhere(answer) => {
                screen.say("answered from another terminal");
                return Ok(answer);
            }
        }
        let Some(line) = terminal::read_line(terminal) else {
            return Ok(Answer::Stop);
        };
        let Some(choice) = Choice::typed(plan, outcome, &line) else {
            let keys = Choice::shown(plan, outcome).into_iter().map(|(key, _)| key);
            let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
            screen.say(&format!(
                "invalid choice; enter one of: {}",
                keys.join(", ")
            ));
            continue;
        };
        let guidance = match choice {
            Choice::Guide => menu::guidance(terminal),
            _ => None,
        };
        // What is typed here was typed by a person, and nothing of the agent is
        // alive to have typed it.
        let session = ready.session;
        let person = || authority::person_at_the_terminal(session);
        let wish = Wish { choice, guidance };
        match carry_out(ready, plan, outcome, wish, &person, screen) {
            Ok(Some(answer)) => return Ok(answer),
            Ok(None) => {}
            Err(failure) => screen.complain(&failure),
        }
    }
}

/// What was answered beforehand. Whoever wrote it down proves with the operator's key that they
/// may release. What turns out to be no answer here ends the run as it would end without one.
fn answer_beforehand(
    ready: &mut Ready<'_>,
    plan: &Plan,
    outcome: &Outcome,
    key: char,
    screen: &mut Screen,
) -> Result<Answer, Failure> {
    let Some(choice) = Choice::typed(plan, outcome, &key.to_string()) else {
        screen.complain(&choice::none_of(key, &Choice::shown(plan, outcome)));
        return Ok(Answer::Stop);
    };
    let session = ready.session;
    let person = || authority::operator(session);
    screen.say(&format!("answered beforehand: {}", choice.label()));
    let wish = Wish {
        choice,
        guidance: plan.guidance.clone(),
    };
    match carry_out(ready, plan, outcome, wish, &person, screen) {
        Ok(Some(answer)) => Ok(answer),
        // Help was shown, and nobody is there to ask again.
        Ok(None) => Ok(Answer::Nobody),
        Err(failure) if failure.code == exit::REFUSED => {
            screen.complain(&failure);
            Ok(Answer::Stop)
        }
        Err(failure) => Err(failure),
    }
}

/// What was chosen, with the words that go with it.
struct Wish {
    choice: Choice,
    guidance: Option<String>,
}

/// Does what was chosen; `None` is to ask again.
fn carry_out(
    ready: &Ready<'_>,
    plan: &Plan,
    outcome: &Outcome,
    Wish { choice, guidance }: Wish,
    person: &dyn Fn() -> Result<Actor, Failure>,
    screen: &mut Screen,
) -> Result<Option<Answer>, Failure> {
    let session = ready.session;
    match choice {
        Choice::Continue | Choice::SkipPhase | Choice::Guide => {
            let choice = match choice {
                Choice::SkipPhase => Asked::SkipPhase,
                _ => Asked::Reset,
            };
            let released = menu::release(session, choice, guidance, person()?)?;
            released.said.log.iter().for_each(|line| screen.say(line));
            Ok(Some(Answer::Released))
        }
        Choice::Retry => {
            let Some(model) = next_model(plan, outcome) else {
                screen.say(
                    "there is no other model to retry with; name several with `--model a,b,c`",
                );
                return Ok(None);
            };
            let retry = Retry {
                note: format!("retried with {model}"),
                by: person()?,
                escalate: true,
                rungs: plan.work.rungs(),
            };
            session.try_apply(|circuit, policy, now| {
                machine::retry(circuit, policy, retry, now).map_err(Failure::from)
            })?;
            Ok(Some(Answer::Released))
        }
        Choice::Skip if plan.task.is_none() => {
            screen.say("no task is being worked on; set one with `--task ID`");
            Ok(None)
        }
        // With a list there is something else to do.
        Choice::Skip if plan.takes_tasks => {
            let by = person()?;
            let reason = "the task was skipped from the pause menu".to_owned();
            session.try_apply(|circuit, policy, now| {
                machine::reset(circuit, policy, reason, by, now).map_err(Failure::from)
            })?;
            Ok(Some(Answer::Skip))
        }
        Choice::Skip | Choice::Abort => Ok(Some(Answer::Abort)),
        Choice::Help => {
            screen.explained(outcome);
            Ok(None)
        }
        Choice::Wait => Ok(Some(Answer::Wait)),
    }
}

/// The screen: what happened, on what, with which error, and what can be done.
fn question(plan: &Plan, outcome: &Outcome) -> String {
    if let Some(menu) = &outcome.said.menu {
        return format!("\n{}", menu.text);
    }
    let mut text = String::new();
    let reason = escape::line(&outcome.decision.reason, 120);
    let _ = writeln!(text, "\n[STAGNATION DETECTED] {reason}");
    if let Some(task) = &plan.task {
        let id = escape::line(&task.id, 80);
        let title = task.title.as_deref().map_or_else(String::new, |title| {
            format!(" \"{}\"", escape::line(title, 120))
        });
        let _ = writeln!(text, "Task: {id}{title}");
    }
    if let Some(error) = last_error(outcome) {
        let _ = writeln!(text, "Last error: {error}");
    }
    text.push_str("\nOptions:\n");
    for (key, choice) in Choice::shown(plan, outcome) {
        let _ = writeln!(text, "  [{key}] {}", choice.label());
    }
    text.push_str("\nChoice: ");
    text
}

fn last_error(outcome: &Outcome) -> Option<String> {
    let mut rows = outcome.circuit.rows.iter().rev();
    let error = rows.find_map(|row| row.errors.first())?;
    let place = error.place.as_ref();
    let place = place.filter(|place| !error.shown.contains(place.as_str()));
    let place = place.map_or_else(String::new, |place| format!(" in {place}"));
    Some(escape::line(&format!("{}{place}", error.shown), 240))
}

/// What ended the wait for an answer.
enum Heard {
    /// Something was typed.
    Line,
    Signal(i32),
    /// Somebody answered in another terminal.
    Elsewhere(Answer),
}

/// Returns when there is a line to read, or with what came instead. Our signals
/// are caught, so a plain read would sleep through Ctrl-C.
fn wait_for_line(terminal: &File, ready: &mut Ready<'_>) -> Result<Heard, Failure> {
    let mut looked = Instant::now();
    loop {
        if let Some(signal) = ready.signals.take() {
            return Ok(Heard::Signal(signal));
        }
        if ready.requests.take_only(&Request::ENDS).is_some() {
            return Ok(Heard::Elsewhere(Answer::Stop));
        }
        if looked.elapsed() >= LOOK {
            looked = Instant::now();
            // A cooldown that has passed releases nothing here: whoever is asked
            // has not answered yet.
            if ready.session.look(machine::status)?.circuit.state() != State::Open {
                return Ok(Heard::Elsewhere(Answer::Released));
            }
        }
        let mut typed = [PollFd::new(terminal, PollFlags::IN)];
        match poll(&mut typed, Some(&PULSE)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) | Err(_) => return Ok(Heard::Line),
        }
    }
}
