//! One session, four ways in: recorded and replayed, listened to while it runs, through hooks, a
//! process for each event, and listened to while its hooks ask. All of them come to the same
//! verdicts.

use std::fs::{self, OpenOptions};
use std::io::Write;

use serde_json::{Value, json};

use crate::call::Finished;
use crate::context::{FUSEBOX, TestContext};
use crate::ways_in_steps::{Step, healthy, one_error, oscillating, repeating, rephrased};

/// What `run` hands to the agent in these tests, too.
const PROMPT: &str = "Do the task.";

/// What is said of a session: the call, how grave it is, and which signal.
type Verdict = (u64, String, String);

/// The lines that a step leaves in the file of the session, and those that are printed: before
/// the call is made, and when it was answered.
fn lines(number: usize, step: &Step) -> [Vec<Value>; 2] {
    let message = format!("m-{number}");
    let mut made = Vec::new();
    let mut block = |block: Value| {
        made.push(json!({
            "type": "assistant",
            "message": {"id": message, "role": "assistant", "model": "m", "content": [block]},
        }));
    };
    if !step.said.is_empty() {
        block(json!({"type": "text", "text": step.said}));
    }
    block(json!({
        "type": "tool_use", "id": format!("t-{number}"), "name": step.tool, "input": step.input,
    }));
    let answered = json!({
        "type": "user",
        "message": {"role": "user", "content": [{
            "type": "tool_result", "tool_use_id": format!("t-{number}"),
            "is_error": step.failed, "content": step.answer,
        }]},
    });
    [made, vec![answered]]
}

/// A line of the session's file.
fn stored(line: &Value, number: &mut usize) -> String {
    let mut line = line.clone();
    line["sessionId"] = "s".into();
    line["uuid"] = format!("u{number}").into();
    *number += 1;
    format!("{line}\n")
}

fn session_file(steps: &[Step]) -> String {
    let mut number = 0;
    let prompt = json!({"type": "user", "message": {"role": "user", "content": PROMPT}});
    let prompt = stored(&prompt, &mut number);
    let all = steps
        .iter()
        .enumerate()
        .flat_map(|(at, step)| lines(at, step).concat());
    let rest: String = all.map(|line| stored(&line, &mut number)).collect();
    prompt + &rest
}

fn printed(steps: &[Step]) -> String {
    let mut text = String::new();
    let mut print = |mut line: Value| {
        line["session_id"] = "s".into();
        text += &format!("{line}\n");
    };
    print(json!({"type": "system", "subtype": "init", "model": "m", "tools": ["Bash"]}));
    for (at, step) in steps.iter().enumerate() {
        lines(at, step).concat().into_iter().for_each(&mut print);
    }
    print(json!({"type": "result", "subtype": "success", "is_error": false, "result": "Over."}));
    text
}

/// The first verdict of which the agent would hear, and the first that ends the session.
fn first_and_last(all: &[Verdict]) -> Vec<Verdict> {
    let trip = all.iter().position(|verdict| verdict.1 == "trip");
    let mut told: Vec<Verdict> = all.first().cloned().into_iter().collect();
    told.extend(trip.filter(|at| *at > 0).map(|at| all[at].clone()));
    told
}

fn replayed(context: &TestContext, name: &str, text: &str) -> Vec<Verdict> {
    let path = context.path(name);
    fs::write(&path, text).unwrap();
    let told = context.fusebox(&["replay", "--json", path.to_str().unwrap()]);
    let line = |line: &Value| {
        let word = |key: &str| line[key].as_str().unwrap().to_owned();
        (
            line["call"].as_u64().unwrap(),
            word("verdict"),
            word("signal"),
        )
    };
    let mut verdicts: Vec<Verdict> = told.run().expect(0).json_lines().iter().map(line).collect();
    verdicts.dedup();
    verdicts
}

