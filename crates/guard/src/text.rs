//! Strings of which not everything is known.
//!
//! A word of a command is known exactly, known to be one of a few, or unknown in parts. The
//! analysis computes with all three, because what matters is not what a word *is* but
//! whether it *could be* the name of something protected.

/// More alternatives than these are as good as unknown.
const MOST_ALTERNATIVES: usize = 512;

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Exactly this.
    Fixed(String),
    /// This, with its wildcards still to be matched against the files.
    Glob(String),
    /// One of these, or several of them in turn.
    OneOf(Vec<String>),
    /// Anything.
    Unknown,
}

impl Part {
    /// A text whose wildcards, if it has some, are still to be matched.
    fn active(text: String) -> Self {
        if crate::glob::is_pattern(&text) {
            Self::Glob(text)
        } else {
            Self::Fixed(text)
        }
    }
}

/// A word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text(Vec<Part>);

impl Text {
    pub(crate) fn fixed(text: impl Into<String>) -> Self {
        Self(vec![Part::Fixed(text.into())])
    }

    pub(crate) fn unknown() -> Self {
        Self(vec![Part::Unknown])
    }

    pub(crate) fn one_of(texts: Vec<String>) -> Self {
        match texts.len() {
            0 => Self::default(),
            1 => Self(texts.into_iter().map(Part::Fixed).collect()),
            2..=MOST_ALTERNATIVES => Self(vec![Part::OneOf(texts)]),
            _ => Self::unknown(),
        }
    }

    pub(crate) fn push(&mut self, part: Part) {
        match (self.0.last_mut(), part) {
            (Some(Part::Fixed(last)), Part::Fixed(more)) => last.push_str(&more),
            (Some(Part::Unknown), Part::Unknown) => {}
            (_, part) => self.0.push(part),
        }
    }

    pub(crate) fn append(&mut self, other: &Self) {
        for part in &other.0 {
            self.push(part.clone());
        }
    }

    /// How much memory it takes, about.
    pub(crate) fn bytes(&self) -> usize {
        let size = |part: &Part| match part {
            Part::Fixed(text) | Part::Glob(text) => text.len(),
            Part::OneOf(texts) => texts.iter().map(String::len).sum(),
            Part::Unknown => 0,
        };
        self.0.iter().map(size).sum()
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.0
    }

