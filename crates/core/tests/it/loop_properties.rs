//! What holds for every session, however it goes.

use fusebox_core::calls::reading::{self, Outcome};
use fusebox_core::calls::{
    Arguments, CallEvent, CallPolicy, CallState, CallVerdict, STATE_BYTES, readings, step,
};
use proptest::prelude::*;

/// A few of everything, so that sessions repeat themselves.
fn events() -> impl Strategy<Value = Vec<CallEvent>> {
    let text = prop_oneof![
        Just(String::new()),
        "[a-c]{1,3}",
        Just("ERROR:\nold `x` did not appear".to_owned()),
        "\\PC{0,200}",
    ];
    let outcome = prop_oneof![
        Just(Outcome::Ran),
        Just(Outcome::Failed),
        Just(Outcome::Denied),
        Just(Outcome::Blocked),
    ];
    let tool = prop_oneof![Just("Bash"), Just("Read"), Just("Edit"), Just("finish")];
    let arguments = prop_oneof![
        r#"\{"command":"[ab]"\}"#,
        r#"\{"file_path":"[ab]","old_string":"[ab]","new_string":"[ab]"\}"#,
        r#"\{"path":"[ab]","offset":[0-9]{1,9}\}"#,
        "\\PC{0,300}",
    ];
    let event = prop_oneof![
        6 => (0..9_u8, tool, arguments).prop_map(|(id, tool, json)| {
            CallEvent::Call(reading::call(&id.to_string(), tool, &Arguments::read(&json)))
        }),
        6 => (0..9_u8, outcome, text.clone()).prop_map(|(id, outcome, text)| {
            CallEvent::Result(reading::result(&id.to_string(), outcome, &text, text.len()))
        }),
        1 => text.clone().prop_map(|text| CallEvent::Said(reading::said(&text))),
        1 => text.prop_map(|text| reading::user(&text)),
        1 => Just(CallEvent::TurnEnded),
        1 => Just(CallEvent::Ours),
        1 => Just(CallEvent::Compacted),
        1 => any::<u64>().prop_map(|tokens| CallEvent::Spent { tokens }),
    ];
    proptest::collection::vec(event, 0..160)
}

