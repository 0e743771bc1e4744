//! What points to a loop inside a session. Each signal keeps what it needs and
//! reads one number; none of them knows its threshold.

pub(super) mod futile_edits;
pub(super) mod nothing_new;
pub(super) mod repetition;
pub(super) mod return_on_effort;
pub(super) mod streaks;
pub(super) mod turns;
