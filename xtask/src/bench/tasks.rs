//! What it costs to ask for the next task, of a list longer than anybody keeps.

use super::figure::{Figure, Report};
use super::samples::Samples;
use super::{Subject, child, empty_program};
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use std::fs;

const TASKS: usize = 10_000;
const ROUNDS: usize = 30;
/// Nobody who loops over tasks should notice that a list was read.
const MOST_MS: f64 = 50.0;

/// A list: what it is called, where it stands, and how a task of it is written.
struct List {
    name: &'static str,
    file: &'static str,
    before: &'static str,
    task: fn(usize) -> String,
    after: &'static str,
}

const LISTS: [List; 3] = [
    List {
        name: "prd",
        file: "prd.json",
        before: "{\"stories\": [\n",
        task: |n| {
            let gap = if n + 1 == TASKS { "" } else { "," };
            let before = (n > 0).then(|| format!("\"S-{}\"", n / 2));
            format!(
                "{{\"id\": \"S-{n}\", \"title\": \"Story number {n}\", \"status\": \"open\", \
                 \"dependsOn\": [{}], \"acceptanceCriteria\": [\"one\", \"two\"]}}{gap}\n",
                before.unwrap_or_default()
            )
        },
        after: "]}\n",
    },
    List {
        name: "lines",
        file: ".cub/tasks.jsonl",
        before: "",
        task: |n| {
            format!(
                "{{\"id\":\"t-{n}\",\"title\":\"Task number {n}\",\"status\":\"open\",\"priority\":\"P{}\",\"description\":\"What is to be done.\"}}\n",
                n % 5
            )
        },
        after: "",
    },
    List {
        name: "boxes",
        file: "fix_plan.md",
        before: "# Plan\n",
        task: |n| format!("- [ ] T-{n} what is to be done in step {n}\n"),
        after: "",
    },
];

pub(super) fn measure(subject: &Subject, report: &mut Report) -> Result<()> {
    for list in &LISTS {
        let sandbox = subject.sandbox()?;
        let path = sandbox.work().join(list.file);
        let parent = path.parent().context("a list without a directory")?;
        fs::create_dir_all(parent)?;
        fs::write(&path, list.text())
            .with_context(|| format!("cannot write {}", path.display()))?;
        let first = sandbox
            .fusebox("default", &["tasks", "ready", "--json"])
            .output()?;
        let said = String::from_utf8_lossy(&first.stdout);
        ensure!(
            first.status.success() && said.contains("\"ready\":true"),
            "{}: {said}",
            list.name
        );
        let (mut empty, mut ready) = (Samples::default(), Samples::default());
        for _ in 0..ROUNDS {
            empty.push(child::cost_of(&mut sandbox.program(empty_program()?))?.wall);
            ready.push(
                child::cost_of(&mut sandbox.fusebox("default", &["tasks", "ready", "--json"]))?
                    .wall,
            );
        }
        let empty = Figure::time(format!("true-beside-tasks-{}", list.name), empty.median());
        let name = format!("tasks-ready-{}-{TASKS}", list.name);
        let ready = Figure::time(name, ready.median())
            .beside(&empty)
            .value_at_most(MOST_MS);
        report.add_all([&empty, &ready]);
    }
    Ok(())
}

impl List {
    fn text(&self) -> String {
        let mut text = self.before.to_owned();
        for number in 0..TASKS {
            let _ = write!(text, "{}", (self.task)(number));
        }
        text.push_str(self.after);
        text
    }
}
