//! The small files of a loop, which an agent or a crash can cut or forge.

mod fleet;
mod journal;

use fusebox_core::calls::{
    Arguments, CallEvent, CallPolicy, CallState, Level, STATE_BYTES, reading, step,
};
use serde_json::Value;

/// Whatever is in them: what was written is read back, and nothing that is cut or changed is
/// taken for leave to go on.
pub(crate) fn small_states(bytes: &[u8]) {
    calls(bytes);
    fusebox::doors::turn(bytes);
    fusebox::doors::request(bytes);
    fusebox::doors::plan(bytes);
    fusebox::doors::stood(bytes);
    fusebox::doors::spent(bytes);
    journal::journal(bytes);
    fleet::fleet(bytes);
}

/// What is remembered of the calls of a session, by itself or in a turn: a session goes on from
/// it, in bounds, and a loop is still one.
fn calls(bytes: &[u8]) {
    let text = |value: &Value| serde_json::to_vec(value).unwrap_or_default();
    let inner = serde_json::from_slice::<Value>(bytes).map(|turn| text(&turn["calls"]));
    for bytes in [bytes, &inner.unwrap_or_default()] {
        let Ok(mut state) = serde_json::from_slice::<CallState>(bytes) else {
            continue;
        };
        let policy = CallPolicy::native();
        let arguments = Arguments::read(r#"{"command":"make"}"#);
        let mut worst = None;
        for round in 0..40 {
            let id = format!("t{round}");
            let call = reading::call(&id, "Bash", &arguments);
            let result = reading::result(&id, reading::Outcome::Failed, "no rule", 7);
            for event in [CallEvent::Call(call), CallEvent::Result(result)] {
                let verdict = step(&mut state, &policy, &event);
                worst = worst.max(verdict.map(|verdict| verdict.level));
            }
        }
        assert!(worst >= Some(Level::Block), "{worst:?}");
        let written = serde_json::to_vec(&state).expect("a state can be written");
        assert!(written.len() <= STATE_BYTES, "{} bytes", written.len());
        let again: CallState = serde_json::from_slice(&written).expect("and read");
        assert_eq!(again, state);
    }
}
