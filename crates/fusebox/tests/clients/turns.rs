//! The clients alone: proof that each of them really talks to the script,
//! before anything is concluded about who supervises them.

use crate::client::Client;
use crate::desk::Desk;
use crate::isolation::isolated;
use scripted_model::{Failure, Script, Step};
use std::fs;

const PROMPT: &str = "Write out.txt, please.";

/// The client runs the command it is told to run, reports back, and ends.
fn writes_a_file(client: Client) {
    isolated(|clients| {
        let steps = [Step::shell("echo hi > out.txt"), Step::text("All written.")];
        let desk = Desk::of(client, clients, Script::once(steps));
        let ended = desk.prompt(PROMPT);
        assert!(ended.status.success(), "{ended:?}");
        let written = fs::read_to_string(desk.work().join("out.txt"));
        assert_eq!(written.ok().as_deref(), Some("hi\n"), "{ended:?}");
        assert!(!ended.events().is_empty());
        assert!(ended.stdout.contains("All written."), "{ended:?}");

        assert_eq!(desk.model.steps_taken(), 2, "{:?}", desk.model.requests());
        let requests = desk.model.requests();
        let first = requests.iter().find(|request| request.declares_tools);
        let heard = first.unwrap().last_user_text.as_deref().unwrap();
        assert!(heard.contains(PROMPT), "{heard}");
    });
}

#[test]
fn claude_writes_a_file() {
    writes_a_file(Client::Claude);
}

#[test]
fn codex_writes_a_file() {
    writes_a_file(Client::Codex);
}

#[test]
fn gemini_writes_a_file() {
    writes_a_file(Client::Gemini);
}

#[test]
fn opencode_writes_a_file() {
    writes_a_file(Client::Opencode);
}

/// The client recognises the failure as its vendor's, by a word that only
/// then appears in what it tells.
fn recognises(client: Client, failure: Failure, word: &str) {
    isolated(|clients| {
        let desk = Desk::of(client, clients, Script::for_ever([Step::fail(failure)]));
        let ended = desk.prompt(PROMPT);
        let told = format!("{}{}", ended.stdout, ended.stderr);
        assert!(told.contains(word), "{ended:?}");
    });
}

const LIMIT: Failure = Failure::UsageLimit { resets_in_s: 7200 };

#[test]
fn claude_recognises_a_usage_limit() {
    recognises(Client::Claude, LIMIT, r#""resetsAt":"#);
}

#[test]
fn claude_recognises_an_overload() {
    recognises(Client::Claude, Failure::Overloaded, "api_retry");
}

#[test]
fn codex_recognises_a_usage_limit() {
    recognises(Client::Codex, LIMIT, "hit your usage limit");
}

#[test]
fn codex_recognises_an_overload() {
    recognises(Client::Codex, Failure::Overloaded, "at capacity");
}

#[test]
fn gemini_recognises_an_overload() {
    recognises(
        Client::Gemini,
        Failure::Overloaded,
        "The model is overloaded",
    );
}

#[test]
fn opencode_recognises_a_key_that_is_not_accepted() {
    recognises(
        Client::Opencode,
        Failure::Unauthorized,
        r#""statusCode":401"#,
    );
}
