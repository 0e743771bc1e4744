//! What a linker must know of libraries that are on every Mac, and that zig does not describe.
//!
//! Crates name them to be linked with, for functions that the program never comes to call. So it
//! is enough to say what each is called on a Mac; should a function be called one day, the
//! linker says which.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

const FRAMEWORKS: [&str; 2] = ["CoreFoundation", "SystemConfiguration"];

/// Writes the descriptions into a directory and returns it.
pub(super) fn write(directory: &Path) -> Result<PathBuf> {
    describe(&directory.join("libiconv.tbd"), "/usr/lib/libiconv.2.dylib")?;
    for name in FRAMEWORKS {
        let folder = format!("{name}.framework");
        let on_a_mac = format!("/System/Library/Frameworks/{folder}/Versions/A/{name}");
        let file = directory.join(&folder).join(format!("{name}.tbd"));
        describe(&file, &on_a_mac)?;
    }
    Ok(directory.to_owned())
}

fn describe(file: &Path, on_a_mac: &str) -> Result<()> {
    let text = format!(
        "--- !tapi-tbd\ntbd-version: 4\ntargets: [ x86_64-macos, arm64-macos ]\n\
         install-name: '{on_a_mac}'\ncurrent-version: 1\ncompatibility-version: 1\n...\n"
    );
    if let Some(above) = file.parent() {
        fs::create_dir_all(above)?;
    }
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
