//! A supervised agent whose hooks ask: one account of its calls, and a no before they are made.

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::call::wait_for;
use crate::context::{FUSEBOX, TestContext};

/// Words for an agent that has hooks. What each was told is a line of `../answers`: the number of the
/// call, the point, the exit code and what was printed. What was really run stands in `../ran`.
const HOOKED: &str = r#"
hook() {
    printf '{"session_id":"%s","cwd":"%s","tool_name":"Bash","tool_input":{"command":"%s"},"tool_use_id":"t-%s"%s}' \
        "${session:-s-1}" "$PWD" "$2" "$calls" "$3" | "$FUSEBOX_PROGRAM" hook claude "$1" > ../out 2> ../err
    code=$?
    printf '%s %s %s %s\n' "$calls" "$1" "$code" "$(cat ../out)" >> ../answers
    return $code
}
try() {
    use Bash "$1"
    if hook pre-tool-use "$1"; then
        echo "$1" >> ../ran
        hook post-tool-failure "$1" ",\"error\":\"$2\""
        answer true "$2"
    else
        answer true "a hook said no"
    fi
}
"#;

/// Tries the same thing over and over, each time for another reason.
const GOES_ROUND: &str = r#"
echo $FUSEBOX_ITERATION >> a.txt
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
    # In the same message as the call.
    (calls=$((calls + 1)); say "Perhaps reason number $n was it.")
    try 'make all' 'make: error: no rule for all'
done
finish 'I give up.'"#;

/// Four calls that the stream does not tell of, so that only hooks know them.
const SAYS_NOTHING: &str = r#"
calls=0
for n in 1 2 3 4; do
    calls=$((calls + 1))
    hook pre-tool-use 'make all' && hook post-tool-failure 'make all' ',"error":"make: error: no rule"'
done
finish 'Done.'"#;

fn agent(script: &str) -> Option<TestContext> {
    let script = format!("FUSEBOX_PROGRAM='{FUSEBOX}'\n{HOOKED}\n{script}");
    TestContext::with_claude(&script)
}

/// What hooks were told: the call, the point, the exit code and the words.
fn answers(context: &TestContext) -> Vec<(u64, String, i32, String)> {
    let text = fs::read_to_string(context.path("answers")).unwrap();
    let answer = |line: &str| {
        let mut parts = line.splitn(4, ' ');
        let mut next = || parts.next().unwrap_or_default().to_owned();
        let call = next().parse().unwrap();
        (call, next(), next().parse().unwrap(), next())
    };
    text.lines().map(answer).collect()
}

fn socket(context: &TestContext) -> PathBuf {
    context.store().workspace.join("run-default.sock")
}

fn lines<'a>(told: &'a str, level: &str) -> Vec<&'a str> {
    let mark = format!(" ({level}, ");
    let about = |line: &&str| line.contains("! going in circles") && line.contains(&mark);
    told.lines().filter(about).collect()
}

#[test]
fn req_004_094_the_supervisors_word_reaches_the_agent_before_its_next_call() {
    let Some(context) = agent(GOES_ROUND) else {
        return;
    };
    let run = context.run_claude(&["--once"]).run().expect(0);
    let told = run.out();
    // Once each, though stream and hooks both report every call.
    for level in ["steer", "block", "trip"] {
        assert_eq!(lines(&told, level).len(), 1, "{level}: {told}");
    }
    let answers = answers(&context);
    let advised: Vec<_> = answers
        .iter()
        .filter(|(_, _, code, words)| *code == 0 && words.contains("additionalContext"))
        .collect();
    assert_eq!(advised.len(), 1, "{answers:?}");
    assert!(advised[0].3.contains("this goes round in circles"));
    let refused: Vec<u64> = answers
        .iter()
        .filter(|(_, point, code, _)| point == "pre-tool-use" && *code == 2)
        .map(|(call, ..)| *call)
        .collect();
    let ran = fs::read_to_string(context.path("ran")).unwrap();
    let allowed = answers
        .iter()
        .filter(|(_, point, code, _)| point == "pre-tool-use" && *code == 0);
    assert_eq!(ran.lines().count(), allowed.count(), "{answers:?}");
    assert!(!refused.is_empty(), "{answers:?}");
    assert!(advised[0].0 <= refused[0], "{answers:?}");
    // Whatever was said first of a call, the account has it at that call.
    let block = format!("at call {} (block", refused[0]);
    assert!(told.contains(&block), "{block}: {told}");
    assert!(
        !socket(&context).exists(),
        "the socket goes with the supervisor"
    );
    assert!(
        !context.store().workspace.join("hooks").exists(),
        "the supervisor alone remembers"
    );
}

