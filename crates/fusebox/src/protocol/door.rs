//! A door for the fuzzer: whole conversations about a circuit, by both protocols.

use std::path::Path;

use fusebox_core::circuit::{Cause, Circuit};
use fusebox_core::machine::{self, Trip};
use serde_json::Value;

use super::questions::Desk;
use super::rpc::{Answers, converse};
use super::{Library, Tools};
use crate::caller;
use crate::cli::Global;
use crate::clock::{Clock, ClockSource};
use crate::session::Session;

/// More would only take longer: each of them opens the circuit anew.
const MOST_MESSAGES: usize = 8;

/// Says all of it about a circuit below `top`, which must not be there yet. An open one stays
/// open and grants nothing, whoever talks; agents move nothing, whatever stands open.
pub(crate) fn converse_about(top: &Path, input: &[u8]) {
    let (about, input) = input.split_first().unwrap_or((&0, &[]));
    let messages: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
    let input = messages[..messages.len().min(MOST_MESSAGES)].join(&b'\n');
    let (is_agent, is_open) = (about & 1 == 1, about & 2 == 2);
    let desk = desk(top);
    let session = desk.made_up().expect("a session");
    begin(&session, is_open);
    let before = state(&session);
    let output = match is_agent {
        true => said_by(&mut Tools(desk), &input),
        false => said_by(&mut Library(desk), &input),
    };
    let after = state(&session);
    if is_open || is_agent {
        assert_eq!(after.core.phase, before.core.phase);
        assert_eq!(after.core.pending, before.core.pending);
        assert_eq!(after.calls, before.calls);
    }
    if is_agent {
        assert_eq!(after.core, before.core);
    }
    for line in output.split_inclusive(|byte| *byte == b'\n') {
        let reply: Value = serde_json::from_slice(line).expect("a reply is JSON");
        assert!(reply.get("result").is_some() != reply.get("error").is_some());
        let result = &reply["result"];
        for text in [&result["text"], &result["content"][0]["text"]] {
            assert!(
                !text.as_str().unwrap_or_default().contains('\x1b'),
                "{text}"
            );
        }
        for answer in [result, &result["structuredContent"]] {
            assert!(!is_open || answer["exit_code"] != 0, "{reply}");
        }
    }
}

/// A session below `top`, where one iteration was granted.
pub(crate) fn made_up(top: &Path) -> (Global, Session) {
    let session = desk(top).made_up().expect("a session");
    begin(&session, false);
    (Global::alone(top), session)
}

fn desk(top: &Path) -> Desk {
    let clock = Clock::start(ClockSource::System).expect("a clock");
    let mut desk = Desk::new(&Global::alone(top), clock);
    desk.heads = Some(top.join("data"));
    desk
}

fn begin(session: &Session, is_open: bool) {
    let begun = session.apply(|circuit, policy, now| match is_open {
        true => {
            let trip = Trip {
                reason: "asked".into(),
                by: caller::anyone(),
                cause: Cause::Asked,
            };
            machine::trip(circuit, policy, trip, now)
        }
        false => machine::check(circuit, policy, machine::Start::default(), now),
    });
    begun.expect("begun");
}

fn state(session: &Session) -> Circuit {
    session.store.peek().expect("a state").state.0
}

fn said_by(answers: &mut impl Answers, input: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    converse(input, &mut output, answers).expect("memory does not fail");
    output
}
