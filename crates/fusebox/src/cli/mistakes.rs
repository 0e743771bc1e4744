//! What was probably meant.
//!
//! clap suggests what begins alike. Letters that changed places and letters that are missing
//! are the commoner slips, so that what it has no idea about is looked at once more.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error, Parser};

use super::{Cli, Command as Asked, Global};

/// Slips that are still taken for the same word.
const SLIPS: usize = 2;

/// Numbers from here on are where a type ends.
const LEAST_TYPE_ENDS_AT: u64 = 0x7fff_ffff;

/// The error, with a suggestion if there is none yet, and with the variable that a value
/// came from: whoever typed no such option looks for it in vain.
pub(super) fn explained(error: Error, command: &Command, args: &[OsString]) -> Error {
    let mut error = of_a_number(error, command);
    if let Some(tip) = to_be_quoted(&error, args) {
        let tip = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tip);
        return error;
    }
    if let Some(tip) = prompt_of_a_command(&error).or_else(|| for_the_agent(&error, args)) {
        let tip = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tip);
        return error;
    }
    with_variable(
        with_suggestion(with_rival(error, command), command),
        command,
    )
}

/// The same of a value that should be a number, in words for people: what reads numbers
/// speaks of digits found in strings.
fn of_a_number(error: Error, command: &Command) -> Error {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (Some(option), Some(value)) = (
        context(ContextKind::InvalidArg),
        context(ContextKind::InvalidValue),
    ) else {
        return error;
    };
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    let Some(wanted) = cause.as_deref().and_then(number_wanted) else {
        return error;
    };
    let from = variable(command, option, value)
        .map(|name| format!("\n\n  tip: it comes from the variable {name}"))
        .unwrap_or_default();
    let what = format!("invalid value '{value}' for '{option}': {wanted}{from}\n");
    Error::raw(ErrorKind::ValueValidation, what)
}

/// What should have been given, by what was wrong with it.
fn number_wanted(cause: &str) -> Option<String> {
    if let Some((_, range)) = cause.split_once(" is not in ") {
        let (least, most) = range.split_once("..")?;
        let most = most.trim_start_matches('=');
        // What a type ends at is no limit that anybody set.
        let is_limit = most
            .parse()
            .is_ok_and(|most: u64| most < LEAST_TYPE_ENDS_AT);
        return Some(if is_limit {
            format!("it must be a whole number from {least} to {most}")
        } else {
            format!("it must be a whole number of {least} or more")
        });
    }
    let is_about_digits = [
        "invalid digit found in string",
        "cannot parse integer from empty string",
        "number too large to fit in target type",
        "number too small to fit in target type",
    ];
    is_about_digits
        .contains(&cause)
        .then(|| match cause.contains("too large") {
            true => "it is too large".to_owned(),
            false => "it must be a whole number".to_owned(),
        })
}

