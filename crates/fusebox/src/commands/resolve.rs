//! `fusebox resolve`: what opened the breaker was corrected. Only a person says so.

use fusebox_core::machine::{self, Refused};
use fusebox_core::{State, clip};
use fusebox_view::{answer::label, escape};

use super::{Context, announce};
use crate::authority;
use crate::cli::Resolve;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

/// How much of a resolution is kept.
const WORDS_BYTES: usize = 1_024;

pub(super) fn run(context: &Context<'_>, args: &Resolve) -> Result<u8, Failure> {
    let session = context.session()?;
    let resolution = clip(args.resolution.trim(), WORDS_BYTES).to_owned();
    if resolution.is_empty() {
        return Err(Failure::new(
            exit::USAGE,
            "a resolution says what was corrected",
        ));
    }
    let standing = session.look(machine::status)?;
    if !standing.policy.release.correction {
        return Err(Refused::NotByCorrection.into());
    }
    let Some(opening) = standing.circuit.core.phase.opening() else {
        return Err(Refused::NotOpen.into());
    };
    let what = format!(
        "{} · {}: {}",
        shown(&session.located.root),
        label(&standing.policy.labels, standing.decision.state),
        escape::line(&opening.reason, 120)
    );
    let actor = authority::person(&session, &what)?;
    if !names_an_artifact(&resolution) {
        context
            .speech
            .say("a resolution should name the ADR or the spec that was changed");
    }
    let outcome = session.try_apply(|circuit, policy, now| {
        machine::resolve(circuit, policy, resolution, actor, now).map_err(Failure::from)
    })?;
    // Somebody else's checkpoint stays, and halts by itself.
    let mut standing = session.look(machine::status)?;
    if standing.decision.state != State::Open {
        announce(context, &outcome);
        return Ok(exit::GO);
    }
    standing.notes = outcome.notes;
    standing.notes.push(
        "resolved, but somebody else's halt is on the blackboard: nothing goes on until it is removed"
            .to_owned(),
    );
    Ok(announce(context, &standing))
}

fn names_an_artifact(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["adr", "spec", ".md"]
        .iter()
        .any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::names_an_artifact;

    #[test]
    fn req_002_085_a_resolution_that_names_nothing_is_told_so() {
        for (text, names) in [
            ("ADR-003 created, specs updated", true),
            ("docs/architecture.md says so now", true),
            ("fixed it", false),
        ] {
            assert_eq!(names_an_artifact(text), names, "{text}");
        }
    }
}
