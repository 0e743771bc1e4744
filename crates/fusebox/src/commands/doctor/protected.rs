//! The protected paths, as far as they are there.

use fusebox_view::phrase;

use super::Patient;
use crate::finding::Finding;
use crate::protection;

pub(super) fn look(patient: &mut Patient<'_>) -> Vec<Finding> {
    let root = patient.root;
    let guard = protection::guard(root);
    let rules = guard.protected().rules();
    let is_plain = |pattern: &String| !pattern.contains(['*', '?', '[']);
    let plain: Vec<String> = rules
        .iter()
        .map(fusebox_guard::Rule::pattern)
        .filter(is_plain)
        .collect();
    let there = plain.iter().filter(|path| {
        root.join(path.trim_end_matches('/'))
            .symlink_metadata()
            .is_ok()
    });
    let what = format!(
        "{}, {} present",
        phrase::count(rules.len() as u64, "protected path"),
        there.count()
    );
    vec![Finding::fine("guard", what)]
}
