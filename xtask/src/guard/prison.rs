//! A system of its own for one destructive command: its programs, read-only, a home that
//! is thrown away, no other processes and no network.

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};

/// Builds the system below `$1`, with `$2` as the home, and runs `$3` in the workspace.
const SCRIPT: &str = r#"
set -e
mount --make-rprivate /
mount -t tmpfs none "$1"
cd "$1"
mkdir -p home/tester tmp proc dev
for name in usr bin sbin lib lib64 etc; do
    if [ -L "/$name" ]; then cp -P "/$name" .; continue; fi
    [ -d "/$name" ] || continue
    mkdir "$name"
    mount --bind "/$name" "$name"
    mount -o remount,bind,ro "$name"
done
for name in null zero full random urandom; do
    : > "dev/$name"
    mount --bind "/dev/$name" "dev/$name"
done
ln -s /proc/self/fd dev/fd
mount -t proc proc proc
mount --bind "$2" home/tester
exec chroot . /usr/bin/env -i HOME=/home/tester LANG=C.UTF-8 \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin GIT_CONFIG_NOSYSTEM=1 \
    timeout -s KILL 20 sh -c 'cd /home/tester/proj && exec bash -c "$1"' sh "$3"
"#;

/// Runs a command on a home. How it ends does not matter; that it could not begin does.
pub(crate) fn run(home: &Path, command: &str) -> Result<()> {
    let below = tempfile::tempdir()?;
    let mut unshare = Command::new("unshare");
    // Whoever is root keeps being so; everybody else is, inside.
    if !rustix::process::geteuid().is_root() {
        unshare.arg("--map-root-user");
    }
    let marker = home.join("began");
    let began = format!("touch /home/tester/began\n{command}");
    unshare
        .args(["--mount", "--pid", "--net", "--fork", "--kill-child"])
        .args(["sh", "-c", SCRIPT, "sh"])
        .arg(below.path())
        .arg(home)
        .arg(began)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let output = unshare.output().context("`unshare` cannot be started")?;
    if std::fs::remove_file(marker).is_err() && !output.status.success() {
        // Commands delete the marker with everything else; those that fail without it
        // most likely never began.
        let why = String::from_utf8_lossy(&output.stderr);
        if why.contains("mount") || why.contains("unshare") {
            bail!(
                "the system for `{command}` could not be built: {}",
                why.trim()
            );
        }
    }
    Ok(())
}

/// Whether there can be such a system.
pub(crate) fn is_possible() -> Result<()> {
    let home = tempfile::tempdir()?;
    std::fs::create_dir(home.path().join("proj"))?;
    run(home.path(), "touch ../here")?;
    if !home.path().join("here").exists() {
        bail!("a command that was executed had no effect");
    }
    Ok(())
}