    /// The text, if every character of it is known.
    pub(crate) fn known(&self) -> Option<String> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Fixed(piece) | Part::Glob(piece) => text.push_str(piece),
                Part::OneOf(_) | Part::Unknown => return None,
            }
        }
        Some(text)
    }

    /// What it begins with for certain.
    pub(crate) fn known_start(&self) -> String {
        let known = self.0.iter().map_while(|part| match part {
            Part::Fixed(piece) | Part::Glob(piece) => Some(piece.as_str()),
            Part::OneOf(_) | Part::Unknown => None,
        });
        known.collect()
    }

    /// What it ends with for certain.
    pub(crate) fn known_end(&self) -> String {
        let known = self.0.iter().rev().map_while(|part| match part {
            Part::Fixed(piece) | Part::Glob(piece) => Some(piece.as_str()),
            Part::OneOf(_) | Part::Unknown => None,
        });
        let mut pieces: Vec<_> = known.collect();
        pieces.reverse();
        pieces.concat()
    }

    pub(crate) fn is_unknown(&self) -> bool {
        self.0.contains(&Part::Unknown)
    }

    /// One of several, the empty text among them.
    pub(crate) fn may_be_nothing(&self) -> bool {
        match self.0.as_slice() {
            [Part::OneOf(texts)] => texts.iter().any(String::is_empty),
            _ => false,
        }
    }

    /// With what its wildcards stand for unknown, where there are no files to match them with.
    pub(crate) fn with_wildcards_unknown(&self) -> Self {
        let mut text = Self::default();
        for part in &self.0 {
            let Part::Glob(piece) = part else {
                text.push(part.clone());
                continue;
            };
            for (index, known) in crate::glob::between_wildcards(piece).enumerate() {
                if index > 0 {
                    text.push(Part::Unknown);
                }
                if !known.is_empty() {
                    text.push(Part::Fixed(known.to_owned()));
                }
            }
        }
        text
    }

    /// Nothing but unknown.
    pub(crate) fn is_entirely_unknown(&self) -> bool {
        let is_nothing = |part: &Part| matches!(part, Part::Fixed(text) if text.is_empty());
        let says_something = |part: &Part| !is_nothing(part) && *part != Part::Unknown;
        self.is_unknown() && !self.0.iter().any(says_something)
    }

    /// The text without its first `count` bytes, which must be known.
    pub(crate) fn without_start(&self, count: usize) -> Self {
        let mut left = count;
        let mut rest = Self::default();
        for part in &self.0 {
            match part {
                Part::Fixed(piece) | Part::Glob(piece) => {
                    let cut = left.min(piece.len());
                    left -= cut;
                    let piece = piece.get(cut..).unwrap_or_default().to_owned();
                    rest.push(match part {
                        Part::Glob(_) => Part::Glob(piece),
                        _ => Part::Fixed(piece),
                    });
                }
                other => rest.push(other.clone()),
            }
        }
        rest
    }

    /// The same with wildcards taken as ordinary characters.
    pub(crate) fn quoted(&self) -> Self {
        let mut quoted = Self::default();
        for part in &self.0 {
            quoted.push(match part {
                Part::Glob(piece) => Part::Fixed(piece.clone()),
                other => other.clone(),
            });
        }
        quoted
    }

    /// The same with its ordinary characters taken as wildcards, where they are some.
    pub(crate) fn unquoted(&self) -> Self {
        let mut active = Self::default();
        for part in &self.0 {
            active.push(match part {
                Part::Fixed(piece) => Part::active(piece.clone()),
                other => other.clone(),
            });
        }
        active
    }

    /// Every text that it could be, each without alternatives of its own.
    pub(crate) fn alternatives(&self) -> Vec<Self> {
        let mut all = vec![Self::default()];
        for part in &self.0 {
            let choices: Vec<Part> = match part {
                Part::OneOf(texts) if texts.len() * all.len() > MOST_ALTERNATIVES => {
                    vec![Part::Unknown]
                }
                // Whether it stands in quotes is not known any more, so its wildcards count.
                Part::OneOf(texts) => texts.iter().cloned().map(Part::active).collect(),
                other => vec![other.clone()],
            };
            let longer = all.iter().flat_map(|begun| {
                choices.iter().map(|choice| {
                    let mut text = begun.clone();
                    text.push(choice.clone());
                    text
                })
            });
            all = longer.collect();
        }
        all
    }

    /// Every text that it could be, if none of them has a part that is unknown.
    pub(crate) fn known_alternatives(&self) -> Option<Vec<String>> {
        self.alternatives().iter().map(Self::known).collect()
    }

    /// Applies a change of text wherever the text is known.
    pub(crate) fn map(&self, change: impl Fn(&str) -> String) -> Self {
        let texts = self.known_alternatives();
        texts.map_or_else(Self::unknown, |texts| {
            Self::one_of(texts.iter().map(|text| change(text)).collect())
        })
    }

    /// Either of the two.
    pub(crate) fn or(&self, other: &Self) -> Self {
        if self == other {
            return self.clone();
        }
        let both = self.known_alternatives().zip(other.known_alternatives());
        both.map_or_else(Self::unknown, |(mut texts, others)| {
            texts.extend(others);
            texts.sort();
            texts.dedup();
            Self::one_of(texts)
        })
    }

    /// For a person to read.
    pub(crate) fn shown(&self) -> String {
        let pieces = self.0.iter().map(|part| match part {
            Part::Fixed(piece) | Part::Glob(piece) if piece == OTHER_FILE => "…",
            Part::Fixed(piece) | Part::Glob(piece) => piece.as_str(),
            Part::OneOf(_) | Part::Unknown => "…",
        });
        pieces.collect()
    }
}

/// Stands in a list for all that a search would find and that is not looked at, because it
/// is not protected: whoever goes through the list does something for those as well.
pub(crate) const OTHER_FILE: &str = "/nonexistent/found";

