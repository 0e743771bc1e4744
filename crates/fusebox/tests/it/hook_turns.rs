//! What a hook makes of turns and sessions, from one call to the next.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::bmad::{Bmad, LIST};
use crate::call::Finished;
use crate::context::{FUSEBOX, TestContext};
use crate::hook::{before, context, hook, shell};

pub(crate) fn turn(context: &TestContext, writes: Option<&str>, stop: &Value) -> Finished {
    hook(context, "claude", "prompt", &json!({}))
        .run()
        .expect(0);
    if let Some(name) = writes {
        let path = context.work().join(name);
        let arguments = json!({"file_path": path.to_str().unwrap()});
        before(context, "claude", "Write", &arguments).expect(0);
        let tool = json!({"tool_name": "Write", "tool_input": arguments, "tool_use_id": "t"});
        hook(context, "claude", "post-tool-use", &tool)
            .run()
            .expect(0);
    }
    hook(context, "claude", "stop", stop).run().expect(0)
}

pub(crate) fn status(context: &TestContext) -> Value {
    context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json()
}

#[test]
fn a_turn_without_a_loop_counts_as_an_iteration() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::write(context.work().join("b.txt"), "new").unwrap();
    // Nobody counts the questions of a person.
    for _ in 0..4 {
        turn(&context, None, &json!({"stop_hook_active": false}));
    }
    assert_eq!(status(&context)["iterations"], 0, "{}", status(&context));
    // A file that is announced and not written is no progress.
    for _ in 0..3 {
        turn(&context, Some("c.txt"), &json!({"stop_hook_active": false}));
    }
    let told = status(&context);
    assert_eq!(told["state"], "Open", "{told}");
    shell(&context, "ls").expect(2);
}

#[test]
fn turns_that_nobody_watches_count_even_if_nothing_was_tried() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    for _ in 0..3 {
        turn(&context, None, &json!({"stop_hook_active": true}));
    }
    assert_eq!(status(&context)["state"], "Open");
}

#[test]
fn a_loop_that_counts_already_is_not_counted_twice() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    for _ in 0..2 {
        context.fusebox(&["check"]).run().expect(0);
        turn(&context, Some("c.txt"), &json!({"stop_hook_active": true}));
        context
            .fusebox(&["record", "--files-changed", "1"])
            .run()
            .expect(0);
    }
    let told = status(&context);
    assert_eq!(told["state"], "Closed", "{told}");
    assert_eq!(told["iterations"], 2, "{told}");
}

/// Where sessions are counted by features, a turn is one, as between `check` and `record`.
#[test]
fn a_turn_in_which_a_feature_comes_to_pass_is_a_success_and_the_last_one_completes() {
    let Some(bmad) = Bmad::new() else {
        return;
    };
    let context = &bmad.0;
    let watched = json!({"stop_hook_active": true});
    let turn = |text: &str| {
        hook(context, "claude", "prompt", &json!({}))
            .run()
            .expect(0);
        bmad.write("feature_list.json", text);
        hook(context, "claude", "stop", &watched).run().expect(0)
    };
    let begin = ["--preset", "bmad", "check"];
    context.fusebox(&begin).run().expect(0);
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    bmad.says(&["consecutive_failures=1"]);
    turn(LIST);
    bmad.says(&["consecutive_failures=2"]);
    let second = LIST.replace("\"pending\"", "\"pass\"");
    turn(&second);
    bmad.says(&["consecutive_failures=0", "last_session_success=true"]);
    // One that passed before is none, and neither is a list that cannot be read.
    turn(&second);
    assert!(turn("{").out().contains("feature_list.json"));
    bmad.says(&["consecutive_failures=2"]);
    let done = second.replace("\"fail\"", "\"pass\"");
    turn(&second);
    turn(&done);
    bmad.says(&["consecutive_failures=0", "circuit_breaker_status=COMPLETE"]);
    assert_eq!(status(context)["state"], "Complete");
    // What waits again is taken up again.
    turn(&second);
    bmad.says(&["consecutive_failures=1", "circuit_breaker_status=HEALTHY"]);
}

