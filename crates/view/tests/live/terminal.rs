//! The area in a real terminal, by the example that pins one.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const AREA: &str = "\
● CLOSED · iteration 3 of 20 · 2 min 14 s · claude · a-model
  Edit src/a/rather/long/path/that/does/not/fit/into/forty/columns.rs
  risk LOW · ▁█▅ · 3 files changed · last change in iteration 2
  $0.42 · 48.2k tokens
";

const NARROW: &str = "\
● CLOSED · iteration 4 of 20 · claude
  Edit src/a/rather/long/path/that/doe…
  risk LOW · ▁█▅ · 3 files changed
  $0.42 · 48.2k tokens
";

/// A tmux server of its own; gone when dropped.
struct Terminal {
    dir: tempfile::TempDir,
}

impl Terminal {
    fn open() -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("SKIPPED: tmux is not installed");
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let steps = dir.path().join("steps");
        let made = Command::new("mkfifo").arg(&steps).status().unwrap();
        assert!(made.success());
        let script = format!(
            "stty -echo; '{}' < '{}'; echo \"[exit $?]\"; exec sleep 100",
            program().display(),
            steps.display()
        );
        let terminal = Self { dir };
        terminal.tmux(&["new-session", "-d", "-x", "100", "-y", "20", &script]);
        Some(terminal)
    }

    fn steps(&self) -> impl Write {
        let steps = self.dir.path().join("steps");
        OpenOptions::new().write(true).open(steps).unwrap()
    }

    fn screen(&self) -> String {
        let text = self.tmux(&["capture-pane", "-p", "-S", "-"]);
        format!("{}\n", text.trim_end())
    }

    /// Waits until the screen, with what scrolled off it, is `expected`.
    #[track_caller]
    fn wait_for(&self, expected: &str) {
        self.wait_for_while(expected, || ());
    }

    /// The same, doing something again and again: a terminal tells its
    /// programs of a new size some time after it has taken it.
    #[track_caller]
    fn wait_for_while(&self, expected: &str, mut again: impl FnMut()) {
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.screen() != expected {
            if Instant::now() >= deadline {
                assert_eq!(self.screen(), expected);
            }
            again();
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    fn tmux(&self, args: &[&str]) -> String {
        let done = Command::new("tmux")
            .args(["-f", "/dev/null", "-u", "-S"])
            .arg(self.dir.path().join("tmux"))
            .args(args)
            .env_remove("TMUX")
            .output()
            .unwrap();
        assert!(done.status.success(), "tmux {args:?}: {done:?}");
        String::from_utf8_lossy(&done.stdout).into_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The server at this socket is this test's own.
        let _ = Command::new("tmux")
            .arg("-S")
            .arg(self.dir.path().join("tmux"))
            .arg("kill-server")
            .output();
    }
}

/// The example, which `cargo test` builds beside its tests.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let target = tests.parent().and_then(Path::parent).unwrap();
    let program = target.join("examples/pinned");
    assert!(
        program.exists(),
        "{} is missing; `cargo test` builds it unless told to build one test alone",
        program.display()
    );
    program
}

fn numbered(count: usize) -> String {
    (0..count).map(|n| format!("output line {n}\n")).collect()
}

#[test]
fn the_area_stays_at_the_bottom_exactly_once() {
    let Some(terminal) = Terminal::open() else {
        return;
    };
    let mut steps = terminal.steps();
    let mut step = |text: &str| writeln!(steps, "{text}").unwrap();

    step("show 3");
    terminal.wait_for(AREA);
    // More lines than the window has rows.
    step("lines 40");
    let mut above = numbered(40);
    terminal.wait_for(&format!("{above}{AREA}"));

    step("print half 漢字");
    terminal.wait_for(&format!("{above}half 漢字\n{AREA}"));
    step(&format!("print  a line {}\\n", "漢字".repeat(40)));
    // 17 columns and 160: the terminal wraps it where a wide character still fits.
    let long = format!("half 漢字 a line {}", "漢字".repeat(40));
    let (first, second) = long.split_at("half 漢字 a line ".len() + "漢字".len() * 20 + "漢".len());
    above = format!("{above}{first}\n{second}\n");
    terminal.wait_for(&format!("{above}{AREA}"));

    step("clear");
    terminal.wait_for(&above);
    step("quit");
    terminal.wait_for(&format!("{above}[exit 0]\n"));
}

#[test]
fn a_resized_window_shows_one_area_that_fits() {
    let Some(terminal) = Terminal::open() else {
        return;
    };
    let mut steps = terminal.steps();
    let mut step = |text: &str| writeln!(steps, "{text}").unwrap();

    step("show 3");
    step("lines 5");
    terminal.wait_for(&format!("{}{AREA}", numbered(5)));
    terminal.tmux(&["resize-window", "-x", "40", "-y", "20"]);
    terminal.wait_for_while(&format!("{}{NARROW}", numbered(5)), || step("show 4"));
    step("lines 2");
    let above = numbered(5) + &numbered(2);
    terminal.wait_for(&format!("{above}{NARROW}"));

    terminal.tmux(&["resize-window", "-x", "100", "-y", "12"]);
    terminal.wait_for_while(&format!("{above}{AREA}"), || step("show 3"));
    step("quit");
    terminal.wait_for(&format!("{above}[exit 0]\n"));
}
