//! The disks that hold the work and the memory.

use std::path::Path;

use super::Patient;
use crate::finding::Finding;
use crate::run::preflight;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let memory = patient.session.map(|one| one.located.workspace_dir());
    let places = [Some(patient.root), memory.as_deref()];
    let places: Vec<&Path> = places.into_iter().flatten().collect();
    vec![preflight::room(&places)]
}
