//! What words become, held against a real shell.
//!
//! Each line is followed by the guard, and run by bash with a function in the place of `rm`
//! that only prints what it is given. Both have to name the same files in the same order.

use std::collections::HashSet;

use crate::workspace::{Workspace, one_is_enough};
use fusebox_guard::{Action, Target};

const LINES: &str = include_str!("words.txt");

#[test]
fn words_become_what_a_real_shell_makes_of_them() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for line in LINES.lines() {
        let line = line.replace('⏎', "\n");
        let Some(mut really) = crate::bash::removed(&line, workspace.path()) else {
            eprintln!("SKIPPED: there is no bash");
            return;
        };
        // What is removed twice is told once.
        let mut told = HashSet::new();
        really.retain(|path| told.insert(path.clone()));
        let verdict = guard.judge_command(line.as_bytes(), workspace.path());
        let thought: Vec<String> = verdict
            .affected
            .iter()
            .filter(|effect| effect.action == Action::Delete)
            .map(|effect| match &effect.target {
                Target::Path(path) | Target::Tree(path) => path.to_string_lossy().into_owned(),
                Target::Like(pattern) => pattern.to_string(),
            })
            .collect();
        compared += really.len();
        if thought != really {
            wrong.push((line, really, thought));
            assert!(!one_is_enough(), "{wrong:#?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 200, "{compared}");
}
