//! What loops, agents and prompts call again and again.
//!
//! Half of what such a call costs would be spent on describing the other fifty commands to
//! the parser. So these few are parsed by a command line of their own, which is a part of the
//! whole one: the same options, the same subcommands. Whatever it does not understand, help
//! and mistakes included, is the whole one's to answer.

use std::ffi::OsString;

use clap::{Parser, Subcommand};

use super::{Check, Cli, Command, Global, Hook, Record, Statusline};

/// The names of [`Often`]'s variants.
const WORDS: [&str; 4] = ["check", "record", "hook", "statusline"];

#[derive(Debug, Parser)]
#[command(
    name = "fusebox",
    disable_help_flag = true,
    disable_help_subcommand = true
)]
struct OftenCli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Often,
}

#[derive(Debug, Subcommand)]
#[command(disable_help_flag = true)]
enum Often {
    Check(Check),
    Record(Box<Record>),
    Hook(Hook),
    Statusline(Statusline),
}

/// The command, if it is one of these and nothing is wrong with it.
pub(super) fn parse(args: &[OsString]) -> Option<Cli> {
    let is_often = |arg: &OsString| WORDS.iter().any(|word| arg == word);
    if !args.iter().any(is_often) {
        return None;
    }
    let OftenCli { global, command } = OftenCli::try_parse_from(args).ok()?;
    let command = match command {
        Often::Check(args) => Command::Check(args),
        Often::Record(args) => Command::Record(args),
        Often::Hook(args) => Command::Hook(args),
        Often::Statusline(args) => Command::Statusline(args),
    };
    Some(Cli { global, command })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_words_are_the_commands() {
        let command = OftenCli::command();
        let names: Vec<&str> = command
            .get_subcommands()
            .map(clap::Command::get_name)
            .collect();
        assert_eq!(names, WORDS);
        command.debug_assert();
    }

    #[test]
    fn what_is_understood_means_what_it_means_to_all_of_fusebox() {
        for line in [
            "fusebox check",
            "fusebox check --peek --json",
            "fusebox --circuit hook check --task record",
            "fusebox -C /tmp record --from-git --error check --error hook -q",
            "fusebox record -",
            "fusebox hook claude pre-tool-use",
            "fusebox --preset cub statusline",
        ] {
            let often = parse(&words(line)).expect(line);
            let whole = Cli::try_parse_from(words(line)).expect(line);
            assert_eq!(format!("{often:?}"), format!("{whole:?}"), "{line}");
        }
    }

    #[test]
    fn everything_else_is_left_to_all_of_fusebox() {
        for line in [
            "fusebox",
            "fusebox status",
            "fusebox check --help",
            "fusebox --help check",
            "fusebox help check",
            "fusebox check --pek",
            "fusebox check twice",
            "fusebox hook claude no-such-event",
            "fusebox run -- check",
            "fusebox trip --reason hook",
        ] {
            assert!(parse(&words(line)).is_none(), "{line}");
        }
    }
}
