//! The breaker inside the real clients: registered by us, called by them.

use crate::client::Client;
use crate::desk::{Desk, Ended};
use crate::isolation::isolated;
use scripted_model::{Reply, Request, Script, Step, ToolCall};
use std::fs;
use std::path::PathBuf;

const PROMPT: &str = "Tidy up, please.";

/// Settings of a project, with things in them that an editor of less care would lose.
const SETTINGS: &str = "{\n\t\"env\":   {\"A\": \"1\"}\n}\n";

fn settings(client: Client, desk: &Desk) -> PathBuf {
    desk.work().join(match client {
        Client::Claude => ".claude/settings.local.json",
        Client::Codex => ".codex/hooks.json",
        Client::Gemini => ".gemini/settings.json",
        Client::Opencode => ".opencode/plugins/fusebox.js",
    })
}

/// A desk with something precious on it and the hooks of the client installed.
fn hooked(client: Client, clients: &std::path::Path, script: Script) -> Desk {
    let desk = Desk::of(client, clients, script);
    fs::create_dir(desk.work().join("specs")).unwrap();
    fs::write(desk.work().join("specs/a.md"), "precious\n").unwrap();
    if matches!(client, Client::Claude | Client::Gemini) {
        let path = settings(client, &desk);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, SETTINGS).unwrap();
    }
    told(&desk, &["hooks", "install", client.program()], 0);
    told(&desk, &["hooks", "test", client.program()], 0);
    desk
}

fn told(desk: &Desk, words: &[&str], code: i32) -> Ended {
    let ended = desk.run(desk.fusebox(words));
    assert_eq!(ended.status.code(), Some(code), "{ended:?}");
    ended
}

/// Codex asks a person whether a hook is to be trusted; there is none here.
fn prompt(client: Client, desk: &Desk) -> Ended {
    let mut command = desk.alone(PROMPT);
    if client == Client::Codex {
        command.arg("--dangerously-bypass-hook-trust");
    }
    desk.run(command)
}

/// A command that would delete something protected is not run, and the model hears why.
/// Afterwards the settings are what they were, to the byte.
fn stops_what_destroys(client: Client) {
    isolated(|clients| {
        let steps = [
            Step::shell("D=spe; rm -rf ${D}cs; echo done > done.txt"),
            Step::shell("echo hi > out.txt"),
            Step::text("All tidy."),
        ];
        let desk = hooked(client, clients, Script::once(steps));
        let ended = prompt(client, &desk);
        let kept = fs::read_to_string(desk.work().join("specs/a.md"));
        assert_eq!(kept.ok().as_deref(), Some("precious\n"), "{ended:?}");
        assert!(!desk.work().join("done.txt").exists(), "{ended:?}");
        assert!(desk.work().join("out.txt").exists(), "{ended:?}");
        assert_eq!(desk.model.steps_taken(), 3, "{ended:?}");
        let status = told(&desk, &["hooks", "status", client.program()], 0);
        assert!(status.stdout.contains("last called"), "{status:?}");
        let standing = desk.run(desk.fusebox(&["status", "--json"]));
        assert!(!standing.stdout.contains("\"Open\""), "{standing:?}");

        told(&desk, &["hooks", "uninstall", client.program()], 0);
        let left = fs::read_to_string(settings(client, &desk)).ok();
        let before = matches!(client, Client::Claude | Client::Gemini).then_some(SETTINGS);
        assert_eq!(left.as_deref(), before);
    });
}

/// With the breaker open, not a single tool is used.
fn stops_when_open(client: Client) {
    isolated(|clients| {
        let script = Script::for_ever([Step::shell("echo hi >> out.txt")]);
        let desk = hooked(client, clients, script);
        told(&desk, &["trip", "--reason", "Enough."], 0);
        let ended = prompt(client, &desk);
        assert!(!desk.work().join("out.txt").exists(), "{ended:?}");
    });
}

