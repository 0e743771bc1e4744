//! What real agents printed, read again.
//!
//! The recordings are not part of this repository. `FUSEBOX_RECORDINGS` names
//! the directory that holds them, one folder for each agent and version with
//! `<scenario>.stdout` and `<scenario>.stderr`; without it these tests say that
//! they were skipped.

mod support;

use fusebox_agents::{AgentEvent, EndClass, Exit, RunEnd, ToolOutcome};
use support::{Recording, read, recordings_of};

/// What is to be found in a recording.
struct Expected {
    scenario: &'static str,
    exit: Exit,
    class: EndClass,
    calls: usize,
    /// All tokens, if they are reported.
    tokens: Option<u64>,
}

const fn row(
    scenario: &'static str,
    exit: Exit,
    class: EndClass,
    calls: usize,
    tokens: Option<u64>,
) -> Expected {
    Expected {
        scenario,
        exit,
        class,
        calls,
        tokens,
    }
}

use EndClass::*;
use Exit::{Code, Signal, StoppedByUs};

const CLAUDE: &[Expected] = &[
    row("403", Code(1), Auth, 0, Some(0)),
    row("404", Code(1), Setup, 0, Some(0)),
    row("500", Code(1), Overloaded, 0, Some(0)),
    row("529", Code(1), Overloaded, 0, Some(0)),
    row("budget", Code(1), BudgetCap, 4, Some(88_000)),
    row("hang", Code(1), Timeout, 0, Some(0)),
    row("hookfail", Code(1), UsageLimit, 0, Some(0)),
    row("hookfail2", Code(0), Stopped, 1, Some(120)),
    row("json", Code(0), Finished, 0, Some(2265)),
    row("maxtok", Code(1), OutputCap, 0, Some(480)),
    row("ok", Code(0), Finished, 1, Some(2265)),
    row("otel", Code(0), Finished, 0, Some(2265)),
    row("refusal", Code(1), Refusal, 0, Some(240)),
    row("resume_missing", Code(1), Setup, 0, Some(0)),
    row("root_bypass", Code(1), Setup, 0, None),
    row("sigINT", StoppedByUs, Stopped, 1, Some(120)),
    row("sigKILL", StoppedByUs, Stopped, 1, Some(101)),
    row("sigKILL", Signal(9), Crash, 1, Some(101)),
    row("sseover", Code(1), Overloaded, 0, Some(404)),
    row("toolong", Code(1), Context, 0, Some(0)),
    row("usage5h", Code(1), UsageLimit, 0, Some(0)),
    row("usage5h_text", Code(1), UsageLimit, 0, None),
    row("usage7d", Code(1), UsageLimit, 0, Some(0)),
    row("watchdog5h", Code(1), UsageLimit, 0, Some(0)),
];

const CLAUDE_OLDER: &[Expected] = &[
    row("budget", Code(1), BudgetCap, 4, Some(88_000)),
    row("usage5h", Code(1), UsageLimit, 0, Some(0)),
];

const CODEX: &[Expected] = &[
    row("400", Code(1), Setup, 0, None),
    row("401", Code(1), Auth, 0, None),
    row("429", Code(1), RateLimited, 0, None),
    row("503", Code(1), Overloaded, 0, None),
    row("badflag", Code(2), Setup, 0, None),
    row("budget", Code(1), BudgetCap, 3, None),
    row("ctx", Code(1), Context, 0, None),
    row("deny", Code(0), Finished, 0, Some(240)),
    row("ok", Code(0), Finished, 1, Some(2260)),
    row("patch", Code(0), Finished, 1, Some(240)),
    row("probe", Code(0), Finished, 0, Some(120)),
    row("quota", Code(1), Billing, 0, None),
    row("toolerr", Code(0), Finished, 1, Some(240)),
    row("usage", Code(1), UsageLimit, 0, None),
];

fn check(folder: &str, agent: &str, table: &[Expected]) {
    for expected in table {
        let Some(recording) = Recording::load(folder, expected.scenario) else {
            return;
        };
        let (events, end) = read(agent, &recording, expected.exit);
        let name = format!("{folder}/{}: {end:#?}", expected.scenario);
        let calls = events
            .iter()
            .filter(|event| matches!(event, AgentEvent::ToolCall(_)));
        assert_eq!(end.class, expected.class, "{name}");
        assert_eq!(calls.count(), expected.calls, "{name}");
        assert_eq!(end.usage.tokens(), expected.tokens, "{name}");
        assert_eq!(end.unknown, 0, "{name}\n{events:#?}");
    }
}

#[test]
fn claude_is_understood() {
    check("claude-2.1.325", "claude", CLAUDE);
    check("claude-2.1.197", "claude", CLAUDE_OLDER);
}

#[test]
fn codex_is_understood() {
    check("codex-0.166.0", "codex", CODEX);
}

#[test]
fn limits_of_claude_come_with_their_reset() {
    let table = [
        ("claude-2.1.325", "usage5h", 1_794_782_215_000),
        ("claude-2.1.325", "usage7d", 1_795_041_415_000),
        ("claude-2.1.197", "usage5h", 1_794_782_215_000),
        // Text alone, and so exact to the minute only.
        ("claude-2.1.325", "usage5h_text", 1_794_782_160_000),
    ];
    for (folder, scenario, resets_at) in table {
        let Some(recording) = Recording::load(folder, scenario) else {
            return;
        };
        let (_, end) = read("claude", &recording, Code(1));
        assert_eq!(end.resets_at, Some(resets_at), "{folder}/{scenario}");
    }
}

fn outcomes(events: &[AgentEvent]) -> Vec<(ToolOutcome, Option<i64>)> {
    events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolResult(result) => Some((result.outcome, result.exit_code)),
            _ => None,
        })
        .collect()
}

#[test]
fn denials_are_counted_once_however_often_they_are_told() {
    let Some(recording) = Recording::load("claude-2.1.325", "hookfail2") else {
        return;
    };
    let (events, end) = read("claude", &recording, Code(0));
    assert_eq!(end.denials, 1);
    assert_eq!(outcomes(&events), [(ToolOutcome::Denied, None)]);
}

#[test]
fn nothing_fails_on_any_recording_cut_anywhere() {
    for (agent, recording) in recordings_of(&["claude", "codex"]) {
        let whole = read(&agent, &recording, Code(1));
        let step = (recording.stdout.len() / 200).max(1);
        for cut in (0..recording.stdout.len()).step_by(step) {
            let (head, tail) = recording.stdout.split_at(cut);
            let again = support::read_chunks(&agent, &[head, tail], &recording.stderr, Code(1));
            assert_eq!(again, whole, "{} split at {cut}", recording.name);
            let _: (Vec<AgentEvent>, RunEnd) =
                support::read_chunks(&agent, &[head], &recording.stderr, Code(1));
        }
    }
}
