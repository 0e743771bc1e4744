//! Who belongs to a step, and how to end them all.
//!
//! Kinship finds a process that emptied its environment; the cookie finds one
//! that some service outside the tree started for it. Only someone who manages
//! both at once is missed, and where there is a control group, not even they.
//! Where orphans are not adopted, kinship is what was seen of it in time
//! ([`Lineage`]).

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Signal, getpid};

use crate::adoption::Orphans;
use crate::cgroup::Cgroup;
use crate::cookie::Cookie;
use crate::lineage::Lineage;
use crate::process::{Process, ProcessId, START_SLACK, Table, environment, own_line};
use crate::report::Survivor;

/// How long SIGKILL is repeated before a process counts as escaped. A process
/// stuck in the kernel, on a dead network mount say, never goes.
pub(crate) const KILL_BUDGET: Duration = Duration::from_secs(5);

/// Between two rounds of SIGKILL. Short, because a storm of forks is a race.
pub(crate) const KILL_ROUND: Duration = Duration::from_millis(5);

/// By which kinship the members of a tree are known.
enum Kin {
    /// All below the calling process, which is the keeper.
    Descendants,
    /// The caller's children in another session than its own. Its own children
    /// are born into its session, and so is the keeper, but the leader leaves
    /// it at once: only what was adopted from a lost keeper is in another.
    Adopted { session: i32 },
    /// Whoever was seen below the keeper, where nobody adopts them.
    Seen(Lineage),
    /// Nobody; the cookie alone speaks.
    Nobody,
}

/// The processes of one step, as seen by the calling process.
pub(crate) struct Tree<'a> {
    cookie: &'a Cookie,
    kin: Kin,
    /// Nobody of the tree started before this, so the environments of older
    /// processes need not be read.
    since: u64,
    me: i32,
    /// The caller and its ancestors, never members.
    spared: HashSet<i32>,
}

impl<'a> Tree<'a> {
    /// The tree below the calling process.
    pub(crate) fn below_me(cookie: &'a Cookie, orphans: Orphans) -> Self {
        let me = getpid().as_raw_pid();
        let since = Process::read(me).map_or(0, |process| process.id.start);
        let kin = match orphans {
            Orphans::Adopted => Kin::Descendants,
            Orphans::Searched => Kin::Seen(Lineage::below(me)),
        };
        Self::new(cookie, kin, since)
    }

    /// The tree that fell to the calling process when `keeper` was lost.
    pub(crate) fn adopted_from(keeper: ProcessId, cookie: &'a Cookie) -> Self {
        let session = Process::read(getpid().as_raw_pid()).map_or(0, |process| process.session);
        Self::new(cookie, Kin::Adopted { session }, keeper.start)
    }

    /// What `keeper` left behind, as far as it was seen.
    pub(crate) fn left_by(keeper: ProcessId, cookie: &'a Cookie, lineage: Lineage) -> Self {
        Self::new(cookie, Kin::Seen(lineage), keeper.start)
    }

    /// Whoever carries the cookie, and all below them.
    pub(crate) fn of_cookie(cookie: &'a Cookie) -> Self {
        Self::new(cookie, Kin::Nobody, 0)
    }

    fn new(cookie: &'a Cookie, kin: Kin, since: u64) -> Self {
        Self {
            cookie,
            kin,
            since: since.saturating_sub(START_SLACK),
            me: getpid().as_raw_pid(),
            spared: own_line(),
        }
    }

    /// Takes note of who is of the tree, where that would be lost with a parent.
    pub(crate) fn look(&self) {
        if let Kin::Seen(lineage) = &self.kin {
            lineage.look();
        }
    }

    /// Everyone of the tree, the dead ones that nobody has collected included.
    pub(crate) fn members(&self) -> io::Result<Vec<Process>> {
        Table::read().map(|table| self.members_in(&table))
    }

    fn members_in(&self, table: &Table) -> Vec<Process> {
        let kin = table.closure(|process| self.is_kin(process));
        let all =
            table.closure(|process| kin.contains(&process.id.pid) || self.carries_cookie(process));
        if let Kin::Seen(lineage) = &self.kin {
            lineage.note(table, &all);
        }
        let member = |process: &&Process| {
            all.contains(&process.id.pid) && !self.spared.contains(&process.id.pid)
        };
        table.iter().filter(member).cloned().collect()
    }

