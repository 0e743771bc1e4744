//! The words that a status block may use.

/// How the work stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// There is more to do.
    InProgress,
    /// It is done.
    Complete,
    /// It cannot go on without a person.
    Blocked,
}

/// How the tests stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestsStatus {
    /// All pass.
    Passing,
    /// Some fail.
    Failing,
    /// They were not run.
    NotRun,
}

/// What kind of work was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkType {
    /// New behaviour.
    Implementation,
    /// Tests.
    Testing,
    /// Documents.
    Documentation,
    /// Structure.
    Refactoring,
    /// The search for a fault.
    Debugging,
}

/// The phases of test-driven work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Write tests that fail.
    Red,
    /// Make them pass.
    Green,
    /// Improve the code without changing what it does.
    Refactor,
    /// Write it down.
    Document,
}

impl Status {
    pub(super) fn parse(value: &str) -> Option<Self> {
        match word(value)?.as_str() {
            "IN_PROGRESS" => Some(Self::InProgress),
            "COMPLETE" => Some(Self::Complete),
            "BLOCKED" => Some(Self::Blocked),
            _ => None,
        }
    }
}

impl TestsStatus {
    pub(super) fn parse(value: &str) -> Option<Self> {
        match word(value)?.as_str() {
            "PASSING" => Some(Self::Passing),
            "FAILING" => Some(Self::Failing),
            "NOT_RUN" => Some(Self::NotRun),
            _ => None,
        }
    }
}

impl WorkType {
    pub(super) fn parse(value: &str) -> Option<Self> {
        match word(value)?.as_str() {
            "IMPLEMENTATION" => Some(Self::Implementation),
            "TESTING" => Some(Self::Testing),
            "DOCUMENTATION" => Some(Self::Documentation),
            "REFACTORING" => Some(Self::Refactoring),
            "DEBUGGING" => Some(Self::Debugging),
            _ => None,
        }
    }
}

impl Phase {
    pub(super) fn parse(value: &str) -> Option<Self> {
        match word(value)?.as_str() {
            "RED" => Some(Self::Red),
            "GREEN" => Some(Self::Green),
            "REFACTOR" => Some(Self::Refactor),
            "DOCUMENT" => Some(Self::Document),
            _ => None,
        }
    }
}

/// The first word in capital letters, unless the value is a placeholder.
pub(super) fn word(value: &str) -> Option<String> {
    let first = value.split_whitespace().next()?;
    let first = first.trim_end_matches(['.', ',', ';']);
    (!is_placeholder(value)).then(|| first.to_uppercase())
}

/// `[number]`, `<n>` and `true | false` stand for values that were never filled in.
pub(crate) fn is_placeholder(value: &str) -> bool {
    value.contains('|') || value.starts_with(['[', '<', '{'])
}
