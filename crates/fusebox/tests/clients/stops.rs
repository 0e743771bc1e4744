//! Stopping the real clients in the middle: nothing of them is left.
//!
//! Left to themselves, three of the four leave the command they run behind
//! when they are killed, and two even when they are asked to end.

use crate::client::Client;
use crate::desk::{Desk, within};
use crate::isolation::isolated;
use crate::processes::{assert_nobody_is_left, others};
use rustix::process::{Pid, Signal, kill_process};
use scripted_model::{Script, Step};
use std::time::Duration;

/// A command that does nothing for ever. Not `sleep`, which Claude refuses.
const ENDLESS: &str = "tail -f /dev/null";

const PATIENCE: Duration = Duration::from_secs(100);

/// The supervisor gets a signal while the client's shell runs a command.
fn leaves_nobody_behind(client: Client, signal: Signal, code: Option<i32>) {
    isolated(|clients| {
        let script = Script::for_ever([Step::shell(ENDLESS)]);
        let desk = Desk::of(client, clients, script);
        let fusebox = desk.start(desk.supervised(&[]));
        wait_until_at_work();
        kill_process(Pid::from_child(&fusebox), signal).unwrap();
        let ended = desk.end_of(fusebox);
        assert_eq!(ended.status.code(), code, "{ended:?}");
        assert_nobody_is_left();
    });
}

fn wait_until_at_work() {
    let running = || is_at_work().then_some(());
    assert!(within(PATIENCE, running).is_some(), "{:?}", others());
}

fn is_at_work() -> bool {
    others().iter().any(|line| line.starts_with(ENDLESS))
}

/// The model never answers: each iteration is ended when it has stood idle for
/// too long, and an agent that only ever stands idle trips the breaker.
fn is_ended_when_the_model_hangs(client: Client) {
    isolated(|clients| {
        let desk = Desk::of(client, clients, Script::for_ever([Step::Hang]));
        let ended = desk.run(desk.supervised(&[
            "--idle-timeout=5s",
            "--stagnation-threshold=2",
            "--on-stagnation=abort",
        ]));
        assert_eq!(ended.status.code(), Some(42), "{ended:?}");
        let idle = ended.stderr.matches("killed: idle too long").count();
        assert_eq!(idle, 2, "{ended:?}");
        assert_nobody_is_left();
    });
}

/// The control: what the other tests look for does happen without fusebox.
#[test]
fn claude_killed_alone_leaves_its_command_behind() {
    isolated(|clients| {
        let script = Script::for_ever([Step::shell(ENDLESS)]);
        let desk = Desk::of(Client::Claude, clients, script);
        let claude = desk.start(desk.alone("Do the next task."));
        wait_until_at_work();
        kill_process(Pid::from_child(&claude), Signal::KILL).unwrap();
        desk.end_of(claude);
        assert!(is_at_work(), "{:?}", others());
    });
}

for_clients! { leaves_nobody_behind:
    fn claude_killed_leaves_nobody_behind(Claude, Signal::KILL, None);
    fn codex_killed_leaves_nobody_behind(Codex, Signal::KILL, None);
    fn gemini_killed_leaves_nobody_behind(Gemini, Signal::KILL, None);
    fn opencode_killed_leaves_nobody_behind(Opencode, Signal::KILL, None);
    fn claude_terminated_leaves_nobody_behind(Claude, Signal::TERM, Some(143));
    fn gemini_terminated_leaves_nobody_behind(Gemini, Signal::TERM, Some(143));
    fn opencode_interrupted_leaves_nobody_behind(Opencode, Signal::INT, Some(130));
}

for_clients! { is_ended_when_the_model_hangs:
    fn claude_is_ended_when_the_model_hangs(Claude);
    fn codex_is_ended_when_the_model_hangs(Codex);
    fn gemini_is_ended_when_the_model_hangs(Gemini);
    fn opencode_is_ended_when_the_model_hangs(Opencode);
}
