//! What is written into the agents' settings.

use fusebox_agents::hook::{Caller, HOOKED, HookPoint, Registered, called};

const PROGRAMS: [&str; 3] = ["/usr/bin/fusebox", "/a b/it's/fusebox", "/opt/fusebox-test"];

#[test]
fn our_own_entries_are_known_again_wherever_the_program_was() {
    for hooks in HOOKED {
        for program in PROGRAMS {
            for options in [&[][..], &["--circuit".to_owned(), "a b".to_owned()]] {
                let caller = &Caller { program, options };
                match hooks.registration().registered {
                    Registered::Elements { elements, ours, .. } => {
                        let all = elements(caller);
                        assert!(all.iter().all(|element| ours(&element.value)), "{program}");
                        for other in HOOKED
                            .into_iter()
                            .filter(|other| other.name() != hooks.name())
                        {
                            if let Registered::Elements { ours, .. } =
                                other.registration().registered
                            {
                                assert!(!all.iter().any(|element| ours(&element.value)));
                            }
                        }
                    }
                    Registered::File {
                        text,
                        mark,
                        command,
                    } => {
                        let text = text(caller);
                        assert!(text.contains(mark));
                        let words = command(&text, HookPoint::BeforeTool).expect("a command");
                        let words = words.join(" ");
                        assert!(words.contains("pre-tool-use"), "{words}");
                        assert_eq!(words.contains("--circuit"), !options.is_empty(), "{words}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_hook_of_somebody_else_is_not_ours() {
    for command in [
        "/bin/other hook codex stop",
        "fusebox hook gemini stop",
        "fusebox check",
        "",
    ] {
        let element = serde_json::json!({"hooks": [{"type": "command", "command": command}]});
        for hooks in HOOKED.into_iter().filter(|hooks| hooks.name() == "codex") {
            if let Registered::Elements { ours, .. } = hooks.registration().registered {
                assert!(!ours(&element), "{command}");
            }
        }
    }
}

/// A shell does what the whole line says, so the whole line has to be ours.
#[test]
fn a_line_that_does_more_than_call_us_is_not_ours() {
    let ours = "/x/fusebox hook codex pre-tool-use";
    assert!(is_codex_calling(ours));
    assert!(is_codex_calling(&format!("{ours} --circuit 'a b'")));
    for more in [
        format!("touch pwned; {ours}"),
        format!("{ours}; touch pwned"),
        format!("{ours} && touch pwned"),
        format!("{ours} $(touch pwned)"),
        format!("{ours} `touch pwned`"),
        format!("{ours} > ~/.profile"),
        format!("{ours}\ntouch pwned"),
        format!("env {ours}"),
        format!("{ours} 'open"),
        "sh -c /x/fusebox hook codex pre-tool-use".to_owned(),
        "/x/$(touch pwned)/fusebox hook codex pre-tool-use".to_owned(),
    ] {
        assert!(!is_codex_calling(&more), "{more}");
    }
}

fn is_codex_calling(command: &str) -> bool {
    let handler = serde_json::json!({"type": "command", "command": command});
    let codex = HOOKED.into_iter().find(|hooks| hooks.name() == "codex");
    match codex.map(|hooks| hooks.registration().registered) {
        Some(Registered::Elements { ours, .. }) => {
            let is_ours = ours(&handler);
            let settings = serde_json::json!({"hooks": {"PreToolUse": [handler]}});
            let called = called(&settings, &ours, HookPoint::BeforeTool);
            assert_eq!(called.is_some(), is_ours, "{command}");
            is_ours
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_agent_asks_before_tools_and_tells_after_them() {
    let (program, options) = ("/usr/bin/fusebox", &[][..]);
    let caller = &Caller { program, options };
    for hooks in HOOKED {
        let written = match hooks.registration().registered {
            Registered::Elements { elements, .. } => format!("{:?}", elements(caller)),
            Registered::File { text, .. } => text(caller),
        };
        for point in [HookPoint::BeforeTool, HookPoint::AfterTool, HookPoint::Stop] {
            assert!(written.contains(point.word()), "{}: {point}", hooks.name());
        }
        assert!(written.contains("/usr/bin/fusebox"), "{written}");
    }
}