/// An agent that a script starts, and whose output says nothing of its calls.
#[test]
fn where_only_hooks_tell_of_calls_their_account_ends_the_iteration() {
    let Some(context) = agent("") else {
        return;
    };
    let script = context.script(
        "loop",
        &format!(
            "#!/bin/sh\nFUSEBOX_PROGRAM='{FUSEBOX}'\ncalls=0\n{HOOKED}\necho x >> a.txt\nfinish() {{ sleep 60; }}\n{SAYS_NOTHING}\n"
        ),
    );
    context
        .fusebox(&["run", "--once", "--", script.to_str().unwrap()])
        .run()
        .says("ended for going round in circles");
    // The iteration may be over before the fourth call has its answer.
    let allowed: Vec<u64> = answers(&context)
        .iter()
        .filter(|(_, point, code, _)| point == "pre-tool-use" && *code == 0)
        .map(|(call, ..)| *call)
        .collect();
    assert_eq!(allowed, [1, 2, 3]);
}

/// Whatever becomes of the socket, hooks judge by themselves then, and nobody waits for long.
#[test]
fn without_the_supervisor_hooks_judge_by_themselves() {
    let fake = r#"python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(9)
open("../listening", "w")
while True:
    c, _ = s.accept(); c.recv(99999); c.send(b"\"nothing\"\n"); c.close()
' "$S" & while [ ! -e ../listening ]; do sleep 0.05; done"#;
    let has_python = Command::new("python3").arg("--version").output().is_ok();
    if !has_python {
        eprintln!("skipped in part: python3 is not installed");
    }
    for (what, replace) in [
        ("gone", ""),
        ("a file", "touch \"$S\""),
        ("a pipe", "mkfifo \"$S\""),
        ("a link to the socket", "ln -s \"$S.kept\" \"$S\""),
        ("a directory", "mkdir \"$S\""),
        ("somebody else", fake),
    ] {
        if what == "somebody else" && !has_python {
            continue;
        }
        let script = format!(
            "S=$(echo \"$XDG_STATE_HOME\"/fusebox/*/run-default.sock)\nmv \"$S\" \"$S.kept\"\n{replace}\n{SAYS_NOTHING}"
        );
        let Some(context) = agent(&script) else {
            return;
        };
        let begun = Instant::now();
        let run = context.run_claude(&["--once"]).run();
        let codes: Vec<i32> = answers(&context).iter().map(|answer| answer.2).collect();
        assert_eq!(
            codes,
            [0, 0, 0, 0, 0, 0, 2],
            "{what}: {} {}",
            run.out(),
            run.err()
        );
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{what}: {:?}",
            begun.elapsed()
        );
    }
}

#[test]
fn after_the_death_of_the_supervisor_hooks_go_on_and_so_does_the_next_run() {
    let Some(context) = agent("touch ../started; [ -e ../go ] || sleep 60; finish 'Done.'") else {
        return;
    };
    let run = context.run_claude(&["--once"]).start();
    wait_for("the agent to start", || context.path("started").exists());
    run.signal(Signal::KILL);
    drop(run);
    let socket = socket(&context);
    assert!(socket.exists(), "nobody was there to remove it");
    let hook = |number: usize, event: &str, extra: Value| {
        let mut payload = json!({
            "session_id": "s-1", "cwd": context.work(), "tool_name": "Bash",
            "tool_input": {"command": "make all"}, "tool_use_id": format!("t-{number}"),
        });
        payload
            .as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let call = context.fusebox(&["hook", "claude", event]);
        call.env("FUSEBOX_COOKIE", "x")
            .input(payload.to_string())
            .run()
            .code
    };
    let codes: Vec<i32> = (0..4)
        .flat_map(|number| {
            let asked = hook(number, "pre-tool-use", json!({}));
            let told = hook(
                number,
                "post-tool-failure",
                json!({"error": "error: no rule"}),
            );
            [asked, told]
        })
        .collect();
    assert_eq!(codes[6], 2, "the fourth time: {codes:?}");
    fs::write(context.path("go"), "").unwrap();
    context.run_claude(&["--once"]).run().expect(0);
    context
        .fusebox(&["trip", "--reason", "Enough."])
        .run()
        .expect(0);
    assert_eq!(hook(9, "pre-tool-use", json!({})), 2, "an open breaker");
}

/// Anybody of the same user can call. A crowd is bounded, and what is too long is not heard.
#[test]
fn a_crowd_on_the_line_changes_nothing() {
    let script =
        format!("touch ../started; while [ ! -e ../go ]; do sleep 0.05; done\n{GOES_ROUND}");
    let Some(context) = agent(&script) else {
        return;
    };
    let run = context.run_claude(&["--once"]).start();
    wait_for("the agent to start", || context.path("started").exists());
    let place = socket(&context);
    let crowd: Vec<UnixStream> = (0..200)
        .map(|number| {
            let mut one = UnixStream::connect(&place).unwrap();
            one.set_nonblocking(true).unwrap();
            match number % 3 {
                0 => {}
                1 => drop(one.write_all(&[b'x'; 100_000])),
                _ => drop(one.write_all(b"{\"reset\":true}\n")),
            }
            one
        })
        .collect();
    fs::write(context.path("go"), "").unwrap();
    let told = run.finish().expect(0).out();
    assert_eq!(lines(&told, "block").len(), 1, "{told}");
    drop(crowd);
    let refused = answers(&context)
        .iter()
        .filter(|answer| answer.2 == 2)
        .count();
    assert!(refused > 0);
}
