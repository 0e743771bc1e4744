//! Who belongs to a tree, where orphans fall to nobody of it.
//!
//! As long as a process lives, its children are known by their parent. When it
//! ends, they become children of the machine's first process, and nothing
//! connects them with the tree any more but what was seen before. So the tree is
//! looked at again and again while it lives. Whoever was seen below it stays a
//! member, and so does everyone in a session that a member has begun: most of
//! what a command leaves in the background has its session still.
//!
//! What slips through: a process that is born, begins a session of its own and
//! loses its parent from one look to the next. If it has kept its environment,
//! and that can be read, the cookie still finds it.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::process::{Process, ProcessId, Table};

/// Everyone who was ever seen below a process, and is still there.
pub(crate) struct Lineage {
    root: i32,
    seen: RefCell<Seen>,
    last_look: Cell<Option<Instant>>,
}

#[derive(Default)]
struct Seen {
    members: HashSet<ProcessId>,
    /// Those that a member began. The system gives the number of a session to
    /// no new process as long as anyone is in it.
    sessions: HashSet<i32>,
}

impl Lineage {
    /// From one look to the next. A look takes about a millisecond where five
    /// hundred processes run.
    pub(crate) const LOOK: Duration = Duration::from_millis(50);

    /// The lineage of the process `root`, which is none of it itself.
    pub(crate) fn below(root: i32) -> Self {
        Self {
            root,
            seen: RefCell::default(),
            last_look: Cell::new(None),
        }
    }

    /// Whether a process is known to be of it. All below one that is are, too.
    pub(crate) fn holds(&self, process: &Process) -> bool {
        let seen = self.seen.borrow();
        process.id.pid != self.root
            && (process.parent == self.root
                || seen.members.contains(&process.id)
                || seen.sessions.contains(&process.session))
    }

    /// Takes note of everyone who is of it now.
    pub(crate) fn look(&self) {
        self.last_look.set(Some(Instant::now()));
        // What cannot be seen now is seen the next time.
        if let Ok(table) = Table::read() {
            let all = table.closure(|process| self.holds(process));
            self.note(&table, &all);
        }
    }

    pub(crate) fn look_if_due(&self, now: Instant) {
        let due = |last: Instant| now.saturating_duration_since(last) >= Self::LOOK;
        if self.last_look.get().is_none_or(due) {
            self.look();
        }
    }

    /// Takes note of `all` those of the table, and forgets who is not in it any
    /// more: their numbers, and those of their sessions, may be given to others.
    pub(crate) fn note(&self, table: &Table, all: &HashSet<i32>) {
        let mut now = Seen::default();
        let before = self.seen.take();
        for process in table.iter() {
            if all.contains(&process.id.pid) && process.id.pid != self.root {
                now.members.insert(process.id);
                if process.session == process.id.pid {
                    now.sessions.insert(process.session);
                }
            }
            if before.sessions.contains(&process.session) {
                now.sessions.insert(process.session);
            }
        }
        self.seen.replace(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::tests::process;

    /// pid, parent, session.
    fn table(rows: &[(i32, i32, i32)]) -> Table {
        let row = |&(pid, parent, session)| process(pid, parent, session);
        Table::of(rows.iter().map(row).collect())
    }

    fn seen(lineage: &Lineage, rows: &[(i32, i32, i32)]) -> Vec<i32> {
        let table = table(rows);
        let all = table.closure(|process| lineage.holds(process));
        lineage.note(&table, &all);
        let mut all: Vec<i32> = all.into_iter().collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn an_orphan_that_was_seen_stays_a_member_and_so_do_its_children() {
        let lineage = Lineage::below(10);
        let shell = (5, 1, 5);
        assert_eq!(
            seen(&lineage, &[shell, (10, 5, 5), (20, 10, 20), (30, 20, 20)]),
            [20, 30]
        );
        // 20 has ended; 30 has begun a session of its own and started 40.
        assert_eq!(
            seen(&lineage, &[shell, (10, 5, 5), (30, 1, 30), (40, 30, 30)]),
            [30, 40]
        );
        // 30 has ended; 40 is known, 50 is in the session that 30 began.
        assert_eq!(
            seen(&lineage, &[shell, (10, 5, 5), (40, 1, 30), (50, 1, 30)]),
            [40, 50]
        );
    }

    #[test]
    fn neither_the_root_nor_its_own_session_is_of_it() {
        let lineage = Lineage::below(10);
        let rows = [(5, 1, 5), (6, 5, 5), (10, 5, 5), (20, 10, 5)];
        assert_eq!(seen(&lineage, &rows), [20]);
        // 20 never began a session, so its neighbours in that one are strangers.
        assert_eq!(seen(&lineage, &rows), [20]);
    }

    #[test]
    fn numbers_that_went_to_others_are_forgotten() {
        let lineage = Lineage::below(10);
        assert_eq!(seen(&lineage, &[(10, 5, 5), (20, 10, 20)]), [20]);
        assert_eq!(seen(&lineage, &[(10, 5, 5)]), [0; 0]);
        let mut reused = process(20, 1, 20);
        reused.id.start += 1;
        assert!(!lineage.holds(&reused));
        assert!(!lineage.holds(&process(21, 1, 20)));
    }
}
