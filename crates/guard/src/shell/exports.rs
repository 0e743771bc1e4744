//! Which variables programs find in their environment.

use super::{Engine, Shell, Variable};
use crate::text::Text;

/// `set -a`, by its long name.
const EXPORT_ALL: &str = "allexport";

impl Shell {
    /// What programs find in their environment, as far as it is text.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (&str, Text)> {
        let values = self.exported.iter();
        values.filter_map(|name| match self.get(name)? {
            Variable::Scalar(text) => Some((name.as_str(), text.clone())),
            Variable::Array(_) | Variable::Reference(_) => None,
        })
    }

    /// What `set -a` and `set +a` say.
    pub(super) fn export_all(&mut self, arguments: &[Text]) {
        let words: Vec<String> = arguments.iter().map(Text::known_start).collect();
        let mut sign = '-';
        for word in words.iter().take_while(|word| *word != "--") {
            let letters = word.strip_prefix(['-', '+']);
            if letters.is_some() {
                sign = word.chars().next().unwrap_or('-');
            }
            if word == EXPORT_ALL || letters.is_some_and(|letters| letters.contains('a')) {
                match sign {
                    '-' => self.switched_on.insert(EXPORT_ALL.to_owned()),
                    _ => self.switched_on.remove(EXPORT_ALL),
                };
            }
        }
    }

    /// A variable was set: programs find it if they found it before, or if they find all.
    pub(super) fn export_if_all_are(&mut self, name: &str) {
        if self.switched_on.contains(EXPORT_ALL) {
            self.exported.insert(name.to_owned());
        }
    }

    /// `export a b=c`, `declare -x a`, and `export -n a`, which takes it back.
    pub(super) fn export_declared(&mut self, builtin: &str, arguments: &[Text]) {
        let words = arguments.iter().map(Text::known_start);
        let (flags, names): (Vec<String>, Vec<String>) =
            words.partition(|word| word.starts_with(['-', '+']));
        let has = |sign: char, letter: char| {
            let mut flags = flags.iter();
            flags.any(|flag| flag.starts_with(sign) && flag.contains(letter))
        };
        let exports = builtin == "export" || has('-', 'x');
        let takes_back = has('+', 'x') || (builtin == "export" && has('-', 'n'));
        for name in names {
            let name = name.split(['=', '+', '[']).next().unwrap_or_default();
            if takes_back {
                self.exported.remove(name);
            } else if exports {
                self.exported.insert(name.to_owned());
            }
        }
    }
}

impl Engine<'_> {
    /// Sets a variable that programs find.
    pub(crate) fn assign_exported(&mut self, name: &str, value: Text) {
        self.assign(name, Variable::Scalar(value), false);
        self.shell.exported.insert(name.to_owned());
    }
}
