//! Sorts what one file tells into sessions.
//!
//! A file may hold one session, many one after the other, or several that were
//! written at the same time, such as those of sub-agents.

use fusebox_agents::EpochMs;

use crate::conversation::Conversation;
use crate::follow::Follower;
use crate::heard::{Heard, Identity, Listener};
use crate::labels::Labels;
use crate::tally::Tally;

/// Sessions that may be under way in one file at the same time.
const OPEN: usize = 64;
/// The longest name of a session, in bytes.
const NAME: usize = 256;

/// A session that was read to its end.
#[derive(Clone, Debug)]
pub struct Told<O> {
    /// The collection that it comes from, or the format.
    pub source: String,
    /// Its name.
    pub session: String,
    /// The model, if it was told.
    pub model: String,
    /// What was counted.
    pub tally: Tally,
    /// What came with it.
    pub labels: Labels,
    /// What its follower made of it.
    pub outcome: O,
}

impl<O> Told<O> {
    /// What is odd about it.
    #[must_use]
    pub fn oddities(&self) -> Vec<Oddity> {
        let tally = &self.tally;
        let odd = [
            (tally.calls > 0 && tally.answers == 0, Oddity::NoAnswers),
            (tally.steps_back > 0, Oddity::ClockGoesBack),
            (tally.branches > 0, Oddity::Branches),
        ];
        odd.into_iter()
            .filter_map(|(is, oddity)| is.then_some(oddity))
            .collect()
    }
}

/// What may be odd about a session that could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// It has calls, and no answer to any.
    NoAnswers,
    /// Its times are not in order.
    ClockGoesBack,
    /// It was taken back to an earlier point.
    Branches,
}

impl Oddity {
    /// What that means.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NoAnswers => "no call has an answer, so only the calls were judged",
            Self::ClockGoesBack => "the clock goes back; the order of lines counts",
            Self::Branches => "taken back to an earlier point; all branches were read in order",
        }
    }
}

struct Open<F> {
    session: String,
    side: String,
    source: String,
    model: String,
    tally: Tally,
    conversation: Conversation,
    follower: F,
    /// When it was last spoken of, in changes of session.
    last: u64,
}

impl<F: Follower> Open<F> {
    fn take(&mut self, at: Option<EpochMs>, heard: &Heard<'_>) {
        let Self {
            tally,
            conversation,
            follower,
            ..
        } = self;
        if let Some(at) = at {
            tally.at(at);
        }
        match heard {
            Heard::Spent(usage) => tally.spent = tally.spent.plus(usage),
            Heard::Edited => tally.last_edit = tally.calls,
            Heard::Branched => tally.branches += 1,
            _ => {}
        }
        conversation.hear(heard, |event| {
            tally.event(&event);
            follower.event(event, tally);
        });
    }
}

/// Listens to one file and hands over its sessions as they end.
pub(crate) struct Desk<'a, F: Follower> {
    unnamed: &'a str,
    begin: &'a dyn Fn() -> F,
    done: &'a mut dyn FnMut(Told<F::Outcome>),
    /// What sessions are said to come from if they do not say so themselves.
    pub(crate) source: &'static str,
    open: Vec<Open<F>>,
    current: usize,
    changes: u64,
    /// Lines that stood there twice.
    pub(crate) twice: u64,
}

impl<'a, F: Follower> Desk<'a, F> {
    pub(crate) fn new(
        unnamed: &'a str,
        begin: &'a dyn Fn() -> F,
        done: &'a mut dyn FnMut(Told<F::Outcome>),
    ) -> Self {
        Self {
            unnamed,
            begin,
            done,
            source: "",
            open: Vec::new(),
            current: 0,
            changes: 0,
            twice: 0,
        }
    }

    /// All sessions of the file have ended.
    pub(crate) fn close_all(&mut self) {
        for open in std::mem::take(&mut self.open) {
            self.hand_over(open, Labels::default());
        }
        self.current = 0;
    }

    fn turn_to(&mut self, identity: &Identity<'_>) {
        self.changes += 1;
        if identity.session.is_empty() {
            if self.open.is_empty() {
                self.begin_session(identity);
            }
        } else if let Some(at) = self.find(identity) {
            self.current = at;
        } else {
            self.begin_session(identity);
        }
        let changes = self.changes;
        if let Some(open) = self.open.get_mut(self.current) {
            open.last = changes;
            if !identity.model.is_empty() && open.model != identity.model {
                open.model = name(identity.model);
            }
        }
    }

    /// The session of that name. One that has none yet takes it.
    fn find(&mut self, identity: &Identity<'_>) -> Option<usize> {
        let is_it = |open: &Open<F>| {
            open.session == clip(identity.session) && open.side == clip(identity.side)
        };
        if self.open.get(self.current).is_some_and(is_it) {
            return Some(self.current);
        }
        let unnamed = self.open.iter().position(|open| open.session.is_empty());
        if let Some(at) = unnamed {
            self.open[at].session = name(identity.session);
            self.open[at].side = name(identity.side);
            self.open[at].source = name(identity.source);
            return Some(at);
        }
        self.open.iter().position(is_it)
    }

    fn begin_session(&mut self, identity: &Identity<'_>) {
        if self.open.len() >= OPEN {
            let oldest = self
                .open
                .iter()
                .enumerate()
                .min_by_key(|(_, open)| open.last);
            let oldest = oldest.map_or(0, |(at, _)| at);
            let open = self.open.remove(oldest);
            self.hand_over(open, Labels::default());
        }
        self.current = self.open.len();
        self.open.push(Open {
            session: name(identity.session),
            side: name(identity.side),
            source: name(identity.source),
            model: String::new(),
            tally: Tally::default(),
            conversation: Conversation::default(),
            follower: (self.begin)(),
            last: self.changes,
        });
    }

    fn end_current(&mut self, labels: Labels) {
        if self.current < self.open.len() {
            let open = self.open.remove(self.current);
            self.current = 0;
            self.hand_over(open, labels);
        }
    }

    fn hand_over(&mut self, mut open: Open<F>, labels: Labels) {
        open.take(None, &Heard::Ended(labels));
        let or = |text: String, other: &str| {
            if text.is_empty() {
                other.to_owned()
            } else {
                text
            }
        };
        let mut session = or(open.session, self.unnamed);
        if !open.side.is_empty() {
            session = format!("{session}/{}", open.side);
        }
        (self.done)(Told {
            source: or(open.source, self.source),
            session,
            model: open.model,
            tally: open.tally,
            labels,
            outcome: open.follower.finish(),
        });
    }
}

impl<F: Follower> Listener for Desk<'_, F> {
    fn hear(&mut self, at: Option<EpochMs>, heard: Heard<'_>) {
        match heard {
            Heard::Session(identity) => {
                self.turn_to(&identity);
            }
            Heard::Ended(labels) => return self.end_current(labels),
            _ => {}
        }
        if self.open.is_empty() {
            self.begin_session(&Identity::default());
        }
        if let Some(open) = self.open.get_mut(self.current) {
            open.take(at, &heard);
        }
    }

    fn twice(&mut self) {
        self.twice += 1;
    }
}

fn clip(text: &str) -> &str {
    let mut end = text.len().min(NAME);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn name(text: &str) -> String {
    clip(text).to_owned()
}
