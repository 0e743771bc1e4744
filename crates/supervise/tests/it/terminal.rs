//! Job control as a person at a terminal does it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use fusebox_supervise::Cookie;
use tempfile::TempDir;

use crate::support::{Mark, STAGES, eventually, have};

/// A shell in a terminal of its own, gone when this is.
struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    fn open(dir: &Path) -> Self {
        let terminal = Self {
            socket: dir.join("tmux"),
        };
        terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "120",
            "-y",
            "40",
        ]);
        terminal.type_line("exec env -i PATH=\"$PATH\" PS1='> ' bash --noprofile --norc -i");
        terminal.type_line("echo sh''ell");
        assert!(
            eventually(|| terminal.shows("shell")),
            "{}",
            terminal.screen()
        );
        terminal
    }

    fn tmux(&self, args: &[&str]) -> String {
        let output = Command::new("tmux")
            .arg("-S")
            .arg(&self.socket)
            .args(args)
            .output();
        String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
    }

    fn type_line(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.press("Enter");
    }

    fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    fn shows(&self, text: &str) -> bool {
        self.screen().contains(text)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// An agent that keeps writing to a file and, unless it is silent, to us.
struct Agent {
    log: PathBuf,
    mark: Mark,
}

impl Agent {
    fn goes_on(&self) -> bool {
        let before = self.length();
        eventually(|| self.length() > before + 3) && self.mark.stopped() == 0
    }

    fn stands_still(&self) -> bool {
        eventually(|| self.mark.stopped() == 1) && {
            sleep(Duration::from_millis(200));
            let before = self.length();
            sleep(Duration::from_millis(500));
            self.length() == before
        }
    }

    fn length(&self) -> u64 {
        fs::metadata(&self.log).map_or(0, |log| log.len())
    }
}

#[test]
fn stop_foreground_background_and_interrupt_do_what_a_shell_user_expects() {
    if !have("tmux") || !have("bash") {
        return;
    }
    let dir = TempDir::new().unwrap();
    let agent = Agent {
        log: dir.path().join("log"),
        mark: Mark::new(),
    };
    let script = dir.path().join("agent.sh");
    let text = "SLEEP & while :; do echo x >>LOG; [ -e QUIET ] || echo working; sleep 0.05; done";
    let quiet = dir.path().join("quiet");
    let text = text
        .replace("SLEEP", &agent.mark.sleep())
        .replace("LOG", &agent.log.display().to_string())
        .replace("QUIET", &quiet.display().to_string());
    fs::write(&script, text).unwrap();
    let terminal = Terminal::open(dir.path());
    let lock = dir.path().join("lock");
    terminal.type_line(&format!(
        "{STAGES} supervise {} {} sh {}",
        lock.display(),
        Cookie::random().unwrap(),
        script.display()
    ));
    assert!(agent.goes_on(), "{}", terminal.screen());

    terminal.press("C-z");
    assert!(agent.stands_still(), "Ctrl-Z: {}", terminal.screen());
    terminal.type_line("clear; jobs");
    assert!(
        eventually(|| terminal.shows("Stopped")),
        "{}",
        terminal.screen()
    );
    terminal.type_line("fg");
    assert!(agent.goes_on(), "fg: {}", terminal.screen());

    terminal.press("C-z");
    assert!(agent.stands_still(), "second Ctrl-Z: {}", terminal.screen());
    terminal.type_line("bg");
    assert!(agent.goes_on(), "bg: {}", terminal.screen());

    // From now on whoever writes from the background is to stop.
    fs::write(&quiet, "").unwrap();
    terminal.type_line("stty tostop");
    assert!(
        agent.goes_on(),
        "silent in the background: {}",
        terminal.screen()
    );
    fs::remove_file(&quiet).unwrap();
    assert!(agent.stands_still(), "tostop: {}", terminal.screen());
    terminal.type_line("fg");
    assert!(agent.goes_on(), "fg after tostop: {}", terminal.screen());

    terminal.press("C-c");
    let ended = || terminal.shows("Stopped { by: Signal(2) }");
    assert!(eventually(ended), "Ctrl-C: {}", terminal.screen());
    assert_eq!(agent.mark.sleepers(), 0);
}
