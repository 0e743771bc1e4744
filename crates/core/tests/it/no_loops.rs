//! What looks like a loop and is none.

use fusebox_core::calls::CallEvent;
use fusebox_core::calls::reading::Outcome;

use crate::loop_session::{CONTINUE, Session, told, worst};

#[test]
fn what_is_no_loop() {
    type Script = fn(&mut Session);
    let scripts: [(&str, Script); 20] = [
        ("polling, and the answer changes", |s| {
            for n in 0..40 {
                s.call(
                    "Bash",
                    r#"{"command":"gh run view"}"#,
                    &format!("{n} jobs done"),
                );
            }
        }),
        ("a spacer beside a poll", |s| {
            for n in 0..30 {
                s.call("Bash", r#"{"command":"sleep 5"}"#, "");
                s.call(
                    "Bash",
                    r#"{"command":"gh run view"}"#,
                    &format!("{n} jobs done"),
                );
            }
        }),
        ("many files, each answered with ok", |s| {
            for n in 0..30 {
                s.call(
                    "Write",
                    &format!(r#"{{"file_path":"{n}","content":"{n}"}}"#),
                    "ok",
                );
            }
        }),
        ("many questions without an answer", |s| {
            for n in 0..30 {
                s.call("Grep", &format!(r#"{{"pattern":"{n}"}}"#), "");
            }
        }),
        ("one round of twins", |s| {
            let ids: Vec<_> = (0..8).map(|_| s.begin("Read", r#"{"path":"a"}"#)).collect();
            for id in ids {
                s.end(&id, Outcome::Ran, "text");
            }
        }),
        ("one round that fails as a whole", |s| {
            let edit = |n| format!(r#"{{"path":"a","old_string":"{n}","new_string":"x"}}"#);
            let ids: Vec<_> = (0..10).map(|n| s.begin("Edit", &edit(n))).collect();
            for id in ids {
                s.end(
                    &id,
                    Outcome::Failed,
                    "<tool_use_error>File has not been read yet.",
                );
            }
        }),
        ("the service is overloaded", |s| {
            for _ in 0..20 {
                s.fails("Bash", r#"{"command":"make"}"#, "error: 529 Overloaded");
            }
        }),
        ("a person asks for the same thing again", |s| {
            for n in 0..20 {
                s.user(&format!(
                    "once more please, attempt of {n:?} in words {}",
                    "x".repeat(n)
                ));
                s.call("Bash", r#"{"command":"make"}"#, "failed as before");
            }
        }),
        ("we speak in between", |s| {
            for _ in 0..30 {
                s.event(&CallEvent::Ours);
            }
        }),
        (
            "a test is run again after each edit, and gets further",
            |s| {
                for n in 0..20 {
                    s.edit("a.rs", &n.to_string(), &(n + 1).to_string());
                    s.fails(
                        "Bash",
                        r#"{"command":"cargo test"}"#,
                        &format!("error: case_{}", "x".repeat(n)),
                    );
                }
            },
        ),
        ("a big change is taken back, once", |s| {
            for n in 0..12 {
                s.edit("a.rs", &n.to_string(), &format!("{n}b"));
            }
            for n in 0..12 {
                s.edit("a.rs", &format!("{n}b"), &n.to_string());
            }
        }),
        ("files are read again after a compaction", |s| {
            let read = |s: &mut Session| {
                for n in 0..14 {
                    s.call(
                        "Read",
                        &format!(r#"{{"path":"{n}"}}"#),
                        &format!("text {n}"),
                    );
                }
            };
            read(s);
            s.event(&CallEvent::Compacted);
            read(s);
        }),
        ("a conversation", |s| {
            for n in 0..12 {
                s.user(&format!("{CONTINUE} And also {}", "y".repeat(n)));
                s.turn("Certainly. That is because of the parser.");
            }
        }),
        ("a person says yes, and yes again", |s| {
            for n in 0..12 {
                let question = "Shall I also look at the file beside it, and at its tests?";
                s.user("yes").turn(&format!("{question} {question} {n}"));
            }
        }),
        ("a person says yes to something that is then done", |s| {
            for n in 0..12 {
                s.user("yes");
                s.call(
                    "Bash",
                    &format!(r#"{{"command":"do {n}"}}"#),
                    &format!("did {n}"),
                );
                s.turn("Done. More?");
            }
        }),
        ("the compiler names one place at a time", |s| {
            for n in 0..9 {
                s.edit("a.rs", &format!("v{n}"), &format!("v{}", n + 1));
                let place = "x".repeat(n);
                s.fails(
                    "Bash",
                    &format!(r#"{{"command":"cargo check {n}"}}"#),
                    &format!("error[E0308]: mismatched types\n {n} | let {place} = 1;"),
                );
            }
        }),
        ("failing tests that become fewer", |s| {
            for n in 0..9 {
                s.edit("a.rs", &format!("v{n}"), &format!("v{}", n + 1));
                s.fails(
                    "Bash",
                    &format!(r#"{{"command":"make {n}"}}"#),
                    &format!("Error: {} tests failed", 20 - n),
                );
            }
        }),
        ("one failure, now and then in a long session", |s| {
            for n in 0..9 {
                for step in 0..18 {
                    s.call(
                        "Bash",
                        &format!(r#"{{"command":"step {n} {step}"}}"#),
                        &format!("{n} {step}"),
                    );
                }
                s.edit("a.rs", &format!("v{n}"), &format!("v{}", n + 1));
                s.fails(
                    "Bash",
                    r#"{"command":"git push"}"#,
                    "error: failed to push some refs",
                );
            }
        }),
        ("answers that nobody waits for", |s| {
            for _ in 0..20 {
                s.end("unknown", Outcome::Failed, "error: x");
            }
        }),
        ("the same look now and then", |s| {
            for n in 0..24 {
                s.call(
                    "Bash",
                    &format!(r#"{{"command":"step {n}"}}"#),
                    &format!("did {n}"),
                );
                s.edit("a.rs", &n.to_string(), &(n + 1).to_string());
                s.call("Bash", r#"{"command":"git status"}"#, "on main");
            }
        }),
    ];
    for (what, script) in scripts {
        let level = worst(script);
        assert!(!told(level), "{what}: {level:?}");
    }
}
