//! Keys and drawings on a real terminal.

use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fusebox_view::glyphs::Glyphs;
use ratatui::DefaultTerminal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::board::{Action, Board, Page, Wish};
use crate::draw::{Paint, draw};
use crate::keys::{Key, Keyboard, Typed};
use crate::picture::{Detail, Fleet, Loop};

/// How long a key is waited for before signals and children are looked at.
const PULSE: Duration = Duration::from_millis(100);
/// How often the loops are looked at.
const RENEWAL: Duration = Duration::from_secs(1);

/// Whoever knows how the loops stand.
pub trait Source {
    /// All loops.
    fn loops(&mut self) -> Vec<Loop>;
    /// The page of one of them.
    fn detail(&mut self, id: &str) -> Detail;
    /// What an iteration of a loop changed, as a patch; empty where nothing is
    /// kept of it.
    fn changes(&mut self, id: &str, iteration: u64, at_ms: i64) -> String;
    /// The command that carries an action out.
    fn command(&mut self, id: &str, action: &Action) -> Command;
    /// The fleet, if there is one, as it was last heard of: nothing is waited for.
    fn fleet(&mut self) -> Option<Fleet>;
    /// The wall clock.
    fn now_ms(&self) -> i64;
}

/// Why the screen was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The person had seen enough.
    Asked,
    /// A signal came.
    Signal(i32),
    /// The terminal is gone.
    Gone,
}

/// Shows the loops until a person or a signal ends it. The terminal is left as
/// it was, and by a panic too.
///
/// # Errors
/// When the terminal cannot be used.
pub fn run(source: &mut dyn Source, colour: bool) -> io::Result<Stopped> {
    let signal = Arc::new(AtomicUsize::new(0));
    for number in [SIGHUP, SIGINT, SIGTERM] {
        let value = usize::try_from(number).unwrap_or(0);
        signal_hook::flag::register_usize(number, Arc::clone(&signal), value)?;
    }
    let keyboard = Keyboard::open()?;
    let mut screen = Screen {
        terminal: ratatui::try_init()?,
        keyboard,
        board: Board::default(),
        glyphs: Glyphs::told_by(|name| std::env::var(name).ok()),
        colour,
        child: None,
        source,
    };
    let stopped = screen.go_on(&signal);
    ratatui::restore();
    stopped
}

struct Screen<'s> {
    terminal: DefaultTerminal,
    keyboard: Keyboard,
    board: Board,
    glyphs: Glyphs,
    colour: bool,
    /// The action that is being carried out, if one is.
    child: Option<Child>,
    source: &'s mut dyn Source,
}

impl Screen<'_> {
    fn go_on(&mut self, signal: &AtomicUsize) -> io::Result<Stopped> {
        let mut renewed: Option<Instant> = None;
        loop {
            if renewed.is_none_or(|then| then.elapsed() >= RENEWAL) {
                self.renew();
                renewed = Some(Instant::now());
            }
            self.reap();
            self.draw()?;
            match i32::try_from(signal.load(Ordering::Relaxed)) {
                Ok(0) | Err(_) => {}
                Ok(number) => return Ok(Stopped::Signal(number)),
            }
            match self.keyboard.wait(PULSE) {
                Typed::Gone => return Ok(Stopped::Gone),
                Typed::Keys(keys) => {
                    for key in keys {
                        if self.press(key)? {
                            return Ok(Stopped::Asked);
                        }
                    }
                }
            }
        }
    }

    fn renew(&mut self) {
        self.board.renew(self.source.loops());
        self.board.fleet = self.source.fleet();
        // What is being read is not exchanged under the reader's eyes.
        if self.board.page != Page::Changes {
            self.look();
        }
    }

    fn look(&mut self) {
        if let Some(id) = self.board.selected().map(|one| one.id.clone()) {
            self.board.detail = self.source.detail(&id);
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let paint = Paint {
            glyphs: self.glyphs,
            colour: self.colour,
            now_ms: self.source.now_ms(),
        };
        let board = &self.board;
        self.terminal.draw(|frame| draw(board, frame, paint))?;
        Ok(())
    }

    /// Does what a key asks for; whether that is to leave.
    fn press(&mut self, key: Key) -> io::Result<bool> {
        match self.board.press(key) {
            Wish::Nothing => {}
            Wish::Quit => return Ok(true),
            Wish::Look => self.look(),
            Wish::Changes => self.changes(),
            Wish::Act(action) => self.act(&action)?,
        }
        Ok(false)
    }

    fn changes(&mut self) {
        let id = self.board.selected().map(|one| one.id.clone());
        let iteration = self.board.iteration();
        let iteration = iteration.map(|one| (one.row.iteration, one.at_ms));
        let (Some(id), Some((number, at_ms))) = (id, iteration) else {
            return;
        };
        let patch = self.source.changes(&id, number, at_ms);
        self.board.changes = patch.lines().map(str::to_owned).collect();
    }

    fn act(&mut self, action: &Action) -> io::Result<()> {
        let Some(id) = self.board.selected().map(|one| one.id.clone()) else {
            return Ok(());
        };
        let mut command = self.source.command(&id, action);
        if matches!(action, Action::Reset { .. }) {
            return self.in_front(&mut command);
        }
        if self.child.is_some() {
            self.board.message = Some("what was asked before is still being done".into());
            return Ok(());
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        match command.spawn() {
            Ok(child) => {
                self.child = Some(child);
                self.board.message = Some("asked; waiting for an answer".into());
            }
            Err(error) => self.board.message = Some(format!("it could not be asked: {error}")),
        }
        Ok(())
    }

    /// Runs a command that asks on the terminal, with the terminal to itself.
    fn in_front(&mut self, command: &mut Command) -> io::Result<()> {
        ratatui::restore();
        let ended = command.status();
        self.terminal = ratatui::try_init()?;
        self.terminal.clear()?;
        self.board.message = Some(match ended {
            Ok(status) if status.success() => "done".into(),
            Ok(status) => format!("not done ({status})"),
            Err(error) => format!("it could not be asked: {error}"),
        });
        self.renew();
        Ok(())
    }

    /// Tells what came of an action.
    fn reap(&mut self) {
        let Some(child) = &mut self.child else {
            return;
        };
        if matches!(child.try_wait(), Ok(None)) {
            return;
        }
        let Some(ended) = self.child.take().map(Child::wait_with_output) else {
            return;
        };
        self.board.message = Some(match ended {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let line = said.lines().next().unwrap_or("done");
                line.trim_start_matches("fusebox: ").to_owned()
            }
            Err(error) => error.to_string(),
        });
        self.renew();
    }
}