    /// How many are alive; 0 if that cannot be seen.
    pub(crate) fn count_living(&self) -> u32 {
        self.members().map_or(0, |members| {
            count(members.iter().filter(|one| !one.dead).count())
        })
    }

    fn is_kin(&self, process: &Process) -> bool {
        let my_child = process.parent == self.me;
        match &self.kin {
            Kin::Descendants => my_child,
            Kin::Adopted { session } => {
                my_child && process.session != *session && process.id.start >= self.since
            }
            Kin::Seen(lineage) => lineage.holds(process),
            Kin::Nobody => false,
        }
    }

    fn carries_cookie(&self, process: &Process) -> bool {
        process.id.start >= self.since
            && !self.spared.contains(&process.id.pid)
            && environment(process.id.pid).is_ok_and(|environ| self.cookie.is_in(&environ))
    }

    /// Kills everyone until nobody is left or [`KILL_BUDGET`] is spent. After
    /// each round `all_gone` collects the dead, and says whether nobody is
    /// left as far as the caller can tell; if not, it waits a moment first.
    pub(crate) fn fell(
        &self,
        cgroup: Option<&Cgroup>,
        mut all_gone: impl FnMut() -> bool,
    ) -> Felled {
        let until = Instant::now() + KILL_BUDGET;
        let mut killed = BTreeSet::new();
        let mut last_seen = Vec::new();
        let mut empty_rounds = 0;
        loop {
            let struck = self.strike(&mut killed);
            if let Some(cgroup) = cgroup {
                cgroup.kill();
            }
            let gone = all_gone();
            match struck {
                Ok(living) if living.is_empty() => empty_rounds += 1,
                Ok(living) => (last_seen, empty_rounds) = (living, 0),
                // Not to see anyone is not the same as nobody being there.
                Err(_) => empty_rounds = 0,
            }
            if gone && empty_rounds >= self.rounds_of_proof() {
                return Felled {
                    killed: count(killed.len()),
                    escaped: Vec::new(),
                };
            }
            if Instant::now() >= until {
                let escaped = last_seen.iter().map(survivor).collect();
                return Felled {
                    killed: count(killed.len()),
                    escaped,
                };
            }
        }
    }

    /// One round of SIGKILL; returns who was alive.
    ///
    /// A process with SIGKILL pending cannot fork any more, so a round leaves
    /// only those born during it. But there are processes that fork and exit
    /// faster than the table can be read, and these are hit only by someone
    /// who strikes on sight.
    fn strike(&self, killed: &mut BTreeSet<ProcessId>) -> io::Result<Vec<Process>> {
        let mut kill = |process: &Process| {
            if !process.dead && process.id.signal(Signal::KILL).is_ok() {
                killed.insert(process.id);
            }
        };
        let table = Table::read_with(|process| {
            if self.is_kin(process) {
                kill(process);
            }
        })?;
        let mut living = self.members_in(&table);
        living.retain(|member| !member.dead);
        living
            .iter()
            .filter(|member| !self.is_kin(member))
            .for_each(kill);
        Ok(living)
    }

    /// The keeper has the system's word that it has no descendants; others
    /// have only the table, which a process on the run can slip through.
    fn rounds_of_proof(&self) -> u32 {
        match self.kin {
            Kin::Descendants => 1,
            Kin::Adopted { .. } | Kin::Seen(_) | Kin::Nobody => 3,
        }
    }
}

/// For [`Tree::fell`], where the caller knows no more than the table says.
pub(crate) fn trust_the_table() -> bool {
    thread::sleep(KILL_ROUND);
    true
}

/// The outcome of [`Tree::fell`].
pub(crate) struct Felled {
    pub(crate) killed: u32,
    pub(crate) escaped: Vec<Survivor>,
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

pub(crate) fn survivor(process: &Process) -> Survivor {
    let printable = |c: char| if c.is_control() { '?' } else { c };
    Survivor {
        pid: process.id.pid,
        start: process.id.start,
        name: process.name.chars().map(printable).collect(),
    }
}