/// What a command reads or prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Data {
    /// Exactly this.
    Known(String),
    /// One or several of these lines.
    Lines(String),
    /// Anything.
    Unknown,
}

impl Data {
    pub(crate) fn empty() -> Self {
        Self::Known(String::new())
    }

    pub(crate) fn add(&mut self, more: &Self) {
        match (&mut *self, more) {
            (Self::Known(text), Self::Known(more)) => text.push_str(more),
            (Self::Unknown, _) | (_, Self::Unknown) => *self = Self::Unknown,
            (Self::Known(text) | Self::Lines(text), Self::Known(more) | Self::Lines(more)) => {
                text.push_str(more);
                *self = Self::Lines(std::mem::take(text));
            }
        }
    }

    /// A list of names, each on a line of its own.
    pub(crate) fn list(names: impl IntoIterator<Item = String>) -> Self {
        Self::Lines(names.into_iter().map(|name| name + "\n").collect())
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Known(text) | Self::Lines(text) => Some(text),
            Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_alternatives_are_unknown_and_never_none() {
        let number = |count: usize| Text::one_of((0..count).map(|n| n.to_string()).collect());
        assert_eq!(number(0), Text::default());
        assert_eq!(number(1), Text::fixed("0"));
        assert_eq!(number(512).alternatives().len(), 512);
        assert!(number(513).is_unknown());
        let mut pair = number(32);
        pair.append(&number(16));
        assert_eq!(pair.known_alternatives().map(|all| all.len()), Some(512));
        assert_eq!(pair.map(str::to_owned).alternatives().len(), 512);
        pair.append(&number(2));
        assert_eq!(pair.known_alternatives(), None);
        assert!(pair.map(str::to_owned).is_unknown());
        assert!(pair.or(&Text::fixed("x")).is_unknown());
        assert!(Text::fixed("x").or(&pair).is_unknown());
        assert_eq!(pair.or(&pair), pair);
    }

    #[test]
    fn what_it_begins_and_ends_with_is_what_is_certain() {
        let mut text = Text::fixed("a");
        text.push(Part::Glob("*".to_owned()));
        text.push(Part::Unknown);
        text.push(Part::Unknown);
        text.push(Part::Fixed("b".to_owned()));
        text.push(Part::Fixed("c".to_owned()));
        assert_eq!(text.parts().len(), 4);
        let cut = text.without_start(1);
        assert_eq!(cut.parts()[0], Part::Fixed(String::new()));
        assert_eq!(cut.parts()[1], Part::Glob("*".to_owned()));
        assert_eq!(
            (text.known_start(), text.known_end()),
            ("a*".into(), "bc".into())
        );
        assert_eq!((text.known(), text.shown()), (None, "a*…bc".to_owned()));
        assert_eq!(text.without_start(1).known_start(), "*");
        let rest = text.without_start(2);
        assert_eq!(rest.known_start(), "");
        assert!(rest.is_unknown() && !rest.is_entirely_unknown());
        assert_eq!(Text::fixed("abc").without_start(1), Text::fixed("bc"));
        assert_eq!(text.quoted().parts()[0], Part::Fixed("a*".to_owned()));
        let either = Text::fixed("").or(&Text::fixed("x"));
        assert!(either.may_be_nothing() && !Text::fixed("").may_be_nothing());
    }

    #[test]
    fn some_of_the_lines_stay_some_of_them() {
        let mut data = Data::empty();
        data.add(&Data::Known("a\n".to_owned()));
        assert_eq!(data, Data::Known("a\n".to_owned()));
        data.add(&Data::Lines("b\n".to_owned()));
        assert_eq!(data, Data::Lines("a\nb\n".to_owned()));
        data.add(&Data::Known("c\n".to_owned()));
        assert_eq!(data.text(), Some("a\nb\nc\n"));
        data.add(&Data::Unknown);
        data.add(&Data::Known("d".to_owned()));
        assert_eq!(data, Data::Unknown);
        assert_eq!(data.text(), None);
    }
}
