//! Commands that stand for very many words, or grow to very much text.

use std::fs;

use crate::workspace::Workspace;
use fusebox_guard::Decision;

/// A workspace with specifications that have numbers.
fn numbered() -> Workspace {
    let workspace = Workspace::new();
    for name in ["01.md", "7.md", "99.md"] {
        fs::write(workspace.path().join("specs").join(name), "x").expect("a file");
    }
    workspace
}

fn decision(workspace: &Workspace, command: &str) -> Decision {
    let guard = workspace.guard();
    guard
        .judge_command(command.as_bytes(), workspace.path())
        .decision
}

#[test]
fn words_that_are_too_many_to_be_written_out_may_be_any() {
    let table = [
        ("rm -rf {{1..5000},specs}", Decision::Deny),
        ("rm -rf {specs,{1..5000}}", Decision::Deny),
        (
            "rm -rf s{{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b},pecs}",
            Decision::Deny,
        ),
        ("rm -rf {{1..9223372036854775807},specs}", Decision::Deny),
        ("rm -f specs/{1..100}.md", Decision::Deny),
        ("rm -f specs/{00..03}.md", Decision::Deny),
        ("rm -f specs/{1..03}.md", Decision::Deny),
        ("rm -f build/{1..3}.o", Decision::Allow),
        ("touch build/{1..5000}.o", Decision::Allow),
        ("for i in {1..5000}; do echo $i; done", Decision::Allow),
        (
            "for i in $(seq 1 100); do rm -f specs/$i.md; done",
            Decision::Deny,
        ),
        (
            "for i in $(seq 9 -1 5); do rm -f specs/$i.md; done",
            Decision::Deny,
        ),
        (
            "for i in $(seq -w 1 10); do rm -f specs/$i.md; done",
            Decision::Deny,
        ),
        (
            "for i in $(seq 20 30); do rm -f specs/$i.md; done",
            Decision::Allow,
        ),
        ("for i in $(seq 1 10000); do echo $i; done", Decision::Allow),
    ];
    let workspace = numbered();
    for (command, expected) in table {
        assert_eq!(decision(&workspace, command), expected, "{command}");
    }
}

#[test]
fn text_that_grows_without_bound_is_refused_before_it_is_there() {
    let doubles = "a=$a$a; ".repeat(60);
    let tens = "a=$a$a$a$a$a$a$a$a$a$a; ".repeat(12);
    let appends = "a+=$a; ".repeat(60);
    let replaces = "a=${a//x/$a}; ".repeat(12);
    let workspace = numbered();
    for growing in [doubles, tens, appends, replaces] {
        let command = format!("a=xxxxxxxxxx; {growing} rm -f build/$a");
        assert_eq!(decision(&workspace, &command), Decision::Deny, "{command}");
    }
    let makefile = format!(
        "A := x\n{}all:\n\techo $(A)\n",
        "A := $(A)$(A)\n".repeat(64)
    );
    fs::write(workspace.path().join("Makefile"), makefile).expect("a file");
    assert_eq!(decision(&workspace, "make all"), Decision::Allow);
}
