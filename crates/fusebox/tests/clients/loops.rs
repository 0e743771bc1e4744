//! Loops around the real clients: one that gets somewhere, one that does not.

use crate::client::Client;
use crate::desk::{Desk, TASK};
use crate::isolation::isolated;
use crate::processes::assert_nobody_is_left;
use scripted_model::{Script, Step};

/// Each iteration leaves a file of its own: the loop goes on until it has
/// had its iterations, and nothing trips. The model hears the prompt exactly as
/// it was given, and what the client tells of its cost is added up.
fn goes_on_while_there_is_progress(client: Client) {
    isolated(|clients| {
        let steps = [
            Step::shell("echo one > one.txt"),
            Step::text("One is done."),
            Step::shell("echo two > two.txt"),
            Step::text("Two is done."),
        ];
        let desk = Desk::of(client, clients, Script::once(steps));
        let ended = desk.run(desk.supervised(&["--max-iterations", "2"]));
        assert_eq!(ended.status.code(), Some(45), "{ended:?}");
        for file in ["one.txt", "two.txt"] {
            assert!(desk.work().join(file).exists(), "{file}: {ended:?}");
        }
        assert_eq!(desk.model.steps_taken(), 4, "{ended:?}");
        assert_nobody_is_left();

        let requests = desk.model.requests();
        let first = requests.iter().find(|request| request.declares_tools);
        let heard = first.unwrap().last_user_text.as_deref().unwrap();
        assert!(heard.ends_with(TASK), "{heard}");
        let summary = ended.summary();
        assert_eq!(summary["with_progress"], 2, "{ended:?}");
        assert_eq!(summary["tokens"], 4 * 120, "{ended:?}");
        let cost = summary["cost_micro_usd"].as_u64();
        assert_eq!(cost.is_some_and(|cost| cost > 0), client.tells_its_cost());
    });
}

/// What a person typed is run as it is, and read like one's own.
#[test]
fn claude_typed_by_a_person_goes_on_while_there_is_progress() {
    isolated(|clients| {
        let steps = [
            Step::shell("echo one > one.txt"),
            Step::text("One is done."),
        ];
        let desk = Desk::of(Client::Claude, clients, Script::once(steps));
        let ended = desk.run(desk.typed(&["--max-iterations=1"]));
        assert_eq!(ended.status.code(), Some(45), "{ended:?}");
        let summary = ended.summary();
        assert_eq!(summary["with_progress"], 1, "{ended:?}");
        assert_eq!(summary["tokens"], 2 * 120, "{ended:?}");
    });
}

/// The client talks and changes nothing: the third time is the last.
fn trips_when_nothing_changes(client: Client, action: &str, code: i32) {
    isolated(|clients| {
        let script = Script::for_ever([Step::text("I am looking into it.")]);
        let desk = Desk::of(client, clients, script);
        let ended = desk.run(desk.supervised(&["--on-stagnation", action]));
        assert_eq!(ended.status.code(), Some(code), "{ended:?}");
        assert_eq!(desk.model.steps_taken(), 3, "{ended:?}");
        assert_nobody_is_left();

        // Whoever starts the loop anew does not get a single call past it.
        let again = desk.run(desk.supervised(&["--on-stagnation", action]));
        assert_eq!(again.status.code(), Some(42), "{again:?}");
        assert_eq!(desk.model.steps_taken(), 3, "{again:?}");
    });
}

for_clients! { goes_on_while_there_is_progress:
    fn claude_goes_on_while_there_is_progress(Claude);
    fn codex_goes_on_while_there_is_progress(Codex);
    fn gemini_goes_on_while_there_is_progress(Gemini);
    fn opencode_goes_on_while_there_is_progress(Opencode);
}

for_clients! { trips_when_nothing_changes:
    fn req_000_021_claude_trips_when_nothing_changes(Claude, "abort", 42);
    fn req_000_021_codex_trips_when_nothing_changes(Codex, "pause", 43);
    fn req_000_021_gemini_trips_when_nothing_changes(Gemini, "abort", 42);
    fn req_000_021_opencode_trips_when_nothing_changes(Opencode, "pause", 43);
}
