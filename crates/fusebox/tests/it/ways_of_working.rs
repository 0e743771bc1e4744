//! The page on the ways of working says what the program does.

use std::path::{Path, PathBuf};

use crate::context::TestContext;

const PAGE: &str = include_str!("../../../../docs/src/explanation/ways-of-working.md");

/// A path below the root of the project.
fn place(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

/// The part of the page under a heading, up to the next one.
fn section(heading: &str) -> &'static str {
    let (_, rest) = PAGE
        .split_once(heading)
        .unwrap_or_else(|| panic!("no {heading}"));
    rest.split("\n#").next().unwrap()
}

/// Fails unless the section says all of this, in whatever lines.
#[track_caller]
fn says(heading: &str, words: &[&str]) {
    let text = section(heading)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for word in words {
        assert!(
            text.contains(word),
            "{heading} does not say {word:?}: {text}"
        );
    }
}

#[test]
fn req_000_113_and_115_the_page_shows_the_thresholds_that_are_in_force() {
    let context = TestContext::new();
    let presets = context.fusebox(&["presets"]).run().expect(0).out();
    let (before, rest) = PAGE.split_once("<!-- presets -->\n```text\n").unwrap();
    let (shown, after) = rest.split_once("```\n<!-- /presets -->").unwrap();
    if std::env::var_os("FUSEBOX_UPDATE_DOCS").is_some() {
        let page =
            format!("{before}<!-- presets -->\n```text\n{presets}```\n<!-- /presets -->{after}");
        std::fs::write(place("docs/src/explanation/ways-of-working.md"), page).unwrap();
        return;
    }
    assert_eq!(
        shown, presets,
        "FUSEBOX_UPDATE_DOCS=1 cargo test -p fusebox ways_of_working brings the page up to date"
    );
    says(
        "## What counts as progress\n",
        &[
            "content changed",
            "tests that pass now and failed before",
            "is not progress",
        ],
    );
}

#[test]
fn req_000_114_the_page_says_how_work_on_tests_is_told_from_progress() {
    let context = TestContext::new();
    let presets = context.fusebox(&["presets"]).run().expect(0).out();
    assert!(
        presets.contains("warns above 30, trips above 80"),
        "{presets}"
    );
    says(
        "### Work on tests alone\n",
        &["last five", "above 30 %", "above 80 %"],
    );
}

#[test]
fn req_000_116_and_004_037_the_page_says_what_follows_a_trip_and_why_it_waits() {
    let ways = [
        "change of the prompt",
        "change of context",
        "--on-stagnation abort",
        "fusebox reset",
    ];
    says("## What happens after a trip\n", &ways);
    says(
        "### The cooldown\n",
        &["30 minutes", "cycle rapidly through the same failure"],
    );
    let context = TestContext::new();
    for (command, flags) in [
        ("reset", &["--reason", "--guidance"][..]),
        ("recover", &["--note", "--strategy"]),
        ("run", &["--on-stagnation"]),
        ("import", &["--trust"]),
    ] {
        let help = context.fusebox(&[command, "--help"]).run().expect(0).out();
        for flag in flags {
            assert!(help.contains(flag), "{command} {flag}: {help}");
        }
    }
}

#[test]
fn req_000_117_the_page_says_how_detection_is_tested() {
    for folder in ["crates/core/tests/exploration", "crates/fusebox/tests"] {
        says("## How this is tested\n", &[folder]);
        assert!(place(folder).is_dir(), "{folder}");
    }
}
