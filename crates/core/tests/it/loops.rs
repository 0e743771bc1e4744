//! Loops inside a session: what is said of them, when, and how often.

use fusebox_core::calls::reading::Outcome;
use fusebox_core::calls::{CallEvent, CallPolicy, CallSignal, CallVerdict, Level};

use crate::loop_session::{CONTINUE, Session, told};

#[test]
fn what_is_a_loop() {
    type Script = fn(&mut Session);
    let scripts: [(&str, CallSignal, Level, Script); 17] = [
        ("verbatim", CallSignal::Repeat, Level::Trip, |s| {
            for _ in 0..4 {
                s.call("Bash", r#"{"command":"make"}"#, "failed");
            }
        }),
        (
            "verbatim but for time and addresses",
            CallSignal::Repeat,
            Level::Trip,
            |s| {
                for n in 1..5 {
                    s.call(
                        "Bash",
                        r#"{"command":"make"}"#,
                        &format!("failed in 0.{n}s at 0x7fff0{n}0"),
                    );
                }
            },
        ),
        (
            "verbatim, keys in another order",
            CallSignal::Repeat,
            Level::Trip,
            |s| {
                for _ in 0..2 {
                    s.call("Grep", r#"{"a":1,"b":[1,2]}"#, "x");
                    s.call("Grep", r#"{"b":[1,2], "a":1}"#, "x");
                }
            },
        ),
        ("three in turn", CallSignal::Cycle, Level::Trip, |s| {
            for n in 0..9 {
                let name = ["a", "b", "c"][n % 3];
                s.call("Bash", &format!(r#"{{"command":"{name}"}}"#), name);
            }
        }),
        (
            "other words each time",
            CallSignal::NothingNew,
            Level::Steer,
            |s| {
                for n in 0..7 {
                    s.said(&format!("another idea {n}"));
                    s.call("Bash", r#"{"command":"make"}"#, "failed");
                }
            },
        ),
        (
            "one error under different edits",
            CallSignal::NothingNew,
            Level::Steer,
            |s| {
                for n in 0..8 {
                    let arguments = format!(r#"{{"path":"a","old_str":"{n}","new_str":"x"}}"#);
                    s.fails(
                        "str_replace",
                        &arguments,
                        &format!("ERROR:\nold_str `{n}` did not appear"),
                    );
                }
            },
        ),
        (
            "one failure, whatever is edited",
            CallSignal::FutileEdits,
            Level::Trip,
            |s| {
                for n in 0..6 {
                    s.said(&format!("this must be it {n}"));
                    s.edit("a.py", &format!("v{n}"), &format!("v{}", n + 1));
                    s.fails(
                        "Bash",
                        &format!(r#"{{"command":"pytest -x -k t{n}"}}"#),
                        &format!("a.py:{n}: in load\nTypeError: int and str\n1 failed in 0.{n}s"),
                    );
                }
            },
        ),
        (
            "one failure, and a look at something else between",
            CallSignal::FutileEdits,
            Level::Steer,
            |s| {
                for n in 0..5 {
                    s.edit("a.rs", &format!("v{n}"), &format!("v{}", n + 1));
                    s.call(
                        "Bash",
                        &format!(r#"{{"command":"ls {n}"}}"#),
                        &format!("file {n}"),
                    );
                    s.fails(
                        "Bash",
                        r#"{"command":"make"}"#,
                        &format!("a.rs:{n}:1: error: no"),
                    );
                }
            },
        ),
        (
            "an edit to and fro",
            CallSignal::Oscillation,
            Level::Steer,
            |s| {
                for n in 0..10 {
                    s.said(&format!("hm {n}"));
                    let [old, new] = if n % 2 == 0 { ["a", "b"] } else { ["b", "a"] };
                    s.edit("x.rs", old, new);
                    s.call(
                        "Bash",
                        &format!(r#"{{"command":"try {n}"}}"#),
                        &format!("got {n}"),
                    );
                }
            },
        ),
        ("page by page", CallSignal::Paging, Level::Steer, |s| {
            for n in 0..13 {
                s.call(
                    "Read",
                    &format!(r#"{{"file_path":"a","offset":{n},"limit":9}}"#),
                    &format!("{n}"),
                );
            }
        }),
        (
            "made to go on, and only talks",
            CallSignal::IdleTurns,
            Level::Trip,
            |s| {
                s.user("do it");
                for n in 0..3 {
                    s.turn(&format!("It is done, as I said {n}."))
                        .user(CONTINUE);
                }
            },
        ),
        (
            "told to go on in a word, and says the same",
            CallSignal::IdleTurns,
            Level::Trip,
            |s| {
                let long = "I cannot go on, because the key is missing. ".repeat(5);
                for _ in 0..6 {
                    s.user("continue").turn(&long);
                }
            },
        ),
        (
            "told to go on in a word, and says next to nothing",
            CallSignal::IdleTurns,
            Level::Trip,
            |s| {
                for n in 0..5 {
                    s.user("continue").turn(&format!("Still blocked, {n}."));
                }
            },
        ),
        (
            "goes on by itself, and only talks",
            CallSignal::IdleTurns,
            Level::Trip,
            |s| {
                s.turn("Done.").turn("Done!").turn("Done.");
            },
        ),
        (
            "denied again and again",
            CallSignal::Denials,
            Level::Steer,
            |s| {
                for n in 0..3 {
                    let id = s.begin("Bash", &format!(r#"{{"command":"rm {n}"}}"#));
                    s.end(&id, Outcome::Denied, "not permitted");
                }
            },
        ),
        (
            "compacted for nothing",
            CallSignal::Compaction,
            Level::Steer,
            |s| {
                for _ in 0..3 {
                    s.event(&CallEvent::Compacted);
                }
            },
        ),
        (
            "tokens for nothing",
            CallSignal::Spending,
            Level::Steer,
            |s| {
                for _ in 0..9 {
                    s.event(&CallEvent::Spent { tokens: 1_000_000 });
                }
            },
        ),
    ];
    for (what, signal, level, script) in scripts {
        let mut session = Session::default();
        script(&mut session);
        assert!(session.has(level, signal), "{what}: {:?}", session.verdicts);
    }
}

#[test]
fn done_is_said_again_with_nothing_new_between() {
    let mut session = Session::default();
    for n in 0..4 {
        session.user(&format!("are you sure {}", "?".repeat(n)));
        session.call("Bash", r#"{"command":"make"}"#, "failed");
        session.turn("The bug has been fixed.");
    }
    assert!(
        !session.has(Level::Steer, CallSignal::Claims),
        "a person asked"
    );

    let mut session = Session::default();
    session.user("do it");
    for _ in 0..5 {
        session.call("Bash", r#"{"command":"make"}"#, "failed");
        session.call("finish", "{}", "not yet");
    }
    let claims = |v: &CallVerdict| v.evidence.iter().any(|e| e.signal == CallSignal::Claims);
    assert!(session.verdicts.iter().any(claims));
}

#[test]
fn a_failing_call_in_a_row_counts_until_something_works() {
    let fail = |s: &mut Session, n: usize| {
        let arguments = format!(r#"{{"command":"{n}"}}"#);
        s.fails("Bash", &arguments, &format!("error: {}", "x".repeat(n)));
    };
    let mut untouched = Session::default();
    (0..9).for_each(|n| fail(&mut untouched, n));
    assert!(
        untouched.has(Level::Trip, CallSignal::Failures),
        "nothing to lose"
    );

    let mut touched = Session::default();
    touched.edit("a", "b", "c");
    (0..9).for_each(|n| fail(&mut touched, n));
    assert_eq!(touched.worst(), Some(Level::Observe), "something to lose");

    let mut working = Session::default();
    for n in 0..30 {
        fail(&mut working, n);
        if n % 4 == 0 {
            working.call(
                "Bash",
                &format!(r#"{{"command":"good {n}"}}"#),
                &format!("{n}"),
            );
        }
    }
    assert!(!told(working.worst()));
}

#[test]
fn an_attempt_that_we_blocked_counts() {
    let mut session = Session::default();
    session.edit("a", "b", "c");
    for n in 0..8 {
        session.said(&format!("thought {n}"));
        let id = session.begin("Bash", &format!(r#"{{"command":"{n}"}}"#));
        session.end(
            &id,
            Outcome::Blocked,
            "fusebox: this call was not carried out",
        );
    }
    assert!(session.has(Level::Steer, CallSignal::NothingNew));
}

#[test]
fn a_call_that_always_ends_the_same_is_stopped_before_it_runs() {
    let mut session = Session::default();
    session.edit("a", "b", "c");
    for n in 0..7 {
        session.said(&format!("thought {n}"));
        session.call("Bash", r#"{"command":"make"}"#, "failed");
    }
    let before = session.verdicts.len();
    session.said("one more idea");
    session.begin("Bash", r#"{"command":"make"}"#);
    let verdict = &session.verdicts[before];
    assert_eq!(verdict.level, Level::Block);
    assert_eq!(verdict.call, 9);
    session.begin("Bash", r#"{"command":"something else"}"#);
    assert_eq!(session.verdicts.len(), before + 1, "another call may run");
}

#[test]
fn an_answer_that_never_came_is_foretold_only_where_it_was_always_the_same() {
    let mut session = Session::default();
    for n in [1, 1, 2] {
        session.call("Bash", r#"{"command":"make"}"#, &format!("{n} failed"));
    }
    session.begin("Bash", r#"{"command":"make"}"#);
    assert!(!told(session.worst()), "{:?}", session.verdicts);

    let mut session = Session::default();
    for _ in 0..3 {
        session.call("Bash", r#"{"command":"make"}"#, "failed");
    }
    session.begin("Bash", r#"{"command":"make"}"#);
    assert!(session.has(Level::Trip, CallSignal::Repeat));
}

#[test]
fn the_agent_hears_of_a_loop_once_and_of_another_one_again() {
    let mut session = Session::default();
    session.edit("a", "b", "c");
    let steers = |s: &Session| {
        s.verdicts
            .iter()
            .filter(|v| v.level == Level::Steer)
            .count()
    };
    for n in 0..9 {
        session.said(&format!("thought {n}"));
        let id = session.begin("Bash", r#"{"command":"make"}"#);
        session.end(&id, Outcome::Ran, "failed");
    }
    assert_eq!(steers(&session), 1);
    for n in 0..9 {
        session.said(&format!("other thought {n}"));
        session.call("Bash", r#"{"command":"make -k"}"#, "failed");
    }
    assert_eq!(steers(&session), 2);
}

#[test]
fn a_person_who_speaks_ends_what_was_counted() {
    let mut session = Session::default();
    for n in 0..12 {
        if n % 3 == 0 {
            session.user(&"look again ".repeat(n + 1));
        }
        session.call("Bash", r#"{"command":"make"}"#, "failed");
    }
    assert!(!told(session.worst()), "{:?}", session.verdicts);
}

#[test]
fn the_message_says_what_repeats_and_what_was_not_tried() {
    let mut session = Session::default();
    for n in 0..8 {
        let arguments = format!(r#"{{"path":"/w/options.py","old_str":"{n}","new_str":"x"}}"#);
        session.fails(
            "str_replace",
            &arguments,
            "ERROR:\nold_str did not appear verbatim",
        );
    }
    let steer = session.verdicts.iter().find(|v| v.level == Level::Steer);
    let verdict = steer.expect("the agent is told");
    for part in [
        "produced nothing new",
        "str_replace /w/options.py",
        "did not appear verbatim",
        "looking at the file again",
    ] {
        assert!(verdict.message.contains(part), "{}", verdict.message);
    }
    let evidence = &verdict.evidence[0];
    assert_eq!((evidence.value, evidence.threshold), (12, 11));
    assert_eq!(evidence.calls, [2, 3, 4, 5, 6, 7]);
    assert!((75..=99).contains(&evidence.confidence));
}

#[test]
fn a_policy_that_only_observes_never_tells() {
    let loops = |policy| {
        let mut session = Session::with(policy);
        for _ in 0..30 {
            session.call("Bash", r#"{"command":"make"}"#, "failed");
        }
        session.worst()
    };
    assert_eq!(loops(CallPolicy::off()), None);
    assert_eq!(loops(CallPolicy::observing()), Some(Level::Observe));
    assert_eq!(loops(CallPolicy::native()), Some(Level::Trip));
}
