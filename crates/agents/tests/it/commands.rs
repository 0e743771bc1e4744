//! How agents are started, recognised and stopped.

use std::ffi::OsString;

use fusebox_agents::{AGENTS, FirstSignal, Launch, Permissions, Recognised, by_name, recognise};

fn words(text: &str) -> Vec<OsString> {
    text.split_whitespace().map(OsString::from).collect()
}

/// The command as one would type it, with what it reads behind `<`.
fn typed(agent: &str, launch: &Launch<'_>) -> String {
    let invocation = by_name(agent).expect("an agent").launch(launch);
    let mut line = vec![invocation.program.to_string_lossy().into_owned()];
    let args = invocation.args.iter();
    line.extend(args.map(|argument| argument.to_string_lossy().into_owned()));
    if let Some(input) = invocation.stdin {
        line.push(format!("< {input}"));
    }
    line.join(" ")
}

#[test]
fn a_fresh_session_is_started_with_output_that_can_be_read() {
    let table = [
        (
            "claude",
            "claude -p --output-format stream-json --verbose < fix it",
        ),
        ("codex", "codex exec --json - < fix it"),
        ("gemini", "gemini -o stream-json --prompt=fix it"),
        (
            "opencode",
            "opencode run --format json --print-logs --log-level ERROR < fix it",
        ),
        (
            "copilot",
            "copilot --output-format json --no-ask-user --prompt=fix it",
        ),
        (
            "aider",
            "aider --no-pretty --no-stream --no-check-update --message=fix it",
        ),
    ];
    for (agent, expected) in table {
        assert_eq!(typed(agent, &Launch::new("fix it")), expected);
    }
}

#[test]
fn a_prompt_that_fits_no_argument_is_read_from_standard_input() {
    for agent in ["claude", "codex", "gemini", "opencode"] {
        let long = "x".repeat(128 * 1024);
        let invocation = by_name(agent)
            .expect("an agent")
            .launch(&Launch::new(&long));
        assert!(
            invocation.args.iter().all(|word| word.len() < 100),
            "{agent}"
        );
        assert_eq!(invocation.stdin.as_deref(), Some(&*long), "{agent}");
    }
}

#[test]
fn model_session_permissions_budget_and_extras_reach_the_command() {
    let extra = words("--add-dir ../x");
    let launch = Launch {
        model: Some("m"),
        resume: Some("s"),
        permissions: Permissions::Everything,
        max_micro_usd: Some(1_250_000),
        extra: &extra,
        ..Launch::new("-p")
    };
    let table = [
        (
            "claude",
            "claude -p --output-format stream-json --verbose --model m --resume s \
             --permission-mode bypassPermissions --max-budget-usd 1.250000 --add-dir ../x < -p",
        ),
        (
            "codex",
            "codex exec --json -m m --dangerously-bypass-approvals-and-sandbox --add-dir ../x \
             resume s - < -p",
        ),
        (
            "gemini",
            "gemini -o stream-json -m m --resume s --approval-mode yolo --add-dir ../x --prompt=-p",
        ),
        (
            "opencode",
            "opencode run --format json --print-logs --log-level ERROR -m m -s s --auto \
             --add-dir ../x < -p",
        ),
        (
            "copilot",
            "copilot --output-format json --no-ask-user --model m --resume s --allow-all-tools \
             --add-dir ../x --prompt=-p",
        ),
        (
            "aider",
            "aider --no-pretty --no-stream --no-check-update --model m --yes-always \
             --add-dir ../x --message=-p",
        ),
    ];
    for (agent, expected) in table {
        assert_eq!(typed(agent, &launch), expected);
    }
}

#[test]
fn each_permission_is_another_command_where_the_agent_can_tell_them_apart() {
    for agent in ["claude", "codex", "gemini", "copilot"] {
        let commands: std::collections::BTreeSet<String> = [
            Permissions::AsConfigured,
            Permissions::ReadOnly,
            Permissions::Edits,
            Permissions::Everything,
        ]
        .into_iter()
        .map(|permissions| {
            let launch = Launch {
                permissions,
                ..Launch::new("x")
            };
            typed(agent, &launch)
        })
        .collect();
        assert_eq!(commands.len(), 4, "{agent}: {commands:?}");
    }
}

#[test]
fn what_an_agent_starts_by_itself_it_also_recognises_as_readable() {
    for agent in AGENTS {
        let extra = words("make agent");
        let invocation = agent.launch(&Launch {
            extra: &extra,
            ..Launch::new("x")
        });
        let mut command = vec![invocation.program];
        command.extend(invocation.args);
        let (found, recognised) = recognise(&command).expect("an agent");
        assert_eq!(found.name(), agent.name());
        let structured = recognised == Recognised::Structured;
        assert_eq!(structured, agent.abilities().structured, "{agent:?}");
    }
}

#[test]
fn commands_of_people_are_recognised() {
    let table = [
        ("claude -p x", "claude", false),
        ("claude -p x --output-format=json", "claude", true),
        ("/usr/local/bin/codex exec --json x", "codex", true),
        ("codex exec x", "codex", false),
        ("env A=1 gemini -p x", "gemini", false),
        ("gemini -p x --output-format stream-json", "gemini", true),
        ("opencode run x", "opencode", false),
        ("copilot -p x", "copilot", false),
        ("aider --message x", "aider", false),
        ("./loop.sh", "generic", false),
    ];
    for (command, name, structured) in table {
        let (agent, recognised) = recognise(&words(command)).expect("an agent");
        assert_eq!(agent.name(), name, "{command}");
        match recognised {
            Recognised::Structured => assert!(structured, "{command}"),
            Recognised::TextOnly { missing } => {
                assert!(!structured, "{command}");
                assert_eq!(
                    missing.is_empty(),
                    !agent.abilities().structured,
                    "{command}"
                );
            }
            Recognised::No => unreachable!("{command} was recognised"),
        }
    }
    assert!(recognise(&[]).is_none());
}

#[test]
fn agents_that_bill_on_an_interrupt_are_interrupted() {
    for agent in AGENTS {
        let bills = ["claude", "copilot"].contains(&agent.name());
        let interrupted = agent.stopping().first == FirstSignal::Interrupt;
        assert_eq!(interrupted, bills, "{agent:?}");
    }
}

#[test]
fn the_ladder_goes_from_haiku_over_sonnet_to_opus() {
    let claude = by_name("claude").expect("an agent");
    assert_eq!(claude.model_ladder(), ["haiku", "sonnet", "opus"]);
}

#[test]
fn names_and_programs_are_distinct() {
    let names: std::collections::BTreeSet<_> = AGENTS.iter().map(|agent| agent.name()).collect();
    let programs: std::collections::BTreeSet<_> =
        AGENTS.iter().flat_map(|agent| agent.programs()).collect();
    assert_eq!(
        (names.len(), programs.len()),
        (AGENTS.len(), AGENTS.len() - 1)
    );
    assert!(by_name("nobody").is_none());
}
