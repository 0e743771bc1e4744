//! A command as a person typed it: which agent is it, and can it be read?

use std::ffi::OsString;

use crate::wrappers::unwrapped;

/// What a command is to an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recognised {
    /// Another program.
    No,
    /// This agent, and its output will be events.
    Structured,
    /// This agent, but its output will be text, of which little can be known.
    /// With these arguments it would be events.
    TextOnly {
        /// What is missing; empty if the agent has no events.
        missing: &'static [&'static str],
    },
}

/// What a command is to an agent whose output is events if its arguments say so.
/// `missing` is what they would need.
pub(crate) fn recognise(
    command: &[OsString],
    programs: &[&str],
    says_so: impl FnOnce(&[OsString]) -> bool,
    missing: &'static [&'static str],
) -> Recognised {
    match arguments(command, programs) {
        None => Recognised::No,
        Some(arguments) if says_so(&arguments) => Recognised::Structured,
        Some(_) => Recognised::TextOnly { missing },
    }
}

/// The arguments of the command if it starts one of the programs, directly or
/// through programs that do nothing but that.
pub(crate) fn arguments(command: &[OsString], programs: &[&str]) -> Option<Vec<OsString>> {
    let (program, arguments) = unwrapped(command)?;
    programs.contains(&program.as_str()).then_some(arguments)
}

/// Whether a flag is given with this value, as two arguments or as one.
pub(crate) fn has_option(arguments: &[OsString], flags: &[&str], value: &str) -> bool {
    flags.iter().any(|flag| {
        let joined = format!("{flag}={value}");
        arguments.iter().any(|argument| argument == joined.as_str())
            || arguments
                .windows(2)
                .any(|pair| pair[0] == *flag && pair[1] == value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_program_is_known_by_its_name_wherever_it_lies() {
        let table = [
            ("claude -p x", Some(2)),
            ("/opt/bin/claude -p x", Some(2)),
            ("env A=1 B=2 claude -p", Some(1)),
            ("claude-wrapper -p", None),
            ("env", None),
            ("bash claude", None),
        ];
        for (text, expected) in table {
            let command = command(text);
            let found = arguments(&command, &["claude"]).map(|words| words.len());
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(arguments(&[], &["claude"]), None);
    }

    #[test]
    fn flags_are_found_in_both_spellings() {
        let typed = command("--output-format stream-json --model=x --verbose");
        assert!(has_option(&typed, &["--output-format"], "stream-json"));
        assert!(has_option(&typed, &["--model"], "x"));
        assert!(!has_option(&typed, &["--output-format"], "json"));
    }
}
