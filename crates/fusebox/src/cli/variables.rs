//! Every option as a variable of the environment: `--max-time` as `FUSEBOX_MAX_TIME`.
//!
//! A variable outlives the moment that it was meant for, and whoever can write a file that a
//! shell reads can plant one. So what vouches for a person, or lets something out of bounds, is
//! said on the command line each time, and so is what an iteration did.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::{Arg, ArgAction, Command};

/// Why an option is no variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// A person's consent is for what they see, when they see it.
    Consent,
    /// What one iteration, action or task did is told once; a variable would tell it of
    /// all that follow.
    Fact,
    /// What is thrown away or overwritten is named each time.
    Loss,
    /// The configuration reads this variable itself, in every command.
    Configured,
}

/// The options that are given on the command line alone: of which command (none is of all that
/// have it), and why.
const NO_VARIABLE: [(&str, &str, Why); 46] = [
    ("import", "trust", Why::Consent),
    ("init", "yes", Why::Consent),
    ("serve", "allow-actions", Why::Consent),
    ("doctor", "fix", Why::Consent),
    ("edit", "answer", Why::Consent),
    ("run", "resume", Why::Consent),
    ("export", "private", Why::Consent),
    ("rollback", "to", Why::Loss),
    ("rollback", "protected", Why::Loss),
    ("prune", "older-than", Why::Loss),
    ("prune", "keep-bytes", Why::Loss),
    ("prune", "forget", Why::Loss),
    ("done", "evidence", Why::Fact),
    ("record", "iteration", Why::Fact),
    ("record", "approach", Why::Fact),
    ("record", "files-changed", Why::Fact),
    ("record", "tasks-completed", Why::Fact),
    ("record", "tests-passed", Why::Fact),
    ("record", "tests-failed", Why::Fact),
    ("record", "exit-code", Why::Fact),
    ("record", "duration-ms", Why::Fact),
    ("record", "environment", Why::Fact),
    ("record", "retry-at", Why::Fact),
    ("record", "error", Why::Fact),
    ("record", "no-errors", Why::Fact),
    ("end", "tests-generated", Why::Fact),
    ("end", "criteria-covered", Why::Fact),
    ("end", "tests-passing", Why::Fact),
    ("end", "tests-failing", Why::Fact),
    ("end", "tests-total", Why::Fact),
    ("end", "patterns-applied", Why::Fact),
    ("end", "pattern-applied", Why::Fact),
    ("end", "complexity-score", Why::Fact),
    ("end", "duplication-removed", Why::Fact),
    ("end", "docs-generated", Why::Fact),
    ("end", "diagrams-valid", Why::Fact),
    ("end", "error", Why::Fact),
    ("end", "no-errors", Why::Fact),
    ("end", "exit-signal", Why::Fact),
    ("add", "detail", Why::Fact),
    ("add", "type", Why::Fact),
    ("trigger", "pattern", Why::Fact),
    ("trigger", "severity", Why::Fact),
    ("settle", "tokens", Why::Fact),
    ("settle", "usd", Why::Fact),
    ("run", "observe", Why::Configured),
];

/// What bounds a run. An empty variable of one is most likely one that was to be filled, and a
/// run without the bound is not what was asked for.
const LIMITS: [&str; 6] = [
    "max-time",
    "max-iterations",
    "max-usd",
    "max-tokens",
    "timeout",
    "idle-timeout",
];

/// Whether pages of help name the variables that this room adds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Yes,
    No,
}

/// The command line whose options come from variables where they are not given.
///
/// Inside a guarded step there are none but those that were there before: what somebody set
/// for the loop is not meant for what its agent calls, and some of what a supervisor tells its
/// agent has the name of an option.
pub(super) fn honoured(command: Command, named: Named) -> Command {
    let command = without_empty(command);
    let inside = std::env::var_os(fusebox_supervise::COOKIE_VARIABLE).is_some();
    if inside {
        return command;
    }
    with(command, named, &|name| std::env::var_os(name))
}

/// The command line with nothing taken from variables that are empty, which are as good as none,
/// except where they would be a limit: there they are refused.
fn without_empty(command: Command) -> Command {
    let is_empty = |argument: &Arg| {
        let value = argument.get_env().and_then(std::env::var_os);
        value.is_some_and(|value| value.is_empty()) && !is_limit(argument)
    };
    command
        .mut_args(|argument| match is_empty(&argument) {
            true => argument.env(Resettable::Reset),
            false => argument,
        })
        .mut_subcommands(without_empty)
}

fn is_limit(argument: &Arg) -> bool {
    argument
        .get_long()
        .is_some_and(|long| LIMITS.contains(&long))
}

/// The command line with nothing taken from any variable.
pub(super) fn unheeded(command: Command) -> Command {
    command
        .mut_args(|argument| argument.env(Resettable::Reset))
        .mut_subcommands(unheeded)
}

fn with(command: Command, named: Named, variable: &dyn Fn(&str) -> Option<OsString>) -> Command {
    let of = command.get_name().to_owned();
    command
        .mut_args(|argument| one(&of, argument, named, variable))
        .mut_subcommands(|inner| with(inner, named, variable))
}

