//! Which signs the terminal at hand can draw.

use fusebox_core::State;

/// The signs that shapes are drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyphs {
    /// Blocks, dots and arrows.
    Unicode,
    /// What every terminal has had since the beginning.
    Ascii,
}

impl Glyphs {
    /// Told by the locale: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that
    /// is set decides, as in every other program.
    #[must_use]
    pub fn told_by(variable: impl Fn(&str) -> Option<String>) -> Self {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| variable(name).filter(|value| !value.is_empty()))
            .unwrap_or_default()
            .to_ascii_lowercase();
        if locale.contains("utf-8") || locale.contains("utf8") {
            Self::Unicode
        } else {
            Self::Ascii
        }
    }

    /// The shape of a state, for whoever does not see its colour.
    #[must_use]
    pub fn sign(self, state: State) -> char {
        let [unicode, ascii] = match state {
            State::Closed => ['●', '*'],
            State::Watching => ['◐', '!'],
            State::Open => ['✖', 'X'],
            State::Probing => ['◌', '?'],
            State::Complete => ['✔', '+'],
        };
        match self {
            Self::Unicode => unicode,
            Self::Ascii => ascii,
        }
    }

    /// Between two things on one line.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Unicode => " · ",
            Self::Ascii => " | ",
        }
    }

    /// `line` in what the terminal can draw, column by column the same or
    /// narrower.
    pub(crate) fn of(self, line: &str) -> String {
        match self {
            Self::Unicode => line.to_owned(),
            Self::Ascii => line
                .chars()
                .map(|c| match c {
                    '…' => '~',
                    c if c.is_ascii() => c,
                    _ => '?',
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        for (all, ctype, lang, glyphs) in [
            ("", "", "", Glyphs::Ascii),
            ("", "", "de_DE.UTF-8", Glyphs::Unicode),
            ("C", "", "de_DE.UTF-8", Glyphs::Ascii),
            ("", "C.utf8", "C", Glyphs::Unicode),
            ("", "POSIX", "en_US.UTF-8", Glyphs::Ascii),
        ] {
            let told = Glyphs::told_by(|name| {
                let value = match name {
                    "LC_ALL" => all,
                    "LC_CTYPE" => ctype,
                    _ => lang,
                };
                Some(value.to_owned())
            });
            assert_eq!(told, glyphs, "{all} {ctype} {lang}");
        }
    }
}
