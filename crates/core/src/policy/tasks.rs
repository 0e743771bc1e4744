//! What becomes of tasks, in each way of working.

/// What becomes of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskRules {
    /// Whether a task whose worker is gone is opened again by itself.
    pub recover: bool,
    /// After how many seconds without any proof of life a worker is taken for gone;
    /// 0 is never.
    pub stale_seconds: u64,
    /// How often a task is taken from a worker who is gone before it is given up.
    pub reopens: u32,
    /// After how many iterations without completion a task is set aside.
    pub attempts: Option<u32>,
}

impl TaskRules {
    /// Nothing is done by itself.
    pub const LEFT_ALONE: Self = Self {
        recover: false,
        stale_seconds: 3_600,
        reopens: 2,
        attempts: None,
    };

    /// How long a claim without any proof of life is believed in; `None` is for good.
    #[must_use]
    pub fn stale_ms(&self) -> Option<u64> {
        let limit = self.stale_seconds.saturating_mul(1_000);
        (self.recover && limit > 0).then_some(limit)
    }
}
