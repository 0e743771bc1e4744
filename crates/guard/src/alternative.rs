//! What could be done instead of what was denied.
//!
//! These are candidates; the guard only tells one that it would allow itself.

use std::path::Path;

use crate::effect::Action;
use crate::verdict::Verdict;

/// Candidates, the most useful first.
pub(crate) fn candidates(verdict: &Verdict, root: &Path) -> Vec<String> {
    let Some(first) = verdict.protected.first() else {
        return Vec::new();
    };
    let path = first.path.strip_prefix(root).unwrap_or(&first.path);
    let path = quoted(&path.to_string_lossy());
    let by = first.by.as_str();
    let mut candidates = Vec::new();
    if by.starts_with("git clean") {
        candidates.push("git clean -nd".to_owned());
    } else if by.starts_with("git stash") {
        candidates.push("git stash list".to_owned());
    } else if by.starts_with("git ") {
        candidates.push(format!("git diff -- {path}"));
    }
    match first.action {
        Action::Overwrite | Action::Truncate => candidates.push(format!("cat >> {path}")),
        Action::Rename => candidates.push(format!("cp -r {path} {path}.copy")),
        _ => {}
    }
    candidates.push(format!("ls -la {path}"));
    candidates
}

fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}
