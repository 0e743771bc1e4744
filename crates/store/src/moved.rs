//! Workspaces that are not where they are looked for.
//!
//! Nothing here is asked on the usual way, where a directory has its index entry
//! or the path that named its store.

use std::path::Path;

use crate::locate::{Key, Known, is_passed_over, known_as};
use crate::{Error, Homes, workspace_file};

/// The workspace that says itself that it is one of the directories from `cwd` on
/// up, although nothing leads from there to it: it was renamed, and its index
/// entry is gone. Of several the one registered first, as ever.
pub(crate) fn found_again(cwd: &Path, homes: &Homes) -> Result<Option<Known>, Error> {
    let described = workspace_file::all(&homes.state)?;
    if described.is_empty() {
        return Ok(None);
    }
    let mut first: Option<Known> = None;
    for directory in cwd.ancestors() {
        if directory != cwd && is_passed_over(directory, homes) {
            continue;
        }
        let key = Key::of(directory)?;
        for noted in described.iter().filter(|noted| noted.is_of(key)) {
            if first
                .as_ref()
                .is_none_or(|first| noted.ordinal <= first.ordinal)
            {
                first = Some(known_as(noted.id.clone(), (directory, key), None, homes)?);
            }
        }
    }
    Ok(first)
}
