//! Hooks in an environment that a repository's settings have filled.

use std::fs;

use serde_json::{Value, json};

use crate::context::TestContext;
use crate::hook::{context, hook};

/// The variables of an environment that means to be left alone.
fn planted(context: &TestContext) -> Vec<(&'static str, String)> {
    let lax = context.work().join("lax.toml");
    let text = "[stagnation]\nthreshold = 99\n[signals.no_progress]\ntrip = 99\n";
    fs::write(&lax, text).unwrap();
    let path = |name: &str| context.path(name).to_str().unwrap().to_owned();
    vec![
        ("FUSEBOX_CIRCUIT", "other".into()),
        ("FUSEBOX_STATE_DIR", path("elsewhere")),
        ("FUSEBOX_CONFIG", lax.to_str().unwrap().into()),
        ("FUSEBOX_PRESET", "cub".into()),
        ("FUSEBOX_STAGNATION_THRESHOLD", "99".into()),
        ("FUSEBOX_ON_STAGNATION", "alert".into()),
        ("FUSEBOX_OBSERVE", "1".into()),
        ("FUSEBOX_MAX_TIME", "not a time".into()),
        ("MAX_CALLS_PER_HOUR", "9999".into()),
    ]
}

#[test]
fn req_x_009_no_variable_leads_a_hook_to_another_breaker() {
    let context = context();
    context
        .fusebox(&["trip", "--reason", "Enough."])
        .run()
        .expect(0);
    let tool = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    for cookie in [None, Some("planted")] {
        for (name, value) in planted(&context) {
            let mut call = hook(&context, "claude", "pre-tool-use", &tool).env(name, &value);
            if let Some(cookie) = cookie {
                call = call.env("FUSEBOX_COOKIE", cookie);
            }
            call.run().expect(2).says("Enough.");
        }
    }
}

#[test]
fn req_x_009_no_variable_makes_a_hook_more_patient() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let variables = planted(&context);
    for _ in 0..3 {
        for (event, payload) in [
            ("prompt", json!({})),
            ("stop", json!({"stop_hook_active": true})),
        ] {
            let call = hook(&context, "claude", event, &payload);
            let set =
                |call: crate::call::Call, (name, value): &(&str, String)| call.env(name, value);
            variables.iter().fold(call, set).run().expect(0);
        }
    }
    assert_eq!(context.state(), "Open");
}

/// What was named when a hook was installed stands in its registration, and so counts.
#[test]
fn what_was_named_when_a_hook_was_installed_is_registered() {
    let context = context();
    let state = context.path("elsewhere");
    let state = state.to_str().unwrap();
    let words = |text: &str| -> Vec<String> {
        let settings: Value = serde_json::from_str(text).unwrap();
        let args = &settings["hooks"]["PreToolUse"][0]["hooks"][0]["args"];
        serde_json::from_value(args.clone()).unwrap()
    };
    let install = ["hooks", "install", "claude", "--print"];
    let plain = context.fusebox(&install).run().expect(0);
    assert_eq!(words(&plain.out()), ["hook", "claude", "pre-tool-use"]);
    let named = context.fusebox(&[&install[..], &["--circuit", "a"]].concat());
    let named = named.env("FUSEBOX_STATE_DIR", state).run().expect(0);
    let expected = [
        "hook",
        "claude",
        "pre-tool-use",
        "--circuit",
        "a",
        "--state-dir",
        state,
    ];
    assert_eq!(words(&named.out()), expected);
    for agent in ["claude", "codex", "gemini", "copilot", "cursor", "opencode"] {
        let call = |words: &[&str]| {
            let options = ["--circuit", "a", "--state-dir", state];
            context.fusebox(&[words, &options].concat()).run().expect(0)
        };
        call(&["hooks", "install", agent]);
        call(&["hooks", "test", agent]);
        let told = call(&["hooks", "status", agent]).out();
        assert!(told.contains("installed,"), "{told}");
        assert!(!told.contains("not there"), "{told}");
        call(&["hooks", "uninstall", agent]);
        let told = call(&["hooks", "status", agent]).out();
        assert!(told.contains("not installed"), "{told}");
    }
}
