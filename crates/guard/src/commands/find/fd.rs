//! `fd`, which searches as `find` does and says it otherwise.

use super::expression::{Term, Test};
use super::format::Format;
use super::{Search, hands_on, listed, runs_what_it_finds};
use crate::commands::Options;
use crate::shell::Engine;
use crate::stop::Stop;
use crate::text::Text;

/// `fd PATTERN [PATH] -x COMMAND`: the pattern is a regular expression, so anything may match.
pub(in crate::commands) fn run(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let runs = |word: &Text| {
        matches!(
            word.known().as_deref(),
            Some("-x" | "-X" | "--exec" | "--exec-batch")
        )
    };
    let cut = words.iter().position(runs);
    let (own, command) = words.split_at(cut.unwrap_or(words.len()));
    let valued = [
        "-e",
        "-t",
        "-d",
        "-E",
        "--extension",
        "--type",
        "--max-depth",
        "--exclude",
    ];
    let options = Options::parse(own, &valued);
    let starts = options.operands.get(1..).unwrap_or_default().to_vec();
    let starts = if starts.is_empty() {
        vec![Text::fixed(".")]
    } else {
        starts
    };
    let extension = options.value(&["-e", "--extension"]).and_then(Text::known);
    // A plain word is found anywhere in a name; what is more may match anything.
    let word = options.operands.first().and_then(Text::known);
    let word = word.filter(|word| !word.is_empty() && word.chars().all(char::is_alphanumeric));
    let test = match (extension, word) {
        (Some(end), _) => Test::Name(format!("*.{end}"), true),
        (None, Some(word)) => Test::Name(format!("*{word}*"), true),
        (None, None) => Test::Unsure,
    };
    let action = match command.split_first() {
        Some((_, command)) => Term::Execute(command.to_vec(), false),
        None => Term::Print(Format::Path('\n')),
    };
    let term = Term::And(vec![Term::Test(test), action]);
    let how = Search {
        depth: (1, usize::MAX),
        follows: false,
        runs: runs_what_it_finds(&term, &[]),
        hands_on: hands_on(engine, &term),
    };
    let printed = listed(engine, &starts, &term, how)?;
    engine.print(&printed);
    Ok(())
}
