//! Finding and ending what an earlier run has left behind.
//!
//! A tree outlives its step only if supervisor *and* keeper were killed. Its
//! cookie was recorded before the step began, so the next run can still find
//! it; a process id in that record would be worth nothing by then.

use crate::cgroup::Cgroup;
use crate::cookie::Cookie;
use crate::report::Survivor;
use crate::tree::{Tree, survivor, trust_the_table};

/// What [`sweep`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swept {
    /// Processes that were killed.
    pub killed: u32,
    /// Processes that could not be.
    pub survivors: Vec<Survivor>,
}

/// Everyone alive whom [`sweep`] would end, without ending them.
///
/// The processes of a step under way carry their cookie just the same; they are
/// orphans only if nobody holds the run lock, which
/// [`RunLock::is_held`](crate::RunLock::is_held) tells.
#[must_use]
pub fn find_orphans(cookie: &Cookie) -> Vec<Survivor> {
    let members = Tree::of_cookie(cookie).members().unwrap_or_default();
    let living = members.iter().filter(|member| !member.dead);
    living.map(survivor).collect()
}

/// Kills every process that carries `cookie` in its environment, and all below
/// them, never the caller or an ancestor of it. Processes of other users
/// cannot be looked into and are not found, unless the caller is root.
#[must_use]
pub fn sweep(cookie: &Cookie) -> Swept {
    let cgroup = Cgroup::existing(cookie);
    let felled = Tree::of_cookie(cookie).fell(cgroup.as_ref(), trust_the_table);
    if let Some(cgroup) = cgroup {
        cgroup.remove();
    }
    Swept {
        killed: felled.killed,
        survivors: felled.escaped,
    }
}
