//! A compiler with the sources of its standard library, from Debian's packages, unpacked into
//! the cache: it is not installed, and what is installed stays as it is.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::script;
use crate::place;
use crate::stage::{Outcome, outcome_of};
use crate::watchdog::Deadline;

/// Where one begins to look for what is needed.
const WANTED: [&str; 2] = ["rustc-web", "rust-web-src"];

/// Of what these depend on, what is not on every machine. Their names carry versions that
/// change from one release to the next.
const PARTS: [&str; 4] = ["rustc-web", "rust-web-src", "libstd-rust-web", "libllvm"];

/// Fetches and unpacks the packages.
pub(super) fn install(cache: &Path, deadline: Deadline) -> Result<Outcome> {
    for tool in ["apt-get", "apt-cache", "dpkg-deb"] {
        if !place::is_on_path(tool) {
            return Ok(Outcome::NotRun(format!("there is no {tool}")));
        }
    }
    let fetched = cache.join("packages");
    fs::create_dir_all(&fetched)?;
    let names = packages(&depends)?;
    println!("{}", names.join(" "));
    let mut fetch = Command::new("apt-get");
    fetch.arg("download").args(&names).current_dir(&fetched);
    let got = outcome_of(&mut fetch, deadline)?;
    if got != Outcome::Passed {
        return Ok(got);
    }
    for package in fs::read_dir(&fetched)? {
        let mut unpack = Command::new("dpkg-deb");
        unpack
            .arg("--extract")
            .arg(package?.path())
            .arg(root(cache));
        let unpacked = outcome_of(&mut unpack, deadline)?;
        if unpacked != Outcome::Passed {
            return Ok(unpacked);
        }
    }
    fs::remove_dir_all(&fetched)?;
    Ok(Outcome::Passed)
}

fn root(cache: &Path) -> PathBuf {
    cache.join("rust")
}

/// The packages to fetch, given what each depends on.
fn packages(depends: &dyn Fn(&str) -> Result<Vec<String>>) -> Result<Vec<String>> {
    let mut found = BTreeSet::new();
    let mut open: VecDeque<String> = WANTED.map(str::to_owned).into();
    while let Some(name) = open.pop_front() {
        let needed = PARTS.iter().any(|part| name.starts_with(part));
        if needed && found.insert(name.clone()) {
            open.extend(depends(&name)?);
        }
    }
    Ok(found.into_iter().collect())
}

fn depends(package: &str) -> Result<Vec<String>> {
    let asked = Command::new("apt-cache")
        .args(["depends", "--important", package])
        .output()
        .context("`apt-cache` cannot be started")?;
    ensure!(
        asked.status.success(),
        "Debian has no package {package} here"
    );
    Ok(dependencies(&String::from_utf8_lossy(&asked.stdout)))
}

fn dependencies(printed: &str) -> Vec<String> {
    let lines = printed.lines().map(str::trim);
    let named = lines.filter_map(|line| line.strip_prefix("Depends: "));
    named.map(str::to_owned).collect()
}

/// The compiler, if it was unpacked and is not too old for this project.
pub(super) fn compiler(cache: &Path) -> Result<Option<PathBuf>> {
    let root = root(cache);
    let rustc = root.join("usr/bin/rustc");
    if !rustc.is_file() {
        return Ok(None);
    }
    let library = |directory: &Path| directory.join("lib").display().to_string();
    let mut libraries = vec![library(&root.join("usr"))];
    for entry in fs::read_dir(root.join("usr/lib"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.ends_with("-linux-gnu") {
            libraries.push(path.display().to_string());
        } else if name.starts_with("llvm-") {
            libraries.push(library(&path));
        }
    }
    // It looks for its libraries where it would be installed.
    let text = format!(
        "#!/bin/sh\nexport LD_LIBRARY_PATH='{}'\nexec '{}' \"$@\"\n",
        libraries.join(":"),
        rustc.display()
    );
    let directory = cache.join("bin");
    fs::create_dir_all(&directory)?;
    let wrapper = script(&directory.join("rustc"), &text)?;
    let told = Command::new(&wrapper).arg("--version").output()?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    ensure!(
        release(&told) >= release(&format!("rustc {}", env!("CARGO_PKG_RUST_VERSION"))),
        "Debian's compiler is `{}`, and {} is needed",
        told.trim(),
        env!("CARGO_PKG_RUST_VERSION")
    );
    Ok(Some(wrapper))
}

/// The first two numbers of what a compiler says of itself.
fn release(told: &str) -> Option<(u32, u32)> {
    let mut numbers = told.split_whitespace().nth(1)?.split('.');
    let mut next = || numbers.next()?.parse().ok();
    Some((next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_every_machine_is_not_fetched() {
        let depends = |package: &str| {
            Ok(dependencies(match package {
                "rustc-web" => "rustc-web\n  Depends: libc6\n  Depends: libstd-rust-web-dev\n",
                "libstd-rust-web-dev" => "  Depends: libstd-rust-web-1.96\n  Breaks: rustc-web\n",
                "libstd-rust-web-1.96" => "  Depends: libllvm22\n  Depends: libgcc-s1\n",
                "libllvm22" => "  Depends: libz3-4\n",
                _ => "",
            }))
        };
        let expected = [
            "libllvm22",
            "libstd-rust-web-1.96",
            "libstd-rust-web-dev",
            "rust-web-src",
            "rustc-web",
        ];
        assert_eq!(packages(&depends).expect("names"), expected);
    }

    #[test]
    fn a_compiler_that_is_too_old_is_known() {
        let numbers = |told| release(told);
        assert_eq!(numbers("rustc 1.96.0 (abc 2026-01-01)"), Some((1, 96)));
        assert!(numbers("rustc 1.85.0") < numbers("rustc 1.90"));
        assert!(numbers("rustc 2.0.0") > numbers("rustc 1.90"));
        assert_eq!(numbers("nothing"), None);
    }
}
