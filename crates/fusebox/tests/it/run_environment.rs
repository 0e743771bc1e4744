//! Trouble outside the agent, and an agent that is not permitted anything: what
//! is held against the loop, and what is not.

use serde_json::{Value, json};

use crate::call::Finished;
use crate::context::TestContext;
use crate::stand_in::IDLE;

fn ended(run: &Finished) -> Value {
    run.json_lines().pop().unwrap()
}

/// A usage limit that ends an hour from now.
const LIMITED: &str = r#"at=$(($(date +%s) + 3600))
printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s,"rateLimitType":"five_hour"}}\n' "$at"
break_off rate_limit 429 'You have hit your 5-hour limit'"#;

#[test]
fn req_x_007_a_usage_limit_ends_the_run_and_says_when_it_is_over() {
    let Some(context) = TestContext::with_claude(LIMITED) else {
        return;
    };
    let run = context.run_claude(&["--json"]).run().expect(44);
    let end = ended(&run);
    assert_eq!(context.calls().len(), 1, "it is not tried again");
    assert_eq!(end["reason"], "limited");
    let retry_at = end["answer"]["retry_at"].as_str().unwrap();
    let run = run
        .says("The agent's usage limit is reached")
        .says("the usage limit should end at ");
    assert!(run.err().contains(retry_at), "{retry_at}: {}", run.err());
    // Whoever asks next is told the same, and it is not stagnation.
    let check = context.fusebox(&["check", "--json"]).run().expect(44);
    assert_eq!(check.json()["retry_at"], retry_at);
    assert_eq!(context.state(), "Closed");
    context.run_claude(&[]).run().expect(44);
    assert_eq!(context.calls().len(), 1);
}

/// What only a person can mend is not tried again.
#[test]
fn an_agent_that_is_not_signed_in_is_asked_once() {
    let script = "break_off authentication_failed 401 'Invalid API key · Please run /login'";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    context
        .run_claude(&[])
        .run()
        .expect(46)
        .says("the agent is not signed in or not paid for: Invalid API key")
        .says("sign the agent in");
    assert_eq!(context.calls().len(), 1);
    assert_eq!(context.state(), "Closed");
}

