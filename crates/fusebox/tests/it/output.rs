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
