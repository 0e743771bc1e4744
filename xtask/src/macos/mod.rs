//! `cargo xtask macos`: the program for both kinds of Mac, compiled and linked on any machine.
//!
//! What links is zig, which brings most of Apple's interfaces along (`stubs` says the rest).
//! Nothing of this can run what it makes: that takes a Mac.

mod mach;
mod stubs;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::install::Options;
use crate::place;
use crate::stage::{Outcome, Stages, outcome_of};
use crate::watchdog::Deadline;

const LIMIT: Duration = Duration::from_secs(2 * 60 * 60);

/// A release that is known to link what Rust makes for a Mac.
const ZIG: &str = "ziglang==0.17.0";

/// Optimised, without the minutes that the last per cent takes.
const PROFILE: &str = "ci";

struct Target {
    rust: &'static str,
    zig: &'static str,
}

const TARGETS: [Target; 2] = [
    Target {
        rust: "aarch64-apple-darwin",
        zig: "aarch64-macos.11.0",
    },
    Target {
        rust: "x86_64-apple-darwin",
        zig: "x86_64-macos.11.0",
    },
];

pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let cache = place::macos_directory()?;
    let mut stages = Stages::within(LIMIT);
    if options.install {
        if !TARGETS.iter().all(|target| has_library(target.rust)) {
            stages.run("libraries", install_libraries);
        }
        if zig(&cache).is_none() && !cfg!(target_os = "macos") {
            stages.run("linker", |deadline| install_zig(&cache, deadline));
        }
    }
    for target in &TARGETS {
        stages.run(target.rust, |deadline| build(target, &cache, deadline));
    }
    Ok(stages.conclude())
}

fn install_libraries(deadline: Deadline) -> Result<Outcome> {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add"]);
    rustup.args(TARGETS.iter().map(|target| target.rust));
    outcome_of(&mut rustup, deadline)
}

fn install_zig(cache: &Path, deadline: Deadline) -> Result<Outcome> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"])
        .arg(cache.join("python"))
        .arg(ZIG);
    outcome_of(&mut pip, deadline)
}

/// Whether Rust's standard library is installed for a target.
fn has_library(target: &str) -> bool {
    let printed = Command::new("rustc")
        .args(["--print", "target-libdir", "--target", target])
        .output();
    printed.is_ok_and(|output| {
        let directory = String::from_utf8_lossy(&output.stdout);
        output.status.success() && Path::new(directory.trim()).is_dir()
    })
}

/// The linker: one of our own, or one that was there already.
fn zig(cache: &Path) -> Option<PathBuf> {
    let own = cache.join("python/ziglang/zig");
    if own.is_file() {
        return Some(own);
    }
    place::is_on_path("zig").then(|| "zig".into())
}

fn build(target: &Target, cache: &Path, deadline: Deadline) -> Result<Outcome> {
    let mut build = place::cargo(&["build", "--locked", "--package", "fusebox"])?;
    build
        .args(["--bin", "fusebox", "--profile", PROFILE])
        .args(["--target", target.rust]);
    if !has_library(target.rust) {
        let name = target.rust;
        return Ok(Outcome::NotRun(format!(
            "there is no standard library for it; --install, or rustup target add {name}"
        )));
    }
    if !cfg!(target_os = "macos") {
        let Some(zig) = zig(cache) else {
            return Ok(Outcome::NotRun(
                "there is nothing to link it with; --install fetches zig with pip".into(),
            ));
        };
        link_with(&zig, target, cache, &mut build)?;
    }
    let built = outcome_of(&mut build, deadline)?;
    if built != Outcome::Passed {
        return Ok(built);
    }
    let path = place::target_directory()?
        .join(target.rust)
        .join(PROFILE)
        .join("fusebox");
    let file = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let kind = mach::kind(&file).with_context(|| path.display().to_string())?;
    ensure!(
        kind.is_for(target.rust),
        "{} is {kind}, which is for another processor",
        path.display()
    );
    println!("{} bytes  {kind}  {}", file.len(), path.display());
    Ok(Outcome::Passed)
}

/// Cargo and the crates with C in them name programs without arguments, so each is a file.
fn link_with(zig: &Path, target: &Target, cache: &Path, build: &mut Command) -> Result<()> {
    let directory = cache.join("bin");
    fs::create_dir_all(&directory)?;
    let zig = zig.display();
    let stubs = stubs::write(&cache.join("stubs"))?;
    let stubs = stubs.display();
    // What it is built for is said once; what others say of that, zig does not understand.
    let compiler = format!(
        "#!/bin/sh\nfor word do\n  shift\n  case $word in --target=*) ;; *) set -- \"$@\" \"$word\" ;; \
         esac\ndone\nexec '{zig}' cc -target {} -L'{stubs}' -F'{stubs}' \"$@\"\n",
        target.zig
    );
    let compiler = script(&directory.join(format!("cc-{}", target.zig)), &compiler)?;
    let archiver = script(
        &directory.join("ar"),
        &format!("#!/bin/sh\nexec '{zig}' ar \"$@\"\n"),
    )?;
    let lower = target.rust.replace('-', "_");
    let linker = format!("CARGO_TARGET_{}_LINKER", lower.to_uppercase());
    build
        .env(linker, &compiler)
        .env(format!("CC_{lower}"), &compiler)
        .env(format!("AR_{lower}"), archiver)
        // Apple's own tools are asked where the system is, unless that is said.
        .env("SDKROOT", "/")
        // What strips is Apple's, too.
        .env("CARGO_PROFILE_CI_STRIP", "false");
    Ok(())
}

fn script(path: &Path, text: &str) -> Result<PathBuf> {
    // One that is running is left alone.
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(path.to_owned())
}