#[test]
fn overload_is_waited_for_and_is_no_stagnation() {
    let script = "break_off overloaded 529 'Overloaded'";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    let mut run = context.run_claude(&["--stagnation-threshold", "1"]).start();
    run.wait_to_say("the agent's service is overloaded; trying again in 5 s");
    run.signal(rustix::process::Signal::INT);
    run.finish().expect(130);
    let status = context
        .fusebox(&["status", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(status["state"], "Closed");
    assert_eq!(status["signals"][0]["value"], json!(0), "{status}");
}

/// Three denied calls in a row, in one iteration or across several.
#[test]
fn req_004_021_denials_in_a_row_trip_and_one_alone_does_not() {
    let one = "echo $FUSEBOX_ITERATION >> a.txt; be_denied Bash 'rm -r build'";
    // Some releases tell of a denial in their result alone, and first as of a failure.
    let listed = "echo $FUSEBOX_ITERATION >> a.txt; use Write 'x'; answer true 'No.'";
    let result = r#"printf '{"type":"result","subtype":"success","is_error":false,"result":"Well.","session_id":"s-1","permission_denials":[{"tool_name":"Write","tool_use_id":"t-1"}]}\n'"#;
    for (script, code, iterations) in [
        (
            format!("{one}; be_denied Edit a; be_denied Edit b; finish 'Denied.'"),
            43,
            1,
        ),
        (format!("{one}; finish 'Denied.'"), 43, 3),
        (format!("{listed}; {result}"), 43, 3),
        (format!("{listed}; fail make 'no rule'; {result}"), 45, 4),
        (format!("{one}; succeed ls; finish 'Well.'"), 45, 4),
        (
            format!("{one}; be_denied Edit a; fail make 'no rule'; finish 'Well.'"),
            45,
            4,
        ),
    ] {
        let Some(context) = TestContext::with_claude(&script) else {
            return;
        };
        let run = context
            .run_claude(&["--json", "--max-iterations", "4"])
            .run();
        let end = ended(&run);
        assert_eq!(
            (run.code, &end["iterations"]),
            (code, &json!(iterations)),
            "{script}: {}",
            run.err()
        );
        if code == 43 {
            assert_eq!(end["answer"]["rule"], "004.21", "{end}");
        }
        assert!(
            !run.err().contains("not permitted: Write \n"),
            "{}",
            run.err()
        );
    }
}

/// A time limit keeps what was printed until then, and says what was completed.
#[test]
fn req_004_053_a_time_limit_keeps_the_partial_output_and_tells_what_completed() {
    let script = "echo x >> a.txt; succeed 'make one'; succeed 'make two'; sleep 30";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    let run = context
        .run_claude(&["--once", "--timeout", "1s"])
        .run()
        .expect(45)
        .says("killed: time limit reached")
        .says("1 file changed")
        .says("2 tool calls completed");
    let output = String::from_utf8(context.kept(1, "output")).unwrap();
    assert!(output.contains("make two"), "{output}");
    let metrics: Value = serde_json::from_slice(&context.kept(1, "metrics.json")).unwrap();
    assert_eq!(metrics["tool_calls_completed"], 2, "{metrics}");
    assert!(run.out().contains("→ Bash make two"), "{}", run.out());
}

/// Loops that are older than this one wrap their agent in `timeout`, which exits with 124.
#[test]
fn req_004_053_and_d_022_exit_code_124_is_a_time_limit() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    context
        .supervise(&["--once"], "echo partial; exit 124")
        .run()
        .expect(0)
        .says("ended at a time limit of its own (exit code 124)");
    let output = String::from_utf8(context.kept(1, "output")).unwrap();
    assert!(output.contains("partial"), "{output}");
    // What it said last is what it was at, unless that names an error.
    let errors = |iteration| String::from_utf8(context.kept(iteration, "errors.json")).unwrap();
    assert!(!errors(1).contains("partial"), "{}", errors(1));
    let failing = "echo 'error: no rule'; exit 124";
    context.supervise(&["--once"], failing).run().expect(0);
    assert!(errors(2).contains("\"time limit\""), "{}", errors(2));
}

/// Work that is cut short at a time limit again and again, and gets on, is not stuck.
#[test]
fn req_004_053_ordinary_output_before_a_time_limit_is_no_error_that_repeats() {
    for code in [124, 137] {
        let Some(context) = TestContext::with_repository() else {
            return;
        };
        let script = format!("echo x > a_$FUSEBOX_ITERATION.rs; echo 'step done'; exit {code}");
        let options = ["--preset", "superkit", "--max-iterations", "6"];
        context.supervise(&options, &script).run().expect(45);
    }
}

#[test]
fn req_004_053_and_d_022_a_probe_that_is_reported_with_124_has_failed() {
    for (reported, state) in [(0, "Closed"), (124, "Open")] {
        for as_json in [false, true] {
            let context = TestContext::new();
            let at = |time: &str, args: &[&str]| {
                let now = format!("2026-01-01T{time}:00Z");
                context.at(&now, args)
            };
            for _ in 0..3 {
                at("00:00", &["record", "--files-changed", "0"]).run();
            }
            at("00:30", &["check"]).run().expect(0);
            let code = reported.to_string();
            let call = match as_json {
                true => at("00:31", &["record", "-", "--exit-zero"])
                    .input(format!("{{\"files_changed\": 1, \"exit_code\": {code}}}").as_bytes()),
                false => {
                    let flags = ["record", "--exit-zero", "--files-changed", "1"];
                    at("00:31", &[&flags[..], &["--exit-code", &code]].concat())
                }
            };
            call.run().expect(0);
            let status = at("00:32", &["status", "--json"]).run().expect(0);
            assert_eq!(status.json()["state"], state, "{reported} {as_json}");
        }
    }
}

/// A result that cannot be read is looked for in the text, and what is left is
/// shown to a person.
#[test]
fn req_004_054_to_055_an_unreadable_result_falls_back_to_text_and_then_to_a_person() {
    for (script, class) in [
        ("say 'All done here.'", "unclear"),
        ("printf 'plain words, no events at all\\n'", "unclear"),
        (r#"printf '{"type":"result","result":"All do'"#, "unclear"),
        (IDLE, "finished"),
    ] {
        let Some(context) = TestContext::with_claude(script) else {
            return;
        };
        let run = context.run_claude(&["--json", "--once"]).run().expect(0);
        let iteration = &run.json_lines()[1];
        assert_eq!(iteration["class"], class, "{script}: {iteration}");
        let words = "without a result that can be read; what it printed is taken as text";
        assert_eq!(run.err().contains(words), class == "unclear", "{script}");
        assert_eq!(
            run.err().contains("/000001/output"),
            class == "unclear",
            "{script}"
        );
        let output = String::from_utf8(context.kept(1, "output")).unwrap();
        assert!(output.contains("s-1"), "raw output is kept: {output}");
    }
}

/// A claim in the agent's last words counts as one in its result.
#[test]
fn req_004_054_and_111_a_claim_is_found_in_the_text_where_there_is_no_result() {
    let script = r"echo x >> a.txt
say '---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---'";
    let Some(context) = TestContext::with_claude(script) else {
        return;
    };
    context
        .run_claude(&["--test", "true"])
        .run()
        .expect(0)
        .says("complete · the agent says so, and `true` succeeds");
}

#[test]
fn req_x_009_no_command_of_a_run_is_given_what_vouches_for_a_person() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let secrets = ["FUSEBOX_OPERATOR_KEY", "FUSEBOX_TOKEN", "FUSEBOX_WEBHOOK"];
    let look = |file: &str| format!("env >> ../{file}; echo x >> work.txt");
    let (test, build, agent) = (look("test"), look("build"), look("agent"));
    let options = ["--max-iterations", "1", "--test", &test, "--build", &build];
    let call = context.supervise(&options, &agent);
    let call = secrets.iter().fold(call, |call, name| {
        call.env(name, "http://127.0.0.1:9/a-secret-of-ours")
    });
    call.run();
    let guarded = ["guard", "run", "--", "sh", "-c", &look("guarded")];
    let call = context.fusebox(&guarded);
    let call = secrets
        .iter()
        .fold(call, |call, name| call.env(name, "a-secret-of-ours"));
    call.run().expect(0);
    for file in ["agent", "test", "build", "guarded"] {
        let seen = std::fs::read_to_string(context.path(file)).unwrap();
        assert!(!seen.contains("a-secret-of-ours"), "{file}: {seen}");
    }
}
