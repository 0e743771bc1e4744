//! Whose a file is, and what it is.
//!
//! A store that others may write to proves nothing, so it is refused before
//! it is read.

use std::path::Path;
use std::sync::OnceLock;

use rustix::fs::{FileType, Mode, Stat};

use crate::disk::stat_at;
use crate::{Error, Tamper};

/// Refuses a directory that is none, is not ours, or that others may write.
/// One that does not exist yet is fine: it will be created for us alone.
pub(crate) fn refuse_exposed_directory(path: &Path) -> Result<(), Error> {
    let Some(stat) = stat_at(path)? else {
        return Ok(());
    };
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return Err(Error::Unsafe {
            path: path.to_owned(),
            why: format!("is {}, not a directory", kind_name(&stat)),
        });
    }
    refuse_exposed(path, &stat)
}

/// Refuses what belongs to somebody else or may be written by others.
pub(crate) fn refuse_exposed(path: &Path, stat: &Stat) -> Result<(), Error> {
    let refuse = |why| {
        Err(Error::Unsafe {
            path: path.to_owned(),
            why,
        })
    };
    if stat.st_uid != our_user() {
        return refuse(format!("belongs to user {}", stat.st_uid));
    }
    let others = Mode::from_raw_mode(stat.st_mode) & (Mode::WGRP | Mode::WOTH);
    if others.is_empty() {
        Ok(())
    } else {
        refuse("may be written by others".to_owned())
    }
}

/// The finding that something else stands in a file's place.
pub(crate) fn not_a_file(path: &Path) -> Error {
    let found = stat_at(path)
        .ok()
        .flatten()
        .map_or("something else", |stat| kind_name(&stat));
    Tamper::NotAFile {
        path: path.to_owned(),
        found,
    }
    .into()
}

fn kind_name(stat: &Stat) -> &'static str {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => "a file",
        FileType::Directory => "a directory",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "something else",
    }
}

/// The user this process acts as. It is asked for with every file, and no
/// caller changes it on the way.
fn our_user() -> u32 {
    static USER: OnceLock<u32> = OnceLock::new();
    *USER.get_or_init(|| rustix::process::geteuid().as_raw())
}