/// The same for a client that cannot be ended before a tool, only refused: its model hears why.
fn tells_why_when_open(client: Client) {
    isolated(|clients| {
        let steps = [Step::shell("echo hi >> out.txt"), Step::text("I may not.")];
        let desk = hooked(client, clients, Script::once(steps));
        told(&desk, &["trip", "--reason", "Enough."], 0);
        let ended = prompt(client, &desk);
        assert!(!desk.work().join("out.txt").exists(), "{ended:?}");
        assert_eq!(desk.model.steps_taken(), 2, "{ended:?}");
        let requests = desk.model.requests();
        let heard = |request: &Request| request.newest.contains("Enough.");
        assert!(requests.iter().any(heard), "{requests:?}");
    });
}

/// With hooks and a supervisor at once there is one account of calls: what the supervisor
/// makes of them reaches the model through the hook, and nothing is said or counted twice.
fn asks_its_supervisor(client: Client) {
    const TIMES: usize = 12;
    isolated(|clients| {
        let again = |number: usize| {
            let shell = "echo x >> \"$TMPDIR/count\"; cat missing.txt".to_owned();
            Step::Reply(Reply {
                text: format!("Perhaps reason number {number} was it."),
                calls: vec![ToolCall::Shell { shell }],
                ..Reply::default()
            })
        };
        let steps = (0..TIMES).map(again).chain([Step::text("I give up.")]);
        let script = Script::once(steps.collect::<Vec<_>>());
        let desk = hooked(client, clients, script);
        let ended = desk.run(desk.supervised(&["--once"]));
        for level in ["steer", "block", "trip"] {
            let line = format!(" ({level}, ");
            assert_eq!(ended.stderr.matches(&line).count(), 1, "{ended:?}");
        }
        let requests = desk.model.requests();
        let heard = |what: &str| requests.iter().any(|request| request.newest.contains(what));
        assert!(heard("nothing new: 12 of 11"), "the advice: {requests:?}");
        assert!(heard("nothing new: 14 of 13"), "the refusal: {requests:?}");
        let count = fs::read_to_string(desk.temporary().join("count")).unwrap();
        assert_eq!(count.lines().count(), 7, "{ended:?}");
    });
}

/// A model that calls the same thing for the same answer is stopped before it has run it as
/// often as it would like to.
fn stops_going_round(client: Client) {
    const TIMES: usize = 40;
    isolated(|clients| {
        let mut steps = vec![Step::shell("echo x >> \"$TMPDIR/count\"; cat missing.txt"); TIMES];
        steps.push(Step::text("I give up."));
        let desk = hooked(client, clients, Script::once(steps));
        let ended = prompt(client, &desk);
        let count = fs::read_to_string(desk.temporary().join("count")).unwrap();
        let count = count.lines().count();
        assert!((2..TIMES / 2).contains(&count), "{count}: {ended:?}");
    });
}

for_clients! { stops_going_round:
    fn req_004_094_claude_is_stopped_when_it_goes_round(Claude);
    fn req_004_094_codex_is_stopped_when_it_goes_round(Codex);
    fn req_004_094_gemini_is_stopped_when_it_goes_round(Gemini);
}

for_clients! { stops_what_destroys:
    fn req_004_096_and_004_101_claude_is_stopped_before_it_destroys(Claude);
    fn req_004_096_and_004_101_codex_is_stopped_before_it_destroys(Codex);
    fn req_004_096_and_004_101_gemini_is_stopped_before_it_destroys(Gemini);
    fn req_004_096_and_004_101_opencode_is_stopped_before_it_destroys(Opencode);
}

for_clients! { tells_why_when_open:
    fn codex_uses_no_tool_while_the_breaker_is_open_and_hears_why(Codex);
}

for_clients! { asks_its_supervisor:
    fn req_004_094_claude_asks_its_supervisor_before_every_call(Claude);
}

for_clients! { stops_when_open:
    fn claude_uses_no_tool_while_the_breaker_is_open(Claude);
    fn gemini_uses_no_tool_while_the_breaker_is_open(Gemini);
}
