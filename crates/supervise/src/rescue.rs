//! Taking a tree down in the place of a keeper that was lost.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, WaitOptions, waitpid};

use crate::cgroup::Cgroup;
use crate::cookie::Cookie;
use crate::lineage::Lineage;
use crate::process::{Process, ProcessId};
use crate::tree::{Felled, Tree, trust_the_table};

/// Longer than a process takes to go that was killed.
const PATIENCE: Duration = Duration::from_secs(2);
/// From one look to the next.
const PAUSE: Duration = Duration::from_millis(2);

/// Ends the keeper, should it merely hang, and everything that falls to the
/// calling process because of it, or that is of its `lineage`.
pub(crate) fn rescue(
    keeper: &mut Child,
    identity: ProcessId,
    cookie: &Cookie,
    lineage: Option<Lineage>,
) -> Felled {
    if let Some(lineage) = &lineage {
        // As long as a keeper lives, whoever it started is still its child.
        lineage.look();
    }
    let _ = keeper.kill();
    // Not collected yet: whoever traces it would have us wait for ever, and may be of the tree.
    within_patience(|| {
        Process::read(identity.pid).is_none_or(|now| now.id != identity || now.dead)
    });
    let tree = match lineage {
        None => Tree::adopted_from(identity, cookie),
        Some(lineage) => Tree::left_by(identity, cookie, lineage),
    };
    let cgroup = Cgroup::existing(cookie);
    let felled = tree.fell(cgroup.as_ref(), trust_the_table);
    bury(&tree);
    if let Some(cgroup) = cgroup {
        cgroup.remove();
    }
    within_patience(|| !matches!(keeper.try_wait(), Ok(None)));
    felled
}

fn within_patience(mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() && Instant::now() < until {
        thread::sleep(PAUSE);
    }
}

/// Makes sure that the keeper has gone, and collects it.
pub(crate) fn dismiss(keeper: &mut Child) {
    // Errors mean that it has gone already.
    let _ = keeper.kill();
    let _ = keeper.wait();
}

/// Collects the dead among the adopted, one by one: a general wait would take
/// away the children of other parts of this program.
fn bury(tree: &Tree<'_>) {
    for member in tree.members().unwrap_or_default() {
        if member.dead {
            let _ = waitpid(Pid::from_raw(member.id.pid), WaitOptions::NOHANG);
        }
    }
}
