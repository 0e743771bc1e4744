//! Work on tasks: how long on this one, and how the ones before it went.

use serde::{Deserialize, Serialize};

use crate::circuit::name_id;
use crate::observation::Observation;

/// Attempts after which leaving a task counts as giving it up.
const ATTEMPTS: u32 = 3;

/// The task under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskWork {
    /// Which task, by the hash of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// Iterations on it so far.
    pub iterations: u32,
    /// Tasks in a row that were left unfinished after three or more attempts.
    pub given_up: u32,
}

impl TaskWork {
    /// The work after one more iteration. An iteration that names no task
    /// belongs to none.
    #[must_use]
    pub fn after(&self, facts: &Observation) -> Self {
        let completed = facts.tasks_completed.seen().is_some_and(|count| *count > 0);
        if completed {
            return Self::default();
        }
        let Some(id) = facts.task.as_deref().map(name_id) else {
            return self.clone();
        };
        if facts.environment.is_some() {
            return self.clone();
        }
        if self.id == Some(id) {
            return Self {
                iterations: self.iterations.saturating_add(1),
                ..self.clone()
            };
        }
        let gave_up = self.iterations >= ATTEMPTS;
        Self {
            id: Some(id),
            iterations: 1,
            given_up: if gave_up { self.failed() } else { 0 },
        }
    }

    /// Tasks in a row with three failed attempts each, the one under way
    /// included.
    #[must_use]
    pub fn failed(&self) -> u32 {
        let this_one = u32::from(self.iterations >= ATTEMPTS);
        self.given_up.saturating_add(this_one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Fact;

    fn after(names: &str) -> TaskWork {
        names.chars().fold(TaskWork::default(), |work, name| {
            let completed = u32::from(name.is_uppercase());
            let task = Some(name.to_lowercase().to_string());
            work.after(&Observation {
                task,
                tasks_completed: Fact::Measured(completed),
                ..Observation::default()
            })
        })
    }

    #[test]
    fn req_000_030_iterations_on_one_task_are_counted_until_it_is_completed() {
        for (names, iterations) in [("aaaaa", 5), ("aaab", 1), ("aaaA", 0), ("aaaAa", 1)] {
            assert_eq!(after(names).iterations, iterations, "{names}");
        }
    }

    #[test]
    fn req_004_115_and_117_and_d_046_tasks_in_a_row_with_three_failed_attempts_each() {
        for (names, failed) in [
            ("aa", 0),
            ("aaa", 1),
            ("aaaa", 1),
            ("aaabb", 1),
            ("aaabbb", 2),
            ("aaabbbc", 2),
            ("aaabbbccc", 3),
            ("aab", 0),
            ("aaabbc", 0),
            ("aaabbbBc", 0),
            ("aaaAbbbc", 1),
        ] {
            assert_eq!(after(names).failed(), failed, "{names}");
        }
    }
}
