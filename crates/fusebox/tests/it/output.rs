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
        &["statusline"],
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
    // What the answer says by its code is said whether or not it can be read.
    context.open_breaker();
    let check = context.fusebox(&["check", "--json"]).full_stdout().run();
    check.expect(42).says("the output cannot be written");
}

/// What was typed and cannot be meant is told in words, with the code of a mistake.
#[test]
fn mistakes_are_told_in_the_words_of_whoever_made_them() {
    let context = TestContext::new();
    for (args, told) in [
        (
            &["recover", "--strategy", "9", "--note", "x"][..],
            "not in 1..=4",
        ),
        (
            &["run", "--answer", "zz", "--", "true"],
            "`zz` is not one key such as c",
        ),
        (&["events", "--since", "someday"], "2026-01-31"),
    ] {
        context.fusebox(args).run().expect(2).says(told);
    }
    let record = context
        .fusebox(&["record", "-"])
        .input("{\"iteration\": \"x\"}");
    let record = record.run().expect(2);
    record.says("`iteration`: invalid type: string \"x\", expected a whole number from 0 on");
    let taken = context.fusebox(&["limit", "take", "1000"]).run().expect(44);
    taken.says("stop · 1000 calls at once are more than the limit of 100 ever allows");
    context.fusebox(&["limit", "take", "100"]).run().expect(0);
    let limit = context.fusebox(&["limit"]).run().expect(0).out();
    assert!(
        limit.starts_with("0 of 100 calls left in any 1 h, used up"),
        "{limit}"
    );
    context
        .fusebox(&["events", "--since", "2026-01-31"])
        .run()
        .expect(0);
    std::fs::write(
        context.work().join("fusebox.toml"),
        "agent.name = \"claude\"\n",
    )
    .unwrap();
    let check = context.fusebox(&["check"]).run().expect(3);
    check.says("hint: it is yours to say: in $XDG_CONFIG_HOME/fusebox/config.toml");
}
