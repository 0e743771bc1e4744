//! Whose doing it is that something protected is missing, where several could have done it.

use std::fs;

use crate::bmad::Bmad;
use crate::call::Finished;
use crate::context::{FUSEBOX, TestContext};

/// A repository with a specification and a name as long as names can be.
fn precious() -> Option<TestContext> {
    let context = TestContext::with_repository()?;
    fs::create_dir(context.work().join("specs")).unwrap();
    fs::write(context.work().join("specs/a.md"), "a\n").unwrap();
    context.git(&["add", "-A"]);
    context.git(&["commit", "-qm", "second"]);
    Some(context)
}

fn spec(context: &TestContext) -> String {
    fs::read_to_string(context.work().join("specs/a.md")).unwrap_or_else(|_| "missing".into())
}

/// Another run that the agent begins.
fn nested(script: &str) -> String {
    format!("{FUSEBOX} -q --circuit other run --max-iterations 1 -- sh -c '{script}'")
}

fn once(context: &TestContext, script: &str) -> Finished {
    context.supervise(&["--max-iterations", "1"], script).run()
}

#[test]
fn req_x_004_a_run_that_the_agent_begins_takes_no_loss_from_its_own_supervisor() {
    for also in ["true", "rm -f specs/a.md"] {
        let Some(context) = precious() else { return };
        let script = format!("rm specs/a.md; {}; echo w >> a.txt", nested(also));
        let run = once(&context, &script).expect(47);
        run.says("specs/a.md was deleted; it is back");
        assert_eq!(
            (spec(&context).as_str(), &*context.state()),
            ("a\n", "Open")
        );
    }
}

#[test]
fn what_another_circuits_agent_loses_is_not_laid_to_a_run_that_begins_meanwhile() {
    let Some(context) = precious() else { return };
    let wait = "rm specs/a.md; touch ../gone; until [ -e ../go ]; do sleep 0.05; done";
    let first = context.supervise(&["--max-iterations", "1"], wait).start();
    while !context.path("gone").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    // Their commands are a second look, which lays it to them no more than the first.
    let options = ["--circuit", "b", "--test", "true", "--max-iterations", "1"];
    let second = context
        .supervise(&options, "touch ../go; sleep 1; echo w >> a.txt")
        .run();
    let first = first.finish().expect(47);
    first.says("specs/a.md was deleted; it is back");
    assert_eq!(spec(&context), "a\n");
    assert!(!second.err().contains("was deleted"), "{}", second.err());
    second.expect(45);
}

#[test]
fn req_x_004_a_loss_is_no_persons_wish_because_the_agent_began_a_run_after_it() {
    let Some(context) = precious() else { return };
    let (before, after) = (nested("true"), nested("true"));
    let script = format!(
        "{before}; rm specs/a.md; {after}; supervisor=$(awk '/PPid/ {{print $2}}' /proc/$PPID/status)
        kill -STOP $PPID; kill -9 $supervisor $PPID; sleep 5"
    );
    once(&context, &script);
    let run = once(&context, "echo x >> ../count");
    run.says("specs/a.md was deleted; it is back");
    assert_eq!(
        (spec(&context).as_str(), &*context.state()),
        ("a\n", "Open")
    );
    assert!(!context.path("count").exists());
}

#[test]
fn what_could_not_be_put_back_is_tried_again_and_never_given_up() {
    let Some(context) = precious() else { return };
    once(&context, "echo w >> a.txt").expect(45);
    let copies = context.store().workspace.join("kept/objects");
    let hidden = context.path("hidden");
    let hide = format!(
        "mv {} {}; rm specs/a.md",
        copies.display(),
        hidden.display()
    );
    once(&context, &hide).expect(47).says("cannot be put back");
    let again = once(&context, "echo x >> ../count");
    assert!(!again.err().contains("was removed"), "{}", again.err());
    context.fusebox(&["guard", "verify"]).run().expect(47);
    fs::remove_dir_all(&copies).unwrap();
    fs::rename(&hidden, &copies).unwrap();
    once(&context, "echo x >> ../count").says("specs/a.md was deleted; it is back");
    assert_eq!(spec(&context), "a\n");
    assert!(!context.path("count").exists());
}

/// Between two runs it may have been a person who removed something, but nobody edits the list of
/// what there was.
#[test]
fn req_x_004_no_run_begins_on_copies_that_cannot_be_believed() {
    let Some(context) = precious() else { return };
    once(&context, "echo w >> a.txt").expect(45);
    let list = context.store().workspace.join("kept/list");
    let text = fs::read(&list).unwrap();
    fs::write(&list, &text[..text.len() - 10]).unwrap();
    fs::remove_file(context.work().join("specs/a.md")).unwrap();
    let refused = once(&context, "echo x >> ../count").expect(4);
    refused.says("guard snapshot");
    assert!(!context.path("count").exists());
    let asked = context.fusebox(&["check"]).run().expect(4);
    asked.says("guard snapshot");
    context.fusebox(&["guard", "snapshot"]).run().expect(0);
    once(&context, "echo w >> a.txt").expect(45);
}

#[test]
fn names_that_are_long_or_taken_keep_nothing_from_coming_back() {
    let Some(context) = precious() else { return };
    let long = format!("specs/{}.md", "n".repeat(252));
    fs::write(context.work().join(&long), "long\n").unwrap();
    let script =
        "i=0; while [ $((i += 1)) -le 1000 ]; do : > specs/a.md.$i; done; rm specs/a.md specs/n*";
    let run = once(&context, script).expect(47);
    assert!(!run.err().contains("cannot be put back"), "{}", run.err());
    assert_eq!(spec(&context), "a\n");
    assert_eq!(
        fs::read_to_string(context.work().join(&long)).unwrap(),
        "long\n"
    );
}

#[test]
fn the_commands_that_confirm_completion_are_held_as_the_agent_is() {
    let all_pass = r#"{"features": [{"id": "F1", "name": "a", "status": "pass"}]}"#;
    let confirm = |script: &str| {
        let bmad = Bmad::new()?;
        fs::create_dir(bmad.0.work().join("specs")).unwrap();
        bmad.write("specs/a.md", "a\n");
        bmad.write("feature_list.json", all_pass);
        let options = ["--test", script, "--max-iterations", "2"];
        Some((bmad.run(&options, "echo x >> ../count"), bmad))
    };
    // Here nothing is put back, but nothing is lost in silence either.
    let Some((run, _)) = confirm("rm -f specs/a.md") else {
        return;
    };
    run.says("protected: specs/a.md was deleted");
    let Some((run, bmad)) = confirm("kill -9 $PPID; sleep 20") else {
        return;
    };
    run.expect(42).says("ended the process that keeps it");
    assert_eq!(bmad.0.state(), "Open");
    assert!(!bmad.0.path("count").exists());
}