fn listened(context: &TestContext, steps: &[Step]) -> Vec<Verdict> {
    let recorded = context.path("recorded");
    fs::write(&recorded, printed(steps)).unwrap();
    let script = format!("#!/bin/sh\ncat > /dev/null\ncat '{}'\n", recorded.display());
    context.script("claude", &script);
    run_tells(context)
}

/// What `run` says of the agent's session.
fn run_tells(context: &TestContext) -> Vec<Verdict> {
    let told = context.run_claude(&["--once"]).run().out();
    let verdict = |line: &str| {
        let rest = line.split_once("! going in circles at call ")?.1;
        let (call, rest) = rest.split_once(" (")?;
        let (level, rest) = rest.split_once(", ")?;
        let signal = rest.split_once(':')?.0.replace(' ', "_");
        Some((call.parse().ok()?, level.to_owned(), signal))
    };
    first_and_last(&told.lines().filter_map(verdict).collect::<Vec<_>>())
}

/// What a hook of Claude Code is handed.
fn payload(context: &TestContext, step: &Step, number: usize, extra: &Value) -> Value {
    let mut payload = json!({
        "session_id": "s", "cwd": context.work(), "transcript_path": context.path("transcript"),
        "tool_name": step.tool, "tool_input": step.input, "tool_use_id": format!("t-{number}"),
    });
    for (key, value) in extra.as_object().unwrap() {
        payload[key] = value.clone();
    }
    payload
}

/// The hook that is told of an answer, and what it is handed beside the call.
fn after(step: &Step) -> (&'static str, Value) {
    match (step.failed, step.tool) {
        (true, _) => ("post-tool-failure", json!({"error": step.answer})),
        (false, "Bash") => {
            let output = json!({"stdout": step.answer, "stderr": "", "interrupted": false});
            ("post-tool-use", json!({"tool_response": output}))
        }
        (false, _) => ("post-tool-use", json!({"tool_response": step.answer})),
    }
}

/// The session is printed, and hooks ask about each call: before its line is printed in every
/// second step, after it in the others.
fn listened_and_hooked(context: &TestContext, steps: &[Step]) -> Vec<Verdict> {
    let place = context.path("steps");
    fs::create_dir(&place).unwrap();
    let write = |name: &str, number: usize, text: String| {
        fs::write(place.join(format!("{name}-{number}")), text).unwrap();
    };
    for (number, step) in steps.iter().enumerate() {
        let print = |lines: Vec<Value>| -> String {
            let lines = lines.into_iter().map(|mut line| {
                line["session_id"] = "s".into();
                format!("{line}\n")
            });
            lines.collect()
        };
        let [made, answered] = lines(number, step);
        let mut denied = answered[0].clone();
        denied["message"]["content"][0]["is_error"] = true.into();
        denied["message"]["content"][0]["content"] = "A hook said no.".into();
        let mut number_of_line = number * 3;
        let transcript: String = made
            .iter()
            .map(|line| stored(line, &mut number_of_line))
            .collect();
        let (event, extra) = after(step);
        write("written", number, transcript);
        write("made", number, print(made));
        write("answered", number, print(answered));
        write("denied", number, print(vec![denied]));
        let ask = payload(context, step, number, &json!({}));
        write("ask", number, ask.to_string());
        write(
            "tell",
            number,
            payload(context, step, number, &extra).to_string(),
        );
        write("event", number, event.into());
    }
    let script = format!(
        r#"#!/bin/sh
cat > /dev/null
cd '{}'
printf '{{"type":"system","subtype":"init","session_id":"s","model":"m","tools":["Bash"]}}\n'
n=0
while [ -e made-$n ]; do
    cat written-$n >> '{}'
    [ $((n % 2)) = 0 ] && cat made-$n
    '{FUSEBOX}' hook claude pre-tool-use < ask-$n > /dev/null 2>&1
    code=$?
    [ $((n % 2)) = 0 ] || cat made-$n
    if [ $code = 0 ]; then
        '{FUSEBOX}' hook claude "$(cat event-$n)" < tell-$n > /dev/null 2>&1
        cat answered-$n
    else
        cat denied-$n
    fi
    n=$((n + 1))
done
printf '{{"type":"result","subtype":"success","is_error":false,"result":"Over.","session_id":"s"}}\n'
"#,
        place.display(),
        context.path("transcript").display(),
    );
    context.script("claude", &script);
    let _ = fs::remove_file(context.path("transcript"));
    run_tells(context)
}

