//! A task as its list has it.

use crate::status::Status;

/// A task as its list has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What it is called in commands.
    pub id: String,
    /// Whether that is made of its words, because the list gives it no name: once it is reworded,
    /// it is called something else.
    pub named_by_words: bool,
    /// What it is called among people.
    pub title: String,
    /// What the list says of it. A claim like any other.
    pub status: Status,
    /// Lower comes first; lists without priorities keep their order.
    pub priority: Option<i64>,
    /// What kind of work it is, where the list says so.
    pub kind: Option<String>,
    /// What is to be done, beyond the title.
    pub description: String,
    /// What must hold when it is done.
    pub criteria: Vec<String>,
    /// The tasks that must be done before.
    pub depends_on: Vec<String>,
    /// Who has it, as far as the list knows.
    pub holder: Holder,
}

/// What a list knows of whoever works on a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    /// A name.
    pub name: Option<String>,
    /// Since when, in milliseconds of the wall clock.
    pub since_ms: Option<i64>,
    /// Until when the claim holds without a sign of life.
    pub lease_until_ms: Option<i64>,
    /// The number of the claim, where the list counts them.
    pub fence: Option<u64>,
}

impl Task {
    /// A task of which nothing more is known.
    #[must_use]
    pub fn new(id: impl Into<String>, title: impl Into<String>, status: Status) -> Self {
        Self {
            id: id.into(),
            named_by_words: false,
            title: title.into(),
            status,
            priority: None,
            kind: None,
            description: String::new(),
            criteria: Vec::new(),
            depends_on: Vec::new(),
            holder: Holder::default(),
        }
    }
}
