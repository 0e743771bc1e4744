//! Text that would act on a terminal, and text without end.

use std::fs;
use std::io::Write;

use serde_json::json;

use crate::call::wait_for;
use crate::context::TestContext;
use crate::hostile_corpus::acts;

/// Escape sequences, text that runs backwards, line breaks, and C1 controls.
#[test]
fn hostile_text_never_reaches_a_terminal_raw() {
    let hostile = "T\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}drowssap\u{2066}\u{9b}31m\r\nfake: all is well\u{0}\u{8}";
    let context = TestContext::new();
    let report = json!({"task": hostile, "files_changed": 1, hostile: 1,
        "errors": [{"type": hostile, "message": hostile, "file": hostile}]});
    let mut said = Vec::new();
    for code in [0, 0, 0, 0, 42] {
        let came = context
            .fusebox(&["record", "-"])
            .input(report.to_string())
            .run()
            .expect(code);
        said.push(came);
    }
    for args in [&["status"][..], &["explain"], &["history"], &["doctor"]] {
        said.push(context.fusebox(args).run().expect(0));
    }
    let reason = hostile.replace('\0', "");
    said.push(
        context
            .fusebox(&["trip", "--reason", &reason])
            .run()
            .expect(0),
    );
    for args in [&["status"][..], &["explain"], &["history"]] {
        said.push(context.fusebox(args).run().expect(0));
    }
    said.push(
        context
            .fusebox(&["--circuit", &reason, "check"])
            .run()
            .expect(2),
    );
    said.push(
        context
            .fusebox(&["run", "--prompt-file", &reason, "--", "true"])
            .run()
            .expect(2),
    );
    said.push(
        context
            .fusebox(&["run", "--once", "--", &reason])
            .run()
            .expect(42),
    );
    said.push(
        context
            .fusebox(&["--circuit", "b", "run", "--once", "--", &reason])
            .run()
            .expect(6),
    );
    // What makes no sense is repeated by the parser of the command line.
    let value = format!("--max-time={reason}");
    for args in [
        &[&*reason][..],
        &["--preset", &reason, "check"],
        &["run", &value, "--", "true"],
    ] {
        said.push(context.fusebox(args).run().expect(2));
    }
    for came in said {
        let text = format!("{}{}", came.out(), came.err());
        assert!(!text.contains(acts), "{text:?}");
        assert!(
            !text.lines().any(|line| line.starts_with("fake:")),
            "{text}"
        );
    }
}

/// A directory's name is text from outside, too.
#[test]
fn a_hostile_directory_name_is_shown_escaped() {
    let context = TestContext::new();
    let hostile = context.work().join("\u{1b}[2J\nfake: \u{202e}");
    fs::create_dir(&hostile).unwrap();
    for (args, code) in [
        (&["check"][..], 0),
        (&["trip", "--reason", "x"], 0),
        (&["status"], 0),
        (&["doctor"], 0),
        (&["check", "-C", "no such place\nfake: "], 2),
        (&["reset", "--reason", "x"], 5),
    ] {
        let came = context.fusebox(args).inside(&hostile).run().expect(code);
        let text = format!("{}{}", came.out(), came.err());
        assert!(!text.contains(acts), "{text:?}");
        assert!(
            !text.lines().any(|line| line.starts_with("fake:")),
            "{text}"
        );
    }
}

/// A hundred megabytes of error text: taken, cut, and never held in memory.
#[test]
fn a_flood_of_error_text_needs_little_memory() {
    let context = TestContext::new();
    let few = peak_of_a_report(&context, 1);
    let many = peak_of_a_report(&context, 100);
    // Most of either is the program itself.
    assert!(many < few + 8 * 1024, "it took {few} kB, then {many} kB");
    let log = fs::metadata(context.store().log).unwrap().len();
    assert!(log < 64 * 1024, "the log has {log} bytes");
}

/// The most memory, in kB, that a report needs that has an error of so many megabytes.
fn peak_of_a_report(context: &TestContext, megabytes: usize) -> u64 {
    let mut running = context.fusebox(&["record", "-"]).piped_input().start();
    let status = format!("/proc/{}/status", running.child.id());
    let mut input = running.child.stdin.take().unwrap();
    input.write_all(br#"{"errors": [{"message": ""#).unwrap();
    let megabyte = vec![b'x'; 1 << 20];
    for _ in 0..megabytes {
        input.write_all(&megabyte).unwrap();
    }
    input.write_all(br#""}], "files_changed": 1"#).unwrap();
    // The last bytes have left the pipe when its capacity has been exceeded
    // many times over; what is left to read is less than one pipe full.
    let mut peak = 0;
    wait_for("the peak of memory", || {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = line
            .and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
            .unwrap_or(0);
        peak > 0
    });
    input.write_all(b"}").unwrap();
    drop(input);
    running
        .finish()
        .expect(0)
        .says("bytes of over-long text were left out");
    peak
}
