//! Sessions in steps: some that go round in circles, each in its own way, and one that does not.

use serde_json::{Value, json};

/// One call of a session, and what was said before it.
pub(crate) struct Step {
    pub(crate) said: String,
    pub(crate) tool: &'static str,
    pub(crate) input: Value,
    pub(crate) failed: bool,
    pub(crate) answer: String,
}

fn shell(said: &str, command: &str, failed: bool, answer: &str) -> Step {
    Step {
        said: said.into(),
        tool: "Bash",
        input: json!({"command": command}),
        failed,
        answer: answer.into(),
    }
}

fn edit(said: &str, old: &str, new: &str) -> Step {
    Step {
        said: said.into(),
        tool: "Edit",
        input: json!({"file_path": "src/a.py", "old_string": old, "new_string": new}),
        failed: false,
        answer: "The file src/a.py has been updated.".into(),
    }
}

/// Nothing is said, and the same call fails in the same way.
pub(crate) fn repeating() -> Vec<Step> {
    let step = |_| shell("", "make all", true, "make: *** error: no rule for all");
    (0..8).map(step).collect()
}

/// The same, but every time there is another reason to try it.
pub(crate) fn rephrased() -> Vec<Step> {
    let step = |n| {
        let why = format!("Perhaps reason number {n} was it.");
        shell(&why, "make all", true, "make: *** error: no rule for all")
    };
    (0..14).map(step).collect()
}

/// Another edit each time, and the tests fail as before, a line further down.
pub(crate) fn one_error() -> Vec<Step> {
    let round = |n: usize| {
        let answer = format!(
            "Traceback (most recent call last):\n  File \"src/a.py\", line {}, in load\nKeyError: 'name'",
            40 + n
        );
        [
            edit("I see.", &format!("value_{n}"), &format!("value_{}", n + 1)),
            shell("", &format!("pytest -q -k part_{n}"), true, &answer),
        ]
    };
    (0..8).flat_map(round).collect()
}

/// An edit is made, taken back and made again.
pub(crate) fn oscillating() -> Vec<Step> {
    let round = |n: usize| {
        let [old, new] = [["left", "right"], ["right", "left"]][n % 2];
        [
            edit("The other way round.", old, new),
            shell("", &format!("try {n}"), false, &format!("got {n}")),
        ]
    };
    (0..10).flat_map(round).collect()
}

/// Something new comes of every call.
pub(crate) fn healthy() -> Vec<Step> {
    let round = |n: usize| {
        [
            edit("Next.", &format!("old_{n}"), &format!("new_{n}")),
            shell(
                "",
                "make test",
                n.is_multiple_of(3),
                &format!("{n} of 12 pass"),
            ),
        ]
    };
    (0..12).flat_map(round).collect()
}
