//! Hooks where whoever calls them has left little to live on. Agents take a hook that died for
//! one that agreed.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::call::Finished;
use crate::context::TestContext;

/// Limits what a call may have, in the words of a shell, and carries it out.
fn limited(context: &TestContext, limit: &str, args: &[&str], input: &str) -> Finished {
    let script = format!("ulimit {limit} && exec \"$0\" \"$@\"");
    let program = context.program_for_all();
    let args: Vec<&str> = [&["-c", &script, program.to_str().unwrap()], args].concat();
    context.call(Path::new("sh"), &args).input(input).run()
}

/// What an agent is told before it runs a command.
fn before(context: &TestContext, agent: &str, command: &str, limit: &str) -> Finished {
    let payload = json!({"tool_name": "Bash", "tool_input": {"command": command},
        "tool_use_id": "t", "session_id": format!("{agent} {limit} {command}"),
        "cwd": context.work()});
    let args = ["hook", agent, "pre-tool-use"];
    limited(context, limit, &args, &payload.to_string())
}

fn with_something_to_lose(context: &TestContext) {
    fs::create_dir(context.work().join("specs")).unwrap();
    fs::write(context.work().join("specs/a.md"), "a").unwrap();
}

/// Less than any system gives: the kernel itself needs sixteen kilobytes to begin.
#[test]
fn a_stack_of_a_few_kilobytes_is_no_way_past_a_hook() {
    let context = TestContext::new();
    with_something_to_lose(&context);
    let deep = format!("{} ls {}", "( ".repeat(60), " )".repeat(60));
    for kilobytes in [16, 24, 32, 64, 100, 256, 1024] {
        let limit = format!("-s {kilobytes}");
        for agent in ["claude", "codex", "gemini", "copilot", "cursor", "opencode"] {
            before(&context, agent, "rm -rf specs", &limit)
                .expect(2)
                .says("protected");
        }
        let allowed = before(&context, "claude", "ls specs", &limit).expect(0);
        assert_eq!(
            (allowed.out(), allowed.err()),
            (String::new(), String::new())
        );
        before(&context, "claude", &deep, &limit).expect(0);
    }
}

#[test]
fn a_hook_that_may_start_no_thread_says_no() {
    let Some(context) = TestContext::unprivileged() else {
        return;
    };
    for limit in ["-p 1", "-p 1 && ulimit -s 64"] {
        before(&context, "claude", "ls", limit)
            .expect(2)
            .says("could not analyze");
    }
}

#[test]
fn a_hook_that_may_open_no_file_says_no() {
    let context = TestContext::new();
    with_something_to_lose(&context);
    // A program that is not linked whole needs one for its libraries before it can begin.
    let begins = |files: &i32| {
        let limit = format!("-n {files}");
        limited(&context, &limit, &["--version"], "").code == 0
    };
    let least = (3..6).find(begins).unwrap();
    for files in least..12 {
        before(&context, "claude", "rm -rf specs", &format!("-n {files}")).expect(2);
    }
}

/// Memory that cannot be had ends a process at any place. What is looked at here begins with
/// the least that the program can be loaded into: who cannot load it has no hook at all.
#[test]
fn a_hook_without_memory_says_no() {
    let context = TestContext::new();
    with_something_to_lose(&context);
    let told = |kilobytes: usize, stack: &str| {
        let limit = format!("-v {kilobytes}{stack}");
        before(&context, "claude", "rm -rf specs", &limit)
    };
    let says_no = |kilobytes: &usize| told(*kilobytes, "").code == 2;
    let rough = (1 << 10..400 << 10).step_by(1 << 10).find(says_no).unwrap();
    let least = (rough - (1 << 10)..=rough)
        .step_by(16)
        .find(says_no)
        .unwrap();
    // First the few kilobytes in which allocations fail, then those in which threads do.
    let close = (0..512).step_by(16);
    for more in close.chain((512..12 << 10).step_by(512)) {
        for stack in ["", " && ulimit -s 64"] {
            told(least + more, stack).expect(2);
        }
    }
}
