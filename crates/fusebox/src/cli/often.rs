//! What loops, agents and prompts call again and again.
//!
//! Half of what such a call costs would be spent on describing the other fifty commands to
//! the parser. So where one of these is the first word, only that one is described. Whatever
//! is not understood then, help and mistakes included, is for the whole command line to answer.

use std::ffi::OsString;

use clap::{Args, Parser};

use super::{Check, Cli, Command, Global, Hook, Record, Statusline};

/// One command alone.
#[derive(Debug, Parser)]
#[command(name = "fusebox", disable_help_flag = true)]
struct Alone<T: Args> {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    args: T,
}

/// The command, if it is one of these and nothing is wrong with it.
pub(super) fn parse(args: &[OsString]) -> Option<Cli> {
    match args.get(1)?.to_str()? {
        "check" => alone::<Check>(args, Command::Check),
        "record" => alone::<Record>(args, |args| Command::Record(Box::new(args))),
        "hook" => alone::<Hook>(args, Command::Hook),
        "statusline" => alone::<Statusline>(args, Command::Statusline),
        _ => None,
    }
}

fn alone<T: Args>(args: &[OsString], command: impl FnOnce(T) -> Command) -> Option<Cli> {
    let (program, rest) = (args.first(), args.iter().skip(2));
    let parsed = Alone::<T>::try_parse_from(program.into_iter().chain(rest)).ok()?;
    Some(Cli {
        global: parsed.global,
        command: command(parsed.args),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn what_is_understood_means_what_it_means_to_all_of_fusebox() {
        for line in [
            "fusebox check",
            "fusebox check --peek --json",
            "fusebox check --circuit hook --task record",
            "fusebox record -C /tmp --from-git --error check --error hook -q",
            "fusebox record -",
            "fusebox hook claude pre-tool-use",
            "fusebox hook --state-dir /s codex stop",
            "fusebox statusline --preset cub",
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
            "fusebox check check",
            "fusebox check --version",
            "fusebox --json check",
            "fusebox hook claude no-such-event",
            "fusebox run -- check",
            "fusebox trip --reason hook",
        ] {
            assert!(parse(&words(line)).is_none(), "{line}");
        }
    }
}