/// What the answer of a hook amounts to.
fn told_by_hook(call: u64, answer: &Finished) -> Option<Verdict> {
    let said = format!("{}{}", answer.out(), answer.err());
    let rest = said.split_once("goes round in circles (")?.1;
    let signal = rest.split_once(':')?.0.replace(' ', "_");
    let level = match (answer.code, said.contains("\"continue\":false")) {
        (_, true) => "trip",
        (2, false) => "block",
        _ => "steer",
    };
    Some((call, level.to_owned(), signal))
}

fn hooked(context: &TestContext, steps: &[Step]) -> Vec<Verdict> {
    let transcript = context.path("transcript");
    let hook = |event: &str, step: &Step, number: usize, extra: Value| {
        let call = context.fusebox(&["hook", "claude", event]);
        call.input(payload(context, step, number, &extra).to_string())
            .run()
    };
    let mut written = 0;
    let mut write = |lines: &[Value]| {
        let mut options = OpenOptions::new();
        let mut file = options.append(true).create(true).open(&transcript).unwrap();
        for line in lines {
            file.write_all(stored(line, &mut written).as_bytes())
                .unwrap();
        }
    };
    let asked = json!({"session_id": "s", "cwd": context.work(), "prompt": PROMPT});
    let call = context.fusebox(&["hook", "claude", "prompt"]);
    call.input(asked.to_string()).run().expect(0);
    let mut verdicts: Vec<Verdict> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let [made, answered] = lines(number, step);
        write(&made);
        let call = number as u64 + 1;
        let asked = hook("pre-tool-use", step, number, json!({}));
        verdicts.extend(told_by_hook(call, &asked));
        if asked.code == 0 {
            write(&answered);
            let (event, extra) = after(step);
            verdicts.extend(told_by_hook(call, &hook(event, step, number, extra)));
        }
        if verdicts.iter().any(|verdict| verdict.1 == "trip") {
            break;
        }
    }
    first_and_last(&verdicts)
}

#[test]
fn every_way_in_comes_to_the_same_verdicts() {
    let signals = |verdicts: &[Verdict]| -> Vec<(String, String)> {
        let pairs = verdicts
            .iter()
            .map(|(_, level, signal)| (level.clone(), signal.clone()));
        pairs.collect()
    };
    for (name, steps, expected) in [
        ("repeating", repeating(), vec![("trip", "repeat")]),
        (
            "rephrased",
            rephrased(),
            vec![("steer", "nothing_new"), ("trip", "failures")],
        ),
        (
            "one error",
            one_error(),
            vec![("steer", "futile_edits"), ("trip", "futile_edits")],
        ),
        ("oscillating", oscillating(), vec![("steer", "oscillation")]),
        ("healthy", healthy(), vec![]),
    ] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let recorded = replayed(&context, "session.jsonl", &session_file(&steps));
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .collect();
        assert_eq!(signals(&recorded), expected, "{name}: {recorded:?}");
        assert_eq!(
            replayed(&context, "printed.jsonl", &printed(&steps)),
            recorded,
            "{name}, printed"
        );
        assert_eq!(listened(&context, &steps), recorded, "{name}, listened to");
        assert_eq!(hooked(&context, &steps), recorded, "{name}, hooks");
        assert_eq!(
            listened_and_hooked(&context, &steps),
            recorded,
            "{name}, both at once"
        );
    }
}
