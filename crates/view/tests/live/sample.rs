//! Views to look at.

use fusebox_core::circuit::State;
use fusebox_core::decision::{Gate, Risk};
use fusebox_core::limiter::CallsLeft;
use fusebox_view::glyphs::Glyphs;
use fusebox_view::live::{Activity, LiveView, Paint};

pub(crate) const PLAIN: Paint = Paint {
    colour: false,
    glyphs: Glyphs::Unicode,
};

/// A loop in the middle of its work.
pub(crate) fn working() -> LiveView {
    LiveView {
        iteration: 7,
        of: Some(20),
        elapsed_ms: 134_000,
        state: State::Watching,
        label: "WATCHING",
        gate: Gate::Allow,
        risk: Risk::Medium,
        activity: Activity::Tool {
            name: "Bash".into(),
            argument: "cargo test --workspace --no-fail-fast".into(),
        },
        files: Some(1),
        tokens: Some(48_231),
        micro_usd: Some(420_000),
        calls: Some(calls(88, false)),
        scores: [3, 5, 2, 0, -1].into_iter().map(Some).collect(),
        last_change: Some(5),
        agent: Some("Claude Code".into()),
        model: Some("sonnet".into()),
        now_ms: 1_700_000_000_000,
    }
}

pub(crate) fn calls(left: u32, near: bool) -> CallsLeft {
    CallsLeft {
        limit: 100,
        window_ms: 3_600_000,
        used: 100 - left,
        left,
        near,
        next_in_ms: if left == 0 { 754_000 } else { 0 },
    }
}
