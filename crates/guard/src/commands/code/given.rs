//! What a program is given besides its code: words, lines to read, and the environment.

use std::collections::BTreeMap;

use super::calls::{DELETING, RENAMING};
use super::looks::LISTING;
use crate::commands::literals::Literal;
use crate::shell::Engine;
use crate::text::{Data, Text};

/// More lines than these are not looked at one by one.
const MOST_LINES: usize = 1_000;

/// What stands before the name of a variable of the environment.
const ENVIRONMENT: [&str; 8] = [
    "environ[",
    "environ.get(",
    "environ.pop(",
    "getenv(",
    "ENV[",
    "ENV.fetch(",
    "ENV{",
    "env[",
];

/// Ways to read what comes in that no name tells.
const READING_INPUT: [&str; 10] = [
    "<>",
    "<<>>",
    "/dev/stdin",
    "php://stdin",
    "readFileSync(0",
    "os.Stdin",
    "io::stdin",
    "System.in",
    "readLine(",
    "Console.ReadLine",
];

/// What a program finds when it starts.
pub(in crate::commands) struct Given {
    pub(in crate::commands) arguments: Vec<Text>,
    /// The file that it stands in.
    pub(in crate::commands) program: Option<Text>,
    /// The lines that come in, and the words in them.
    pub(in crate::commands) input: Vec<Text>,
    /// Whether the lines are handed to it one by one without being asked for (`perl -n`).
    pub(in crate::commands) is_fed: bool,
    /// Whether what stands in backquotes is a command.
    pub(in crate::commands) runs_backquotes: bool,
    environment: BTreeMap<String, Text>,
}

impl Given {
    pub(in crate::commands) fn new(engine: &Engine<'_>, arguments: &[Text]) -> Self {
        let variables = engine.shell.variables.iter();
        Self {
            arguments: arguments.to_vec(),
            program: None,
            input: Vec::new(),
            is_fed: false,
            runs_backquotes: true,
            environment: variables
                .map(|(name, value)| (name.clone(), value.first()))
                .collect(),
        }
    }

    /// Lets it read these lines. Nothing is learned from what is not known.
    pub(in crate::commands) fn read(&mut self, data: &Data) {
        for line in data.text().unwrap_or_default().lines().take(MOST_LINES) {
            let line = line.trim();
            let words = line.split_whitespace().filter(|word| *word != line);
            self.input.extend(words.map(Text::fixed));
            if !line.is_empty() {
                self.input.push(Text::fixed(line));
            }
        }
    }

    /// All that code may work on without naming it.
    pub(super) fn unnamed(&self, code: &str) -> impl Iterator<Item = &Text> {
        let reads = self.is_fed || READING_INPUT.iter().any(|way| code.contains(way));
        let input = self.input.iter().filter(move |_| reads);
        self.arguments.iter().chain(input)
    }

    /// What a name in code stands for, if it stands for something given.
    pub(super) fn behind(&self, code: &str, at: usize, name: &str) -> Vec<Text> {
        let before = &code[..at];
        let after = &code[at + name.len()..];
        match name {
            "argv" if before.ends_with("sys.") => self.argument(after),
            "Args" if before.ends_with("os.") => self.argument(after),
            "argv" | "ARGV" => self.arguments.clone(),
            _ if is_input(name) => self.input.clone(),
            "input" if after.starts_with('(') => self.input.clone(),
            "_" if self.is_fed => self.input.clone(),
            _ if before.ends_with("env.") || before.ends_with("ENV{") => {
                self.environment.get(name).cloned().into_iter().collect()
            }
            _ if is_here(before, name, after) => vec![Text::fixed(".")],
            "getcwd" | "cwd" if is_whole_value(after) => vec![Text::fixed(HERE)],
            _ => Vec::new(),
        }
    }

    /// The word that python finds behind this index, where that is a number; before the first is
    /// the name of the program.
    fn argument(&self, after: &str) -> Vec<Text> {
        let index = after
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'));
        let index = index.and_then(|(index, _)| index.parse::<usize>().ok());
        let own = index.and_then(|index| self.arguments.get(index.checked_sub(1)?));
        own.map_or_else(|| self.arguments.clone(), |own| vec![own.clone()])
    }

    /// What a string in code stands for: itself, or the variable that it names.
    pub(super) fn spelled(&self, code: &str, literal: &Literal) -> Option<Text> {
        let before = code[..literal.start].trim_end();
        if ENVIRONMENT.iter().any(|asked| before.ends_with(asked)) {
            return self.environment.get(&literal.text).cloned();
        }
        Some(Text::fixed(literal.text.as_str()))
    }
}

/// Whether a name stands for what comes in.
pub(super) fn is_input(name: &str) -> bool {
    matches!(name, "stdin" | "STDIN" | "ARGF" | "gets")
}

/// Stands for the directory itself where a program asks for it, and not for each below it.
pub(super) const HERE: &str = "./";

/// Whether a call without arguments is all that something is given.
fn is_whole_value(after: &str) -> bool {
    let rest = after.strip_prefix("()");
    rest.is_some_and(|rest| {
        rest.trim_start_matches(' ').is_empty() || rest.starts_with(['\n', ';'])
    })
}

/// Whether a name stands for the current directory, and something is done to all of it:
/// `os.listdir()`, `Path.cwd().iterdir()`, `rmtree(os.getcwd())`.
fn is_here(before: &str, name: &str, after: &str) -> bool {
    let lists = LISTING.contains(&name);
    if lists && after.starts_with("()") {
        let is_method = before.ends_with('.') && name == "iterdir";
        return !is_method || before.ends_with("Path().");
    }
    if !matches!(name, "cwd" | "getcwd" | "curdir" | "pwd") {
        return false;
    }
    let after = after.strip_prefix("()").unwrap_or(after);
    let owner = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '.' || c == '_');
    let called = owner.strip_suffix('(').unwrap_or_default();
    let is_called = |names: &[&str]| {
        let ends = |name: &&str| called.ends_with(name.trim_end_matches('('));
        names.iter().any(ends)
    };
    let is_whole = after.starts_with([')', ',']);
    is_whole && [LISTING, DELETING, RENAMING].into_iter().any(is_called)
        || after.starts_with(".iterdir(")
}
