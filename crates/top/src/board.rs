//! What is shown: the page, the line that is selected, a question under way.
//!
//! Keys change the board and nothing else; what a key asks the outside for comes
//! back as a [`Wish`].

use crate::keys::Key;
use crate::picture::{Detail, Fleet, Loop};

/// The longest reason that can be typed.
const REASON_CHARS: usize = 200;

/// Something a person asks of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Wait when the iteration has ended.
    Pause,
    /// Go on after a pause.
    Resume,
    /// End when the iteration has ended.
    Stop,
    /// Give the task up and end.
    Skip,
    /// Open the breaker.
    Trip {
        /// Why.
        reason: String,
    },
    /// Close the breaker. The command itself makes sure that a person asks.
    Reset {
        /// Why.
        reason: String,
    },
}

/// What a key asks the outside for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    Nothing,
    Quit,
    /// The page of the selected loop is to be filled.
    Look,
    /// The changes of the selected iteration are wanted.
    Changes,
    Act(Action),
}

/// Which page is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Page {
    #[default]
    Overview,
    Detail,
    Changes,
    Fleet,
}

/// A question under way at the bottom of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    /// Why is it to be opened?
    TripReason(String),
    /// Why is it to be closed?
    ResetReason(String),
    /// Is the task to be given up?
    Skip,
    /// Is the loop to end?
    Stop,
    /// What is the menu that waits to be answered with?
    Answer,
}

/// What is shown.
#[derive(Debug, Default)]
pub(crate) struct Board {
    pub(crate) loops: Vec<Loop>,
    /// The loop that is selected, which keeps being it when others come and go.
    chosen: Option<String>,
    pub(crate) detail: Detail,
    /// The selected iteration, counted from the latest.
    pub(crate) back: usize,
    /// The changes of that iteration, a line each.
    pub(crate) changes: Vec<String>,
    /// The fleet, if there is one.
    pub(crate) fleet: Option<Fleet>,
    /// How far changes, or the fleet, are scrolled.
    pub(crate) scroll: usize,
    pub(crate) page: Page,
    pub(crate) question: Option<Question>,
    /// What came of the last action.
    pub(crate) message: Option<String>,
}

impl Board {
    /// Takes in how the loops stand now: those that need somebody first, then
    /// those at work.
    pub(crate) fn renew(&mut self, mut loops: Vec<Loop>) {
        loops.sort_by_cached_key(|one| {
            let open = one.state() == Some(fusebox_core::State::Open);
            (!(open && one.live), !one.live, !open, one.name())
        });
        self.loops = loops;
    }

    /// Where the selected loop stands in the list.
    pub(crate) fn index(&self) -> usize {
        let chosen = self.chosen.as_deref();
        let mut loops = self.loops.iter();
        loops
            .position(|one| Some(one.id.as_str()) == chosen)
            .unwrap_or(0)
    }

    pub(crate) fn selected(&self) -> Option<&Loop> {
        self.loops.get(self.index())
    }

    /// The iteration that is selected on the page of a loop.
    pub(crate) fn iteration(&self) -> Option<&crate::picture::Iteration> {
        let last = self.detail.iterations.len().checked_sub(1)?;
        self.detail.iterations.get(last.saturating_sub(self.back))
    }

    pub(crate) fn press(&mut self, key: Key) -> Wish {
        if self.question.is_some() && key != Key::Leave {
            return self.answer(key);
        }
        self.message = None;
        match (&self.page, key) {
            (_, Key::Char('q') | Key::Leave) => Wish::Quit,
            (Page::Overview, Key::Escape) => Wish::Nothing,
            (_, Key::Escape | Key::Left | Key::Backspace) => {
                self.page = match self.page {
                    Page::Changes => Page::Detail,
                    Page::Detail | Page::Fleet | Page::Overview => Page::Overview,
                };
                Wish::Nothing
            }
            (_, Key::Up | Key::Char('k')) => self.walk(-1),
            (_, Key::Down | Key::Char('j')) => self.walk(1),
            (_, Key::PageUp) => self.walk(-10),
            (_, Key::PageDown | Key::Char(' ')) => self.walk(10),
            (Page::Overview, Key::Enter | Key::Right) if !self.loops.is_empty() => {
                self.page = Page::Detail;
                self.back = 0;
                Wish::Look
            }
            (Page::Detail, Key::Enter | Key::Right | Key::Char('d')) => {
                self.page = Page::Changes;
                self.scroll = 0;
                Wish::Changes
            }
            (Page::Overview, Key::Char('f')) if self.fleet.is_some() => {
                self.page = Page::Fleet;
                self.scroll = 0;
                Wish::Nothing
            }
            // What is asked for there is asked of a fleet, with `fusebox fleet`.
            (Page::Fleet, Key::Char(_)) => Wish::Nothing,
            (_, Key::Char(key)) => self.ask(key),
            _ => Wish::Nothing,
        }
    }

