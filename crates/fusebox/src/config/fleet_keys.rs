//! The keys about a fleet. All of them are words, and none is a repository's to say:
//! it would send what happens here somewhere else.

/// A key about a fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FleetKey {
    Url,
    Repository,
    Team,
}

impl FleetKey {
    pub(super) const ALL: [Self; 3] = [Self::Url, Self::Repository, Self::Team];

    /// Where it stands in a file, and what it is for.
    pub(super) fn row(self) -> (&'static str, &'static str) {
        match self {
            Self::Url => (
                "fleet.url",
                "with whom budgets, tasks and halts are shared: \"postgres://…\" or \"file:///…\"",
            ),
            Self::Repository => (
                "fleet.repository",
                "what this repository is called there; the name of its directory where nothing is said",
            ),
            Self::Team => ("fleet.team", "the team whose budgets and halts count"),
        }
    }
}
