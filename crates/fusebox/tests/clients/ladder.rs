//! Escalation: another model gets a try.

use crate::client::Client;
use crate::desk::Desk;
use crate::isolation::isolated;
use scripted_model::{Script, Step};

/// After two iterations without progress the better model gets one try and is
/// told what happened; when it gets nowhere either, a person is waited for.
fn gets_a_better_model(client: Client) {
    isolated(|clients| {
        let script = Script::for_ever([Step::text("I am looking into it.")]);
        let desk = Desk::of(client, clients, script);
        let models = client.ladder();
        let ended = desk.run(desk.supervised(&[
            "--on-stagnation=escalate",
            "--stagnation-threshold=2",
            &format!("--model={}", models.join(",")),
        ]));
        assert_eq!(ended.status.code(), Some(43), "{ended:?}");

        let requests = desk.model.requests();
        let steps: Vec<_> = requests.iter().filter(|r| r.declares_tools).collect();
        let asked: Vec<_> = steps.iter().filter_map(|r| r.model.as_deref()).collect();
        let [first, second, third] = asked[..] else {
            panic!("{asked:?}: {ended:?}");
        };
        // opencode names the provider as well, Claude completes the name.
        let names = models.map(|model| model.rsplit('/').next().unwrap());
        assert!(first.contains(names[0]) && first == second, "{asked:?}");
        assert!(third.contains(names[1]) && first != third, "{asked:?}");
        let heard = steps[2].last_user_text.as_deref().unwrap();
        assert!(heard.contains("The circuit breaker had opened"), "{heard}");
    });
}

for_clients! { gets_a_better_model:
    fn req_000_063_to_065_and_102_claude_gets_a_better_model(Claude);
    fn req_000_063_to_065_and_102_codex_gets_a_better_model(Codex);
    fn req_000_063_to_065_and_102_gemini_gets_a_better_model(Gemini);
    fn req_000_063_to_065_and_102_opencode_gets_a_better_model(Opencode);
}
