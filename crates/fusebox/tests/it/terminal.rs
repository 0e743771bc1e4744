//! A real terminal, with somebody typing.

use std::process::Command;

use crate::call::wait_for;
use crate::context::TestContext;

/// A tmux server of its own with one pane; gone when dropped.
pub(crate) struct Terminal<'c> {
    context: &'c TestContext,
}

impl<'c> Terminal<'c> {
    /// Runs a shell script in a terminal; `None`, with a word about it, where
    /// there is no tmux. In the script `$FUSEBOX` is the program.
    pub(crate) fn open(context: &'c TestContext, script: &str) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("skipped: tmux is not installed");
            return None;
        }
        let terminal = Self { context };
        let script = format!("{script}\necho \"[exit $?]\"\nexec sleep 100");
        let program = format!("FUSEBOX={}", crate::context::FUSEBOX);
        terminal.tmux(&[
            "new-session",
            "-d",
            "-x",
            "150",
            "-y",
            "50",
            "-e",
            &program,
            &script,
        ]);
        Some(terminal)
    }

    /// Types a line.
    pub(crate) fn enter(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.press("Enter");
    }

    /// Presses one key, such as `C-c`.
    pub(crate) fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// What the screen shows, and what has scrolled off it.
    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-J", "-S", "-"])
    }

    /// The title that a program may have given the window.
    pub(crate) fn title(&self) -> String {
        self.tmux(&["display-message", "-p", "#{pane_title}"])
            .trim()
            .to_owned()
    }

    /// Waits until the screen shows `text`, and gives all of it.
    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> String {
        let mut screen = String::new();
        wait_for(&format!("{text:?} on the terminal"), || {
            screen = self.screen();
            screen.contains(text)
        });
        screen
    }

    fn tmux(&self, args: &[&str]) -> String {
        let done = Command::new("tmux")
            .args(["-f", "/dev/null", "-u", "-S"])
            .arg(self.context.path("tmux"))
            .args(args)
            .env_clear()
            .envs(self.context.environment())
            .current_dir(self.context.work())
            .output()
            .unwrap();
        assert!(done.status.success(), "tmux {args:?}: {done:?}");
        String::from_utf8_lossy(&done.stdout).into_owned()
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // The server at this socket is this test's own.
        let _ = Command::new("tmux")
            .arg("-S")
            .arg(self.context.path("tmux"))
            .arg("kill-server")
            .output();
    }
}
