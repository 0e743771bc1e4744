//! Packages around a binary: what `packaging/` describes, as far as this machine can make it.
//!
//! Nothing in a package runs when it is installed. Manual pages and completions are made by the
//! binary that is packed, so that they cannot be those of another.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::place;

/// What became of one package.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Packed {
    /// It is there.
    File(PathBuf),
    /// It could not be made, and why.
    NotMade(&'static str, String),
}

/// Makes every package that can be made, into `directory`.
pub(crate) fn all(binary: &Path, directory: &Path) -> Result<Vec<Packed>> {
    fs::create_dir_all(directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let version = env!("CARGO_PKG_VERSION");
    Ok(vec![
        if place::is_on_path("dpkg-deb") {
            Packed::File(debian(binary, directory, version)?)
        } else {
            Packed::NotMade("Debian package", "there is no dpkg-deb".into())
        },
        if place::is_on_path("npm") {
            Packed::File(npm(binary, directory, version)?)
        } else {
            Packed::NotMade("npm package", "there is no npm".into())
        },
    ])
}

/// The names of this processor: Debian's and npm's.
fn architecture() -> (&'static str, &'static str) {
    match std::env::consts::ARCH {
        "x86_64" => ("amd64", "x64"),
        "aarch64" => ("arm64", "arm64"),
        other => (other, other),
    }
}

fn debian(binary: &Path, directory: &Path, version: &str) -> Result<PathBuf> {
    let (debian, _) = architecture();
    let tree = tempfile::tempdir()?;
    let root = tree.path();
    install(binary, &root.join("usr/bin/fusebox"), 0o755)?;
    let manual = root.join("usr/share/man/man1");
    fs::create_dir_all(&manual)?;
    succeed(Command::new(binary).arg("man").arg(&manual))?;
    for page in fs::read_dir(&manual)? {
        succeed(Command::new("gzip").args(["-9", "-n"]).arg(page?.path()))?;
    }
    for (shell, path) in [
        ("bash", "usr/share/bash-completion/completions/fusebox"),
        ("zsh", "usr/share/zsh/vendor-completions/_fusebox"),
        ("fish", "usr/share/fish/vendor_completions.d/fusebox.fish"),
    ] {
        let script = succeed(Command::new(binary).args(["completions", shell]))?;
        write(&root.join(path), &script)?;
    }
    let documents = root.join("usr/share/doc/fusebox");
    let ours = place::repository();
    install(
        &ours.join("packaging/debian/copyright"),
        &documents.join("copyright"),
        0o644,
    )?;
    for name in ["LICENSE-MIT", "CHANGELOG.md"] {
        install(&ours.join(name), &documents.join(name), 0o644)?;
    }
    let control = fs::read_to_string(ours.join("packaging/debian/control"))?
        .replace("{version}", version)
        .replace("{debian_architecture}", debian)
        .replace("{kilobytes}", &size(root)?.div_ceil(1024).to_string());
    write(&root.join("DEBIAN/control"), control.as_bytes())?;
    let package = directory.join(format!("fusebox_{version}_{debian}.deb"));
    succeed(
        Command::new("dpkg-deb")
            .args(["--build", "--root-owner-group"])
            .arg(root)
            .arg(&package),
    )?;
    Ok(package)
}

fn npm(binary: &Path, directory: &Path, version: &str) -> Result<PathBuf> {
    let (_, cpu) = architecture();
    let tree = tempfile::tempdir()?;
    let root = tree.path();
    install(binary, &root.join("bin/fusebox"), 0o755)?;
    let ours = place::repository();
    for name in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        install(&ours.join(name), &root.join(name), 0o644)?;
    }
    let manifest = fs::read_to_string(ours.join("packaging/npm/package.json"))?
        .replace("{version}", version)
        .replace("{npm_cpu}", cpu);
    write(&root.join("package.json"), manifest.as_bytes())?;
    succeed(
        Command::new("npm")
            .args(["pack", "--offline", "--silent", "--pack-destination"])
            .arg(std::path::absolute(directory)?)
            .current_dir(root),
    )?;
    let package = directory.join(format!("fusebox-{version}.tgz"));
    ensure!(package.is_file(), "npm made no {}", package.display());
    Ok(package)
}

fn install(from: &Path, to: &Path, mode: u32) -> Result<()> {
    let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    write(to, &bytes)?;
    fs::set_permissions(to, fs::Permissions::from_mode(mode))?;
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn size(directory: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() {
            size(&entry.path())?
        } else {
            entry.metadata()?.len()
        };
    }
    Ok(bytes)
}

/// What a command prints, if it succeeds.
fn succeed(command: &mut Command) -> Result<Vec<u8>> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command
        .output()
        .with_context(|| format!("`{program}` cannot be started"))?;
    ensure!(
        done.status.success(),
        "`{program}`: {}: {}",
        done.status,
        String::from_utf8_lossy(&done.stderr).trim()
    );
    Ok(done.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stands in for the binary: as far as a package knows it, this is one.
    const STAND_IN: &str = "#!/bin/sh
case $1 in
man) echo page > \"$2/fusebox.1\" ;;
completions) echo \"for $2\" ;;
esac
";

    #[test]
    fn packages_hold_the_binary_its_manual_and_its_completions() {
        let place = tempfile::tempdir().expect("a directory");
        let binary = place.path().join("fusebox");
        write(&binary, STAND_IN.as_bytes()).expect("a file");
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).expect("a mode");
        let packed = all(&binary, &place.path().join("out")).expect("packages");
        for one in packed {
            let Packed::File(path) = one else {
                println!("skipped: {one:?}");
                continue;
            };
            let (program, flag, wanted): (_, _, &[&str]) = match path.extension() {
                Some(is) if is == "deb" => (
                    "dpkg-deb",
                    "--contents",
                    &[
                        "./usr/bin/fusebox",
                        "./usr/share/man/man1/fusebox.1.gz",
                        "completions/fusebox",
                        "_fusebox",
                        "fusebox.fish",
                        "doc/fusebox/copyright",
                        "-rwxr-xr-x root/root",
                    ],
                ),
                _ => (
                    "tar",
                    "-tzf",
                    &["package/bin/fusebox", "package/package.json"],
                ),
            };
            let listed = succeed(Command::new(program).arg(flag).arg(&path)).expect("a list");
            let listed = String::from_utf8_lossy(&listed).into_owned();
            for name in wanted {
                assert!(
                    listed.contains(name),
                    "{}: {name}: {listed}",
                    path.display()
                );
            }
        }
    }
}
