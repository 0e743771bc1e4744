//! A door for the fuzzer.

use std::path::Path;

use fusebox_agents::hook::{Caller, EVERY_POINT, HOOKED, HookPoint, Registered};
use fusebox_edit::json::Json;
use serde_json::Value;

use super::{receipt, registered_command, settings};
use crate::cli::Hooked;

/// Points at which every agent calls.
const POINTS: [HookPoint; 3] = [HookPoint::BeforeTool, HookPoint::AfterTool, HookPoint::Stop];

/// Whatever stands in the settings of an agent, and wherever the program is: what is registered
/// is the very command, what stood there means what it meant, and nothing of ours is left once
/// that is taken out. The first word is the program's directory, the others are its options.
pub(crate) fn read_settings(directory: &Path, text: &[u8], words: &[&str], receipt: &[u8]) {
    let (home, options) = words.split_first().unwrap_or((&"usr/bin", &[]));
    let program = format!("/{home}/fusebox");
    let options: Vec<String> = options.iter().map(|word| (*word).to_owned()).collect();
    let caller = Caller {
        program: &program,
        options: &options,
    };
    let mut receipts = (!receipt.is_empty()).then_some(receipt).into_iter();
    if !words.is_empty() {
        HOOKED.into_iter().for_each(|agent| begin(&caller, agent));
    }
    for agent in HOOKED {
        let registered = agent.registration().registered;
        let Ok(Some(free)) = settings::without(&registered, Some(text)) else {
            continue;
        };
        assert_eq!(
            settings::without(&registered, Some(&free)),
            Ok(Some(free.clone()))
        );
        assert!(!holds_ours(agent, &free));
        let Ok(after) = settings::with(&registered, Some(&free), &caller) else {
            continue;
        };
        for point in POINTS {
            let command = registered_command(agent, &after, point).expect("we wrote it");
            assert_eq!(command, Some(expected(&caller, agent, point)));
        }
        let left = settings::without(&registered, Some(&after)).expect("we wrote it");
        let left = left.expect("it was somebody's before");
        assert_eq!(
            meaning(&registered, &left, &free),
            meaning(&registered, &free, &free)
        );
        let installed = |before: Option<&[u8]>| settings::with(&registered, before, &caller).ok();
        // What it is of does not matter to a receipt.
        if let Some(receipt) = receipts.next() {
            receipt::read_receipt(directory, receipt, &free, installed);
        }
    }
}

/// Where there was nothing, every point has the very command, and then nothing again.
fn begin(caller: &Caller<'_>, agent: Hooked) {
    let registered = agent.registration().registered;
    let fresh = settings::with(&registered, None, caller).expect("there is nothing in its way");
    for point in EVERY_POINT {
        let command = registered_command(agent, &fresh, point).expect("we wrote it");
        let is_due = |command| command == expected(caller, agent, point);
        assert!(command.map_or(!POINTS.contains(&point), is_due));
    }
    let left = settings::without(&registered, Some(&fresh)).expect("we wrote it");
    assert!(left.is_none_or(|left| !holds_ours(agent, &left)));
}

fn expected(caller: &Caller<'_>, agent: Hooked, point: HookPoint) -> Vec<String> {
    let own = [caller.program, "hook", agent.name(), point.word()];
    let own = own.into_iter().map(str::to_owned);
    own.chain(caller.options.iter().cloned()).collect()
}

/// Whether an agent would call us for anything, as far as its settings can be read.
fn holds_ours(agent: Hooked, text: &[u8]) -> bool {
    let calls = |point| registered_command(agent, text, point).is_ok_and(|found| found.is_some());
    POINTS.into_iter().any(calls)
}

/// What settings say, without what was empty among the hooks and without what they must say that
/// was not there `before`.
fn meaning(registered: &Registered, text: &[u8], before: &[u8]) -> Value {
    let value = |text: &[u8]| Json::parse(text).expect("it was read before").value();
    let (mut said, before) = (value(text), value(before));
    let Value::Object(keys) = &mut said else {
        return said;
    };
    if let Registered::Elements { defaults, .. } = registered {
        let missing = defaults.iter().filter(|(key, _)| before.get(key).is_none());
        missing.for_each(|(key, _)| drop(keys.remove(*key)));
    }
    if let Some(hooks) = keys.get_mut("hooks")
        && is_hollow(hooks)
    {
        keys.remove("hooks");
    }
    said
}

/// Whether nothing is left of a value without what is empty in it, which is taken out.
fn is_hollow(value: &mut Value) -> bool {
    match value {
        Value::Array(list) => {
            list.retain_mut(|element| !is_hollow(element));
            list.is_empty()
        }
        Value::Object(keys) => {
            keys.retain(|_, value| !is_hollow(value));
            keys.is_empty()
        }
        _ => false,
    }
}
