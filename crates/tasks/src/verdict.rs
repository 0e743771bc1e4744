//! Whether whoever has a task is alive.
//!
//! In this order, and the first that can tell decides: the process, because it
//! cannot be wrong; the lease, because somebody renewed it; and only where neither
//! exists the age. Every system that began with age or lease alone has taken tasks
//! from workers that were merely slow.

use crate::journal::Claim;
use crate::task::Task;
use crate::time::{Now, since_wall};
use crate::worker::{Life, Worker};

/// How long after its end a lease is still believed in: clocks of two machines
/// differ, and a renewal may be on its way.
const LEASE_GRACE_MS: u64 = 10 * 60 * 1_000;

/// What is known of whoever has a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nobody has it.
    Free,
    /// They live.
    Alive {
        /// What shows it.
        proof: String,
    },
    /// Nothing shows that they live, and nothing that they do not.
    Unproven {
        /// Since when they have given no sign, in milliseconds, if that is known.
        age_ms: Option<u64>,
    },
    /// They cannot go on with it.
    Gone {
        /// What shows it.
        why: String,
    },
    /// Nothing can show whether they live, and it has been too long.
    Stale {
        /// How long, in milliseconds.
        age_ms: u64,
        /// How long is too long.
        limit_ms: u64,
    },
}

impl Verdict {
    /// Whether the task can be taken up by somebody else.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Gone { .. } | Self::Stale { .. })
    }

    /// The verdict in a few words; empty if nobody has the task.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Free => String::new(),
            Self::Alive { proof } => proof.clone(),
            Self::Unproven { age_ms: Some(age) } => {
                format!("last active {} s ago (no process to watch)", age / 1_000)
            }
            Self::Unproven { age_ms: None } => "since when is not known".into(),
            Self::Gone { why } => why.clone(),
            Self::Stale { age_ms, limit_ms } => {
                format!(
                    "no heartbeat for {} s (limit {} s)",
                    age_ms / 1_000,
                    limit_ms / 1_000
                )
            }
        }
    }
}

/// What is known of a task in progress.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The task as its list has it.
    pub task: &'a Task,
    /// Our own record of the claim, if it is ours.
    pub claim: Option<&'a Claim>,
    /// When we first saw it in progress, where its list does not say since when.
    pub seen: Option<&'a Now>,
}

/// Whether whoever has a task is alive. Without a limit nothing ever is too old.
pub fn judge(
    known: &Known<'_>,
    life: impl Fn(&Worker) -> Life,
    limit_ms: Option<u64>,
    now: &Now,
) -> Verdict {
    if let Some(worker) = known.claim.and_then(|claim| claim.worker.as_ref()) {
        match life(worker) {
            Life::Alive => {
                return Verdict::Alive {
                    proof: format!("process {} runs", worker.pid),
                };
            }
            Life::Dead(why) => return Verdict::Gone { why },
            Life::Unknown(_) => {}
        }
    }
    if let Some(until) = known.task.holder.lease_until_ms {
        let past = since_wall(now, until);
        return match past {
            0 => Verdict::Alive {
                proof: "its lease holds".into(),
            },
            past if past <= LEASE_GRACE_MS => Verdict::Unproven { age_ms: Some(past) },
            past => Verdict::Gone {
                why: format!("its lease ran out {} s ago", past / 1_000),
            },
        };
    }
    match (age(known, now), limit_ms) {
        (Some(age_ms), Some(limit_ms)) if age_ms > limit_ms => Verdict::Stale { age_ms, limit_ms },
        (age_ms, _) => Verdict::Unproven { age_ms },
    }
}

