//! `cargo xtask picture`: the pictures in the README and the book, taken of the program at work.
//!
//! A real run in a real terminal (tmux is one that can be read): a small agent does two things
//! and then gets stuck. What is on the screen when the breaker warns, and when it asks what to
//! do, becomes an SVG each. Nothing in them is drawn by hand, so that they cannot show what the
//! program does not do.

mod svg;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::place;

/// Where they are kept.
const FOLDER: &str = "docs/src/images";

/// A moment of the run: what is on the screen by then, and what the picture shows.
struct Moment {
    file: &'static str,
    sign: &'static str,
    label: &'static str,
}

const MOMENTS: [Moment; 2] = [
    Moment {
        file: "live.svg",
        sign: "◐ WATCHING",
        label: "fusebox run: two iterations changed a file, two did not, and four lines say how things stand",
    },
    Moment {
        file: "stop.svg",
        sign: "Choice:",
        label: "fusebox run: the breaker has opened, and asks what to do",
    },
];

/// The terminal, in characters.
const COLUMNS: &str = "88";
const ROWS: &str = "40";

/// Far longer than five iterations of a script take.
const PATIENCE: Duration = Duration::from_secs(60);

const AGENT: &str = "#!/bin/sh
sleep 1
case $FUSEBOX_ITERATION in
1 | 2)
    echo \"agent: part $FUSEBOX_ITERATION of the cart is done, the tests pass\"
    echo \"export const part$FUSEBOX_ITERATION = $FUSEBOX_ITERATION;\" >> cart.ts ;;
*)
    echo 'agent: almost there, trying the same fix again'
    echo 'TypeError: total is not a function' ;;
esac
";

pub(crate) fn run() -> Result<ExitCode> {
    ensure!(place::is_on_path("tmux"), "there is no tmux to take it in");
    let status = place::cargo(&[
        "build",
        "--locked",
        "--package",
        "fusebox",
        "--bin",
        "fusebox",
    ])?
    .status()
    .context("`cargo` cannot be started")?;
    ensure!(status.success(), "the build failed: {status}");
    let binary = place::target_directory()?.join("debug/fusebox");
    let run = Run::start(&binary)?;
    for moment in &MOMENTS {
        let screen = run.screen_with(moment.sign)?;
        let shown = cropped(&screen).context("the run is not to be seen on the screen")?;
        let shown = format!("$ fusebox run -- ./agent.sh\n{shown}");
        let path = place::repository().join(FOLDER).join(moment.file);
        fs::write(&path, svg::picture(&shown, moment.label))
            .with_context(|| format!("cannot write {}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// From the first iteration to the question, without where this machine keeps its memory.
fn cropped(screen: &str) -> Option<&str> {
    let begin = screen.find("fusebox: iteration 1")?;
    Some(screen[begin..].trim_end())
}

/// The run, in a terminal and a project of its own.
struct Run {
    terminal: Terminal,
    /// Gone after the terminal that works in it.
    _place: TempDir,
}

impl Run {
    fn start(binary: &Path) -> Result<Self> {
        let place = tempfile::tempdir()?;
        let project = place.path().join("shop");
        fs::create_dir(&project)?;
        fs::write(project.join("cart.ts"), "export function total() {}\n")?;
        let agent = project.join("agent.sh");
        fs::write(&agent, AGENT)?;
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755))?;
        let terminal = Terminal {
            socket: place.path().join("tmux"),
        };
        let line = format!(
            "cd '{}' && exec env -i HOME='{}' PATH=/usr/bin:/bin TERM=screen-256color LANG=C.UTF-8 '{}' run -- ./agent.sh",
            project.display(),
            place.path().display(),
            binary.display()
        );
        let size = ["-x", COLUMNS, "-y", ROWS];
        terminal.tmux(&[&["new-session", "-d"], &size[..], &["sh", "-c", &line]].concat())?;
        Ok(Self {
            terminal,
            _place: place,
        })
    }

    /// What the terminal shows as soon as `sign` is on it, with its colours.
    fn screen_with(&self, sign: &str) -> Result<String> {
        let until = Instant::now() + PATIENCE;
        loop {
            let screen = self.terminal.tmux(&["capture-pane", "-p", "-e"])?;
            if screen.contains(sign) {
                return Ok(screen);
            }
            if Instant::now() > until {
                bail!("{sign:?} never came; the screen shows:\n{screen}");
            }
            sleep(Duration::from_millis(100));
        }
    }
}

/// A terminal of our own, gone with us.
struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    fn tmux(&self, arguments: &[&str]) -> Result<String> {
        let done = Command::new("tmux")
            .arg("-S")
            .arg(&self.socket)
            .args(["-f", "/dev/null"])
            .args(arguments)
            .output()
            .context("`tmux` cannot be started")?;
        ensure!(
            done.status.success(),
            "tmux: {}",
            String::from_utf8_lossy(&done.stderr).trim()
        );
        Ok(String::from_utf8_lossy(&done.stdout).into_owned())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may be gone already, with the last of its programs.
        let _ = self.tmux(&["kill-server"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_begins_with_the_first_iteration() {
        let screen = "fusebox: new workspace /x\nfusebox: iteration 1 · a\nChoice:\n\n\n";
        assert_eq!(cropped(screen), Some("fusebox: iteration 1 · a\nChoice:"));
        assert_eq!(cropped("nothing"), None);
    }
}
