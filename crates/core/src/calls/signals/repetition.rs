//! The same call, the same answer and the same words: back to back, or in turns.
//!
//! Words count because they are the only place where something new can hide. An
//! agent that says something else each time may have thought of something; that
//! case is left to [`super::nothing_new`], which is more patient. One that says
//! the same, or nothing, is a record with a scratch.

use serde::{Deserialize, Serialize};

use crate::calls::bounded::Bounded;
use crate::calls::digest::Digest;
use crate::calls::row::row;

/// The longest cycle that is looked for.
const LONGEST: usize = 6;
/// Calls that are remembered: three rounds of the longest cycle, and one more.
const MADE: usize = 3 * LONGEST + 1;

row! {
    /// A call that was answered, or whose answer can be foretold.
    pub(in crate::calls) struct Made {
        call: Digest,
        answer: Digest,
        /// What was said before it.
        words: Digest,
        number: u32,
    }
}

/// The last calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(in crate::calls) struct Repetition {
    made: Bounded<Made, MADE>,
}

/// What repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::calls) struct Repeated {
    /// How many calls go round, all rounds together. A round that is not full yet
    /// counts as far as it goes.
    pub(in crate::calls) length: u32,
    /// How many full rounds that makes.
    pub(in crate::calls) rounds: u32,
    /// Which loop it is, wherever in it one begins to look.
    pub(in crate::calls) identity: Digest,
    /// The numbers of the calls.
    pub(in crate::calls) calls: Vec<u32>,
}

impl Repetition {
    pub(in crate::calls) fn push(&mut self, made: Made) {
        self.made.push(made);
    }

    /// The newest call.
    pub(in crate::calls) fn last(&self) -> Option<Digest> {
        self.made.iter().next_back().map(|made| made.call)
    }

    pub(in crate::calls) fn clear(&mut self) {
        self.made.clear();
    }

    /// One call over and over, with `next` as the newest.
    pub(in crate::calls) fn run(&self, next: Option<&Made>) -> Option<Repeated> {
        self.rounds(next, 1, same)
    }

    /// Several calls in turn. One call over and over is not a cycle.
    pub(in crate::calls) fn cycle(&self, next: Option<&Made>) -> Option<Repeated> {
        let several = |period: &usize| {
            let mut last = self.newest_first(next).take(*period);
            let first = last.next();
            last.any(|made| first.is_some_and(|first| !same(made, first)))
        };
        let cycles = (2..=LONGEST).filter(several);
        cycles
            .filter_map(|period| self.rounds(next, period, same))
            .max_by_key(|cycle| cycle.length)
    }

    /// Which loop the newest calls are, if they go round at all, whatever is said
    /// and answered.
    pub(in crate::calls) fn path(&self) -> Option<Digest> {
        let alike = |a: &Made, b: &Made| a.call == b.call;
        let found = (1..=LONGEST).find_map(|period| self.rounds(None, period, alike))?;
        Some(found.identity)
    }

    fn newest_first<'a>(&'a self, next: Option<&'a Made>) -> impl Iterator<Item = &'a Made> {
        next.into_iter().chain(self.made.iter().rev())
    }

    /// The newest `period` calls and all before them that were the same in turn,
    /// if that makes at least two rounds.
    fn rounds(
        &self,
        next: Option<&Made>,
        period: usize,
        same: impl Fn(&Made, &Made) -> bool,
    ) -> Option<Repeated> {
        let now = self.newest_first(next);
        let earlier = self.newest_first(next).skip(period);
        let equal = now.zip(earlier).take_while(|(a, b)| same(a, b)).count();
        if equal < period {
            return None;
        }
        let length = period + equal;
        let mut calls: Vec<u32> = self
            .newest_first(next)
            .take(length)
            .map(|made| made.number)
            .collect();
        calls.reverse();
        let round: Vec<Digest> = self
            .newest_first(next)
            .take(period)
            .map(|made| made.call)
            .collect();
        Some(Repeated {
            length: small(length),
            rounds: small(length / period),
            identity: rotated(&round),
            calls,
        })
    }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn same(a: &Made, b: &Made) -> bool {
    (a.call, a.answer, a.words) == (b.call, b.answer, b.words)
}

/// The identity of a round, the same wherever it begins.
fn rotated(round: &[Digest]) -> Digest {
    let turned = |start: usize| -> Vec<Digest> {
        let (before, from) = round.split_at(start);
        [from, before].concat()
    };
    let least = (0..round.len()).map(turned).min().unwrap_or_default();
    Digest::joined(&least)
}