/// For how long there has been no sign. Our own record outranks the list's: lists
/// keep the first start ever, or the last change of anything.
fn age(known: &Known<'_>, now: &Now) -> Option<u64> {
    if let Some(claim) = known.claim {
        return Some(now.since(claim.last_sign()));
    }
    let listed = known
        .task
        .holder
        .since_ms
        .map(|since| since_wall(now, since));
    listed.or_else(|| Some(now.since(known.seen?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;
    use crate::worker::Here;

    const LIMIT: u64 = 3_600_000;

    fn now(seconds: i64) -> Now {
        Now {
            wall_ms: seconds * 1_000,
            boot_ms: u64::try_from(seconds * 1_000).unwrap(),
            boot: "b".into(),
        }
    }

    fn claim(with_worker: bool) -> Claim {
        let worker = Worker {
            place: Here::default(),
            pid: 7,
            start: 1,
        };
        Claim {
            fence: 1,
            attempt: 1,
            at: now(0),
            worker: with_worker.then_some(worker),
            actor: "w".into(),
            beat: None,
        }
    }

    fn judged(
        task: &Task,
        claim: Option<&Claim>,
        life: &Life,
        limit: Option<u64>,
        at: i64,
    ) -> Verdict {
        let seen = now(0);
        let known = Known {
            task,
            claim,
            seen: Some(&seen),
        };
        judge(&known, |_| life.clone(), limit, &now(at))
    }

    fn task() -> Task {
        Task::new("T-1", "x", Status::InProgress)
    }

    #[test]
    fn req_000_012_a_live_worker_is_never_judged_dead_however_slow() {
        // 93 minutes is the longest healthy session on record; a week is none at all.
        for at in [93 * 60, 7 * 24 * 3_600] {
            let verdict = judged(&task(), Some(&claim(true)), &Life::Alive, Some(LIMIT), at);
            assert!(matches!(verdict, Verdict::Alive { .. }), "{verdict:?}");
            // Not even if a lease that nobody renewed says otherwise.
            let mut leased = task();
            leased.holder.lease_until_ms = Some(300_000);
            let verdict = judged(&leased, Some(&claim(true)), &Life::Alive, Some(LIMIT), at);
            assert!(matches!(verdict, Verdict::Alive { .. }), "{verdict:?}");
        }
    }

    #[test]
    fn req_000_013_a_dead_process_is_gone_at_once() {
        let dead = Life::Dead("process 7 is gone".into());
        let verdict = judged(&task(), Some(&claim(true)), &dead, None, 1);
        assert_eq!(
            verdict,
            Verdict::Gone {
                why: "process 7 is gone".into()
            }
        );
    }

    #[test]
    fn req_000_009_and_d_080_exactly_the_limit_is_not_stale_and_a_millisecond_more_is() {
        let unknown = || Life::Unknown("elsewhere".into());
        let limit: i64 = LIMIT.try_into().unwrap();
        for claim in [None, Some(claim(false)), Some(claim(true))] {
            for (late_ms, stale) in [(0, false), (1, true)] {
                let mut at = now(0);
                at.wall_ms += limit;
                at.boot_ms += LIMIT;
                at.wall_ms += late_ms;
                at.boot_ms += u64::try_from(late_ms).unwrap();
                let seen = now(0);
                let task = task();
                let known = Known {
                    task: &task,
                    claim: claim.as_ref(),
                    seen: Some(&seen),
                };
                let verdict = judge(&known, |_| unknown(), Some(LIMIT), &at);
                assert_eq!(verdict.is_gone(), stale, "{verdict:?}");
            }
        }
    }

    #[test]
    fn req_000_008_without_a_limit_age_makes_nothing_stale() {
        let verdict = judged(&task(), None, &Life::Alive, None, 1_000_000);
        assert_eq!(
            verdict,
            Verdict::Unproven {
                age_ms: Some(1_000_000_000)
            }
        );
    }

    #[test]
    fn req_000_014_another_machine_is_judged_by_its_lease_and_skewed_clocks_take_nothing() {
        let unknown = Life::Unknown("it runs on other".into());
        let mut task = task();
        task.holder.lease_until_ms = Some(1_000_000);
        for (at, gone) in [(999, false), (1_000 + 600, false), (1_000 + 601, true)] {
            let verdict = judged(&task, Some(&claim(true)), &unknown, None, at);
            assert_eq!(verdict.is_gone(), gone, "{verdict:?}");
        }
        // Without a lease, by age; a start that lies ahead is a clock that does.
        task.holder.lease_until_ms = None;
        task.holder.since_ms = Some(50_000_000);
        assert_eq!(
            judged(&task, None, &unknown, Some(LIMIT), 0),
            Verdict::Unproven { age_ms: Some(0) }
        );
        task.holder.since_ms = Some(0);
        assert!(judged(&task, None, &unknown, Some(LIMIT), 3_601).is_gone());
    }

    #[test]
    fn a_sign_of_life_counts_from_when_it_was_given() {
        let beaten = Claim {
            beat: Some(now(3_000)),
            ..claim(false)
        };
        let at = |at| judged(&task(), Some(&beaten), &Life::Alive, Some(LIMIT), at).is_gone();
        assert!(!at(6_600) && at(6_601));
    }
}
