//! The page on loops inside a session, and the README, show what `fusebox eval` prints.
//!
//! The page's tables stand between `<!-- fusebox eval … -->` and `<!-- /eval -->`. The sessions they
//! come from are not ours to ship: where `FUSEBOX_CORPUS` names their folder, every command is
//! run again and compared, or with `FUSEBOX_UPDATE_DOCS` its table is written anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::call::Call;
use crate::context::TestContext;

const END: &str = "<!-- /eval -->";

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/explanation/detection.md")
}

/// Where the sessions are, if that is known.
fn corpus() -> Option<PathBuf> {
    let corpus = std::env::var_os("FUSEBOX_CORPUS").map(PathBuf::from);
    if corpus.is_none() {
        eprintln!("SKIPPED: FUSEBOX_CORPUS names no folder of recorded sessions");
    }
    corpus
}

/// Compares a page with what it should be, or writes it anew.
fn hold(page: &Path, text: &str, fresh: &str) {
    if std::env::var_os("FUSEBOX_UPDATE_DOCS").is_some() {
        std::fs::write(page, fresh).unwrap();
        return;
    }
    assert_eq!(
        text, fresh,
        "FUSEBOX_UPDATE_DOCS=1 cargo test -p fusebox detection_page brings the page up to date"
    );
}

/// What a command of the page prints.
fn printed(context: &TestContext, command: &str, corpus: &Path) -> String {
    let told = asked(context, command, corpus).run().expect(0).out();
    let lines = told.lines().map(str::trim_end);
    lines.map(|line| format!("{line}\n")).collect()
}

fn asked(context: &TestContext, command: &str, corpus: &Path) -> Call {
    let place = |path: &str| corpus.join(path).to_str().unwrap().to_owned();
    let words = command.split_whitespace().skip(1).map(|word| match word {
        "sessions/" => place("trajectories"),
        "supervisor.jsonl" => place("labels/supervisor-dev.jsonl"),
        word => word.to_owned(),
    });
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    context.fusebox(&words)
}

#[test]
fn the_page_on_loops_shows_what_eval_prints() {
    let page = page();
    let text = std::fs::read_to_string(&page).unwrap();
    let tables = text.matches("<!-- fusebox eval ").count();
    assert!(tables > 0 && tables == text.matches(END).count());
    let Some(corpus) = corpus() else {
        return;
    };
    let context = TestContext::new();
    let mut fresh = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("<!-- fusebox eval ") {
        let (arguments, after) = after.split_once(" -->").unwrap();
        let (_, after) = after.split_once(END).unwrap();
        let command = format!("fusebox eval {arguments}");
        let table = printed(&context, &command, &corpus);
        fresh += &format!("{before}<!-- {command} -->\n```text\n{table}```\n{END}");
        rest = after;
    }
    fresh += rest;
    hold(&page, &text, &fresh);
}

/// A table of the README: what is stopped, by us and by the rules that others publish.
#[test]
fn the_readme_shows_what_eval_prints_of_us_and_of_others() {
    const COMMAND: &str = "fusebox eval sessions/ --peers";
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let text = std::fs::read_to_string(&readme).unwrap();
    let (before, after) = text.split_once(&format!("<!-- {COMMAND} -->\n")).unwrap();
    let (_, after) = after.split_once(END).unwrap();
    let Some(corpus) = corpus() else {
        return;
    };
    let context = TestContext::new();
    let told = asked(&context, &format!("{COMMAND} --json"), &corpus);
    let table = beside_others(&told.run().expect(0).json());
    let fresh = format!("{before}<!-- {COMMAND} -->\n{table}{END}{after}");
    hold(&readme, &text, &fresh);
}

fn beside_others(told: &Value) -> String {
    const GROUPS: [(&str, &str); 3] = [
        ("stuck", "runs that were stuck"),
        ("limit", "runs that used up their calls"),
        ("supervised", "sessions of a person at work"),
    ];
    let trip = &told["chosen"]["trip"];
    let mut table = "| |".to_owned();
    for (group, about) in GROUPS {
        let _ = write!(table, " {about} ({}) |", trip["groups"][group]["of"]);
    }
    let _ = writeln!(
        table,
        " harm to runs that were solved ({}) |",
        trip["harmful"]["of"]
    );
    table += "|---|---|---|---|---|\n";
    let mut row = |name: &str, score: &Value| {
        let mut cells = GROUPS
            .map(|(group, _)| share(&score["groups"][group]))
            .to_vec();
        cells.push(share(&score["harmful"]));
        let _ = writeln!(table, "| {name} | {} |", cells.join(" | "));
    };
    row("**fusebox**, told to the agent", &told["chosen"]["warn"]);
    row("**fusebox**, stopped", trip);
    let peers = told["peers"].as_object().unwrap();
    assert!(peers.len() >= 6);
    let caught = |score: &Value| score["groups"]["stuck"]["hits"].as_u64();
    let mut peers: Vec<_> = peers.iter().collect();
    peers.sort_by_key(|(_, score)| std::cmp::Reverse(caught(score)));
    for (name, score) in peers {
        row(name, score);
    }
    table
}

fn share(share: &Value) -> String {
    let number = |name: &str| share[name].as_f64().unwrap();
    format!(
        "{:.1} ({:.1}–{:.1})",
        number("percent"),
        number("low"),
        number("high")
    )
}
