//! What real agents printed, read again.
//!
//! The recordings are not part of this repository. `FUSEBOX_RECORDINGS` names
//! the directory that holds them, one folder for each agent and version with
//! `<scenario>.stdout` and `<scenario>.stderr`; without it these tests say that
//! they were skipped.

use crate::support::{self, Recording, read, recordings_of};
use fusebox_agents::{AgentEvent, EndClass, Exit, RunEnd, ToolOutcome};

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

const GEMINI: &[Expected] = &[
    row("401", Code(144), Auth, 0, Some(0)),
    row("429min", Code(173), RateLimited, 0, Some(0)),
    row("503", Code(247), Overloaded, 0, Some(0)),
    row("badflag", Code(1), Setup, 0, None),
    row("ctx", Code(144), Context, 0, Some(0)),
    row("json_maxturns", Code(53), TurnCap, 0, None),
    row("json_ok", Code(0), Finished, 0, Some(2260)),
    row("json_quota", StoppedByUs, UsageLimit, 0, None),
    row("loop", Code(0), OwnLoopGuard, 4, Some(480)),
    row("maxtok", Code(0), Finished, 0, Some(120)),
    row("maxturns", Code(53), TurnCap, 3, Some(360)),
    row("ok", Code(0), Finished, 1, Some(2260)),
    row("perm", Code(0), Finished, 1, Some(2260)),
    row("sigINT", StoppedByUs, Stopped, 1, None),
    row("sigINT", Code(0), Unclear, 1, None),
];

const OPENCODE: &[Expected] = &[
    row("401", Code(1), Auth, 0, None),
    row("429once", Code(0), Finished, 0, Some(120)),
    row("503", Code(1), Overloaded, 0, None),
    row("ctx", StoppedByUs, Context, 0, Some(3000)),
    row("ext", Code(0), Permission, 1, Some(120)),
    row("loop", StoppedByUs, Stopped, 28, Some(3360)),
    row("permdeny", Code(0), Finished, 1, Some(240)),
    row("sigKILL", StoppedByUs, Stopped, 0, None),
    row("toolerr", Code(0), Finished, 1, Some(240)),
];

const COPILOT: &[Expected] = &[
    row("401", Code(1), Auth, 0, None),
    row("429", Code(1), RateLimited, 0, None),
    row("ctx", Code(1), Context, 0, None),
    row("quota", Code(1), Billing, 0, None),
    row("sigKILL", StoppedByUs, Stopped, 1, None),
    row("sigTERM", StoppedByUs, Stopped, 1, None),
    row("sigTERM", Code(143), Stopped, 1, None),
    row("toolerr", Code(0), Finished, 1, None),
];

const AIDER: &[Expected] = &[
    row("401", Code(0), Auth, 0, None),
    row("429", Code(0), RateLimited, 0, None),
    row("ctx", Code(0), Context, 0, Some(646)),
    row("ok", Code(0), Finished, 0, Some(1050)),
    row("quota", Code(0), Billing, 0, None),
];

const AGENTS: &[&str] = &["claude", "codex", "gemini", "opencode", "copilot", "aider"];

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
fn gemini_is_understood() {
    check("gemini-0.61.0", "gemini", GEMINI);
}

#[test]
fn opencode_is_understood() {
    check("opencode-1.18.33", "opencode", OPENCODE);
}

#[test]
fn copilot_is_understood() {
    check("copilot-1.0.102", "copilot", COPILOT);
}

#[test]
fn aider_is_understood() {
    check("aider-0.86.2", "aider", AIDER);
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

#[test]
fn a_quota_on_which_gemini_sleeps_is_known_with_its_end() {
    let Some(recording) = Recording::load("gemini-0.61.0", "json_quota") else {
        return;
    };
    let (events, end) = read("gemini", &recording, StoppedByUs);
    assert_eq!(end.resets_at, Some(support::NOW + 12_030_000));
    let waits: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Retrying(retrying) => retrying.delay,
            _ => None,
        })
        .collect();
    assert_eq!(waits, [std::time::Duration::from_millis(13_799_400)]);
}

