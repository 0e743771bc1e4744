//! Clients that are not permitted to do what they try.

use crate::client::Client;
use crate::desk::Desk;
use crate::isolation::isolated;
use scripted_model::{Reply, Script, Step, ToolCall};
use serde_json::{Value, json};

const COMMAND: &str = "touch one.txt";

/// The third call in a row that is not permitted is the last, whether they
/// come in one iteration or in three.
fn trips_on_denials(client: Client, script: Script, iterations: u64) {
    isolated(|clients| {
        let desk = Desk::of(client, clients, script);
        // Three iterations without progress would be a reason of their own.
        let options = ["--on-stagnation=abort", "--stagnation-threshold=9"];
        let ended = desk.run(desk.restrained(&options));
        assert_eq!(ended.status.code(), Some(42), "{ended:?}");
        let summary = ended.summary();
        assert_eq!(summary["iterations"], iterations, "{ended:?}");
        assert_eq!(summary["answer"]["rule"], "004.21", "{ended:?}");
        assert_eq!(ended.stderr.matches("✗ not permitted: ").count(), 3);
        assert!(!desk.work().join("one.txt").exists());
    });
}

/// Three calls, and the end of the turn.
fn three_times(call: Step) -> Script {
    Script::once([call.clone(), call.clone(), call, Step::text("I may not.")])
}

/// Gemini does not offer what it would not permit, so its model has to call
/// what it was not offered.
fn not_offered() -> Step {
    named("run_shell_command", &json!({"command": COMMAND}))
}

/// Codex leaves it to its sandbox to refuse a command, which then looks like
/// any command that fails. It denies to leave the sandbox.
fn out_of_the_sandbox() -> Step {
    let args = json!({
        "cmd": COMMAND,
        "sandbox_permissions": "require_escalated",
        "justification": "A step of the script",
    });
    named("exec_command", &args)
}

fn named(name: &str, args: &Value) -> Step {
    let call = ToolCall::Named {
        name: name.to_owned(),
        args: args.as_object().unwrap().clone(),
    };
    Step::Reply(Reply {
        calls: vec![call],
        ..Reply::default()
    })
}

// opencode gives its turn up with the first denial.
for_clients! { trips_on_denials:
    fn req_004_021_claude_trips_on_denials(Claude, three_times(Step::shell(COMMAND)), 1);
    fn req_004_021_codex_trips_on_denials(Codex, three_times(out_of_the_sandbox()), 1);
    fn req_004_021_gemini_trips_on_denials(Gemini, three_times(not_offered()), 1);
    fn req_004_021_opencode_trips_on_denials(
        Opencode,
        Script::for_ever([Step::shell(COMMAND)]),
        3
    );
}