/// A repository's settings can put variables into an agent's environment, the mark of a
/// supervisor among them. Without the supervisor itself it means nothing.
#[test]
fn the_mark_of_a_supervisor_that_is_not_there_keeps_no_turn_from_counting() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let call = |event: &str, payload: &Value| {
        hook(&context, "claude", event, payload)
            .env("FUSEBOX_COOKIE", "planted")
            .run()
            .expect(0);
    };
    for _ in 0..3 {
        call("prompt", &json!({}));
        call("stop", &json!({"stop_hook_active": true}));
    }
    assert_eq!(status(&context)["state"], "Open");
}

/// Nor does a process that only has the name of a keeper, and was started by nobody in
/// particular.
#[test]
fn whatever_is_called_a_keeper_keeps_no_turn_from_counting() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let place = context.path("home");
    fs::write(place.join("__keeper"), "\"$@\"; exit $?").unwrap();
    for _ in 0..3 {
        for (event, extra) in [
            ("prompt", json!({})),
            ("stop", json!({"stop_hook_active": true})),
        ] {
            let mut payload = extra;
            payload["cwd"] = context.work().to_str().unwrap().into();
            payload["session_id"] = "s".into();
            context
                .call(
                    Path::new("sh"),
                    &["__keeper", FUSEBOX, "hook", "claude", event],
                )
                .inside(&place)
                .env("FUSEBOX_COOKIE", "planted")
                .input(payload.to_string())
                .run()
                .expect(0);
        }
    }
    assert_eq!(status(&context)["state"], "Open");
}

/// What the model is working on is told to it when a session begins, and not when all is well.
#[test]
fn a_session_begins_with_how_things_stand() {
    let context = context();
    let told = hook(&context, "gemini", "session-start", &json!({}))
        .run()
        .expect(0);
    assert_eq!(told.out(), "");
    for _ in 0..2 {
        context.fusebox(&["check"]).run();
        context.fusebox(&["record", "--files-changed", "0"]).run();
    }
    let told = hook(&context, "gemini", "session-start", &json!({}))
        .run()
        .expect(0);
    let text = told.json()["hookSpecificOutput"]["additionalContext"].to_string();
    assert!(text.contains("fusebox"), "{text}");
}

/// The same call with the same answer, again and again, ends the turn; another prompt by a
/// person begins anew.
#[test]
fn a_loop_inside_a_turn_is_told_stopped_and_forgotten_with_the_turn() {
    let context = context();
    let payload = |extra: Value| {
        let mut payload = json!({"tool_name": "Bash", "tool_input": {"command": "cat a.log"}});
        for (key, value) in extra.as_object().unwrap() {
            payload[key] = value.clone();
        }
        payload
    };
    hook(
        &context,
        "claude",
        "prompt",
        &json!({"prompt": "Find the error."}),
    )
    .run()
    .expect(0);
    let mut told = false;
    let mut stopped = None;
    for number in 0..60 {
        let id = json!({"tool_use_id": format!("t{number}")});
        let asked = hook(&context, "claude", "pre-tool-use", &payload(id.clone())).run();
        told |= asked.out().contains("circles");
        if asked.code == 2 {
            stopped = Some(number);
            break;
        }
        let mut after = payload(id);
        after["tool_response"] = json!({"stdout": "no such file", "stderr": ""});
        let answered = hook(&context, "claude", "post-tool-use", &after)
            .run()
            .expect(0);
        told |= answered.out().contains("circles");
    }
    assert!(
        told && stopped.is_some_and(|number| number > 1),
        "{stopped:?}"
    );
    hook(
        &context,
        "claude",
        "prompt",
        &json!({"prompt": "Look elsewhere."}),
    )
    .run()
    .expect(0);
    let id = json!({"tool_use_id": "last", "tool_input": {"command": "ls elsewhere"}});
    hook(&context, "claude", "pre-tool-use", &payload(id))
        .run()
        .expect(0);
}

