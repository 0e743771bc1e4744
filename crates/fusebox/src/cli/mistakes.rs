//! What was probably meant.
//!
//! clap suggests what begins alike. Letters that changed places and letters that are missing
//! are the commoner slips, so that what it has no idea about is looked at once more.

use clap::error::{ContextKind, ContextValue};
use clap::{Command, Error};

/// Slips that are still taken for the same word.
const SLIPS: usize = 2;

/// The error, with a suggestion if there is none yet.
pub(super) fn explained(mut error: Error, command: &Command) -> Error {
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
