//! The commands that change something, each in a situation where it has something to change.

/// A command in a situation.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// Leads to the situation, by a shell in the work tree; `$F` is the program.
    pub(super) setup: &'static str,
    /// A word that begins with `@` stands for what that file of the work tree holds.
    pub(super) args: &'static [&'static str],
    /// What it reads; `DIR` stands for the work tree.
    pub(super) input: &'static str,
    /// Whether it belongs to a fleet, whose directory is in the work tree.
    pub(super) in_fleet: bool,
}

impl Case {
    /// Whether it waits for something to happen.
    pub(super) fn watches(&self) -> bool {
        self.args.starts_with(&["watch"])
    }

    /// Whether it leads to the same end however often it is given, and is never refused.
    pub(super) fn leads_to_one_end(&self) -> bool {
        matches!(self.args, ["guard" | "hooks" | "import", ..])
    }
}

const fn case(name: &'static str, setup: &'static str, args: &'static [&'static str]) -> Case {
    Case {
        name,
        setup,
        args,
        input: "",
        in_fleet: false,
    }
}

const fn reading(
    name: &'static str,
    setup: &'static str,
    args: &'static [&'static str],
    input: &'static str,
) -> Case {
    Case {
        input,
        ..case(name, setup, args)
    }
}

const fn in_fleet(name: &'static str, setup: &'static str, args: &'static [&'static str]) -> Case {
    Case {
        in_fleet: true,
        ..case(name, setup, args)
    }
}

const CLOSED: &str = "$F -q record --files-changed 1";
const OPEN: &str = "$F -q record --files-changed 1; $F -q trip --reason x";
const PHASE: &str = "$F -q --preset prp phase start RED; $F -q phase end RED --tests-generated 0";
const BMAD: &str = "$F -q --preset bmad record --files-changed 1";

macro_rules! board {
    ($more:literal) => {
        concat!(
            "mkdir .liza; printf 'sprint:\\n  started: 2026-01-01T00:00:00Z\\nanomalies: []\\n' \
             >.liza/state.yaml; $F -q --preset liza analyze; ",
            $more
        )
    };
}

/// Presets that keep files of their own.
pub(super) const PRESETS: &[Case] = &[
    case(
        "a phase with its files",
        PHASE,
        &["phase", "end", "RED", "--tests-generated", "0"],
    ),
    case(
        "a phase that begins",
        "$F -q --preset prp phase start RED",
        &["phase", "start", "GREEN"],
    ),
    case(
        "a phase that is skipped",
        PHASE,
        &["phase", "skip", "--reason", "known"],
    ),
    case("a trip with its files", PHASE, &["trip", "--reason", "x"]),
    case(
        "a session with its files",
        BMAD,
        &["record", "--files-changed", "0"],
    ),
    case(
        "an edit of the threshold",
        BMAD,
        &["edit", "--answer", "C,T,7,features are large,X"],
    ),
    case("an analysis of a blackboard", board!(""), &["analyze"]),
    case(
        "a trip on a blackboard",
        board!(""),
        &["trip", "--reason", "x"],
    ),
    case(
        "a trigger on a blackboard",
        board!(""),
        &["trigger", "--severity", "VISION_FLAW", "--reason", "nobody"],
    ),
    case(
        "a blackboard that is watched",
        board!(
            "printf 'anomalies:\\n' >.liza/state.yaml; for n in 1 2 3; do printf -- '- type: retry_loop\\n  task: T-'$n'\\n  \
             timestamp: 2026-01-01T0'$n':00:00Z\\n  reporter: r\\n  details:\\n    count: 3\\n    \
             error_pattern: same\\n' >>.liza/state.yaml; done"
        ),
        &["watch", "--until-triggered", "--interval", "1s"],
    ),
    case(
        "a correction on a blackboard",
        board!("$F -q trip --reason x"),
        &["resolve", "--resolution", "ADR-003 created"],
    ),
    case("another preset", CLOSED, &["presets", "use", "cub"]),
    case(
        "a record of a preset without files",
        "$F -q --preset cub record --files-changed 1",
        &["record", "--files-changed", "0"],
    ),
    case(
        "a record of a preset that warns",
        "$F -q --preset superkit record --files-changed 1",
        &["record", "--files-changed", "0"],
    ),
];

