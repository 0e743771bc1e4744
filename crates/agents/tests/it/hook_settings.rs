//! What is written into the agents' settings.

use fusebox_agents::hook::{Caller, HOOKED, HookPoint, Registered};

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
