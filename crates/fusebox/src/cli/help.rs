//! The first page of help: fifty commands, in the order in which people meet them.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Command};

/// What is under which heading. A command that is named nowhere comes last, under its own.
const GROUPS: [(&str, &[&str]); 8] = [
    ("Getting started", &["init", "demo", "run", "doctor"]),
    (
        "Inspect",
        &[
            "status",
            "explain",
            "history",
            "diff",
            "report",
            "top",
            "serve",
            "statusline",
            "events",
            "metrics",
            "otlp",
        ],
    ),
    (
        "Control",
        &[
            "pause", "resume", "stop", "trip", "reset", "recover", "rollback",
        ],
    ),
    (
        "In your own loop, or inside an agent",
        &["check", "record", "limit", "hooks", "hook", "mcp"],
    ),
    (
        "Protect files, and coordinate work",
        &["guard", "tasks", "fleet"],
    ),
    ("Learn from recorded sessions", &["replay", "eval", "tune"]),
    (
        "Other systems",
        &[
            "presets", "import", "phase", "analyze", "watch", "anomaly", "trigger", "resolve",
            "edit", "validate",
        ],
    ),
    (
        "Maintenance",
        &[
            "config",
            "notify",
            "prune",
            "self-check",
            "completions",
            "man",
        ],
    ),
];
const REST: &str = "More";

/// The column that explanations begin in, and how wide a page is at most and at least.
const INDENT: usize = 15;
const WIDEST: usize = 100;
const NARROWEST: usize = 40;

/// The command line with its commands under headings.
pub(super) fn grouped(command: Command) -> Command {
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}\n{{options}}{{after-help}}",
        groups(&command, width()),
        heading("Options")
    );
    command.help_template(template)
}

/// The command line without the values of variables, which are mostly none: `[env: NAME=]`
/// reads like a value that is empty.
pub(super) fn with_bare_variables(command: Command) -> Command {
    command
        .mut_args(|argument| argument.hide_env_values(true))
        .mut_subcommands(with_bare_variables)
}

/// The command line whose switches take from variables what people write into them: `1`,
/// `yes` and `on` as well as `true`.
pub(super) fn with_plain_switches(command: Command) -> Command {
    command
        .mut_args(|argument| {
            let is_switch = matches!(argument.get_action(), ArgAction::SetTrue);
            match argument.get_env() {
                Some(_) if is_switch => argument.value_parser(BoolishValueParser::new()),
                _ => argument,
            }
        })
        .mut_subcommands(with_plain_switches)
}

/// The command line on which `-1` is a value, and a wrong one, instead of an option that
/// nobody meant.
pub(super) fn with_negative_numbers(command: Command) -> Command {
    command
        .mut_args(|argument| match argument.get_action() {
            ArgAction::Set | ArgAction::Append => argument.allow_negative_numbers(true),
            _ => argument,
        })
        .mut_subcommands(with_negative_numbers)
}

/// `fusebox help run` as `fusebox run --help`, which is the same page.
pub(super) fn as_option(args: &[OsString]) -> Option<Vec<OsString>> {
    let [program, word, rest @ ..] = args else {
        return None;
    };
    // Whoever asks for help about help, or for its help, is given the first page.
    let is_name =
        |word: &&OsString| !word.as_encoded_bytes().starts_with(b"-") && word.as_os_str() != "help";
    (word == "help").then(|| {
        let names = rest.iter().filter(is_name);
        let page = std::iter::once(program).chain(names).cloned();
        page.chain(["--help".into()]).collect()
    })
}

/// How wide the terminal is, as clap asks it for the options below.
fn width() -> usize {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    let columns = size.map_or(0, |size| usize::from(size.ws_col));
    match columns {
        0 => WIDEST,
        columns => columns.clamp(NARROWEST, WIDEST),
    }
}

fn groups(command: &Command, width: usize) -> String {
    let is_grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let shown = || command.get_subcommands().filter(|one| !one.is_hide_set());
    let mut text = String::new();
    for (title, names) in GROUPS {
        let found = names
            .iter()
            .filter_map(|name| shown().find(|one| one.get_name() == *name));
        text.push_str(&section(title, found, width));
    }
    let rest = shown().filter(|one| !is_grouped(one.get_name()));
    text.push_str(&section(REST, rest, width));
    text
}

fn section<'a>(title: &str, commands: impl Iterator<Item = &'a Command>, width: usize) -> String {
    let mut text = String::new();
    for command in commands {
        let about = command.get_about().map(ToString::to_string);
        let about = wrapped(&about.unwrap_or_default(), width - INDENT);
        let name = command.get_name();
        let gap = " ".repeat(INDENT.saturating_sub(name.len() + 2).max(1));
        let _ = writeln!(text, "  \u{1b}[1m{name}\u{1b}[0m{gap}{about}");
    }
    if text.is_empty() {
        return text;
    }
    format!("{}\n{text}\n", heading(title))
}

/// As clap writes its own.
fn heading(title: &str) -> String {
    format!("\u{1b}[1m\u{1b}[4m{title}:\u{1b}[0m")
}

/// The text in lines that fit beside the names.
fn wrapped(text: &str, room: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let mut last = lines.pop().unwrap_or_default();
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > room {
            lines.push(std::mem::take(&mut last));
        } else if !last.is_empty() {
            last.push(' ');
        }
        last.push_str(word);
        lines.push(last);
    }
    lines.join(&format!("\n{}", " ".repeat(INDENT)))
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_on_the_page_once_and_every_name_is_one() {
        let command = Cli::command();
        for width in [NARROWEST, 80, WIDEST] {
            let page = groups(&command, width);
            let mark = |name: &str| format!("\u{1b}[1m{name}\u{1b}[0m");
            for one in command.get_subcommands() {
                let name = one.get_name();
                assert_eq!(page.matches(&mark(name)).count(), 1, "{name}");
            }
            for name in GROUPS.iter().flat_map(|(_, names)| *names) {
                assert!(page.contains(&mark(name)), "there is no command {name}");
            }
            let plain = page.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
            for line in plain.lines().filter(|line| line.starts_with("  ")) {
                assert!(line.chars().count() <= width, "{line}");
            }
        }
    }
}
