//! Prints output above a status area, as a running loop does. The test of the
//! area drives it in a real terminal: each line on stdin is one step.

use std::io::{self, BufRead};
use std::time::{Duration, Instant};

use fusebox_core::circuit::State;
use fusebox_core::decision::{Gate, Risk};
use fusebox_view::glyphs::Glyphs;
use fusebox_view::live::{Activity, LiveView, Paint, StatusArea};

fn main() -> io::Result<()> {
    let paint = Paint {
        colour: true,
        glyphs: Glyphs::Unicode,
    };
    let term = std::env::var("TERM").ok();
    let stderr = io::stderr();
    let Some(mut area) = StatusArea::on(stderr, term.as_deref(), paint) else {
        return Err(io::Error::other(
            "stderr is no terminal that moves its cursor",
        ));
    };
    let mut now = Instant::now();
    for step in io::stdin().lock().lines() {
        let step = step?;
        // Steps are apart by more than the throttle, whoever types them.
        now += Duration::from_secs(1);
        match step.split_once(' ').unwrap_or((&step, "")) {
            ("lines", count) => {
                for number in 0..count.parse().unwrap_or(0) {
                    area.output(format!("output line {number}\n").as_bytes())?;
                }
            }
            ("show", iteration) => area.show(view(iteration.parse().unwrap_or(0)), now)?,
            ("print", text) => area.output(text.replace("\\n", "\n").as_bytes())?,
            ("clear", _) => area.clear()?,
            _ => break,
        }
    }
    Ok(())
}

fn view(iteration: u64) -> LiveView {
    LiveView {
        iteration,
        of: Some(20),
        elapsed_ms: 134_000,
        state: State::Closed,
        label: "CLOSED",
        gate: Gate::Allow,
        risk: Risk::Low,
        activity: Activity::Tool {
            name: "Edit".into(),
            argument: "src/a/rather/long/path/that/does/not/fit/into/forty/columns.rs".into(),
        },
        files: Some(3),
        tokens: Some(48_200),
        micro_usd: Some(420_000),
        calls: None,
        scores: vec![Some(1), Some(3), Some(2)],
        last_change: Some(2),
        agent: Some("claude".into()),
        model: Some("a-model".into()),
        now_ms: 0,
    }
}
