//! Programs that do nothing but start another one, and the command behind them.

use std::ffi::OsString;
use std::path::Path;

/// A command inside a command inside a command is deep enough.
const DEEPEST: usize = 6;

/// A program that starts another.
struct Wrapper {
    names: &'static [&'static str],
    /// Its flags that are followed by a value.
    valued: &'static [&'static str],
    /// Arguments of its own that stand before the command.
    operands: usize,
}

const WRAPPERS: [Wrapper; 6] = [
    Wrapper {
        names: &["env"],
        valued: &["-u", "--unset", "-C", "--chdir"],
        operands: 0,
    },
    Wrapper {
        names: &["timeout", "gtimeout"],
        valued: &["-k", "--kill-after", "-s", "--signal"],
        operands: 1,
    },
    Wrapper {
        names: &["nice"],
        valued: &["-n", "--adjustment"],
        operands: 0,
    },
    Wrapper {
        names: &["stdbuf"],
        valued: &["-i", "-o", "-e"],
        operands: 0,
    },
    Wrapper {
        names: &["npx", "bunx", "pnpx"],
        valued: &["-p", "--package"],
        operands: 0,
    },
    Wrapper {
        names: &["nohup", "setsid", "exec", "command", "time"],
        valued: &[],
        operands: 0,
    },
];

/// The packages of agents, which `npx` takes for their programs.
const PACKAGES: [(&str, &str); 5] = [
    ("@anthropic-ai/claude-code", "claude"),
    ("@openai/codex", "codex"),
    ("@google/gemini-cli", "gemini"),
    ("@github/copilot", "copilot"),
    ("opencode-ai", "opencode"),
];

const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// The program that a command starts in the end, and its arguments.
pub(crate) fn unwrapped(command: &[OsString]) -> Option<(String, Vec<OsString>)> {
    let mut command = command.to_vec();
    for _ in 0..DEEPEST {
        let (word, arguments) = command.split_first()?;
        let program = program_of(word)?;
        command = if SHELLS.contains(&program.as_str()) {
            match simple_command(arguments) {
                Some(words) => words,
                None => return Some((program, arguments.to_vec())),
            }
        } else if let Some(wrapper) = wrapper_of(&program) {
            wrapper.command(arguments).to_vec()
        } else {
            return Some((program, arguments.to_vec()));
        };
    }
    None
}

/// The name of a program, wherever it lies and whatever its package is called.
fn program_of(word: &OsString) -> Option<String> {
    let text = word.to_str()?;
    let unversioned = match text.rfind('@') {
        Some(at) if at > 0 => &text[..at],
        _ => text,
    };
    let package = PACKAGES.iter().find(|(package, _)| *package == unversioned);
    match package {
        Some((_, program)) => Some((*program).to_owned()),
        None => Some(Path::new(text).file_name()?.to_str()?.to_owned()),
    }
}

fn wrapper_of(program: &str) -> Option<&'static Wrapper> {
    let mut wrappers = WRAPPERS.iter();
    wrappers.find(|wrapper| wrapper.names.contains(&program))
}

impl Wrapper {
    /// What is left without its own flags, assignments and operands.
    fn command<'a>(&self, mut arguments: &'a [OsString]) -> &'a [OsString] {
        let mut operands = self.operands;
        while let Some((word, rest)) = arguments.split_first() {
            let word = word.to_string_lossy();
            let skipped = if word == "--" {
                return rest.get(operands..).unwrap_or_default();
            } else if self.valued.contains(&&*word) {
                2
            } else if word.starts_with('-') || is_assignment(&word) {
                1
            } else if operands > 0 {
                operands -= 1;
                1
            } else {
                break;
            };
            arguments = arguments.get(skipped..).unwrap_or_default();
        }
        arguments
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| {
        let belongs = |c: char| c.is_ascii_alphanumeric() || c == '_';
        !name.is_empty() && name.chars().all(belongs)
    })
}

/// The words of `-c 'one simple command'`. Anything that would run more than one program,
/// or send its output elsewhere, is none.
fn simple_command(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let [flag, script, ..] = arguments else {
        return None;
    };
    let script = script.to_str().filter(|_| flag == "-c" || flag == "-lc")?;
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut characters = script.trim().chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(mark), _) if mark == character => quote = None,
            (Some('"') | None, '\\') => word.get_or_insert_default().extend(characters.next()),
            (Some(_), _) => word.get_or_insert_default().push(character),
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, ';' | '|' | '&' | '>' | '(' | ')' | '`' | '\n') => return None,
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    // Assignments before a command are an `env` that nobody wrote.
    let env = std::iter::once(OsString::from("env"));
    (quote.is_none() && !words.is_empty()).then(|| env.chain(words).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_behind_programs_that_only_start_it() {
        let table: [(&[&str], Option<&str>); 17] = [
            (&["claude", "-p", "x"], Some("claude -p x")),
            (&["/opt/bin/claude", "-p"], Some("claude -p")),
            (&["env", "-i", "A=1", "-u", "B", "claude"], Some("claude")),
            (&["timeout", "-k", "5", "20", "claude"], Some("claude")),
            (&["timeout", "--signal=INT", "20s", "codex"], Some("codex")),
            (
                &["nice", "-n", "5", "stdbuf", "-oL", "claude"],
                Some("claude"),
            ),
            (
                &["npx", "-y", "@openai/codex@latest", "exec"],
                Some("codex exec"),
            ),
            (&["bunx", "claude", "-p"], Some("claude -p")),
            (&["nohup", "--", "claude"], Some("claude")),
            (
                &["sh", "-c", "A=1 exec claude -p \"a; b\" --x 'c | d'"],
                Some("claude -p a; b --x c | d"),
            ),
            (
                &["bash", "-lc", "timeout 5 claude -p < f"],
                Some("claude -p < f"),
            ),
            (
                &["sh", "-c", "claude -p x | tee y"],
                Some("sh -c claude -p x | tee y"),
            ),
            (
                &["sh", "-c", "cd x && claude"],
                Some("sh -c cd x && claude"),
            ),
            (&["bash", "claude"], Some("bash claude")),
            (&["env"], None),
            (&["timeout", "5"], None),
            (
                &["env", "env", "env", "env", "env", "env", "env", "claude"],
                None,
            ),
        ];
        for (words, expected) in table {
            let command: Vec<OsString> = words.iter().map(OsString::from).collect();
            let found = unwrapped(&command).map(|(program, arguments)| {
                let arguments = arguments.iter().map(|word| word.to_string_lossy());
                let line: Vec<_> = std::iter::once(program.into()).chain(arguments).collect();
                line.join(" ")
            });
            assert_eq!(found.as_deref(), expected, "{words:?}");
        }
    }
}