/// What is kept of the breaker, wherever it is asked from.
pub(super) const BREAKER: &[Case] = &[
    case("a trip", CLOSED, &["trip", "--reason", "x"]),
    case("calls that are taken", CLOSED, &["limit", "take", "2"]),
    case("a release", OPEN, &["reset", "--reason", "looked"]),
    case(
        "a strategy of recovery",
        "for n in 1 2 3; do $F -q record --files-changed 0; done; true",
        &["recover", "--note", "otherwise"],
    ),
    case(
        "an anomaly",
        CLOSED,
        &[
            "anomaly",
            "add",
            "--type",
            "retry_loop",
            "--task",
            "T-3",
            "--detail",
            "count=3",
            "--detail",
            "error_pattern=same",
        ],
    ),
    reading(
        "a record over a pipe",
        CLOSED,
        &["serve", "--stdio"],
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"record\",\"params\":{\"report\":{\"files_changed\":0}}}\n",
    ),
    case("a report in a file", CLOSED, &["report", "-o", "r.html"]),
    case(
        "a workspace that is forgotten",
        CLOSED,
        &["prune", "--forget"],
    ),
    case(
        "settings that are imported",
        "$F -q record --files-changed 1; printf 'MAX_CALLS_PER_HOUR=50\\n' >.ralphrc",
        &["import"],
    ),
    case("a project that begins", "touch Cargo.toml", &["init"]),
    case(
        "a project that begins with hooks",
        "touch Cargo.toml; mkdir $HOME/bin; printf '#!/bin/sh\n' >$HOME/bin/claude; \
         chmod +x $HOME/bin/claude",
        &["init", "--yes"],
    ),
    case(
        "a run with files of another system",
        "git init -q .; $F -q --preset cub record --files-changed 1",
        &["run", "--once", "--", "sh", "-c", "echo two >a"],
    ),
    case(
        "a work tree that is put back",
        "git init -q .; git config user.email a@b; git config user.name n; echo one >a; git add a; \
         git commit -qm x; $F -q run --once -- sh -c 'echo two >a; echo n >b'",
        &["rollback", "0"],
    ),
];

const CALL: &str =
    r#"{"session_id":"s","cwd":"DIR","tool_name":"Bash","tool_input":{"command":"ls"}}"#;

/// Agents: their settings, and what they ask.
pub(super) const AGENTS: &[Case] = &[
    case(
        "hooks of Claude Code",
        "mkdir .claude; echo '{\"model\":\"m\"}' >.claude/settings.local.json",
        &["hooks", "install", "claude"],
    ),
    case(
        "no more hooks of Claude Code",
        "$F -q hooks install claude",
        &["hooks", "uninstall", "claude"],
    ),
    case("hooks of Codex", "", &["hooks", "install", "codex"]),
    case(
        "hooks of Gemini CLI",
        "mkdir .gemini; echo '{\"ui\":{\"theme\":\"t\"}}' >.gemini/settings.json",
        &["hooks", "install", "gemini"],
    ),
    case("hooks of Copilot", "", &["hooks", "install", "copilot"]),
    case("hooks of Cursor", "", &["hooks", "install", "cursor"]),
    case(
        "a plugin of opencode",
        "",
        &["hooks", "install", "opencode"],
    ),
    case(
        "no more plugin of opencode",
        "$F -q hooks install opencode",
        &["hooks", "uninstall", "opencode"],
    ),
    reading(
        "a tool before an open breaker",
        OPEN,
        &["hook", "claude", "pre-tool-use"],
        CALL,
    ),
    reading(
        "a tool that was used",
        OPEN,
        &["hook", "claude", "post-tool-use"],
        CALL,
    ),
    reading(
        "a tool that was used, and nothing to say to it",
        CLOSED,
        &["hook", "claude", "post-tool-use"],
        CALL,
    ),
    reading(
        "the end of a turn",
        CLOSED,
        &["hook", "claude", "stop"],
        r#"{"session_id":"s","cwd":"DIR"}"#,
    ),
    reading(
        "a tool of Codex",
        OPEN,
        &["hook", "codex", "pre-tool-use"],
        CALL,
    ),
    reading(
        "a tool of Gemini CLI",
        OPEN,
        &["hook", "gemini", "pre-tool-use"],
        r#"{"session_id":"s","cwd":"DIR","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#,
    ),
    reading(
        "a tool of Copilot",
        OPEN,
        &["hook", "copilot", "pre-tool-use"],
        r#"{"sessionId":"s","timestamp":1,"cwd":"DIR","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}"#,
    ),
    reading(
        "a command of Cursor",
        OPEN,
        &["hook", "cursor", "pre-command"],
        r#"{"conversation_id":"c","workspace_roots":["DIR"],"command":"ls","cwd":"DIR"}"#,
    ),
];

