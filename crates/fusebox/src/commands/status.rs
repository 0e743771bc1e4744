//! `fusebox status`: how things stand.

use fusebox_core::machine;
use fusebox_view::answer::Telling;

use super::Context;
use crate::answer::Answer;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

pub(super) fn run(context: &Context<'_>) -> Result<u8, Failure> {
    let session = context.session()?;
    let outcome = session.look(machine::status)?;
    let speech = context.speech;
    if speech.json {
        speech.json(&Answer::of(
            &outcome.decision,
            &outcome.circuit,
            &session.policy,
            &outcome.now,
            &outcome.notes,
        ));
    } else {
        outcome.notes.iter().for_each(|note| speech.say(note));
        let telling = Telling {
            policy: &session.policy,
            circuit: &outcome.circuit,
            now_ms: outcome.now.wall_ms,
        };
        let place = format!(
            "{:<15} {}\n{:<15} {}\n",
            "workspace",
            shown(&session.located.root),
            "circuit",
            session.circuit
        );
        speech.data(&format!("{place}{}", telling.status(&outcome.decision)));
    }
    Ok(exit::GO)
}