fn run(events: &[CallEvent]) -> (CallState, Vec<CallVerdict>) {
    let mut state = CallState::default();
    let policy = CallPolicy::native();
    let verdicts = events
        .iter()
        .filter_map(|event| step(&mut state, &policy, event))
        .collect();
    (state, verdicts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_state_is_small_and_goes_on_after_it_was_written_down(events in events(), at in 0..160_usize) {
        let (whole, verdicts) = run(&events);
        let json = serde_json::to_string(&whole).unwrap();
        prop_assert!(json.len() <= STATE_BYTES, "{} bytes", json.len());

        let (before, after) = events.split_at(at.min(events.len()));
        let (state, mut both) = run(before);
        let mut state: CallState = serde_json::from_str(&serde_json::to_string(&state).unwrap()).unwrap();
        prop_assert!(state.is_current());
        let policy = CallPolicy::native();
        both.extend(after.iter().filter_map(|event| step(&mut state, &policy, event)));
        prop_assert_eq!(both, verdicts);
        prop_assert_eq!(state, whole);
    }

    #[test]
    fn every_verdict_rests_on_a_reading_that_reached_its_threshold(events in events()) {
        let mut state = CallState::default();
        let policy = CallPolicy::native();
        for event in &events {
            if let Some(verdict) = step(&mut state, &policy, event) {
                prop_assert!(!verdict.evidence.is_empty() && !verdict.message.is_empty());
                for evidence in &verdict.evidence {
                    prop_assert!(evidence.value >= evidence.threshold);
                    prop_assert!(evidence.calls.iter().all(|call| *call <= verdict.call));
                }
                prop_assert_eq!(verdict.call, state.calls());
            }
            prop_assert!(readings(&state, &policy).iter().all(|(_, value)| *value > 0));
        }
    }

    /// Whoever is watched by a person is judged by what came since the person spoke.
    #[test]
    fn after_a_new_word_of_a_person_nothing_is_held_against_the_agent(events in events()) {
        let (mut state, _) = run(&events);
        let policy = CallPolicy::native();
        let spoke = reading::user("something that was never said before, in so many words");
        prop_assert_eq!(step(&mut state, &policy, &spoke), None);
        prop_assert_eq!(readings(&state, &policy), Vec::new());
    }

    /// Texts of any length and any characters are read, in bounds and always alike.
    #[test]
    fn enormous_and_strange_texts_are_read_alike_and_kept_short(
        piece in "\\PC{1,40}|[0-9:.,|(` \"\n\r\t]{1,40}",
        times in 1..2_000_usize,
        outcome in prop_oneof![Just(Outcome::Ran), Just(Outcome::Failed)],
    ) {
        let text = piece.repeat(times);
        let json = serde_json::json!({ "command": text, "path": text, "old_string": text }).to_string();
        let read = || reading::call(&text, &text, &Arguments::read(&json));
        prop_assert_eq!(read(), read());
        prop_assert!(read().words.len() <= reading::WORDS_BYTES);
        let result = || reading::result(&text, outcome, &text, text.len());
        prop_assert_eq!(result(), result());
        prop_assert!(result().words.len() <= reading::WORDS_BYTES);
        prop_assert_eq!(reading::said(&text), reading::said(&text));
        let cut = &json[..json.floor_char_boundary(json.len() / 2)];
        prop_assert_eq!(Arguments::read(cut), Arguments::read(cut));
    }

    /// Where in a file a failure is does not tell two failures apart; what it says does.
    #[test]
    fn failures_are_told_apart_by_what_they_say(
        line in 1..99_999_u32,
        other in 1..99_999_u32,
        what in "[a-z]{1,12}",
        else_what in "[a-z]{1,12}",
    ) {
        let failure = |line: u32, what: &str| {
            let text = format!(
                "error: {what}\n  --> src/a.rs:{line}:7\n{line} | let x;\nFile \"a.py\", line {line}, in f\nA(Foo.java:{line})"
            );
            reading::result("1", Outcome::Failed, &text, text.len()).failure
        };
        prop_assert!(failure(line, &what).is_some());
        prop_assert_eq!(failure(line, &what), failure(other, &what));
        prop_assert_eq!(failure(line, &what) == failure(line, &else_what), what == else_what);
    }

    #[test]
    fn a_cycle_is_the_same_loop_wherever_it_begins(
        period in 2..=6_usize,
        start in 0..6_usize,
        said in any::<bool>(),
    ) {
        let identity = |start: usize| {
            let mut events = Vec::new();
            for n in start..start + 4 * period {
                let name = (n % period).to_string();
                let arguments = Arguments::read(&format!(r#"{{"command":"{name}"}}"#));
                if said {
                    events.push(CallEvent::Said(reading::said(&name)));
                }
                events.push(CallEvent::Call(reading::call(&n.to_string(), "Bash", &arguments)));
                events.push(CallEvent::Result(reading::result(&n.to_string(), Outcome::Ran, &name, 1)));
            }
            run(&events).1.last().map(|verdict| verdict.identity)
        };
        let first = identity(0);
        prop_assert!(first.is_some());
        prop_assert_eq!(identity(start), first);
    }
}

/// Every list full, every text as long as it may be and every number as long as
/// its type allows.
#[test]
fn the_state_is_small_at_its_worst() {
    let mut state = CallState::default();
    let policy = CallPolicy::native();
    let quotes = "\"".repeat(500);
    for n in 0..300_u32 {
        let file = format!("{n}{quotes}");
        let edit = serde_json::json!({ "file_path": file, "old_string": file, "new_string": n });
        let call = |id: &str| {
            CallEvent::Call(reading::call(
                id,
                &quotes,
                &Arguments::read(&edit.to_string()),
            ))
        };
        let edited = |id: &str| {
            CallEvent::Call(reading::call(
                id,
                "Edit",
                &Arguments::read(&edit.to_string()),
            ))
        };
        let error = format!("error: {} {quotes}", "x".repeat(n as usize));
        for event in [
            reading::user(&"y".repeat(n as usize)),
            CallEvent::Said(reading::said(&file)),
            edited("edit"),
            CallEvent::Result(reading::result("edit", Outcome::Ran, &file, 1)),
            call("call"),
            CallEvent::Result(reading::result("call", Outcome::Failed, &error, 1)),
            call("call"),
            CallEvent::Result(reading::result("call", Outcome::Failed, &error, 1)),
            edited(&file),
        ] {
            step(&mut state, &policy, &event);
        }
    }
    let json = serde_json::to_string(&state).unwrap();
    let mut widest = String::new();
    let mut rest = json.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = rest[at..].len()
            - rest[at..]
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        widest.push_str(&rest[..at]);
        widest.push_str(&"9".repeat(if digits > 8 { 13 } else { 10 }));
        rest = &rest[at + digits..];
    }
    widest.push_str(rest);
    assert!(widest.len() > 6000, "{} bytes: not full", widest.len());
    assert!(widest.len() <= STATE_BYTES, "{} bytes", widest.len());
}
