//! A real shell that says what it would remove.

use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// Prints where it is and what it is asked to remove, and removes nothing. The numbers are
/// file descriptors that no line uses, because lines throw away what they print.
const SHELL: &str = r#"
rm() {
    local word options=yes
    for word; do
        case $options$word in
            yes--) options= ;;
            yes-?*) ;;
            *) [ -n "$word" ] && printf '%s\t%s\0' "$(pwd -P)" "$word" >&9 ;;
        esac
    done
}
export -f rm
sh() { bash "$@"; }
exec 9>&1
eval "$LINE" </dev/null >/dev/null 2>&1
exit 0
"#;

/// What bash would remove, or nothing if there is no bash.
pub(crate) fn removed(line: &str, root: &Path) -> Option<Vec<String>> {
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
