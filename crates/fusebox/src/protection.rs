//! The guard of a workspace, as it is configured here.

use std::ffi::OsString;
use std::path::Path;

use fusebox_guard::{Guard, Protected};

/// Judges what is done in the workspace at `root`, with the variables of this process, which
/// are those that a command would start with.
pub(crate) fn guard(root: &Path) -> Guard {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    Guard::new(Protected::new(root)).with_environment(std::env::vars_os().filter_map(text))
}
