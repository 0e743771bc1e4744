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
        Self::open_sized(context, script, (150, 50))
    }

    /// The same in a window of so many columns and rows. `$SETTABLE` is the
    /// program with a clock that can be set.
    pub(crate) fn open_sized(
        context: &'c TestContext,
        script: &str,
        (columns, rows): (u16, u16),
    ) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("SKIPPED: tmux is not installed");
            return None;
        }
        let terminal = Self { context };
        let script = format!("{script}\necho \"[exit $?]\"\nexec sleep 100");
        let program = format!("FUSEBOX={}", crate::context::FUSEBOX);
        let settable = format!("SETTABLE={}", crate::context::FUSEBOX_TEST);
        terminal.tmux(&[
            "new-session",
            "-d",
            "-x",
            &columns.to_string(),
            "-y",
            &rows.to_string(),
            "-e",
            &program,
            "-e",
            &settable,
            &script,
        ]);
        Some(terminal)
    }

    /// Types a line.
    pub(crate) fn enter(&self, line: &str) {
        self.tmux(&["send-keys", "-l", "--", line]);
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

    /// What the screen shows right now, and nothing that has scrolled off it.
    pub(crate) fn visible(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The same with the marks for colours and weight.
    pub(crate) fn dressed(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e"])
    }

    /// Ends the terminal under whatever runs in it.
    pub(crate) fn hang_up(&self) {
        self.tmux(&["kill-server"]);
    }

    /// Makes the window another size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.tmux(&["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// What tmux knows of the pane under that name.
    pub(crate) fn variable(&self, name: &str) -> String {
        let format = format!("#{{{name}}}");
        let told = self.tmux(&["display-message", "-p", &format]);
        told.trim().to_owned()
    }

    /// The title that a program may have given the window.
    pub(crate) fn title(&self) -> String {
        self.variable("pane_title")
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
