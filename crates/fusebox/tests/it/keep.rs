//! The copies of what is protected, on request.

use std::fs;

use crate::context::{TestContext, nobody_can_play_a_person};

#[test]
fn a_snapshot_is_verified_and_put_back() {
    if nobody_can_play_a_person() {
        return;
    }
    let context = TestContext::new();
    let root = context.work();
    fs::create_dir(root.join("specs")).unwrap();
    fs::write(root.join("specs/a.md"), "a\n").unwrap();
    fs::write(root.join("CLAUDE.md"), "words\n").unwrap();
    let guard = |action: &str| context.fusebox(&["guard", action, "--json"]).run();
    guard("verify").expect(6);
    guard("restore").expect(6);
    assert_eq!(guard("snapshot").expect(0).json()["kept"], 3);
    assert_eq!(
        guard("verify").expect(0).json()["lost"]
            .as_array()
            .unwrap()
            .len(),
        0
    );

    fs::remove_dir_all(root.join("specs")).unwrap();
    fs::write(root.join("CLAUDE.md"), "").unwrap();
    let lost = guard("verify").expect(47).json();
    let what = |place: usize| {
        (
            lost["lost"][place]["path"].clone(),
            lost["lost"][place]["what"].clone(),
        )
    };
    assert_eq!(what(0), ("CLAUDE.md".into(), "was emptied".into()));
    assert_eq!(what(1), ("specs".into(), "was deleted".into()));
    assert!(!root.join("specs").exists(), "verify only looks");
    assert_eq!(guard("restore").expect(0).json()["restored"], true);
    assert_eq!(fs::read_to_string(root.join("specs/a.md")).unwrap(), "a\n");
    assert_eq!(
        fs::read_to_string(root.join("CLAUDE.md")).unwrap(),
        "words\n"
    );
    guard("verify").expect(0);
}

#[test]
fn req_004_096_an_agent_cannot_declare_a_loss_to_be_how_things_are() {
    let Some(context) = TestContext::with_repository() else {
        return;
    };
    fs::write(context.work().join("CLAUDE.md"), "words\n").unwrap();
    let fusebox = crate::context::FUSEBOX;
    let script = format!("rm CLAUDE.md; {fusebox} guard snapshot; echo $? > code");
    context.supervise(&["--once"], &script).run().expect(47);
    let code = fs::read_to_string(context.work().join("code")).unwrap();
    assert_eq!(code, "5\n");
    let words = fs::read_to_string(context.work().join("CLAUDE.md")).unwrap();
    assert_eq!(words, "words\n");
}
