//! What words become, held against a real shell.
//!
//! Each line is followed by the guard, and run by bash with a function in the place of `rm`
//! that only prints what it is given. Both have to name the same files in the same order.

mod workspace;

use std::path::{Component, Path, PathBuf};
use std::process::Command;

use fusebox_guard::{Action, Target};
use workspace::Workspace;

const LINES: &str = include_str!("words.txt");

/// Prints where it is and what it is asked to remove, and removes nothing. The numbers are
/// file descriptors that no line uses, because lines throw away what they print.
const SHELL: &str = r#"
rm() {
    local word
    for word; do
        case $word in
            -f | -r | --) [ $# -gt 1 ] && continue ;;
        esac
        [ -n "$word" ] && printf '%s\t%s\0' "$PWD" "$word" >&9
    done
}
export -f rm
sh() { bash "$@"; }
exec 9>&1
eval "$LINE" </dev/null >/dev/null 2>&1
exit 0
"#;

#[test]
fn words_become_what_a_real_shell_makes_of_them() {
    let workspace = Workspace::new();
    let guard = workspace.guard();
    let mut wrong = Vec::new();
    let mut compared = 0;
    for line in LINES.lines() {
        let line = line.replace('⏎', "\n");
        let Some(really) = removed_by_bash(&line, workspace.path()) else {
            eprintln!("skipped: there is no bash");
            return;
        };
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
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(compared > 200, "{compared}");
}

/// What bash would remove, or nothing if there is no bash.
fn removed_by_bash(line: &str, root: &Path) -> Option<Vec<String>> {
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", SHELL])
        .current_dir(root)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("LINE", line)
        .env("HOME", "/nonexistent/home")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .ok()?;
    let printed = String::from_utf8(output.stdout).expect("text");
    let removed = printed.split_terminator('\0').map(|entry| {
        let (directory, word) = entry.split_once('\t').expect("a directory and a word");
        let path = resolved(&Path::new(directory).join(word));
        path.to_string_lossy().into_owned()
    });
    Some(removed.collect())
}

/// The path with the links on its way followed, but for one at its end.
fn resolved(path: &Path) -> PathBuf {
    let mut reached = PathBuf::new();
    for part in path.components() {
        if let Ok(real) = reached.canonicalize() {
            reached = real;
        }
        match part {
            Component::ParentDir => {
                reached.pop();
            }
            part => reached.push(part),
        }
    }
    reached
}
