//! The command line and the environment of a process, from one answer (`KERN_PROCARGS2`):
//! how many words there are, the path of the program, zeros up to the next boundary, the
//! words, the variables, each with a zero behind it, and more strings of the system's own
//! behind an empty one.

use crate::bytes::i32_at;

/// What a process was started with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// The words of its command line.
    pub words: Vec<Vec<u8>>,
    /// Its environment, each variable with a zero behind it. `None` where the system keeps
    /// it to itself: it hides that of Apple's own programs by leaving it out without a word.
    /// A process that was started with none at all looks the same.
    pub environment: Option<Vec<u8>>,
}

impl Arguments {
    /// Reads an answer; `None` if it makes no sense.
    pub(crate) fn parse(answer: &[u8]) -> Option<Self> {
        let count = usize::try_from(i32_at(answer, 0)?).ok()?;
        let rest = &answer[4..];
        let path_ends = rest.iter().position(|byte| *byte == 0)?;
        let rest = &rest[path_ends..];
        let begins = rest
            .iter()
            .position(|byte| *byte != 0)
            .unwrap_or(rest.len());
        let mut rest = &rest[begins..];
        let mut words = Vec::new();
        for _ in 0..count {
            // Whoever may rewrite its own words can make fewer of them than it says.
            let Some(end) = rest.iter().position(|byte| *byte == 0) else {
                break;
            };
            words.push(rest[..end].to_vec());
            rest = &rest[end + 1..];
        }
        let variables = rest.split(|byte| *byte == 0);
        let mut environment = Vec::new();
        for variable in variables.take_while(|variable| !variable.is_empty()) {
            environment.extend_from_slice(variable);
            environment.push(0);
        }
        Some(Self {
            words,
            environment: (!environment.is_empty()).then_some(environment),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(count: i32, rest: &[u8]) -> Vec<u8> {
        [&count.to_ne_bytes(), rest].concat()
    }

    fn words(words: &[&str]) -> Vec<Vec<u8>> {
        words.iter().map(|word| word.as_bytes().to_vec()).collect()
    }

    #[test]
    fn words_and_variables_are_told_apart() {
        let bytes =
            b"/usr/bin/node\0\0\0\0node\0/opt/codex\0A=1\0FUSEBOX_COOKIE=x\0\0executable_path=/x\0";
        let read = Arguments::parse(&answer(2, bytes)).unwrap();
        assert_eq!(read.words, words(&["node", "/opt/codex"]));
        assert_eq!(
            read.environment.as_deref(),
            Some(&b"A=1\0FUSEBOX_COOKIE=x\0"[..])
        );
    }

    #[test]
    fn an_empty_word_is_a_word_and_what_looks_like_a_variable_is_one_too() {
        let read = Arguments::parse(&answer(3, b"/bin/x\0\0x\0\0FUSEBOX_COOKIE=y\0B=2\0\0"));
        let read = read.unwrap();
        assert_eq!(read.words, words(&["x", "", "FUSEBOX_COOKIE=y"]));
        assert_eq!(read.environment.as_deref(), Some(&b"B=2\0"[..]));
    }

    #[test]
    fn an_environment_that_is_hidden_is_not_an_empty_one() {
        for bytes in [
            &b"/bin/sleep\0\0\0sleep\x0060\0"[..],
            b"/bin/sleep\0\0\0sleep\x0060\0\0\0",
        ] {
            let read = Arguments::parse(&answer(2, bytes)).unwrap();
            assert_eq!(read.words, words(&["sleep", "60"]));
            assert_eq!(read.environment, None);
        }
    }

    #[test]
    fn a_torn_answer_is_read_as_far_as_it_goes_or_not_at_all() {
        assert_eq!(Arguments::parse(b"\x01\0"), None);
        assert_eq!(Arguments::parse(&answer(-1, b"/x\0x\0")), None);
        assert_eq!(Arguments::parse(&answer(1, b"no end")), None);
        let read = Arguments::parse(&answer(9, b"/x\0\0one\0two\0thr")).unwrap();
        assert_eq!(read.words, words(&["one", "two"]));
        let read = Arguments::parse(&answer(0, b"/x\0\0\0")).unwrap();
        assert_eq!(read, Arguments::default());
    }
}