#[test]
fn a_limit_of_codex_resets_at_a_local_time() {
    let Some(recording) = Recording::load("codex-0.166.0", "usage") else {
        return;
    };
    let (_, end) = read("codex", &recording, Code(1));
    // 9:41 PM of the day of the recording, in UTC.
    assert_eq!(end.resets_at, Some(1_794_778_860_000));
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
fn what_tools_answered_is_told_as_far_as_the_agent_tells() {
    use ToolOutcome::{Denied, Failed, Succeeded};
    let table = [
        ("claude", "claude-2.1.325/hookfail2", Denied, None, 1),
        ("claude", "claude-2.1.325/ok", Succeeded, None, 0),
        ("codex", "codex-0.166.0/toolerr", Failed, Some(3), 0),
        ("codex", "codex-0.166.0/patch", Succeeded, None, 0),
        ("gemini", "gemini-0.61.0/perm", Denied, None, 1),
        ("opencode", "opencode-1.18.33/toolerr", Failed, Some(3), 0),
        ("opencode", "opencode-1.18.33/ext", Denied, None, 1),
        ("opencode", "opencode-1.18.33/permdeny", Denied, None, 1),
        ("copilot", "copilot-1.0.102/toolerr", Failed, Some(3), 0),
    ];
    for (agent, path, outcome, exit_code, denials) in table {
        let (folder, scenario) = path.split_once('/').expect("a path");
        let Some(recording) = Recording::load(folder, scenario) else {
            return;
        };
        let (events, end) = read(agent, &recording, Code(0));
        assert_eq!(outcomes(&events), [(outcome, exit_code)], "{path}");
        assert_eq!(end.denials, denials, "{path}");
        let told = events
            .iter()
            .filter(|event| matches!(event, AgentEvent::Denied { .. }));
        assert_eq!(told.count() as u64, denials, "{path}");
    }
}

#[test]
fn money_is_exact_where_it_is_told() {
    let table = [
        ("claude", "claude-2.1.325", "ok", Some(7_575)),
        ("claude", "claude-2.1.325", "json", Some(10_100)),
        ("claude", "claude-2.1.197", "budget", Some(360_000)),
        ("opencode", "opencode-1.18.33", "toolerr", Some(1_200)),
        ("codex", "codex-0.166.0", "ok", None),
    ];
    for (agent, folder, scenario, micro_usd) in table {
        let Some(recording) = Recording::load(folder, scenario) else {
            return;
        };
        let (events, end) = read(agent, &recording, Code(0));
        assert_eq!(end.usage.micro_usd, micro_usd, "{folder}/{scenario}");
        let spent: Option<u64> = events
            .iter()
            .filter_map(|event| match event {
                AgentEvent::Spent(usage) => usage.micro_usd,
                _ => None,
            })
            .reduce(|one, other| one + other);
        assert_eq!(spent, micro_usd, "{folder}/{scenario}");
    }
}

#[test]
fn a_resumed_codex_session_is_billed_once_and_every_result_is_counted() {
    let Some(recording) = Recording::load("codex-0.166.0", "roll") else {
        return;
    };
    let (_, end) = read("codex", &recording, Code(0));
    // The second run repeats the 2260 tokens of the first.
    assert_eq!((end.results, end.usage.tokens()), (2, Some(2380)));
    assert!(
        end.unknown > 0,
        "the session file behind it is of another kind"
    );
}

#[test]
fn a_limit_is_still_one_when_lines_of_another_kind_follow() {
    let Some(recording) = Recording::load("codex-0.166.0", "roll_usage") else {
        return;
    };
    let (_, end) = read("codex", &recording, Code(1));
    assert_eq!((end.class, end.unknown), (UsageLimit, 4));
}

#[test]
fn results_of_older_claude_releases_are_not_running_totals() {
    let Some(recording) = Recording::load("claude-2.1.197", "resume_old") else {
        return;
    };
    let lines: Vec<&[u8]> = recording
        .stdout
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.starts_with(b"{\"type\":\"result\""))
        .collect();
    let mut earlier = None;
    let mut bills = Vec::new();
    for line in lines {
        let (_, end) = support::read_resumed("claude", &[line], b"", Code(0), earlier);
        bills.push(end.usage.micro_usd);
        earlier = end.totals;
    }
    assert_eq!(bills, [Some(1_500), Some(12_500), Some(12_500)]);
}

#[test]
fn every_recording_has_a_row() {
    let tables: [(&str, &[Expected]); 7] = [
        ("claude-2.1.325", CLAUDE),
        ("claude-2.1.197", CLAUDE_OLDER),
        ("codex-0.166.0", CODEX),
        ("gemini-0.61.0", GEMINI),
        ("opencode-1.18.33", OPENCODE),
        ("copilot-1.0.102", COPILOT),
        ("aider-0.86.2", AIDER),
    ];
    // Several runs one after the other, with listings of files between them:
    // the tests above take them apart.
    let taken_apart = ["resume_old", "roll", "roll_usage"];
    for (folder, table) in tables {
        for scenario in support::scenarios(folder) {
            let has_row = table.iter().any(|row| row.scenario == scenario);
            let is_apart = taken_apart.contains(&scenario.as_str());
            assert!(has_row || is_apart, "{folder}/{scenario}");
        }
    }
}

#[test]
fn nothing_fails_on_any_recording_cut_anywhere() {
    for (agent, recording) in recordings_of(AGENTS) {
        let whole = read(&agent, &recording, Code(1));
        let step = (recording.stdout.len() / 40).max(1);
        for cut in (0..recording.stdout.len()).step_by(step) {
            let (head, tail) = recording.stdout.split_at(cut);
            let again = support::read_chunks(&agent, &[head, tail], &recording.stderr, Code(1));
            assert_eq!(again, whole, "{} split at {cut}", recording.name);
            let _: (Vec<AgentEvent>, RunEnd) =
                support::read_chunks(&agent, &[head], &recording.stderr, Code(1));
        }
    }
}
