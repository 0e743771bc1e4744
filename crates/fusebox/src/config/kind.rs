//! What keys hold: which values there are, how they are written, and what is
//! said to whoever wrote something else.

use fusebox_core::policy::Preset;
use fusebox_guard::Mode;

use crate::amounts;
use crate::cli::OnStagnation;
use crate::duration;

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Preset,
    Hash,
    Number {
        least: u64,
        most: u64,
    },
    Time,
    /// An amount of US dollars, kept in millionths.
    Money,
    /// A number of bytes, at least so many.
    Size {
        least: u64,
    },
    Switch,
    Action,
    /// Words that are nobody's to compare.
    Text,
    /// Several of them.
    List,
    /// Paths below the root, each with what may still be done to it.
    Paths,
}

/// Which of two values is the stricter one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stricter {
    Lower,
    Higher,
}

/// A value that fits its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Preset(Preset),
    Hash(String),
    /// A number; a time in milliseconds; a switch as 0 or 1; an action by its
    /// place in [`ACTIONS`]. What can be compared can be tightened.
    Amount(u64),
    Text(String),
    List(Vec<String>),
    Paths(Vec<(String, Mode)>),
}

/// What `run` may do when the breaker trips, the most lenient first.
const ACTIONS: [(&str, OnStagnation); 4] = [
    ("alert", OnStagnation::Alert),
    ("escalate", OnStagnation::Escalate),
    ("pause", OnStagnation::Pause),
    ("abort", OnStagnation::Abort),
];

/// The longest text and the most words that a key may hold.
const TEXT_BYTES: usize = 4_096;
const MOST_WORDS: usize = 64;

impl Kind {
    /// What is expected, for whoever wrote something else.
    pub(super) fn expected(self) -> String {
        match self {
            Self::Preset => {
                let names: Vec<_> = Preset::ALL
                    .iter()
                    .map(|p| format!("\"{}\"", p.name()))
                    .collect();
                format!("one of {}", names.join(", "))
            }
            Self::Hash => "64 hexadecimal digits in quotes".into(),
            Self::Number { least, most } => format!("a whole number from {least} to {most}"),
            Self::Time => "a time in quotes, such as \"90s\", \"30m\" or \"2h\"".into(),
            Self::Money => "an amount of US dollars, such as 5 or 2.50".into(),
            Self::Size { least } => format!(
                "a size in quotes, such as \"64MB\" or \"1GB\", of at least {}",
                amounts::written_bytes(least)
            ),
            Self::Switch => "true or false".into(),
            Self::Action => {
                let names: Vec<_> = ACTIONS.iter().map(|row| format!("\"{}\"", row.0)).collect();
                format!("one of {}", names.join(", "))
            }
            Self::Text => "text in quotes".into(),
            Self::List => "a list of texts, such as [\"a\", \"b\"]".into(),
            Self::Paths => "a list of paths below the root, such as [\"docs/adr/\", { path = \
                            \"CHANGELOG.md\", mode = \"append\" }]; modes are \"keep\", \"append\" \
                            and \"frozen\""
                .into(),
        }
    }

    /// Reads a value that was written as text.
    pub(super) fn read_text(self, text: &str) -> Option<Value> {
        match self {
            Self::Preset => text.parse().ok().map(Value::Preset),
            Self::Hash => {
                let digits = text.trim();
                let sound = digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                sound.then(|| Value::Hash(digits.to_ascii_lowercase()))
            }
            Self::Time => {
                let time = duration::parse(text).ok()?;
                u64::try_from(time.as_millis()).ok().map(Value::Amount)
            }
            Self::Money => amounts::micro_usd(text).map(Value::Amount),
            Self::Size { least } => amounts::bytes(text)
                .filter(|bytes| *bytes >= least)
                .map(Value::Amount),
            Self::Action => {
                let row = ACTIONS.iter().find(|row| row.0 == text)?;
                Some(row.1.into())
            }
            Self::Text => {
                let sound = !text.is_empty() && text.len() <= TEXT_BYTES && !text.contains('\0');
                sound.then(|| Value::Text(text.to_owned()))
            }
            Self::Number { .. } | Self::Switch | Self::List | Self::Paths => None,
        }
    }

