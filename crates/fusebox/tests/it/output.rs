//! What is printed, and what becomes of it where it cannot be.

use crate::context::TestContext;

/// Half an answer is not taken for one; whoever stops listening is left in peace.
#[test]
fn output_that_cannot_be_written_is_no_success() {
    let context = TestContext::new();
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    for args in [
        &["status"][..],
        &["status", "--json"],
        &["explain"],
        &["history"],
        &["events"],
        &["report"],
        &["metrics"],
        &["check", "--peek", "--json"],
        &["config", "show"],
        &["config", "default"],
        &["config", "schema"],
        &["presets"],
        &["presets", "--json"],
        &["doctor"],
        &["guard", "list"],
        &["tasks", "list", "--json"],
        &["man"],
        &["completions", "bash"],
        &["--help"],
        &["help", "run"],
    ] {
        let full = context.fusebox(args).full_stdout().run();
        let told = "error: the output cannot be written: No space left on device";
        if full.code != 1 {
            // Something was wrong before there was anything to print.
            assert!(full.code > 1, "{args:?}: {}", full.err());
            continue;
        }
        assert_eq!(
            full.err().matches(told).count(),
            1,
            "{args:?}: {}",
            full.err()
        );
        let piped = context.fusebox(args).closed_pipe().run().expect(0);
        assert_eq!(piped.err(), "", "{args:?}");
    }
    let exported = context.fusebox(&["otlp", "export"]).full_stdout().run();
    let said = exported.expect(1).err();
    assert!(!said.contains("exported"), "{said}");
    // A prompt is drawn whatever becomes of this part of it.
    context
        .fusebox(&["statusline"])
        .full_stdout()
        .run()
        .expect(0);
    // What the answer says by its code is said whether or not it can be read.
    context.open_breaker();
    let check = context.fusebox(&["check", "--json"]).full_stdout().run();
    check.expect(42).says("the output cannot be written");
}

#[test]
fn what_is_no_directory_cannot_be_worked_in() {
    let context = TestContext::new();
    std::fs::write(context.path("file"), "").unwrap();
    let pipe = context.path("pipe");
    let (fifo, mode) = (rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, fifo, mode, 0).unwrap();
    for name in ["file", "pipe", "nowhere"] {
        let path = context.path(name);
        let told = context
            .fusebox(&["-C", path.to_str().unwrap(), "status"])
            .run();
        told.expect(2).complains_once().says("cannot enter ");
    }
    let program = env!("CARGO_BIN_EXE_fusebox");
    let script = format!("mkdir gone && cd gone && rmdir ../gone && exec {program} status");
    let told = context.call(std::path::Path::new("/bin/sh"), &["-c", &script]);
    told.run()
        .expect(2)
        .says("the directory that you are in is gone");
}

/// What was typed and cannot be meant is told in words, with the code of a mistake.
#[test]
fn mistakes_are_told_in_the_words_of_whoever_made_them() {
    let context = TestContext::new();
    for (args, told) in [
        (
            &["recover", "--strategy", "9", "--note", "x"][..],
            "from 1 to 4",
        ),
        (
            &["run", "--answer", "zz", "--", "true"],
            "`zz` is not one key such as c",
        ),
        (&["events", "--since", "someday"], "2026-01-31"),
        (
            &["limit", "take", "--tokens", "18446744073709551615"],
            "no fleet is named here",
        ),
        (&["limit", "take", "--usd", "1"], "nothing was taken"),
    ] {
        context.fusebox(args).run().expect(2).says(told);
    }
    let record = context
        .fusebox(&["record", "-"])
        .input("{\"iteration\": \"x\"}");
    let record = record.run().expect(2);
    record.says("`iteration`: invalid type: string \"x\", expected a whole number from 0 on");
    let taken = context.fusebox(&["limit", "take", "1000"]).run().expect(44);
    taken.says("stop · 1000 calls exceed the limit of 100");
    for (report, expected) in [
        (r#"{"tests": "x"}"#, "expected an object"),
        (r#"{"metrics": []}"#, "expected an object"),
        (r#"{"usage": 3}"#, "expected an object"),
        (r#"{"errors": {"a": 1}}"#, "expected a list"),
        (r#"{"retry_at": []}"#, "it is of the wrong type"),
    ] {
        let record = context.fusebox(&["record", "-"]).input(report);
        let told = record.run().expect(2).err();
        assert!(
            told.contains(expected) && !told.contains("struct"),
            "{told}"
        );
        assert!(!told.contains("enum"), "{told}");
    }
    let long = "x".repeat(5_000);
    for args in [
        &["--preset", &long, "check"][..],
        &["check", &format!("--preset={long}")],
        &["run", "--timeout", &long, "--", "true"],
        &["events", "--since", &long],
        &[&long],
    ] {
        let told = context.fusebox(args).run().expect(2).err();
        assert!(told.contains("xxx…") && told.len() < 1_500, "{told}");
    }
    context.fusebox(&["limit", "take", "100"]).run().expect(0);
    let limit = context.fusebox(&["limit"]).run().expect(0).out();
    assert!(
        limit.starts_with("0 of 100 calls left (per 1 h), used up"),
        "{limit}"
    );
    for since in [
        "2026-01-31",
        "400d",
        "999999999999d",
        "99999999999999999999999d",
    ] {
        let events = context.fusebox(&["events", "--since", since]);
        events.run().expect(0);
    }
    std::fs::write(
        context.work().join("fusebox.toml"),
        "agent.name = \"claude\"\n",
    )
    .unwrap();
    let check = context.fusebox(&["check"]).run().expect(3);
    check.says("hint: set it in your own configuration: $XDG_CONFIG_HOME/fusebox/config.toml");
}
