//! `fusebox history --patterns`: how work on each kind of task goes.

use fusebox_tasks::{KindPattern, patterns};
use fusebox_view::{escape, phrase};

use super::super::Context;
use crate::exit;
use crate::failure::Failure;
use crate::session::Session;
use crate::tasks;

pub(super) fn run(context: &Context<'_>, session: &Session) -> Result<u8, Failure> {
    let found = patterns(&mut tasks::journal(session)?)?;
    if found.is_empty() {
        context.speech.say("no task was worked on here yet");
    }
    for kind in &found {
        if context.speech.json {
            context.speech.json(kind);
        } else {
            context.speech.data(&told(kind));
        }
    }
    Ok(exit::GO)
}

fn told(kind: &KindPattern) -> String {
    let name = kind.kind.as_deref().unwrap_or("(no kind)");
    let mut parts = vec![
        phrase::count(kind.tasks, "task"),
        format!("{} done", kind.done),
        format!("{} given up", kind.blocked),
        phrase::count(kind.attempts, "attempt"),
    ];
    parts.extend(
        kind.median_ms
            .map(|ms| format!("usually {}", phrase::duration(ms))),
    );
    if kind.micro_usd > 0 {
        parts.push(phrase::dollars(kind.micro_usd));
    }
    if kind.reopens > 0 {
        parts.push(format!("{} left behind", kind.reopens));
    }
    let trips = kind
        .trips
        .iter()
        .map(|(signal, times)| format!("{signal} {times}"));
    let trips: Vec<String> = trips.collect();
    if !trips.is_empty() {
        parts.push(format!("tripped: {}", trips.join(", ")));
    }
    format!("{:<20} {}\n", escape::line(name, 40), parts.join(" · "))
}
