//! What each agent is told at each point, to the letter.
//!
//! The golden file is what was tried with the agents, or follows from what their makers
//! write. An agent takes what it does not understand for a yes, so a change of a single byte
//! here has to be meant.

use std::fmt::Write;

use fusebox_agents::hook::{Answer, EVERY_POINT, HOOKED, HookPoint};
use serde_json::Value;

const GOLDEN: &str = include_str!("hook_replies.txt");

fn answers() -> [(&'static str, Answer); 5] {
    let why = || "no \"x\"".to_owned();
    [
        ("silence", Answer::Silence),
        ("context", Answer::Context(why())),
        ("notice", Answer::Notice(why())),
        ("deny", Answer::Deny(why())),
        ("halt", Answer::Halt(why())),
    ]
}

#[test]
fn every_answer_in_every_dialect() {
    let mut told = String::new();
    for hooks in HOOKED {
        for point in EVERY_POINT {
            for (word, answer) in answers() {
                let reply = hooks.reply(point, &answer);
                let (agent, out, err) = (hooks.name(), reply.stdout, reply.stderr);
                writeln!(
                    told,
                    "{agent} {point} {word}: {} out={out} err={err}",
                    reply.code
                )
                .expect("text");
            }
        }
    }
    if told != GOLDEN {
        let first = told
            .lines()
            .zip(GOLDEN.lines())
            .find(|(new, old)| new != old);
        let path = std::env::temp_dir().join("hook_replies.txt");
        std::fs::write(&path, &told).expect("a file");
        panic!("{first:?}; all of it is in {}", path.display());
    }
}

#[test]
fn a_no_before_a_tool_is_a_no_to_every_agent() {
    for hooks in HOOKED {
        for point in [HookPoint::BeforeTool, HookPoint::BeforeCommand] {
            let deny = hooks.reply(point, &Answer::Deny("because".into()));
            assert_eq!(deny.code, 2, "{}", hooks.name());
            assert_eq!(deny.stderr, "because", "{}", hooks.name());
            let halt = hooks.reply(point, &Answer::Halt("because".into()));
            assert!(
                halt.code == 2 || halt.stdout.contains(r#""decision":"deny""#),
                "{}",
                hooks.name()
            );
        }
    }
}

#[test]
fn whatever_is_printed_is_one_json_object_or_nothing() {
    for hooks in HOOKED
        .into_iter()
        .filter(|hooks| hooks.name() != "opencode")
    {
        for point in EVERY_POINT {
            for (word, answer) in answers() {
                let out = hooks.reply(point, &answer).stdout;
                let parsed = serde_json::from_str::<Value>(&out);
                assert!(
                    out.is_empty() || parsed.is_ok_and(|value| value.is_object()),
                    "{} {point} {word}: {out}",
                    hooks.name()
                );
            }
        }
    }
}

/// The keys that Codex reads before a tool. One more, and it runs the tool.
#[test]
fn codex_gets_no_key_that_it_does_not_know() {
    let codex = fusebox_agents::hook::hooks_by_name("codex").expect("one of ours");
    for answer in [Answer::Deny("x".into()), Answer::Halt("x".into())] {
        let out = codex.reply(HookPoint::BeforeTool, &answer).stdout;
        let object: Value = serde_json::from_str(&out).expect("JSON");
        let keys: Vec<&String> = object.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["hookSpecificOutput"]);
        let inner = object["hookSpecificOutput"].as_object().expect("an object");
        let keys: Vec<&String> = inner.keys().collect();
        assert_eq!(
            keys,
            [
                "hookEventName",
                "permissionDecision",
                "permissionDecisionReason"
            ]
        );
    }
}

#[test]
fn a_reason_is_never_longer_than_agents_read() {
    for hooks in HOOKED {
        let reply = hooks.reply(HookPoint::BeforeTool, &Answer::Deny("é".repeat(100_000)));
        assert!(reply.stderr.chars().count() <= 8_000, "{}", hooks.name());
    }
}