    fn walk(&mut self, by: isize) -> Wish {
        let moved = |from: usize, most: usize| from.saturating_add_signed(by).min(most);
        match self.page {
            Page::Overview => {
                let index = moved(self.index(), self.loops.len().saturating_sub(1));
                self.chosen = self.loops.get(index).map(|one| one.id.clone());
                return Wish::Look;
            }
            Page::Detail => {
                let most = self.detail.iterations.len().saturating_sub(1);
                // Up is towards the latest, which stands on top.
                self.back = moved(self.back, most);
            }
            Page::Changes => {
                self.scroll = moved(self.scroll, self.changes.len().saturating_sub(1));
            }
            Page::Fleet => {
                let fleet = self.fleet.as_ref();
                let lines = fleet.map_or(0, |fleet| fleet.rest.len() + fleet.workers.len());
                self.scroll = moved(self.scroll, lines.saturating_sub(1));
            }
        }
        Wish::Nothing
    }

    fn ask(&mut self, key: char) -> Wish {
        let Some(selected) = self.selected() else {
            return Wish::Nothing;
        };
        // What is asked for is asked of this loop, whatever the list does next.
        self.chosen = Some(selected.id.clone());
        self.question = match key {
            'p' => return Wish::Act(Action::Pause),
            'c' => return Wish::Act(Action::Resume),
            't' => Some(Question::TripReason(String::new())),
            'r' => Some(Question::ResetReason(String::new())),
            's' => Some(Question::Skip),
            'x' => Some(Question::Stop),
            'a' => Some(Question::Answer),
            _ => None,
        };
        Wish::Nothing
    }

    fn answer(&mut self, key: Key) -> Wish {
        let Some(question) = self.question.take() else {
            return Wish::Nothing;
        };
        if key == Key::Escape {
            return Wish::Nothing;
        }
        match question {
            Question::TripReason(text) => match typed(text, key) {
                Ok(reason) => Wish::Act(Action::Trip { reason }),
                Err(text) => self.still(Question::TripReason(text)),
            },
            Question::ResetReason(text) => match typed(text, key) {
                Ok(reason) => Wish::Act(Action::Reset { reason }),
                Err(text) => self.still(Question::ResetReason(text)),
            },
            Question::Skip if key == Key::Char('y') => Wish::Act(Action::Skip),
            Question::Stop if key == Key::Char('y') => Wish::Act(Action::Stop),
            Question::Answer => match key {
                Key::Char('c') => self.still(Question::ResetReason(String::new())),
                Key::Char('s') => Wish::Act(Action::Skip),
                Key::Char('x') => Wish::Act(Action::Stop),
                _ => Wish::Nothing,
            },
            Question::Skip | Question::Stop => Wish::Nothing,
        }
    }

    fn still(&mut self, question: Question) -> Wish {
        self.question = Some(question);
        Wish::Nothing
    }
}

/// The text after one more key: whole, or still being typed. Nothing is done for
/// no reason at all.
fn typed(mut text: String, key: Key) -> Result<String, String> {
    match key {
        Key::Enter if !text.trim().is_empty() => return Ok(text.trim().to_owned()),
        Key::Backspace => drop(text.pop()),
        Key::Char(c) if !c.is_control() && text.chars().count() < REASON_CHARS => text.push(c),
        _ => {}
    }
    Err(text)
}
