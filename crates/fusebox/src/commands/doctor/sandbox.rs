//! The walls that `--sandbox` can really put around an agent on this machine.

use fusebox_supervise::sandbox::{self, Level};

use super::Patient;
use crate::finding::Finding;

pub(super) fn look(_: &mut Patient<'_>) -> Vec<Finding> {
    let level = sandbox::level();
    let what = level.to_string();
    vec![match level {
        Level::Walls => Finding::fine("sandbox", what),
        // Nobody asked for walls yet, so that there are none is no fault.
        Level::Nothing(_) => Finding::doubtful("sandbox", what, sandbox::NEEDED),
    }]
}
