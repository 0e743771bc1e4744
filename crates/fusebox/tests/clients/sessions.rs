//! Sessions of the clients that go on from one iteration to the next.

use crate::client::Client;
use crate::desk::{Desk, TASK};
use crate::isolation::isolated;
use scripted_model::{Script, Step};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The second iteration goes on with the first one's session: the model is
/// told of both. What the first one used is not counted again.
fn goes_on_with_its_session(client: Client) {
    isolated(|clients| {
        let steps = [
            Step::shell("echo one > one.txt"),
            Step::text("One is done."),
            Step::shell("echo two > two.txt"),
            Step::text("Two is done."),
        ];
        let desk = Desk::of(client, clients, Script::once(steps));
        let options = ["--max-iterations=2", "--continue-session"];
        let ended = desk.run(desk.supervised(&options));
        assert_eq!(ended.status.code(), Some(45), "{ended:?}");

        let requests = desk.model.requests();
        let steps: Vec<_> = requests.iter().filter(|r| r.declares_tools).collect();
        let [first, _, third, _] = steps[..] else {
            panic!("{requests:?}");
        };
        assert!(third.messages > first.messages + 2, "{requests:?}");
        let heard = third.last_user_text.as_deref().unwrap();
        assert!(heard.ends_with(TASK), "{heard}");

        let summary = ended.summary();
        assert_eq!(summary["tokens"], 4 * 120, "{ended:?}");
        let kept = Path::new(summary["kept"].as_str().unwrap());
        let [before, after] = ["000001", "000002"].map(|iteration| metrics(kept, iteration));
        assert_eq!(before["session"], after["session"]);
        assert_eq!(before["cost_micro_usd"], after["cost_micro_usd"]);
    });
}

fn metrics(kept: &Path, iteration: &str) -> Value {
    let text = fs::read(kept.join(iteration).join("metrics.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

for_clients! { goes_on_with_its_session:
    fn claude_goes_on_with_its_session(Claude);
    fn codex_goes_on_with_its_session(Codex);
    fn gemini_goes_on_with_its_session(Gemini);
    fn opencode_goes_on_with_its_session(Opencode);
}
