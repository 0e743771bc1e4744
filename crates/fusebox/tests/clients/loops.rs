//! Loops around the real clients: one that gets somewhere, one that does not.

use crate::client::Client;
use crate::desk::Desk;
use crate::isolation::isolated;
use crate::processes::assert_nobody_is_left;
use scripted_model::{Script, Step};

/// Each iteration leaves a file of its own: the loop goes on until it has
/// had its iterations, and nothing trips.
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

#[test]
fn claude_goes_on_while_there_is_progress() {
    goes_on_while_there_is_progress(Client::Claude);
}

#[test]
fn codex_goes_on_while_there_is_progress() {
    goes_on_while_there_is_progress(Client::Codex);
}

#[test]
fn gemini_goes_on_while_there_is_progress() {
    goes_on_while_there_is_progress(Client::Gemini);
}

#[test]
fn opencode_goes_on_while_there_is_progress() {
    goes_on_while_there_is_progress(Client::Opencode);
}

#[test]
fn claude_trips_when_nothing_changes() {
    trips_when_nothing_changes(Client::Claude, "abort", 42);
}

#[test]
fn codex_trips_when_nothing_changes() {
    trips_when_nothing_changes(Client::Codex, "pause", 43);
}

#[test]
fn gemini_trips_when_nothing_changes() {
    trips_when_nothing_changes(Client::Gemini, "abort", 42);
}

#[test]
fn opencode_trips_when_nothing_changes() {
    trips_when_nothing_changes(Client::Opencode, "pause", 43);
}
