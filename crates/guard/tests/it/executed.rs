//! The verdicts held against what really happens.
//!
//! Commands of the table that stay within their directory by construction are executed in a
//! throw-away workspace. Whatever loses something protected must have been denied before.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::workspace::Workspace;
use fusebox_guard::{Decision, batch};

/// Programs that change nothing but files they are pointed at.
const CONFINED: &[&str] = &[
    "rm", "rmdir", "unlink", "mv", "cp", "ln", "install", "touch", "mkdir", "cat", "echo",
    "printf", "tee", "truncate", "dd", "sed", "sort", "uniq", "head", "tail", "wc", "find",
    "xargs", "cd", "true", "false", "test", "bash", "sh", "eval", "exec", "command", "env", "nice",
    "timeout", "for", "while", "if", "case", "gzip", "bzip2", "shred", "cut", "tr", "cmp", "diff",
    "set", "read", "split",
];

/// Whether running it cannot leave the workspace: only known programs, no absolute paths, no
/// parents, no home, no values from outside.
fn is_confined(command: &str) -> bool {
    let risky = [
        "..", "~", " /", "=/", "'/", "\"/", "(/", ">/", "$", "git", "sudo", "#", "http", "nohup",
        "!",
    ];
    let plain = command
        .replace("/dev/null", "")
        .replace("2>&1", "")
        .replace("/bin/rm", "rm");
    let starts = |part: &str| {
        let first = part.split_whitespace().next().unwrap_or_default();
        CONFINED.contains(&first.trim_matches(['\'', '"', '(', '{', '\\']))
    };
    !risky.iter().any(|text| plain.contains(text))
        && plain
            .split([';', '|', '&', '\n'])
            .filter(|part| !part.trim().is_empty())
            .all(starts)
}

/// What every protected file holds; a missing one is missing here too.
fn contents(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending: Vec<PathBuf> = fusebox_guard::DEFAULT
        .iter()
        .map(|path| root.join(path))
        .collect();
    while let Some(path) = pending.pop() {
        if path.is_dir() && !path.is_symlink() {
            let entries = fs::read_dir(&path).expect("a directory").flatten();
            pending.extend(entries.map(|entry| entry.path()));
            found.insert(path, Vec::new());
        } else if let Ok(content) = fs::read(&path) {
            found.insert(path, content);
        }
    }
    found
}

/// Runs the command; whether something protected was lost or replaced. Adding to it is fine.
fn loses_something(workspace: &Workspace, command: &str) -> bool {
    let before = contents(workspace.path());
    let status = Command::new("timeout")
        // A shell that takes itself for interactive ignores any request to end.
        .args(["-s", "KILL", "10", "bash", "-c", command])
        .current_dir(workspace.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.expect("bash runs");
    let after = contents(workspace.path());
    before.iter().any(|(path, content)| match after.get(path) {
        Some(now) => !now.starts_with(content),
        None => true,
    })
}

#[test]
fn what_really_loses_something_was_denied_before() {
    if Command::new("timeout")
        .args(["1", "bash", "-c", ":"])
        .status()
        .is_err()
    {
        eprintln!("SKIPPED: there is no bash, or no timeout");
        return;
    }
    let (mut executed, mut lost) = (0, 0);
    let mut overlooked = Vec::new();
    let mut for_nothing = Vec::new();
    let cases = include_str!("cases.tsv")
        .lines()
        .filter_map(batch::Case::parse);
    for case in cases.filter(|case| is_confined(&case.command)) {
        let workspace = Workspace::new();
        let verdict = workspace
            .guard()
            .judge_command(case.command.as_bytes(), workspace.path());
        let loses = loses_something(&workspace, &case.command);
        executed += 1;
        lost += usize::from(loses);
        match (verdict.decision, loses) {
            (Decision::Allow, true) => overlooked.push(case.command),
            (Decision::Deny, false) => for_nothing.push(case.command),
            _ => {}
        }
    }
    assert!(overlooked.is_empty(), "{overlooked:#?}");
    assert!(
        executed > 150 && lost > 80,
        "{executed} executed, {lost} lost something"
    );
    // What is denied and did nothing here would do harm elsewhere; there are few of those.
    assert!(for_nothing.len() * 10 < executed, "{for_nothing:#?}");
}