/// Two options that do not go together, one of which nobody typed.
fn with_rival(mut error: Error, command: &Command) -> Error {
    if error.kind() != ErrorKind::ArgumentConflict {
        return error;
    }
    let told = error.to_string();
    let mut set = Vec::new();
    collect(command, &mut set);
    set.retain(|(long, _)| told.contains(&format!("--{long}")));
    if let Some((long, name)) = set.first() {
        let tip = format!("--{long} comes from the variable {name}");
        let tip = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

/// The options that variables give a value to, in this command and below it.
fn collect(command: &Command, set: &mut Vec<(String, String)>) {
    for argument in command.get_arguments() {
        let (Some(long), Some(name)) = (argument.get_long(), argument.get_env()) else {
            continue;
        };
        if std::env::var_os(name).is_some() {
            set.push((long.to_owned(), name.to_string_lossy().into_owned()));
        }
    }
    command
        .get_subcommands()
        .for_each(|inner| collect(inner, set));
}

fn with_variable(mut error: Error, command: &Command) -> Error {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let option = context(ContextKind::InvalidArg);
    let value = context(ContextKind::InvalidValue);
    let (Some(option), Some(value)) = (option, value) else {
        return error;
    };
    if let Some(name) = variable(command, &option, &value) {
        let tip = format!("it comes from the variable {name}");
        let tip = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

/// The variable that gives an option this value, in this command or one below it.
fn variable(command: &Command, option: &str, value: &str) -> Option<String> {
    let is_meant = |long: &str| {
        option.strip_prefix("--").is_some_and(|rest| {
            let rest = rest.strip_prefix(long);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    let mut named = command
        .get_arguments()
        .filter(|argument| argument.get_long().is_some_and(is_meant));
    let own = named.find_map(|argument| {
        let name = argument.get_env()?;
        (std::env::var_os(name)? == value).then(|| name.to_string_lossy().into_owned())
    });
    own.or_else(|| {
        let mut below = command.get_subcommands();
        below.find_map(|command| variable(command, option, value))
    })
}

fn with_suggestion(mut error: Error, command: &Command) -> Error {
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    if error.get(ContextKind::SuggestedSubcommand).is_some() {
        return error;
    }
    let names = command.get_subcommands().map(Command::get_name);
    if let Some(meant) = nearest(typed, names) {
        let meant = ContextValue::Strings(vec![meant.to_owned()]);
        error.insert(ContextKind::SuggestedSubcommand, meant);
    }
    error
}

/// A command that was to be judged and was given word by word, which nearly everybody does
/// once: what to type instead.
fn to_be_quoted(error: &Error, args: &[OsString]) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let judged = |pair: &[OsString]| {
        pair[0] == "guard" && ["check", "explain"].iter().any(|word| pair[1] == *word)
    };
    let at = args.windows(2).position(judged)?;
    let verb = args[at + 1].to_string_lossy();
    Some(format!(
        "quote the command, so that it is one word: fusebox guard {verb} 'rm -rf build'"
    ))
}

/// Arguments behind `--` that were meant for the agent that is started: where they belong.
fn for_the_agent(error: &Error, args: &[OsString]) -> Option<&'static str> {
    if error.kind() != ErrorKind::ArgumentConflict {
        return None;
    }
    let behind = args.iter().position(|word| word == "--")?;
    let first = args.get(behind + 1)?.to_string_lossy();
    let is_agent = |word: &OsString| word.to_string_lossy().starts_with("--agent");
    let meant = first.starts_with('-') && args[..behind].iter().any(is_agent);
    meant.then_some(
        "what the agent itself is to be given stands in your own configuration, \
         as `args = [...]` under `[agent]`",
    )
}

/// A prompt that was typed for a command which is run as it is: how it would get one.
fn prompt_of_a_command(error: &Error) -> Option<&'static str> {
    let told = error.to_string();
    let meant = error.kind() == ErrorKind::ArgumentConflict
        && ["'--prompt <TEXT>'", "'[CMD]...'"]
            .iter()
            .all(|word| told.contains(word));
    meant.then_some("a plain command gets its prompt with `--prompt-file`, on its standard input")
}

/// Options of `run` that set its limits and that no agent has by that name.
const OURS_ALONE: [&str; 10] = [
    "--idle-timeout",
    "--longest-wait",
    "--max-iterations",
    "--max-time",
    "--max-tokens",
    "--max-usd",
    "--on-stagnation",
    "--prompt-file",
    "--skip-preflight",
    "--stagnation-threshold",
];

/// A limit behind a command that no `--` sets apart. The command would get it, and nothing would
/// limit the run.
pub(super) fn limit_of_nobody(
    cli: &Cli,
    command: &mut Command,
    args: &[OsString],
) -> Option<Error> {
    let Asked::Run(run) = &cli.command else {
        return None;
    };
    let begins = args.len().checked_sub(run.command.len())?;
    let is_set_apart = args.get(begins.checked_sub(1)?)? == "--";
    // Behind a `--` of its own, a command has what yet another is to get.
    let mut words = run.command.iter().skip(1).take_while(|word| *word != "--");
    let name = words.find_map(|word| {
        let word = word.to_str()?;
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        OURS_ALONE.into_iter().find(|ours| *ours == name)
    });
    let name = name.filter(|_| !is_set_apart)?;
    let what = format!(
        "`{name}` after the command belongs to the command; put it before, and the command after `--`"
    );
    Some(command.error(ErrorKind::UnknownArgument, what))
}

/// Nothing but the options that every command takes.
#[derive(Debug, Parser)]
#[command(name = "fusebox")]
struct Common {
    #[command(flatten)]
    global: Global,
}

/// Those of them that say where we are and how we work.
const PLACES: [&str; 6] = [
    "-C",
    "--directory",
    "--circuit",
    "--preset",
    "--state-dir",
    "--config",
];

/// Where we are and how we work, told from a command line that makes no sense otherwise.
pub(crate) fn common_options(args: &[OsString]) -> Option<Global> {
    let mut picked: Vec<&OsString> = args.first().into_iter().collect();
    let mut words = args.iter().skip(1).take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        let named = text.split_once('=').map(|(name, _)| name);
        if PLACES.contains(&text) {
            picked.push(word);
            picked.extend(words.next());
        } else if named.is_some_and(|name| PLACES.contains(&name)) {
            picked.push(word);
        }
    }
    let common = Common::try_parse_from(picked).ok();
    common.map(|common| common.global)
}

/// The name that takes the fewest slips to become what was typed, if few enough.
pub(crate) fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // A word of three letters has no room for two slips.
    let most = SLIPS.min(typed.chars().count() / 2);
    names
        .map(|name| (strsim::damerau_levenshtein(typed, name), name))
        .filter(|(slips, _)| *slips <= most)
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::super::Cli;

    fn read(args: &[&str]) -> Result<Cli, String> {
        let args: Vec<std::ffi::OsString> = args.iter().map(Into::into).collect();
        Cli::read(&args).map_err(|error| error.to_string())
    }

    #[test]
    fn a_limit_behind_a_command_is_refused_where_nothing_sets_the_command_apart() {
        let all = |rest: &[&'static str]| [&["fusebox", "run"], rest].concat();
        for rest in [
            &["./x.sh", "--max-iterations", "2"][..],
            &["./x.sh", "--max-usd=2"],
            &["--once", "./x.sh", "a", "--on-stagnation", "abort"],
            &["./x.sh", "--prompt-file", "p.md", "--", "b"],
        ] {
            let told = read(&all(rest)).expect_err("nothing would be limited");
            assert!(told.contains("belongs to the command"), "{told}");
        }
        for rest in [
            &["--max-iterations", "2", "./x.sh"][..],
            &["--max-iterations", "2", "--", "./x.sh"],
            &["--", "./x.sh", "--max-iterations", "2"],
            &["./x.sh", "--", "--max-iterations", "2"],
            &["claude", "--model", "haiku", "--timeout", "9", "--json"],
            &["./x.sh", "max-iterations"],
        ] {
            read(&all(rest)).expect("every limit is where it belongs");
        }
    }

    #[test]
    fn whoever_types_a_prompt_for_a_command_is_told_how_it_gets_one() {
        let prompt = ["--prompt", "go", "--", "./x.sh"];
        let told = read(&[&["fusebox", "run"], &prompt[..]].concat()).expect_err("no such pair");
        assert!(told.contains("with `--prompt-file`"), "{told}");
    }

    #[test]
    fn what_should_be_a_number_is_asked_for_in_plain_words() {
        for (typed, wanted) in [
            ("history -n x", "it must be a whole number"),
            ("rollback -1", "it must be a whole number"),
            ("record --files-changed many", "it must be a whole number"),
            ("record --files-changed=", "it must be a whole number"),
            ("serve --port 80abc", "it must be a whole number"),
            (
                "serve --port 99999",
                "it must be a whole number from 0 to 65535",
            ),
            (
                "recover --strategy 9",
                "it must be a whole number from 1 to 4",
            ),
            (
                "tasks claim T-1 --pid 0",
                "it must be a whole number of 1 or more",
            ),
            ("record file.json", "a file is read with `- < file.json`"),
        ] {
            let words = ["fusebox"].into_iter().chain(typed.split(' '));
            let args: Vec<std::ffi::OsString> = words.map(Into::into).collect();
            let Err(error) = Cli::read(&args) else {
                panic!("{typed} is a command");
            };
            let told = error.to_string();
            assert!(told.contains(wanted), "{typed}: {told}");
            assert!(!told.contains("tip:"), "{typed}: {told}");
        }
    }

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        for (typed, meant) in [
            ("rnu", Some("run")),
            ("statsu", Some("status")),
            ("chekc", Some("check")),
            ("hook", None),
            ("zzzzz", None),
        ] {
            let args: Vec<std::ffi::OsString> = ["fusebox", typed].map(Into::into).into();
            let Err(error) = Cli::read(&args) else {
                panic!("{typed} is a command");
            };
            let told = error.to_string();
            match meant {
                Some(meant) => assert!(told.contains(&format!("'{meant}'")), "{told}"),
                None => assert!(!told.contains("similar"), "{told}"),
            }
        }
    }
}
