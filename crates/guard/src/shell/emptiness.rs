//! `[ -z "$x" ]` and its kin: what is known of a variable behind such a test.
//!
//! Scripts give defaults by them (`[ -z "$out" ] && out=build`), and whoever goes on then has
//! a value. Without that, every `rm -rf "$out"/*` after it could be one of the root.

use brush_parser::ast::{
    Command, CommandPrefixOrSuffixItem, CompoundList, ExtendedTestExpr, Pipeline, UnaryPredicate,
};

use super::{Shell, Variable};
use crate::text::Text;

/// A test of whether a variable is empty.
pub(super) struct Emptiness {
    variable: String,
    /// Whether the variable is empty where the test has passed.
    empty_if_passed: bool,
}

impl Emptiness {
    /// The test that a condition consists of, if it is one.
    pub(super) fn of_list(list: &CompoundList) -> Option<Self> {
        match list.0.as_slice() {
            [only] if only.0.additional.is_empty() => Self::of(&only.0.first),
            _ => None,
        }
    }

    pub(super) fn of(pipeline: &Pipeline) -> Option<Self> {
        let [command] = pipeline.seq.as_slice() else {
            return None;
        };
        let (is_empty, word) = match command {
            Command::Simple(simple) => {
                let items = simple.suffix.iter().flat_map(|suffix| &suffix.0);
                let words: Vec<&str> = items
                    .map(|item| match item {
                        CommandPrefixOrSuffixItem::Word(word) => word.value.as_str(),
                        _ => "",
                    })
                    .collect();
                let name = simple.word_or_name.as_ref()?.value.as_str();
                match (name, words.as_slice()) {
                    ("test", ["-z", word]) | ("[", ["-z", word, "]"]) => (true, *word),
                    ("test", ["-n", word]) | ("[", ["-n", word, "]"]) => (false, *word),
                    _ => return None,
                }
            }
            Command::ExtendedTest(test, _) => match &test.expr {
                ExtendedTestExpr::UnaryTest(UnaryPredicate::StringHasZeroLength, word) => {
                    (true, word.value.as_str())
                }
                ExtendedTestExpr::UnaryTest(UnaryPredicate::StringHasNonZeroLength, word) => {
                    (false, word.value.as_str())
                }
                _ => return None,
            },
            _ => return None,
        };
        Some(Self {
            variable: variable(word)?.to_owned(),
            empty_if_passed: is_empty != pipeline.bang,
        })
    }

    /// The shell as it is where the test has passed, or has not; nothing if that cannot be.
    pub(super) fn behind(&self, mut shell: Shell, passed: bool) -> Option<Shell> {
        let Some(Variable::Scalar(text)) = shell.get(&self.variable) else {
            return Some(shell);
        };
        let Some(mut texts) = text.known_alternatives() else {
            return Some(shell);
        };
        let empty = self.empty_if_passed == passed;
        texts.retain(|text| text.is_empty() == empty);
        if texts.is_empty() {
            return None;
        }
        shell.set_text(&self.variable, Text::one_of(texts));
        Some(shell)
    }
}

/// The name in `$x`, `${x}`, `"$x"` and `"${x}"`.
pub(super) fn variable(word: &str) -> Option<&str> {
    let bare = word
        .strip_prefix('"')
        .and_then(|word| word.strip_suffix('"'));
    let name = bare.unwrap_or(word).strip_prefix('$')?;
    let inner = name
        .strip_prefix('{')
        .and_then(|name| name.strip_suffix('}'));
    let name = inner.unwrap_or(name);
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name = !name.is_empty() && name.chars().all(is_letter);
    (is_name && !name.starts_with(|c: char| c.is_ascii_digit())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::variable;

    #[test]
    fn a_word_is_a_variable_and_nothing_else() {
        for word in ["$x_1", "${x_1}", "\"$x_1\"", "\"${x_1}\""] {
            assert_eq!(variable(word), Some("x_1"), "{word}");
        }
        for word in ["$", "${}", "$1", "x", "$x-y", "${x:-y}", "\"$x"] {
            assert_eq!(variable(word), None, "{word}");
        }
    }
}