fn one(
    command: &str,
    argument: Arg,
    named: Named,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Arg {
    let Some(name) = name(command, &argument) else {
        return argument;
    };
    let is_switch = matches!(argument.get_action(), ArgAction::SetTrue);
    // One that says no, or nothing, is as good as none: it would still count as given.
    let is_idle = |value: &OsString| {
        let text = value.to_string_lossy().to_lowercase();
        let no = ["n", "no", "f", "false", "off", "0"].contains(&text.as_str());
        (text.is_empty() && !is_limit(&argument)) || (is_switch && no)
    };
    match variable(&name) {
        Some(value) if is_idle(&value) => argument,
        None if named == Named::No => argument,
        // The parser keeps the name for as long as the program runs.
        _ => argument
            .env(&*Box::leak(name.into_boxed_str()))
            .hide_env_values(true)
            .hide_env(named == Named::No),
    }
}

/// The variable of an option that has none yet and may have one.
fn name(command: &str, argument: &Arg) -> Option<String> {
    let long = argument.get_long()?;
    let is_kept = |(of, flag, _): &(&str, &str, Why)| *of == command && *flag == long;
    let is_ours = argument.get_env().is_none()
        && !matches!(long, "help" | "version")
        && !NO_VARIABLE.iter().any(is_kept);
    is_ours.then(|| name_of(long))
}

/// What the variable of an option is called.
pub(super) fn name_of(long: &str) -> String {
    format!("FUSEBOX_{}", long.replace('-', "_").to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::*;
    use clap::CommandFactory;

    fn find<'a>(command: &'a Command, path: &str) -> &'a Command {
        path.split(' ').skip(1).fold(command, |command, name| {
            let inner = command.find_subcommand(name);
            inner.unwrap_or_else(|| panic!("{path}: there is no {name}"))
        })
    }

    /// The flags that the contract names.
    const CONTRACT: [(&str, &[&str]); 24] = [
        (
            "fusebox",
            &[
                "directory",
                "circuit",
                "preset",
                "config",
                "state-dir",
                "json",
                "color",
            ],
        ),
        (
            "fusebox run",
            &[
                "agent",
                "prompt-file",
                "max-iterations",
                "stagnation-threshold",
                "on-stagnation",
                "tasks",
                "sandbox",
                "wait",
                "no-wait",
                "once",
                "dry-run",
                "skip-preflight",
                "answer",
                "fleet",
            ],
        ),
        ("fusebox stop", &["after-iteration"]),
        ("fusebox check", &["peek", "from-git", "task"]),
        (
            "fusebox record",
            &["from-git", "exit-zero", "grant", "task"],
        ),
        ("fusebox history", &["metrics", "patterns", "task"]),
        ("fusebox events", &["follow"]),
        ("fusebox trip", &["reason"]),
        ("fusebox reset", &["reason"]),
        ("fusebox recover", &["strategy", "note"]),
        ("fusebox resolve", &["resolution"]),
        ("fusebox validate", &["strict"]),
        ("fusebox serve", &["port", "token", "stdio"]),
        ("fusebox guard check", &["batch", "root"]),
        ("fusebox tasks claim", &["pid"]),
        ("fusebox fleet simulate", &["workers", "seed", "for"]),
        ("fusebox replay", &["all", "set"]),
        ("fusebox statusline", &["format"]),
        ("fusebox report", &["format", "output"]),
        ("fusebox prune", &["dry-run"]),
        ("fusebox hooks install", &["user", "print"]),
        ("fusebox phase start", &["task"]),
        ("fusebox phase end", &["exit-zero"]),
        ("fusebox watch", &["interval"]),
    ];

    #[test]
    fn every_flag_that_the_contract_names_has_its_variable() {
        let command = with(Cli::command(), Named::Yes, &|_| None);
        for (path, flags) in CONTRACT {
            let command = find(&command, path);
            for flag in flags {
                let mut all = command.get_arguments();
                let argument = all.find(|one| one.get_long() == Some(flag));
                let argument = argument.unwrap_or_else(|| panic!("{path} --{flag}"));
                let name = format!("FUSEBOX_{}", flag.replace('-', "_").to_uppercase());
                let env = argument
                    .get_env()
                    .map(|env| env.to_string_lossy().into_owned());
                assert_eq!(env, Some(name), "{path}");
            }
        }
    }

    /// The page that says which have none.
    const PAGE: &str = include_str!("../../../../docs/src/reference/configuration.md");

    #[test]
    fn what_has_no_variable_is_there_has_none_and_is_written_down() {
        fn named<'a>(command: &'a Command, name: &str, flag: &str, all: &mut Vec<&'a Arg>) {
            if command.get_name() == name {
                let mut own = command.get_arguments();
                all.extend(own.find(|one| one.get_long() == Some(flag)));
            }
            let inner = command.get_subcommands();
            inner.for_each(|inner| named(inner, name, flag, all));
        }
        let command = with(Cli::command(), Named::Yes, &|_| None);
        for (name, flag, why) in NO_VARIABLE {
            let mut all = Vec::new();
            named(&command, name, flag, &mut all);
            assert!(!all.is_empty(), "{name} has no --{flag}");
            assert!(
                all.iter().all(|one| one.get_env().is_none()),
                "{name} --{flag}"
            );
            let said = PAGE.contains(&format!("--{flag}"));
            assert!(
                said || why == Why::Configured,
                "--{flag} is not on the page"
            );
        }
    }

    #[test]
    fn a_variable_that_says_no_is_as_good_as_none() {
        let given = |value: &'static str| {
            let command = with(Cli::command(), Named::No, &|name| {
                (name == "FUSEBOX_ONCE").then(|| value.into())
            });
            let mut run = find(&command, "fusebox run").get_arguments();
            let once = run.find(|one| one.get_long() == Some("once"));
            once.is_some_and(|once| once.get_env().is_some())
        };
        assert!(given("1") && given("yes") && given("perhaps"));
        assert!(!given("0") && !given("no") && !given(""));
    }
}
