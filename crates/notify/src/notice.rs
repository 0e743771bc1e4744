//! What there is to say, before anyone has decided where.

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The breaker opened and the loop stands.
    Tripped,
    /// The loop waits for a person's answer.
    Paused,
    /// A limit of calls, tokens or money is used up.
    Limited,
    /// Something looks wrong, and the loop goes on.
    Warned,
    /// The next model of the ladder takes over.
    Escalated,
    /// The run ended with its work done.
    Finished,
    /// The run ended otherwise.
    Ended,
    /// Nothing happened: somebody tries whether notices arrive.
    Test,
}

impl Kind {
    /// All of them.
    pub(crate) const ALL: [Self; 8] = [
        Self::Tripped,
        Self::Paused,
        Self::Limited,
        Self::Warned,
        Self::Escalated,
        Self::Finished,
        Self::Ended,
        Self::Test,
    ];

    /// The event's name for programs.
    #[must_use]
    pub fn event(self) -> &'static str {
        match self {
            Self::Tripped => "circuit.opened",
            Self::Paused => "run.paused",
            Self::Limited => "run.limited",
            Self::Warned => "run.warned",
            Self::Escalated => "run.escalated",
            Self::Finished => "run.finished",
            Self::Ended => "run.ended",
            Self::Test => "notify.test",
        }
    }

    /// How urgent it is unless the notice says otherwise.
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::Tripped | Self::Paused => Severity::Critical,
            Self::Limited | Self::Warned | Self::Escalated | Self::Ended => Severity::Warning,
            Self::Finished | Self::Test => Severity::Info,
        }
    }
}

/// How much it matters that a person sees it soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Good to know.
    Info,
    /// To be looked at in time.
    Warning,
    /// Nothing goes on until a person has looked.
    Critical,
}

impl Severity {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Critical];

    /// One lower-case word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// One thing to be told. Its texts may hold anything, an agent's words
/// included; they are cleaned on the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What happened.
    pub kind: Kind,
    /// How urgent it is.
    pub severity: Severity,
    /// What happened, in one line.
    pub title: String,
    /// More about it, possibly over several lines; may be empty.
    pub body: String,
    /// Why, in the breaker's words.
    pub reason: Option<String>,
    /// The iteration it happened in.
    pub iteration: Option<u64>,
    /// The task that was worked on.
    pub task: Option<String>,
    /// What the run has cost so far, in millionths of a dollar.
    pub micro_usd: Option<u64>,
    /// What a person can do about it.
    pub next: Option<String>,
    /// The circuit's name.
    pub circuit: String,
    /// The workspace, as people call it.
    pub workspace: String,
    /// When it happened, by the wall clock.
    pub time_ms: i64,
}

impl Notice {
    /// A notice with nothing but its title. The rest is filled in by whoever
    /// knows it.
    #[must_use]
    pub fn new(kind: Kind, title: impl Into<String>, time_ms: i64) -> Self {
        Self {
            kind,
            severity: kind.severity(),
            title: title.into(),
            body: String::new(),
            reason: None,
            iteration: None,
            task: None,
            micro_usd: None,
            next: None,
            circuit: String::new(),
            workspace: String::new(),
            time_ms,
        }
    }

    /// Whether a person who has read `other` learns nothing from this one.
    /// Time, cost and iteration differ from one notice to the next even when
    /// the news is the same.
    #[must_use]
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        let timeless = |notice: &Self| Self {
            time_ms: 0,
            iteration: None,
            micro_usd: None,
            ..notice.clone()
        };
        timeless(self) == timeless(other)
    }
}