    /// Reads a number.
    pub(super) fn read_number(self, number: u64) -> Option<Value> {
        match self {
            Self::Number { least, most } if (least..=most).contains(&number) => {
                Some(Value::Amount(number))
            }
            _ => None,
        }
    }

    /// Reads several texts.
    pub(super) fn read_list(self, words: Vec<String>) -> Option<Value> {
        let sound = |word: &String| word.len() <= TEXT_BYTES && !word.contains('\0');
        let fits = self == Self::List && words.len() <= MOST_WORDS && words.iter().all(sound);
        fits.then_some(Value::List(words))
    }

    /// Reads paths, each with the name of its mode; without one, it is kept.
    pub(super) fn read_paths(self, paths: Vec<(String, Option<String>)>) -> Option<Value> {
        let read = |(path, mode): (String, Option<String>)| {
            let below = !path.starts_with('/') && !path.contains('\0');
            let mut names = path.split('/').filter(|name| !matches!(*name, "" | "."));
            let named = names.clone().next().is_some() && names.all(|name| name != "..");
            let mode = match mode {
                None => Mode::Keep,
                Some(name) => Mode::ALL.into_iter().find(|mode| mode.name() == name)?,
            };
            (below && named && path.len() <= TEXT_BYTES).then_some((path, mode))
        };
        let fits = self == Self::Paths && paths.len() <= MOST_WORDS;
        let paths: Option<Vec<_>> = paths.into_iter().map(read).collect();
        paths.filter(|_| fits).map(Value::Paths)
    }

    /// Reads a switch.
    pub(super) fn read_switch(self, on: bool) -> Option<Value> {
        (self == Self::Switch).then_some(Value::Amount(u64::from(on)))
    }

    /// An amount as it would be written in a file.
    pub(super) fn written(self, amount: u64) -> String {
        match self {
            Self::Time => format!("\"{}\"", duration::written(amount)),
            Self::Money => amounts::written_usd(amount),
            Self::Size { .. } => format!("\"{}\"", amounts::written_bytes(amount)),
            Self::Switch => (amount != 0).to_string(),
            Self::Action => format!("\"{}\"", action_row(amount).0),
            Self::Preset
            | Self::Hash
            | Self::Number { .. }
            | Self::Text
            | Self::List
            | Self::Paths => amount.to_string(),
        }
    }
}

impl Value {
    /// As it would be written in a file. A hash is nobody's business.
    pub(super) fn written(&self, kind: Kind) -> String {
        match self {
            Self::Preset(preset) => format!("\"{preset}\""),
            Self::Hash(_) => "\"…\"".into(),
            Self::Amount(amount) => kind.written(*amount),
            Self::Text(text) => format!("{text:?}"),
            Self::List(words) => format!("{words:?}"),
            Self::Paths(paths) => {
                let written = |(path, mode): &(String, Mode)| {
                    format!("{{ path = {path:?}, mode = \"{}\" }}", mode.name())
                };
                let all: Vec<String> = paths.iter().map(written).collect();
                format!("[{}]", all.join(", "))
            }
        }
    }
}

impl From<OnStagnation> for Value {
    fn from(action: OnStagnation) -> Self {
        let place = ACTIONS.iter().position(|row| row.1 == action);
        Self::Amount(place.map_or(0, |place| place as u64))
    }
}

/// The action of an amount.
pub(super) fn action(amount: u64) -> OnStagnation {
    action_row(amount).1
}

fn action_row(amount: u64) -> &'static (&'static str, OnStagnation) {
    let place = usize::try_from(amount).unwrap_or(usize::MAX);
    &ACTIONS[place.min(ACTIONS.len() - 1)]
}
