//! In memory.

use std::fs::File;
use std::io;

use rustix::fs::{MemfdFlags, memfd_create};

pub(in crate::tools) fn file() -> io::Result<File> {
    Ok(memfd_create("answer", MemfdFlags::CLOEXEC)?.into())
}
