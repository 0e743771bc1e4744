//! What Claude Code reports of itself, heard by the receiver.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use scripted_model::{Script, Step};
use serde_json::Value;

use crate::client::Client;
use crate::desk::{Desk, within};
use crate::isolation::isolated;

/// `otlp receive`, for as long as a test takes.
struct Receiver {
    child: Child,
    found: Value,
}

impl Receiver {
    fn start(desk: &Desk) -> Self {
        let mut command = desk.fusebox(&["otlp", "receive", "--json"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let found = serde_json::from_str(&line).unwrap();
        Self { child, found }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The sum of a metric over all of its labels; `None` where there is none.
fn sum(metrics: &str, name: &str, label: &str) -> Option<f64> {
    let lines = metrics.lines().filter(|line| {
        let named = line
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('{'));
        named && line.contains(label)
    });
    let values = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    values.reduce(|sum, value| sum + value)
}

#[test]
fn what_claude_says_it_spent_is_among_the_metrics() {
    isolated(|clients| {
        let steps = [Step::shell("echo hi > out.txt"), Step::text("All written.")];
        let desk = Desk::of(Client::Claude, clients, Script::once(steps));
        let receiver = Receiver::start(&desk);
        let word = |name: &str| receiver.found[name].as_str().unwrap().to_owned();
        let mut run = desk.supervised(&["--once"]);
        // As `otlp receive` prints them, but sooner than once a minute.
        run.env("CLAUDE_CODE_ENABLE_TELEMETRY", "1")
            .env("OTEL_METRICS_EXPORTER", "otlp")
            .env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", word("endpoint"))
            .env(
                "OTEL_EXPORTER_OTLP_HEADERS",
                format!("Authorization=Bearer {}", word("token")),
            )
            .env("OTEL_METRIC_EXPORT_INTERVAL", "1000");
        let ended = desk.run(run);
        assert!(desk.work().join("out.txt").exists(), "{ended:?}");
        let told = within(Duration::from_secs(20), || {
            let told = desk.fusebox(&["metrics"]).output().unwrap().stdout;
            let told = String::from_utf8_lossy(&told).into_owned();
            let cost = sum(&told, "fusebox_agent_cost_usd_total", "agent=\"claude\"")?;
            let tokens = |kind: &str| sum(&told, "fusebox_agent_tokens_total", kind);
            let (input, output) = (tokens("type=\"input\"")?, tokens("type=\"output\"")?);
            Some((cost, input, output, told))
        });
        let (cost, input, output, told) = told.expect("nothing was heard of it");
        assert!(cost > 0.0 && input > 0.0 && output > 0.0, "{told}");
        // It says the same as what it printed at its end, which the loop wrote down.
        let spent = sum(&told, "fusebox_cost_usd_total", "").unwrap();
        assert!((cost - spent).abs() < 0.001, "{told}");
    });
}
