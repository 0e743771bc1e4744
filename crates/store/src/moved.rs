//! Workspaces that are not where they are looked for.
//!
//! Hardly anything here is asked on the usual way, where a directory has its index
//! entry or the path that named its store, and no link led there.

use std::path::{Component, Path, PathBuf};

use crate::locate::{Key, Known, has_traces, is_passed_over, known_as, path_id};
use crate::{Error, Homes, Tamper, workspace_file};

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
            let found = known_as(noted.id.clone(), (directory, key), None, homes)?;
            if first
                .as_ref()
                .is_none_or(|first| found.located.ordinal <= first.located.ordinal)
            {
                first = Some(found);
            }
        }
    }
    Ok(first)
}

/// The workspace that was last used under the name of a directory that is now
/// reached through a link, if another directory has taken its place.
///
/// It goes on in that directory, as it would in a copy that stands at the very
/// path. Unless the directory has a workspace of its own, as `found`: then nobody
/// but a person can tell which of the two is meant.
pub(crate) fn replaced_by_a_link(
    named: &Path,
    cwd: &Path,
    found: Option<&Known>,
    homes: &Homes,
) -> Result<Option<Known>, Error> {
    let Some(named) = spelled_out(named).filter(|named| named != cwd) else {
        return Ok(None);
    };
    // What `..` leaves out may have been a link itself.
    if !named.canonicalize().is_ok_and(|real| real == cwd) {
        return Ok(None);
    }
    for directory in named.ancestors() {
        let real = directory.canonicalize();
        let real = real.map_err(Error::io("resolve", directory))?;
        if real == directory {
            break;
        }
        if directory != named && is_passed_over(&real, homes) {
            continue;
        }
        let (id, key) = (path_id(directory), Key::of(&real)?);
        let is_gone = match workspace_file::read(&homes.workspace_dir(&id), &id)? {
            Some(noted) => noted.root == directory && !noted.is_of(key),
            None => has_traces(&id, homes)?,
        };
        if is_gone && found.is_none_or(|found| found.located.id != id) {
            let mut known = known_as(id, (&real, key), None, homes)?;
            if found.is_some() {
                let path = directory.to_owned();
                known.located.doubt = Some(Tamper::RootReplaced { path });
            }
            return Ok(Some(known));
        }
    }
    Ok(None)
}

/// A path from the root on, as it is written and without looking at it.
fn spelled_out(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path).ok()?.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    Some(plain)
}
