//! Whether a task that is done is a gain.
//!
//! An agent can add a task in each iteration and close it in the next, and a test command that
//! succeeds whatever happens bears it out each time. So a task that came up during the run is a
//! gain only if work was done on it. Of those that were there when the run began there are only so
//! many: each of them is one, even if there was nothing left to do for it.

use std::collections::HashSet;

use fusebox_core::Observation;
use fusebox_core::fact::Fact;
use fusebox_core::observation::TestCounts;
use fusebox_core::policy::ProgressRule;
use fusebox_tasks::{Item, Status};

use crate::run::proof::Proof;
use crate::run::setup::Ready;
use crate::session::Outcome;

/// What is known of the tasks of a run, and of the work on the one under way.
#[derive(Default)]
pub(super) struct Gains {
    /// Those that were open when the run began and have not counted yet.
    waiting: Option<HashSet<String>>,
    /// Whether anything was done in the iterations of the task under way.
    worked: bool,
    /// How the tests went when they were counted last.
    tests: Option<TestCounts>,
    /// Whether a command failed that does not count tests.
    failed: bool,
}

impl Gains {
    /// Sees the list before an iteration.
    pub(super) fn note(&mut self, items: &[Item]) {
        self.waiting.get_or_insert_with(|| {
            let open = items.iter().filter(|item| item.status != Status::Done);
            open.map(|item| item.task.id.clone()).collect()
        });
    }

    /// Another task begins.
    pub(super) fn begin(&mut self) {
        self.worked = false;
    }

    /// Sees what came of an iteration.
    fn see(&mut self, facts: &Observation) {
        let changed = facts.files.seen().is_some_and(|files| files.count > 0);
        let tests = facts.tests.seen().copied();
        let repaired = self
            .tests
            .zip(tests)
            .is_some_and(|(last, now)| now.failed < last.failed && now.passed > last.passed);
        let failed = facts.checks_failed.seen().map(|count| *count > 0);
        self.worked |= changed || repaired || (self.failed && failed == Some(false));
        self.tests = tests.or(self.tests);
        self.failed = failed.unwrap_or(self.failed);
    }

    /// Whether it is a gain that the task is done.
    fn counts(&mut self, id: &str) -> bool {
        let mut waiting = self.waiting.iter_mut();
        let was_there = waiting.any(|waiting| waiting.remove(id));
        was_there || self.worked
    }
}

impl Ready<'_> {
    /// Says whether the iteration has completed its task. Where completed tasks are progress
    /// whatever else they are, as the preset's document says, each of them is reported.
    pub(in crate::run) fn tell_of_task(
        &mut self,
        asked: &Outcome,
        proof: &Proof,
        facts: &mut Observation,
    ) {
        let Some(tasks) = &mut self.tasks else { return };
        tasks.gains.see(facts);
        let Some(current) = &tasks.current else {
            return;
        };
        if proof.of_completion().is_none() {
            return;
        }
        let is_gain = tasks.gains.counts(&current.id);
        if is_gain || asked.policy.progress != ProgressRule::AnyGain {
            facts.tasks_completed = Fact::Measured(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use fusebox_core::observation::FileChanges;

    use super::*;

    fn after(files: u64, tests: Option<(u32, u32)>, checks_failed: Option<u32>) -> Observation {
        Observation {
            files: Fact::Measured(FileChanges {
                count: files,
                ..FileChanges::default()
            }),
            tests: Fact::measured(tests.map(|(passed, failed)| TestCounts {
                passed,
                failed,
                skipped: 0,
            })),
            checks_failed: Fact::measured(checks_failed),
            ..Observation::default()
        }
    }

    #[test]
    fn work_is_a_changed_file_or_a_failing_test_that_passes() {
        let idle = after(0, None, None);
        for (name, before, facts, expected) in [
            ("nothing", None, idle.clone(), false),
            ("a file", None, after(1, None, None), true),
            ("a test", Some((3, 2)), after(0, Some((4, 1)), None), true),
            (
                "a test that is gone",
                Some((3, 2)),
                after(0, Some((3, 1)), None),
                false,
            ),
            (
                "a test that is new",
                Some((3, 2)),
                after(0, Some((4, 2)), None),
                false,
            ),
            (
                "tests that nobody counted before",
                None,
                after(0, Some((4, 0)), None),
                false,
            ),
        ] {
            let mut gains = Gains::default();
            gains.see(&after(0, before, None));
            gains.begin();
            gains.see(&facts);
            assert_eq!(gains.counts("T-1"), expected, "{name}");
            // It is over with the task.
            gains.begin();
            gains.see(&idle);
            assert!(!gains.counts("T-2"), "{name}");
        }
        let mut gains = Gains::default();
        gains.see(&after(0, None, Some(1)));
        gains.see(&idle);
        gains.see(&after(0, None, Some(0)));
        assert!(gains.counts("T-1"), "a command that failed succeeds");
    }
}