/// The end of a tool that a person refused is told by nobody. Once the turn is halted their next
/// prompt begins another all the same; if it was the tool that spoke, it gained no more than that
/// its circles are counted.
#[test]
fn a_prompt_after_a_refused_tool_begins_a_turn_and_the_halted_one_counts() {
    let context = context();
    let payload = |command: &str, id: &str| {
        json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id,
            "tool_response": {"stdout": "no such file", "stderr": ""}})
    };
    let call = |event: &str, payload: &Value| hook(&context, "claude", event, payload).run();
    call("prompt", &json!({"prompt": "Build it."})).expect(0);
    call("pre-tool-use", &payload("make test", "refused")).expect(0);
    for state in ["Watching", "Open"] {
        let stopped = (0..60).any(|number| {
            let tool = payload("cat a.log", &format!("{state}{number}"));
            let asked = call("pre-tool-use", &tool);
            let answered = call("post-tool-use", &tool);
            asked.code == 2 || answered.out().contains("\"continue\":false")
        });
        assert!(stopped, "{state}");
        call("prompt", &json!({"prompt": "Try another way."}));
        assert_eq!(context.state(), state);
        let next = call("pre-tool-use", &payload("ls elsewhere", state));
        assert_eq!(next.code == 0, state == "Watching", "{}", next.err());
        call("post-tool-use", &payload("ls elsewhere", state));
    }
}

/// Sessions and sub-agents do not share what they repeat, and the file stays small.
#[test]
fn what_is_remembered_of_a_session_stays_small_and_its_own() {
    let context = context();
    for number in 0..40 {
        for (session, agent) in [("a", None), ("b", None), ("a", Some("sub"))] {
            let payload = json!({
                "session_id": session, "agent_id": agent, "cwd": context.work(),
                "tool_name": "Bash", "tool_use_id": format!("{number}"),
                "tool_input": {"command": format!("grep -rn {number} {}", "x".repeat(300))},
            });
            let call = context.fusebox(&["hook", "claude", "pre-tool-use"]);
            call.input(payload.to_string()).run().expect(0);
        }
    }
    let hooks = context.store().workspace.join("hooks");
    let files: Vec<_> = fs::read_dir(hooks).unwrap().flatten().collect();
    let states = files
        .iter()
        .filter(|file| file.path().extension().is_none());
    assert_eq!(states.clone().count(), 3);
    for file in states {
        assert!(file.metadata().unwrap().len() <= 9 * 1024);
    }
}

/// A tool that ran without asking is found in the transcript when the turn has ended.
#[test]
fn what_ran_past_the_hook_opens_the_breaker() {
    for (asked, state) in [(true, "Closed"), (false, "Open")] {
        let context = context();
        let transcript = context.path("home/t.jsonl");
        fs::write(
            &transcript,
            line(&json!({"type": "tool_use", "id": "old", "name": "Bash"})),
        )
        .unwrap();
        let with = |extra: Value| {
            let mut payload = extra;
            payload["transcript_path"] = transcript.to_str().unwrap().into();
            payload
        };
        hook(&context, "claude", "prompt", &with(json!({})))
            .run()
            .expect(0);
        let tool =
            json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "new"});
        if asked {
            hook(&context, "claude", "pre-tool-use", &with(tool))
                .run()
                .expect(0);
        }
        let parts = [
            json!({"type": "tool_result", "tool_use_id": "old"}),
            json!({"type": "tool_use", "id": "new", "name": "Bash"}),
            json!({"type": "tool_use", "id": "refused", "name": "Bash"}),
            json!({"type": "tool_result", "tool_use_id": "refused", "is_error": true}),
            json!({"type": "tool_result", "tool_use_id": "new"}),
        ];
        let mut text = fs::read_to_string(&transcript).unwrap();
        text.extend(parts.iter().map(line));
        fs::write(&transcript, text).unwrap();
        hook(&context, "claude", "stop", &with(json!({})))
            .run()
            .expect(0);
        let told = context.fusebox(&["status", "--json"]).run().json();
        assert_eq!(told["state"], state, "asked: {asked}: {told}");
    }
}

fn line(part: &Value) -> String {
    format!("{}\n", json!({"message": {"content": [part]}}))
}
