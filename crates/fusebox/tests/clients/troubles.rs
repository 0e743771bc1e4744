//! Trouble at the vendor: none of it is the work's fault, and none of it is
//! answered by trying harder.

use crate::client::Client;
use crate::desk::{Desk, within};
use crate::isolation::isolated;
use crate::processes::assert_nobody_is_left;
use jiff::{SignedDuration, Timestamp};
use rustix::process::{Pid, Signal, kill_process};
use scripted_model::{Failure, Script, Step};
use std::time::Duration;

const RESETS_IN_S: u64 = 7200;

const PATIENCE: Duration = Duration::from_secs(200);

/// One iteration finds the limit out. From then on the gate is shut, for this
/// loop and for all who ask, and it is known until when.
fn stops_at_a_usage_limit(client: Client) {
    isolated(|clients| {
        let limit = Failure::UsageLimit {
            resets_in_s: RESETS_IN_S,
        };
        let desk = Desk::of(client, clients, Script::for_ever([Step::fail(limit)]));
        let began = Timestamp::now();
        let ended = desk.run(desk.supervised(&[]));
        assert_eq!(ended.status.code(), Some(44), "{ended:?}");
        let summary = ended.summary();
        assert_eq!(summary["iterations"], 1, "{ended:?}");

        // Clocks differ, and texts round: two minutes more are fine, less never.
        let told: Timestamp = summary["answer"]["retry_at"]
            .as_str()
            .and_then(|time| time.parse().ok())
            .unwrap_or_else(|| panic!("{ended:?}"));
        let soonest = began + SignedDuration::from_secs(RESETS_IN_S.cast_signed());
        let latest = Timestamp::now() + SignedDuration::from_secs(RESETS_IN_S.cast_signed() + 120);
        assert!(soonest <= told && told <= latest, "{told}: {ended:?}");

        let steps = desk.model.steps_taken();
        for again in [desk.fusebox(&["check"]), desk.supervised(&[])] {
            let ended = desk.run(again);
            assert_eq!(ended.status.code(), Some(44), "{ended:?}");
        }
        assert_eq!(desk.model.steps_taken(), steps);
    });
}

// opencode does not learn when a limit ends: there is no word for it in what its
// vendors say. It takes one for an overload and tries again by itself.
for_clients! { stops_at_a_usage_limit:
    fn claude_stops_at_a_usage_limit(Claude);
    fn codex_stops_at_a_usage_limit(Codex);
    fn gemini_stops_at_a_usage_limit(Gemini);
}

/// It is said that the vendor is the trouble and that there will be another
/// try; a person who does not want to wait ends it. Nothing was held against the
/// work.
fn waits_for_an_overload_to_pass(client: Client, said: &str) {
    isolated(|clients| {
        let script = Script::for_ever([Step::fail(Failure::Overloaded)]);
        let desk = Desk::of(client, clients, script);
        let fusebox = desk.start(desk.supervised(&[]));
        let waits = || desk.told().contains(said).then_some(());
        assert!(within(PATIENCE, waits).is_some(), "{}", desk.told());
        kill_process(Pid::from_child(&fusebox), Signal::INT).unwrap();
        let ended = desk.end_of(fusebox);
        assert_eq!(ended.status.code(), Some(130), "{ended:?}");
        assert!(ended.stderr.contains("overloaded"), "{ended:?}");
        assert_nobody_is_left();

        let answer = desk.run(desk.fusebox(&["check", "--json"]));
        assert_eq!(answer.status.code(), Some(0), "{answer:?}");
        let answer: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        let signals = answer["signals"].as_array().unwrap();
        assert!(signals.iter().all(|s| s["level"] == "quiet"), "{answer}");
        let no_progress = signals.iter().find(|s| s["name"] == "no_progress");
        assert_eq!(no_progress.unwrap()["value"], 0, "{answer}");
    });
}

const TRYING_AGAIN: &str = "the agent's service is overloaded; trying again in 5 s";

// opencode does not give up for as long as anybody had the patience to watch,
// and waits by itself.
for_clients! { waits_for_an_overload_to_pass:
    fn claude_waits_for_an_overload_to_pass(Claude, TRYING_AGAIN);
    fn codex_waits_for_an_overload_to_pass(Codex, TRYING_AGAIN);
    fn gemini_waits_for_an_overload_to_pass(Gemini, TRYING_AGAIN);
    fn opencode_waits_for_an_overload_to_pass(Opencode, "… overloaded, trying again");
}

/// An overload that lasts for two requests, the client's own second try
/// included: the next iteration works as if nothing had been.
#[test]
fn claude_works_on_when_an_overload_has_passed() {
    isolated(|clients| {
        let steps = [
            Step::fail(Failure::Overloaded),
            Step::fail(Failure::Overloaded),
            Step::shell("echo one > one.txt"),
            Step::text("One is done."),
        ];
        let desk = Desk::of(Client::Claude, clients, Script::once(steps));
        let ended = desk.run(desk.supervised(&["--max-iterations=2"]));
        assert_eq!(ended.status.code(), Some(45), "{ended:?}");
        assert_eq!(ended.summary()["with_progress"], 1, "{ended:?}");
        assert_eq!(desk.model.steps_taken(), 4, "{ended:?}");
    });
}

/// Nobody is signed in, which no second iteration mends.
fn ends_when_nobody_is_signed_in(client: Client) {
    isolated(|clients| {
        let script = Script::for_ever([Step::fail(Failure::Unauthorized)]);
        let desk = Desk::of(client, clients, script);
        let ended = desk.run(desk.supervised(&[]));
        assert_eq!(ended.status.code(), Some(46), "{ended:?}");
        let summary = ended.summary();
        assert_eq!(summary["reason"], "outside_trouble", "{ended:?}");
        assert_eq!(summary["iterations"], 1, "{ended:?}");
        assert!(ended.stderr.contains("not signed in"), "{ended:?}");
    });
}

for_clients! { ends_when_nobody_is_signed_in:
    fn claude_ends_when_nobody_is_signed_in(Claude);
    fn codex_ends_when_nobody_is_signed_in(Codex);
    fn gemini_ends_when_nobody_is_signed_in(Gemini);
    fn opencode_ends_when_nobody_is_signed_in(Opencode);
}
