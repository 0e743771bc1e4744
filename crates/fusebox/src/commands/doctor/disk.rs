//! The disks that hold the work and the memory.

use super::Patient;
use crate::finding::Finding;
use crate::run::preflight;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let located = &patient.session.located;
    let memory = located.workspace_dir();
    vec![preflight::room(&[&located.root, &memory])]
}
