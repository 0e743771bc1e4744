//! Variables that somebody set for us, by a name that is not quite any of ours.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::{Command, CommandFactory};

use super::{Cli, variables};

const PREFIX: &str = "FUSEBOX_";
/// Slips that are still taken for the same name. A short one has room for fewer.
const SLIPS: usize = 2;
const LETTERS_PER_SLIP: usize = 4;
/// How many are told of at once.
const TOLD: usize = 3;

/// Those that are no options: what a person or a supervisor says by them, and the options of
/// every command, which are here so that the others need not be looked through for them.
const KNOWN: [&str; 25] = [
    "BOOT",
    "CIRCUIT",
    "COLOR",
    "CONFIG",
    "COOKIE",
    "DEPTH",
    "DIRECTORY",
    "FENCE",
    "GUIDANCE",
    "ITERATION",
    "JSON",
    "NOW",
    "OPERATOR_KEY",
    "PHASE",
    "PRESET",
    "QUIET",
    "STATE_DIR",
    "STRATEGY",
    "SUMMARY",
    "TASK",
    "TASK_TITLE",
    "TOKEN",
    "UPTIME_MS",
    "VERBOSE",
    "WEBHOOK",
];

/// A variable that is set and means nothing, and the one that was probably meant.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Misspelt {
    pub(crate) name: String,
    pub(crate) meant: String,
}

/// The variables that were probably meant for us and are not ours. `configured` are those that
/// the configuration reads.
pub(crate) fn misspelt<'a>(configured: impl Iterator<Item = &'a str>) -> Vec<Misspelt> {
    let names = std::env::vars_os().filter_map(|(name, _): (OsString, _)| name.into_string().ok());
    among(names, configured)
}

fn among<'a>(
    names: impl Iterator<Item = String>,
    configured: impl Iterator<Item = &'a str>,
) -> Vec<Misspelt> {
    let mut known: BTreeSet<String> = KNOWN.map(|name| format!("{PREFIX}{name}")).into();
    known.extend(configured.map(ToOwned::to_owned));
    let mut unknown: Vec<String> = names
        .filter(|name| is_for_us(name) && !known.contains(name))
        .collect();
    // Going through all commands is not worth it for nothing.
    if unknown.is_empty() {
        return Vec::new();
    }
    collect(&Cli::command(), &mut known);
    unknown.sort();
    let misspelt = unknown.into_iter().filter_map(|name| {
        let meant = nearest(&name, &known)?.to_owned();
        (meant != name).then_some(Misspelt { name, meant })
    });
    misspelt.take(TOLD).collect()
}

/// Whether a name begins about as ours do. Other systems have variables with `FUS` in front too.
fn is_for_us(name: &str) -> bool {
    let begins = name
        .get(..3)
        .is_some_and(|is| is.eq_ignore_ascii_case("fus"));
    begins
        && name.match_indices('_').any(|(at, _)| {
            let typed = name.get(..=at).unwrap_or_default().to_uppercase();
            strsim::damerau_levenshtein(&typed, PREFIX) <= SLIPS
        })
}

/// The variables of a command's options and of those below it, and what would be the name of
/// those that deliberately have none: they are spelt rightly.
fn collect(command: &Command, known: &mut BTreeSet<String>) {
    let options = command.get_arguments().filter_map(|option| {
        let given = option.get_env().map(|name| name.to_string_lossy().into());
        given.or_else(|| option.get_long().map(variables::name_of))
    });
    known.extend(options);
    for inner in command.get_subcommands() {
        collect(inner, known);
    }
}

fn nearest<'a>(name: &str, known: &'a BTreeSet<String>) -> Option<&'a str> {
    let loud = name.to_uppercase();
    if let Some(same) = known.get(&loud) {
        return Some(same);
    }
    let distances = known.iter().filter_map(|ours| {
        let own = ours.strip_prefix(PREFIX)?;
        let (typed, most) = match loud.strip_prefix(PREFIX) {
            Some(typed) => (typed, typed.len() / LETTERS_PER_SLIP),
            // Where the slip is in our own name, the rest must be right.
            None if loud.ends_with(&format!("_{own}")) => (loud.strip_suffix(own)?, SLIPS),
            None => return None,
        };
        let target = if typed.ends_with('_') { PREFIX } else { own };
        let slips = strsim::damerau_levenshtein(typed, target);
        (slips <= most.min(SLIPS)).then_some((slips, ours.as_str()))
    });
    distances.min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(name: &str) -> Option<String> {
        let found = among(
            [name.to_owned()].into_iter(),
            ["FUSEBOX_PROTECT"].into_iter(),
        );
        found.into_iter().next().map(|one| one.meant)
    }

    #[test]
    fn what_is_nearly_a_name_of_ours_is_taken_for_a_slip() {
        for (name, ours) in [
            ("FUSEBOX_MAXTIME", "FUSEBOX_MAX_TIME"),
            ("FUSEBOX_MAX_ITERATION", "FUSEBOX_MAX_ITERATIONS"),
            ("FUSEBOX_TIMEUOT", "FUSEBOX_TIMEOUT"),
            ("FUSEBOX_ON_STAGNATON", "FUSEBOX_ON_STAGNATION"),
            ("FUSEBOX_OPERATOR_KEYS", "FUSEBOX_OPERATOR_KEY"),
            ("FUSEBOX_PORTECT", "FUSEBOX_PROTECT"),
            ("FUSBOX_TIMEOUT", "FUSEBOX_TIMEOUT"),
            ("fusebox_timeout", "FUSEBOX_TIMEOUT"),
            ("FUSE_BOX_TIMEOUT", "FUSEBOX_TIMEOUT"),
        ] {
            assert_eq!(meant(name).as_deref(), Some(ours), "{name}");
        }
    }

    #[test]
    fn what_is_ours_or_somebody_elses_is_none() {
        for name in [
            "FUSEBOX_TIMEOUT",
            "FUSEBOX_TRUST",
            "FUSEBOX_OPERATOR_KEY",
            "FUSEBOX_ITERATION",
            "FUSEBOX_HOME",
            "FUSEBOX_BIN",
            "FUSE_OPTIONS",
            "FUSION_TIMEOUT",
            "TIMEOUT",
            "FUS",
        ] {
            assert_eq!(meant(name), None, "{name}");
            assert_eq!(is_for_us(name), name.starts_with(PREFIX), "{name}");
        }
    }
}
