//! What loops, agents and prompts call again and again.
//!
//! Half of what such a call costs would be spent on describing the other fifty commands to
//! the parser. So where one of these is the first word, only that one is described. Whatever
//! is not understood then, help and mistakes included, is for the whole command line to answer.

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser};
use fusebox_agents::hook::hooks_by_name;

use super::global::{ColorWhen, DEFAULT_CIRCUIT};
use super::variables::Named;
use super::{Check, Cli, Command, Global, Hook, Record, Statusline, help, variables};

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
        "check" => alone::<Check>("check", args, Command::Check),
        "record" => alone::<Record>("record", args, |args| Command::Record(Box::new(args))),
        // Agents call it in an environment that a repository's settings may have filled, so
        // what was registered counts alone. What a supervisor set is looked for later.
        "hook" => hook(args).or_else(|| {
            let described = variables::unheeded(Alone::<Hook>::command());
            parsed(described, args, Command::Hook).map(Cli::deafened)
        }),
        "statusline" => alone::<Statusline>("statusline", args, Command::Statusline),
        _ => None,
    }
}

fn alone<T: Args>(
    name: &'static str,
    args: &[OsString],
    command: impl FnOnce(T) -> Command,
) -> Option<Cli> {
    // What has no variable goes by the name of the command.
    let described = Alone::<T>::command().name(name);
    let described = variables::honoured(described, Named::No);
    parsed(help::with_plain_switches(described), args, command)
}

fn parsed<T: Args>(
    described: clap::Command,
    args: &[OsString],
    command: impl FnOnce(T) -> Command,
) -> Option<Cli> {
    let (program, rest) = (args.first(), args.iter().skip(2));
    let words = program.into_iter().chain(rest);
    let matches = described.try_get_matches_from(words).ok()?;
    let parsed = Alone::<T>::from_arg_matches(&matches).ok()?;
    Some(Cli {
        global: parsed.global,
        command: command(parsed.args),
    })
}

/// `hook` as it is registered with agents, read without a parser: it is called before every
/// tool, and describing even this one command would be a tenth of what a call costs.
fn hook(args: &[OsString]) -> Option<Cli> {
    let [mut circuit, mut state_dir, mut config] = [None; 3];
    let mut named = Vec::new();
    let mut words = args.iter().skip(2);
    while let Some(word) = words.next() {
        let option = match word.to_str()? {
            "--circuit" => &mut circuit,
            "--state-dir" => &mut state_dir,
            "--config" => &mut config,
            word if word.starts_with('-') => return None,
            word => {
                named.push(word);
                continue;
            }
        };
        // What is given twice, left out or looks like an option is not for us to interpret.
        let is_plain = |value: &&OsString| !value.as_encoded_bytes().starts_with(b"-");
        let value = words.next().filter(is_plain)?;
        if option.replace(value).is_some() {
            return None;
        }
    }
    let [agent, event] = named.as_slice() else {
        return None;
    };
    let places = [circuit, state_dir, config].map(|word| word.cloned());
    let is_empty = |place: &Option<OsString>| place.as_ref().is_some_and(|text| text.is_empty());
    if places.iter().any(is_empty) {
        return None;
    }
    let [circuit, state_dir, config] = places;
    let circuit = circuit.map(OsString::into_string).transpose().ok()?;
    let global = Global {
        directory: None,
        circuit: circuit.unwrap_or_else(|| DEFAULT_CIRCUIT.to_owned()),
        preset: None,
        state_dir: state_dir.map(Into::into),
        config: config.map(Into::into),
        json: false,
        color: ColorWhen::Auto,
        quiet: false,
        verbose: false,
        deaf: true,
    };
    let agent = hooks_by_name(agent)?;
    let event = event.parse().ok()?;
    Some(Cli {
        global,
        command: Command::Hook(Hook { agent, event }),
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
            "fusebox check -v",
            "fusebox check --circuit hook --task record",
            "fusebox record -C /tmp --from-git --error check --error hook -q",
            "fusebox record -",
            "fusebox hook claude pre-tool-use",
            "fusebox hook --state-dir /s codex stop",
            "fusebox statusline --preset cub",
        ] {
            let often = parse(&words(line)).expect(line);
            let whole = Cli::try_parse_from(words(line)).expect(line);
            let whole = match whole.command {
                Command::Hook(_) => whole.deafened(),
                _ => whole,
            };
            assert_eq!(format!("{often:?}"), format!("{whole:?}"), "{line}");
        }
    }

    #[test]
    fn a_registered_hook_is_read_as_the_parser_would() {
        for line in [
            "fusebox hook claude pre-tool-use",
            "fusebox hook --circuit a codex --state-dir /s stop",
            "fusebox hook gemini --config /c session-start",
            "fusebox hook claude stop --circuit b --state-dir /s --config /c",
        ] {
            let read = hook(&words(line)).expect(line);
            let whole = Cli::try_parse_from(words(line)).expect(line).deafened();
            assert_eq!(format!("{read:?}"), format!("{whole:?}"), "{line}");
        }
    }

    #[test]
    fn what_is_unusual_in_a_registered_hook_is_left_to_the_parser() {
        for line in [
            "fusebox hook",
            "fusebox hook claude",
            "fusebox hook claude stop stop",
            "fusebox hook claude no-such-event",
            "fusebox hook nobody stop",
            "fusebox hook claude stop -q",
            "fusebox hook claude stop --circuit",
            "fusebox hook claude stop --circuit --config",
            "fusebox hook claude stop --circuit=a",
            "fusebox hook claude stop --circuit a --circuit b",
            "fusebox hook claude stop --preset cub",
            "fusebox hook -C /w claude stop",
        ] {
            assert!(hook(&words(line)).is_none(), "{line}");
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