const PROTECTED: &str =
    "$F -q record --files-changed 1; echo x >CLAUDE.md; mkdir specs; echo y >specs/a.md";
const TASKS: &str = "$F -q tasks add one >/dev/null; $F -q tasks add two >/dev/null";
const CLAIMED: &str = "$F -q tasks add one >/dev/null; $F -q tasks add two >/dev/null; \
    $F -q tasks claim T-1 >/dev/null";

/// Protected files, and tasks.
pub(super) const WORK: &[Case] = &[
    case(
        "copies of protected files",
        PROTECTED,
        &["guard", "snapshot"],
    ),
    case(
        "protected files that are put back",
        "echo x >CLAUDE.md; mkdir specs; echo y >specs/a.md; $F -q guard snapshot; rm -r specs CLAUDE.md",
        &["guard", "restore"],
    ),
    case(
        "a command beside protected files",
        PROTECTED,
        &["guard", "run", "--", "true"],
    ),
    case(
        "a task that is added",
        "$F -q tasks add one >/dev/null; $F -q trip --reason x",
        &["tasks", "add", "two"],
    ),
    case("the next task", TASKS, &["tasks", "next"]),
    case("a task that is claimed", TASKS, &["tasks", "claim", "T-1"]),
    case(
        "a task that is worked on",
        CLAIMED,
        &["tasks", "heartbeat", "T-1"],
    ),
    case(
        "a task that is given back",
        CLAIMED,
        &["tasks", "release", "T-1"],
    ),
    case(
        "a task that is given up",
        CLAIMED,
        &["tasks", "block", "T-1", "--reason", "r"],
    ),
    case(
        "a task that is done",
        CLAIMED,
        &["tasks", "done", "T-1", "--evidence", "seen"],
    ),
    case(
        "a task that is open again",
        "$F -q tasks add one >/dev/null; $F -q tasks done T-1 --evidence seen",
        &["tasks", "reopen", "T-1", "--reason", "r"],
    ),
    case(
        "a task that was meant to go",
        "git init -q .; printf -- '- [ ] T-1 a\\n- [ ] T-2 b\\n' >fix_plan.md; git add .; \
         git -c user.name=n -c user.email=e commit -qm x; $F -q run --tasks --once --test false -- \
         sh -c 'echo x >>f; printf -- \"- [ ] T-1 a\\n\" >fix_plan.md'; true",
        &["tasks", "settle", "T-2", "--reason", "r"],
    ),
];

/// Fleets, whose state is shared.
pub(super) const FLEETS: &[Case] = &[
    in_fleet("a halt", CLOSED, &["fleet", "halt", "--reason", "r"]),
    in_fleet(
        "the end of a halt",
        "$F -q fleet halt --reason r",
        &["fleet", "resume", "--reason", "r"],
    ),
    in_fleet(
        "a budget",
        CLOSED,
        &["fleet", "budget", "fleet", "calls", "10"],
    ),
    in_fleet(
        "a pattern",
        CLOSED,
        &["fleet", "pattern", "error_cluster", "--threshold", "5"],
    ),
    in_fleet(
        "a task that all may take again",
        "$F -q tasks add one >/dev/null; $F -q tasks claim T-1 >/dev/null; $F -q tasks done T-1 --evidence x",
        &["fleet", "reopen", "T-1"],
    ),
    in_fleet(
        "a task of a fleet that is claimed",
        TASKS,
        &["tasks", "claim", "T-1"],
    ),
    in_fleet(
        "tokens that are taken",
        "$F -q fleet budget fleet tokens 1000",
        &["limit", "take", "1", "--tokens", "100"],
    ),
    in_fleet(
        "tokens that are settled",
        "$F -q fleet budget fleet tokens 1000; $F -q limit take 1 --tokens 100 >grant",
        &["limit", "settle", "@grant", "--tokens", "5"],
    ),
    in_fleet("the outbox", CLOSED, &["fleet", "deliver"]),
];
