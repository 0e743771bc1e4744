//! A memory of a later release is left for that release.

use std::fs;

use crate::context::TestContext;

#[test]
fn a_memory_of_a_later_release_denies_in_one_line_and_is_not_touched() {
    let context = TestContext::new();
    context
        .fusebox(&["record", "--files-changed", "1"])
        .run()
        .expect(0);
    let file = context.store().workspace.join("workspace");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("fusebox-workspace 1", "fusebox-workspace 2");
    fs::write(&file, text.replace("writer 0.1.0", "writer 3.2.1")).unwrap();
    let before = context.memory();
    let newer =
        "was written by fusebox 3.2.1 (format 2); this is fusebox 0.1.0, which reads up to 1";
    for command in [
        &["check"][..],
        &["record", "--files-changed", "1"],
        &["trip", "--reason", "x"],
        &["status"],
    ] {
        let told = context.fusebox(command).run().expect(4).complains_once();
        told.says(newer);
        assert_eq!(context.memory(), before, "{command:?} left a trace");
    }
    let doctor = context.fusebox(&["doctor"]).run().expect(4).out();
    let memory = doctor.lines().next().unwrap();
    assert!(memory.starts_with("✗ memory"), "{doctor}");
    assert!(memory.contains(newer), "{doctor}");
    assert!(memory.ends_with("install that release, or a later one"));
    assert_eq!(context.memory(), before, "the doctor left a trace");
}
