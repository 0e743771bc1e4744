//! The clients alone: proof that each of them really talks to the script,
//! before anything is concluded about who supervises them.

use crate::client::Client;
use crate::desk::Desk;
use crate::isolation::isolated;
use scripted_model::{Script, Step};
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

for_clients! { writes_a_file:
    fn claude_writes_a_file(Claude);
    fn codex_writes_a_file(Codex);
    fn gemini_writes_a_file(Gemini);
    fn opencode_writes_a_file(Opencode);
}
