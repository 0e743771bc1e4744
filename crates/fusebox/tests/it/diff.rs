//! What an iteration changed, on the command line.

use serde_json::json;

use crate::context::TestContext;

/// The patch of each iteration that a run kept: for programs as it is, for terminals harmless.
#[test]
fn the_patch_of_an_iteration_is_shown() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let script =
        "[ $FUSEBOX_ITERATION = 3 ] || printf 'l \\033[31m%s\\n' $FUSEBOX_ITERATION >> new.txt";
    let options = ["--max-iterations", "3"];
    context.supervise(&options, script).run().expect(45);
    let diff = |args: &[&str]| context.fusebox(&[&["diff"], args].concat()).run();
    let first = diff(&["1"]).expect(0).out();
    assert!(first.contains("--- /dev/null\n+++ b/new.txt\n"), "{first}");
    assert!(first.contains("\n+l \u{1b}[31m1\n"), "{first:?}");
    let second = diff(&["2"]).expect(0).out();
    assert!(
        second.contains("\n l \u{1b}[31m1\n+l \u{1b}[31m2\n"),
        "{second:?}"
    );
    // The last one, in which nothing happened.
    let last = diff(&[]).expect(0).says("iteration 3 changed no file");
    assert_eq!(last.out(), "");
    let data = diff(&["2", "--json"]).expect(0).json();
    assert_eq!(
        (&data["iteration"], &data["changed"], &data["patch"]),
        (&json!(2), &json!(true), &json!(second))
    );
    diff(&["4"])
        .expect(6)
        .says("there is no iteration 4; the last one is 3");
}

/// Where no run kept a patch, it is made from the snapshots that were compared.
#[test]
fn a_loop_of_ones_own_has_its_patches_shown_too() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    let call = |args: &[&str]| context.fusebox(args).run();
    call(&["diff"])
        .expect(6)
        .says("no iteration has been reported yet");
    call(&["check", "--from-git"]).expect(0);
    std::fs::write(context.work().join("new.txt"), "one\n").unwrap();
    call(&["record", "--from-git"]).expect(0);
    let patch = call(&["diff"]).expect(0).out();
    assert!(
        patch.ends_with("+++ b/new.txt\n@@ -0,0 +1 @@\n+one\n"),
        "{patch}"
    );
    call(&["record", "--files-changed", "2"]).expect(0);
    call(&["diff", "2"])
        .expect(6)
        .says("what iteration 2 changed was not measured");
    call(&["diff", "1"]).expect(0);
}
