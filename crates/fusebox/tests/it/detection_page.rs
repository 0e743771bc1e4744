//! The page on loops inside a session shows what `fusebox eval` prints.
//!
//! Its tables stand between `<!-- fusebox eval … -->` and `<!-- /eval -->`. The sessions they
//! come from are not ours to ship: where `FUSEBOX_CORPUS` names their folder, every command is
//! run again and compared, or with `FUSEBOX_UPDATE_DOCS` its table is written anew.

use std::path::{Path, PathBuf};

use crate::context::TestContext;

const END: &str = "<!-- /eval -->";

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/explanation/detection.md")
}

/// What a command of the page prints.
fn printed(context: &TestContext, command: &str, corpus: &Path) -> String {
    let place = |path: &str| corpus.join(path).to_str().unwrap().to_owned();
    let words = command.split_whitespace().skip(1).map(|word| match word {
        "sessions/" => place("trajectories"),
        "supervisor.jsonl" => place("labels/supervisor-dev.jsonl"),
        word => word.to_owned(),
    });
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let told = context.fusebox(&words).run().expect(0).out();
    let lines = told.lines().map(str::trim_end);
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_page_on_loops_shows_what_eval_prints() {
    let page = page();
    let text = std::fs::read_to_string(&page).unwrap();
    let tables = text.matches("<!-- fusebox eval ").count();
    assert!(tables > 0 && tables == text.matches(END).count());
    let Some(corpus) = std::env::var_os("FUSEBOX_CORPUS").map(PathBuf::from) else {
        eprintln!("skipped: FUSEBOX_CORPUS names no folder of recorded sessions");
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
    if std::env::var_os("FUSEBOX_UPDATE_DOCS").is_some() {
        std::fs::write(&page, &fresh).unwrap();
        return;
    }
    assert_eq!(
        text, fresh,
        "FUSEBOX_UPDATE_DOCS=1 cargo test -p fusebox detection_page brings the page up to date"
    );
}
