//! Options and operands, told apart as `getopt` does it.

use crate::text::Text;

/// The words after a command's name, sorted.
#[derive(Debug, Default)]
pub(crate) struct Options {
    flags: Vec<String>,
    values: Vec<(String, Text)>,
    pub(crate) operands: Vec<Text>,
}

impl Options {
    /// Sorts the words; `valued` are the options that take a value (`-o`, `--output`).
    pub(crate) fn parse(words: &[Text], valued: &[&str]) -> Self {
        Self::sort(words, valued, false).0
    }

    /// Stops at the first operand, where another command begins; answers with its position.
    pub(crate) fn parse_leading(words: &[Text], valued: &[&str]) -> (Self, usize) {
        Self::sort(words, valued, true)
    }

    fn sort(words: &[Text], valued: &[&str], only_leading: bool) -> (Self, usize) {
        let mut sorted = Self::default();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let start = word.known_start();
            if start == "--" && word.known().is_some() {
                at += 1;
                if !only_leading {
                    sorted.operands.extend(words[at..].iter().cloned());
                }
                break;
            }
            if !start.starts_with('-') || start == "-" {
                if only_leading {
                    break;
                }
                sorted.operands.push(word.clone());
                at += 1;
                continue;
            }
            let next = words.get(at + 1);
            // `-Map=a`: one dash does not make letters of it where it is known as a name.
            let name = start.split('=').next().unwrap_or_default();
            let is_name = name.len() > 2 && valued.contains(&name);
            let is_long = start.starts_with("--") || is_name || valued.contains(&start.as_str());
            let took_next = if is_long {
                sorted.long(word, &start, valued, next)
            } else {
                sorted.cluster(word, &start, valued, next)
            };
            at += if took_next { 2 } else { 1 };
        }
        (sorted, at.min(words.len()))
    }

    fn long(&mut self, word: &Text, start: &str, valued: &[&str], next: Option<&Text>) -> bool {
        if let Some((name, _)) = start.split_once('=') {
            self.values
                .push((name.to_owned(), word.without_start(name.len() + 1)));
            return false;
        }
        if valued.contains(&start) {
            if let Some(value) = next {
                self.values.push((start.to_owned(), value.clone()));
            }
            return true;
        }
        self.flags.push(start.to_owned());
        false
    }

    /// Letters behind one dash, the last of which may take the rest as its value.
    fn cluster(&mut self, word: &Text, start: &str, valued: &[&str], next: Option<&Text>) -> bool {
        for (index, letter) in start.char_indices().skip(1) {
            let flag = format!("-{letter}");
            if valued.contains(&flag.as_str()) {
                let after = index + letter.len_utf8();
                let rest = word.without_start(after);
                let attached = after < start.len() || rest.is_unknown();
                if attached {
                    self.values.push((flag, rest));
                    return false;
                }
                if let Some(value) = next {
                    self.values.push((flag, value.clone()));
                }
                return true;
            }
            self.flags.push(flag);
        }
        false
    }

    /// Whether one of these options was given, with a value or without.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        let given = self.values.iter().map(|(name, _)| name).chain(&self.flags);
        given.into_iter().any(|flag| is_one_of(flag, names))
    }

    /// The values of these options.
    pub(crate) fn values<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a Text> {
        let given = self.values.iter();
        given
            .filter(|(name, _)| is_one_of(name, names))
            .map(|(_, value)| value)
    }

    /// The value of an option that another one is the beginning of, written in full.
    pub(crate) fn value_in_full(&self, name: &str) -> Option<&Text> {
        let mut given = self.values.iter().rev();
        given.find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// The value of one of these options, the last one given.
    pub(crate) fn value<'a>(&'a self, names: &'a [&str]) -> Option<&'a Text> {
        self.values(names).last()
    }
}

/// Long options may be cut short where that leaves no doubt, and who cuts them further
/// than this is rare.
const SHORTEST_CUT: usize = "--rec".len();

fn is_one_of(given: &str, names: &[&str]) -> bool {
    let may_be_cut = given.starts_with("--") && given.len() >= SHORTEST_CUT;
    let is_meant = |name: &&str| name.strip_prefix(given).is_some();
    names.contains(&given) || (may_be_cut && names.iter().any(is_meant))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &[&str]) -> Vec<Text> {
        words.iter().map(|word| Text::fixed(*word)).collect()
    }

    #[test]
    fn clusters_values_and_operands_are_told_apart() {
        let words = texts(&["-xdf", "-e", "a", "--size=0", "-n5", "b", "--", "-c"]);
        let options = Options::parse(&words, &["-e", "-n"]);
        assert!(options.has(&["-d"]) && options.has(&["--size"]) && !options.has(&["-c"]));
        assert_eq!(options.value(&["-e"]), Some(&Text::fixed("a")));
        assert_eq!(options.value(&["-n"]), Some(&Text::fixed("5")));
        assert_eq!(options.operands, texts(&["b", "-c"]));
    }

    #[test]
    fn a_command_begins_at_the_first_operand() {
        let words = texts(&["-n", "5", "rm", "-rf"]);
        assert_eq!(Options::parse_leading(&words, &["-n"]).1, 2);
    }
}
