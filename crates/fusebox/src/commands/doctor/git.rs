//! Git: changes are measured with it, in a repository of our own.

use fusebox_workspace::Git;

use super::Patient;
use crate::finding::Finding;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    vec![match Git::find(&path, &[patient.root]) {
        Ok(_) => Finding::fine("git", "changes can be measured"),
        Err(missing) => Finding::broken(
            "git",
            missing.to_string(),
            "install git; `run` and `--from-git` need it",
        ),
    }]
}
