//! What is known of how a recorded session went.

/// How a session went, for those who want to know whether stopping it was right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Its own runtime stopped it as stuck, unsolved: a trip is right.
    Stuck,
    /// It ran into its limit, unsolved: a trip is right where it had stopped
    /// moving.
    Limit,
    /// It solved its task: a trip is harmful before the last edit, and free
    /// after it.
    Solved,
    /// A person sat beside it: a trip is wrong.
    Supervised,
    /// It ran in a loop by itself, and well: a trip is wrong.
    Unattended,
    /// Nothing that a verdict could be held against.
    #[default]
    Other,
}

impl Group {
    /// The groups that verdicts are held against.
    pub const JUDGED: [Self; 5] = [
        Self::Stuck,
        Self::Limit,
        Self::Solved,
        Self::Supervised,
        Self::Unattended,
    ];

    /// What it is called in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stuck => "stuck",
            Self::Limit => "limit",
            Self::Solved => "solved",
            Self::Supervised => "supervised",
            Self::Unattended => "unattended",
            Self::Other => "other",
        }
    }

    /// Whether nobody wants such a session to be stopped.
    #[must_use]
    pub fn is_healthy(self) -> bool {
        matches!(self, Self::Solved | Self::Supervised | Self::Unattended)
    }

    /// The group that a collection's own words put a session into.
    #[must_use]
    pub fn of(termination: &str, outcome: &str) -> Self {
        match (termination, outcome) {
            (_, "resolved") => Self::Solved,
            ("stuck", _) => Self::Stuck,
            ("max_iter", _) => Self::Limit,
            ("human_supervised", _) => Self::Supervised,
            ("success", _) => Self::Unattended,
            _ => Self::Other,
        }
    }
}

/// What came with a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// How it went.
    pub group: Group,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solved_task_counts_as_solved_however_the_session_ended() {
        for (termination, outcome, group) in [
            ("stuck", "empty_patch", Group::Stuck),
            ("stuck", "resolved", Group::Solved),
            ("max_iter", "unresolved", Group::Limit),
            ("max_iter", "resolved", Group::Solved),
            ("finished", "unresolved", Group::Other),
            ("human_supervised", "unknown", Group::Supervised),
            ("success", "completed", Group::Unattended),
        ] {
            assert_eq!(
                Group::of(termination, outcome),
                group,
                "{termination} {outcome}"
            );
        }
    }
}
