//! Where everything is kept, and whose home that is.
//!
//! `sudo` without `-H` leaves `HOME` at somebody else's. A memory that were begun there would
//! be root's in a user's home, and shut its owner out from then on.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use fusebox_store::{Error as StoreError, HomeSources, Homes};

use crate::cli::Global;
use crate::exit;
use crate::failure::Failure;
use crate::speech::shown;

/// Where everything is kept; `data` stands in for the usual place of the heads.
pub(crate) fn homes(global: &Global, data: Option<&Path>) -> Result<Homes, Failure> {
    let state_dir = match &global.state_dir {
        Some(named) => Some(std::path::absolute(named).map_err(|error| {
            Failure::new(
                exit::USAGE,
                format!(
                    "cannot make sense of --state-dir {}: {error}",
                    named.display()
                ),
            )
        })?),
        None => None,
    };
    let home = own();
    let homes = Homes::resolve(&HomeSources {
        state_dir,
        xdg_state_home: std::env::var_os("XDG_STATE_HOME"),
        xdg_data_home: data
            .map(Into::into)
            .or_else(|| std::env::var_os("XDG_DATA_HOME")),
        home: home.as_ref().ok().cloned().flatten(),
    });
    let homes = match (homes, home) {
        (Err(StoreError::NoHome), Err(foreign)) => return Err(foreign),
        (homes, _) => homes?,
    };
    fusebox_store::refuse_remote_filesystem(&homes.state)?;
    homes.refuse_exposed()?;
    Ok(homes)
}

/// The home directory, unless there is none. An error if it is another user's.
fn own() -> Result<Option<OsString>, Failure> {
    let Some(home) = std::env::var_os("HOME") else {
        return Ok(None);
    };
    let path = Path::new(&home);
    let owner = path.metadata().map(|about| about.uid());
    let us = rustix::process::geteuid().as_raw();
    match owner {
        Ok(owner) if owner != us => Err(Failure::new(
            exit::MISSING,
            format!(
                "the home directory {} belongs to user {owner}, and this is user {us}",
                shown(path)
            ),
        )
        .hint("name a directory of your own with `--state-dir`, or use `sudo -H`")),
        _ => Ok(Some(home)),
    }
}
