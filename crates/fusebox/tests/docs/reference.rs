//! The reference is made from the program itself.
//!
//! Each of these pages has a part between two marks that the program, or the code, wrote. The
//! tests hold them against each other, and `FUSEBOX_UPDATE_DOCS=1` writes the pages anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::shell::Shell;
use crate::{book, root};

const BEGIN: &str = "<!-- generated -->\n";
const END: &str = "<!-- /generated -->";

/// Holds the page against what it ought to say, or makes it say so.
#[track_caller]
fn holds(page: &str, generated: &str) {
    let path = book().join("reference").join(page);
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (shown, after) = rest.split_once(END).unwrap();
    if std::env::var_os("FUSEBOX_UPDATE_DOCS").is_some() {
        fs::write(path, format!("{before}{BEGIN}{generated}{END}{after}")).unwrap();
    } else if shown != generated {
        let differs = generated
            .lines()
            .zip(shown.lines())
            .find(|(ours, theirs)| ours != theirs);
        panic!(
            "reference/{page} is not up to date (first difference: {differs:?}); \
             FUSEBOX_UPDATE_DOCS=1 cargo test -p fusebox --test docs brings it there"
        );
    }
}

fn printed(command: &str) -> String {
    let given = Shell::new().run(command);
    assert_eq!(given.code, 0, "{command}: {}", given.output);
    given.output
}

/// An option as one line, whatever its indentation and however it was wrapped.
fn options(help: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in help.lines() {
        if !line.starts_with(' ') {
            inside = line.ends_with("ptions:");
        } else if !inside {
        } else if line.trim_start().starts_with('-') && line.find('-').is_some_and(|at| at <= 6) {
            found.push((line.to_owned(), line.to_owned()));
        } else if let Some((whole, _)) = found.last_mut() {
            whole.push('\n');
            whole.push_str(line);
        }
    }
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    found
        .into_iter()
        .map(|(whole, _)| (squeezed(&whole), whole))
        .collect()
}

/// The names of the commands below, under whatever headings.
fn commands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Usage:"));
    let lines = lines.take_while(|line| !matches!(*line, "Options:" | "Arguments:" | "Examples:"));
    lines
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with(char::is_lowercase))
        .filter_map(|line| Some(line.split_whitespace().next()?.to_owned()))
        .collect()
}

/// The help of a command, without the options that all of them have.
fn own_help(words: &str, global: &BTreeSet<String>) -> String {
    let mut help = printed(&format!("fusebox {words} -h"));
    for (squeezed, whole) in options(&help) {
        if global.contains(&squeezed) {
            help = help.replace(&format!("{whole}\n"), "");
        }
    }
    for heading in ["Options:", "Common options:"] {
        let help_without = help
            .trim_end()
            .replace(&format!("\n\n{heading}\n\n"), "\n\n");
        help = help_without
            .trim_end_matches(&format!("\n\n{heading}"))
            .to_owned();
    }
    help
}

/// Everything below `words`, deepest last.
fn describe(
    words: &str,
    global: &BTreeSet<String>,
    page: &mut String,
    variables: &mut BTreeSet<String>,
) {
    let help = printed(&format!("fusebox {words} -h"));
    variables.extend(mentioned(&printed(&format!("fusebox {words} --help"))));
    let level = if words.contains(' ') { "###" } else { "##" };
    let _ = writeln!(
        page,
        "{level} `fusebox {words}`\n\n```text\n{}\n```\n",
        own_help(words, global)
    );
    for name in commands(&help) {
        describe(&format!("{words} {name}"), global, page, variables);
    }
}

/// The variables that stand for flags.
fn mentioned(help: &str) -> Vec<String> {
    let names = help.split("[env: ").skip(1);
    names
        .filter_map(|rest| Some(rest.split(['=', ']']).next()?.to_owned()))
        .collect()
}

#[test]
fn every_command_is_in_the_reference() {
    let help = printed("fusebox -h");
    let global: BTreeSet<String> = options(&help)
        .into_iter()
        .map(|(squeezed, _)| squeezed)
        .collect();
    let mut page = format!("## `fusebox`\n\n```text\n{}\n```\n\n", help.trim_end());
    let mut variables: BTreeSet<String> =
        mentioned(&printed("fusebox --help")).into_iter().collect();
    let names = commands(&help);
    assert!(names.len() > 30, "{names:?}");
    for name in names {
        describe(&name, &global, &mut page, &mut variables);
    }
    page.push_str("## Variables that stand for flags\n\n");
    for name in variables {
        let _ = writeln!(page, "- `{name}`");
    }
    holds("commands.md", &page);
}

#[test]
fn every_key_is_in_the_reference() {
    let schema: Value = serde_json::from_str(&printed("fusebox config schema")).unwrap();
    let mut page = String::from("| key | takes | what it is for |\n|---|---|---|\n");
    keys(&schema, "", &mut page);
    let _ = write!(
        page,
        "\n## The file with every key\n\n```toml\n{}```\n",
        printed("fusebox config default")
    );
    holds("configuration.md", &page);
}

