//! Taking the tree down, and the account of it.

use std::time::Instant;

use super::{Event, Keeper, waited_cpu};
use crate::adoption::Orphans;
use crate::ladder::{Cause, Reach, Rung, SHORT_GRACE, rungs};
use crate::tree::{KILL_ROUND, trust_the_table};
use crate::wire::{News, Order, Tally};

impl Keeper<'_> {
    /// Asks, rung by rung, until everyone is gone or patience has run out.
    pub(super) fn climb_down(&mut self, cause: Cause) {
        for rung in rungs(cause, self.args.first_signal, self.args.grace) {
            self.reaper.reap();
            if self.is_over() || !self.ask(rung) {
                return;
            }
        }
    }

    /// One rung; whether there is a point in asking any further.
    fn ask(&mut self, rung: Rung) -> bool {
        for member in self.tree.members().unwrap_or_default() {
            if rung.reach == Reach::Everyone || member.group == self.leader {
                // Who cannot be signalled is found again by SIGKILL's round.
                let _ = member.id.signal(rung.signal);
            }
        }
        // Only now, so that the first thing they hear is the request.
        self.halted.resume();
        let leader_gone = self.reaper.leader_end().is_some();
        let patience = if leader_gone {
            rung.patience.min(SHORT_GRACE)
        } else {
            rung.patience
        };
        let until = Instant::now().checked_add(patience);
        while !self.is_over() {
            match self.next_event(self.next_count(until)) {
                Event::Order(Order::Kill) | Event::SupervisorGone => return false,
                Event::TimeUp if until.is_some_and(|until| Instant::now() < until) => {}
                Event::TimeUp => return true,
                // The group's turn is over when its leader has gone.
                Event::Deaths if !leader_gone && self.reaper.leader_end().is_some() => return true,
                Event::Deaths | Event::Order(Order::Stop) => {}
            }
        }
        false
    }

    /// Kills whoever is left and gives the account.
    pub(super) fn finish(&mut self, stragglers: u32) {
        let (reaper, orphans) = (&mut self.reaper, self.orphans);
        let felled = self.tree.fell(self.cgroup.as_ref(), || match orphans {
            Orphans::Adopted => reaper.all_gone_within(KILL_ROUND),
            Orphans::Searched => reaper.all_gone_within(KILL_ROUND) && trust_the_table(),
        });
        self.announce_leader();
        if let Some(cgroup) = &self.cgroup {
            cgroup.remove();
        }
        for survivor in felled.escaped {
            self.send(&News::Escaped(survivor));
        }
        let cpu = waited_cpu();
        self.send(&News::Done(Tally {
            stragglers,
            killed: felled.killed,
            cpu,
        }));
    }
}