fn keys(schema: &Value, above: &str, page: &mut String) {
    for (name, below) in schema["properties"].as_object().unwrap() {
        let path = match above {
            "" => name.clone(),
            _ => format!("{above}.{name}"),
        };
        if below["properties"].is_object() {
            keys(below, &path, page);
        } else {
            let about = below["description"].as_str().unwrap();
            let _ = writeln!(page, "| `{path}` | {} | {about} |", taken(below));
        }
    }
}

/// What a key takes, in words.
fn taken(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words
            .iter()
            .map(|word| format!("`{}`", word.as_str().unwrap()))
            .collect();
        return words.join(", ");
    }
    let pattern = schema["pattern"].as_str().unwrap_or_default();
    match schema["type"].as_str().unwrap() {
        "integer" => format!("{} to {}", schema["minimum"], schema["maximum"]),
        "number" => "an amount".into(),
        "boolean" => "`true` or `false`".into(),
        "array" => "a list".into(),
        "string" if pattern.contains("(s|m|") => "a time such as `\"30m\"`".into(),
        "string" if pattern.contains("[bB]") => "a size such as `\"64MB\"`".into(),
        "string" if pattern.contains("{64}") => "a hash".into(),
        _ => "a text".into(),
    }
}

#[test]
fn every_exit_code_is_in_the_reference() {
    let help = printed("fusebox --help");
    let (_, table) = help.split_once("Exit codes:\n").unwrap();
    let mut page = String::from("| code | meaning |\n|---|---|\n");
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let (code, meaning) = line.trim().split_once("  ").unwrap();
        let _ = writeln!(page, "| {code} | {} |", meaning.trim());
    }
    holds("exit-codes.md", &page);
}

/// The words of `history` and `events`, with what the code says they mean.
#[test]
fn every_event_is_in_the_reference() {
    let read =
        |file: &str| fs::read_to_string(root().join("crates/core/src/journal").join(file)).unwrap();
    let (names, journal) = (read("names.rs"), read("mod.rs"));
    let (_, words) = names.split_once("pub fn word").unwrap();
    let mut page = String::from("| event | what happened |\n|---|---|\n");
    let (_, events) = journal.split_once("pub enum Event {").unwrap();
    let (events, _) = events.split_once("\n}\n").unwrap();
    let mut said: Vec<&str> = Vec::new();
    let mut count = 0;
    let kinds = printed("fusebox history --help");
    for line in events.lines() {
        if let Some(text) = line.strip_prefix("    /// ") {
            said.push(text);
        } else if line.starts_with("    ") && line[4..].starts_with(char::is_uppercase) {
            let name: String = line[4..]
                .chars()
                .take_while(|c| c.is_alphanumeric())
                .collect();
            let (_, rest) = words.split_once(&format!("Self::{name}")).unwrap();
            let word = rest.split('"').nth(1).unwrap().replace(' ', "_");
            assert!(kinds.contains(&word), "`history --kind {word}`: {kinds}");
            let _ = writeln!(page, "| `{word}` | {} |", said.join(" "));
            said.clear();
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
    holds("events.md", &page);
}

#[test]
fn every_metric_is_in_the_reference() {
    let shell = Shell::new();
    // What nobody has told is no number, and left out.
    let usage =
        r#"{"files_changed": 1, "duration_ms": 9, "usage": {"output_tokens": 9, "cost_usd": 1}}"#;
    let prepared = shell.run(&format!("echo '{usage}' | fusebox -q record -"));
    assert_eq!(prepared.code, 0, "{}", prepared.output);
    let metrics = shell.run("fusebox metrics").output;
    let mut page = String::from("| metric | kind | what it says |\n|---|---|---|\n");
    let kind_of = |name: &str| {
        let mark = format!("# TYPE {name} ");
        let line = metrics.lines().find_map(|line| line.strip_prefix(&mark));
        line.unwrap_or("").to_owned()
    };
    for line in metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# HELP "))
    {
        let (name, about) = line.split_once(' ').unwrap();
        let _ = writeln!(page, "| `{name}` | {} | {about} |", kind_of(name));
    }
    assert!(page.lines().count() > 10, "{page}");
    holds("metrics.md", &page);
}

/// The files of the memory, as the house describes them; those that a first use leaves
/// behind are really there.
#[test]
fn every_file_is_in_the_reference() {
    let house = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, memory) = house.split_once("## State on disk\n\n").unwrap();
    let (block, _) = memory.split_once("\n\n").unwrap();
    let mut page = String::from("| path | what it is |\n|---|---|\n");
    for line in block.lines() {
        let (path, about) = line.trim().split_once("  ").unwrap();
        let _ = writeln!(page, "| `{}` | {} |", path.trim(), about.trim());
    }
    holds("files.md", &page);
    let shell = Shell::new();
    let used = shell.run("fusebox -q record --files-changed 1");
    assert_eq!(used.code, 0, "{}", used.output);
    let found = shell
        .run("cd ~/.local && find state/fusebox share/fusebox -type f")
        .output;
    for file in [
        "/workspace",
        "/roll",
        "/circuits/default/log",
        "/circuits/default/slots",
        "/heads/",
    ] {
        assert!(found.contains(file), "{file}: {found}");
        let name = file.trim_matches('/').replace("default", "<name>");
        assert!(page.contains(&name), "{name}: {page}");
    }
}
