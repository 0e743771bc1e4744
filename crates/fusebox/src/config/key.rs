//! Every key there is. Reading, suggesting, showing and the schema all walk
//! this one table, so none of them can know a key that another does not.

use fusebox_core::policy::{MOST_CALLS, Preset, THRESHOLD_RANGE};
use fusebox_core::signals::Signal;

use super::amounts;
use crate::cli::OnStagnation;
use crate::duration;

/// More tokens than this in one window are no limit.
const MOST_TOKENS: u64 = 1_000_000_000_000;
/// Less than this is not worth sealing a log for.
const LEAST_RETAINED: u64 = 16 << 20;

/// A key of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Preset,
    Operator,
    StagnationThreshold,
    StagnationAction,
    SignalWarn(Signal),
    SignalTrip(Signal),
    SignalEnabled(Signal),
    CallLimit,
    CallWindow,
    CallWarnPercent,
    TokenLimit,
    TokenWindow,
    TokenWarnPercent,
    MoneyLimit,
    MoneyWindow,
    MoneyWarnPercent,
    Cooldown,
    Longest,
    Probes,
    Timeout,
    IdleTimeout,
    MaxIterations,
    RetentionAge,
    RetentionBytes,
    MaxTime,
    Wait,
    LongestWait,
    Observe,
    Agent,
    Models,
    Permissions,
    AgentArgs,
    TestCommand,
    BuildCommand,
    RequiredFiles,
    CriteriaFile,
    NotifyDesktop,
    NotifyWebhook,
    NotifySecret,
}

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

/// Which of two values is the stricter one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stricter {
    Lower,
    Higher,
}

/// The keys that are not about one signal, with their paths.
const GENERAL: [(Key, &str, &str); 36] = [
    (
        Key::Preset,
        "preset",
        "the way of working that new circuits begin with",
    ),
    (
        Key::Operator,
        "operator_key_sha256",
        "SHA-256 of the key that releases a breaker where there is no terminal, in hexadecimal",
    ),
    (
        Key::StagnationThreshold,
        "stagnation.threshold",
        "trips after this many ticks in a row without progress",
    ),
    (
        Key::StagnationAction,
        "stagnation.action",
        "what `run` does when the breaker trips",
    ),
    (
        Key::CallLimit,
        "limits.calls.limit",
        "the most calls in one window",
    ),
    (
        Key::CallWindow,
        "limits.calls.window",
        "the length of the rolling window",
    ),
    (
        Key::CallWarnPercent,
        "limits.calls.warn_percent",
        "the share of the limit, in percent, from which calls are scarce",
    ),
    (
        Key::TokenLimit,
        "limits.tokens.limit",
        "the most tokens in one window",
    ),
    (
        Key::TokenWindow,
        "limits.tokens.window",
        "the length of the rolling window",
    ),
    (
        Key::TokenWarnPercent,
        "limits.tokens.warn_percent",
        "the share of the limit, in percent, from which a warning is given",
    ),
    (
        Key::MoneyLimit,
        "limits.money.limit_usd",
        "the most US dollars in one window",
    ),
    (
        Key::MoneyWindow,
        "limits.money.window",
        "the length of the rolling window",
    ),
    (
        Key::MoneyWarnPercent,
        "limits.money.warn_percent",
        "the share of the limit, in percent, from which a warning is given",
    ),
    (
        Key::Cooldown,
        "recovery.cooldown",
        "the wait before the first probe; doubles with each that fails",
    ),
    (
        Key::Longest,
        "recovery.longest",
        "the longest wait that doubling leads to",
    ),
    (
        Key::Probes,
        "recovery.probes",
        "after this many failed probes only a person may release",
    ),
    (
        Key::Timeout,
        "run.timeout",
        "the longest an iteration may take",
    ),
    (
        Key::IdleTimeout,
        "run.idle_timeout",
        "the longest an iteration may stand idle",
    ),
    (
        Key::MaxIterations,
        "run.max_iterations",
        "`run` ends after this many iterations",
    ),
    (
        Key::RetentionAge,
        "retention.age",
        "how long sealed logs and the output of runs are kept",
    ),
    (
        Key::RetentionBytes,
        "retention.bytes",
        "how much sealed logs may take, and the output of runs",
    ),
    (Key::MaxTime, "run.max_time", "`run` ends after this time"),
    (
        Key::Wait,
        "run.wait",
        "whether `run` waits for a cooldown, a free call or a usage limit's end",
    ),
    (
        Key::LongestWait,
        "run.longest_wait",
        "the longest that `run` waits at a stretch; what takes longer ends it",
    ),
    (
        Key::Observe,
        "run.observe",
        "whether `run` only observes: decides and writes down, denies nothing",
    ),
    (Key::Agent, "agent.name", "the agent that `run` starts"),
    (
        Key::Models,
        "agent.models",
        "the ladder of models, the cheapest first; `escalate` climbs it",
    ),
    (
        Key::Permissions,
        "agent.permissions",
        "what the agent may do by itself: \"ask\", \"edits\", \"everything\" or \"read-only\"",
    ),
    (
        Key::AgentArgs,
        "agent.args",
        "further arguments for the agent",
    ),
    (
        Key::TestCommand,
        "evidence.test",
        "the command that tests the work, run after each iteration with `sh -c`",
    ),
    (
        Key::BuildCommand,
        "evidence.build",
        "the command that builds it, run before the tests",
    ),
    (
        Key::RequiredFiles,
        "evidence.required",
        "files without which the work is not complete",
    ),
    (
        Key::CriteriaFile,
        "evidence.criteria",
        "a Markdown file whose open boxes `- [ ]` are criteria not yet met",
    ),
    (
        Key::NotifyDesktop,
        "notifications.desktop",
        "whether a desktop notification is shown",
    ),
    (
        Key::NotifyWebhook,
        "notifications.webhook",
        "the address that notifications are sent to: Slack, Discord, ntfy or any other",
    ),
    (
        Key::NotifySecret,
        "notifications.secret",
        "the secret that signs them, `whsec_…`",
    ),
];

impl Key {
    /// All keys, in the order they are shown.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let general = GENERAL.into_iter().map(|(key, ..)| key);
        let signals = Signal::ALL.into_iter().flat_map(Self::of_signal);
        general.chain(signals)
    }

    /// The keys about one signal.
    pub(super) fn of_signal(signal: Signal) -> [Self; 3] {
        [
            Self::SignalWarn(signal),
            Self::SignalTrip(signal),
            Self::SignalEnabled(signal),
        ]
    }

    /// Where it stands in a file: tables and name, with dots between them.
    pub(crate) fn path(self) -> String {
        match self {
            Self::SignalWarn(signal) => format!("signals.{}.warn", signal.name()),
            Self::SignalTrip(signal) => format!("signals.{}.trip", signal.name()),
            Self::SignalEnabled(signal) => format!("signals.{}.enabled", signal.name()),
            other => other.general().map_or_else(String::new, |row| row.1.into()),
        }
    }

    /// What it is for.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::SignalWarn(_) => "warns at this value",
            Self::SignalTrip(_) => "trips at this value",
            Self::SignalEnabled(_) => "whether the signal is read, where the preset leaves it open",
            other => other.general().map_or("", |row| row.2),
        }
    }

    fn general(self) -> Option<(Self, &'static str, &'static str)> {
        GENERAL.into_iter().find(|row| row.0 == self)
    }

    pub(super) fn kind(self) -> Kind {
        let threshold = Kind::Number {
            least: u64::from(*THRESHOLD_RANGE.start()),
            most: u64::from(*THRESHOLD_RANGE.end()),
        };
        let number = |most| Kind::Number { least: 1, most };
        match self {
            Self::Preset => Kind::Preset,
            Self::Operator => Kind::Hash,
            Self::StagnationThreshold | Self::SignalWarn(_) | Self::SignalTrip(_) => threshold,
            Self::StagnationAction => Kind::Action,
            Self::SignalEnabled(_) | Self::Wait | Self::Observe | Self::NotifyDesktop => {
                Kind::Switch
            }
            Self::Agent
            | Self::Permissions
            | Self::TestCommand
            | Self::BuildCommand
            | Self::CriteriaFile
            | Self::NotifyWebhook
            | Self::NotifySecret => Kind::Text,
            Self::Models | Self::AgentArgs | Self::RequiredFiles => Kind::List,
            Self::CallLimit => number(u64::from(MOST_CALLS)),
            Self::CallWarnPercent | Self::TokenWarnPercent | Self::MoneyWarnPercent => number(100),
            Self::TokenLimit => number(MOST_TOKENS),
            Self::MoneyLimit => Kind::Money,
            Self::RetentionBytes => Kind::Size {
                least: LEAST_RETAINED,
            },
            Self::Probes => number(1_000),
            Self::MaxIterations => number(1_000_000_000),
            Self::CallWindow
            | Self::TokenWindow
            | Self::MoneyWindow
            | Self::RetentionAge
            | Self::Cooldown
            | Self::Longest
            | Self::Timeout
            | Self::IdleTimeout
            | Self::MaxTime
            | Self::LongestWait => Kind::Time,
        }
    }

    /// Whether lower or higher values are the stricter ones.
    pub(super) fn stricter(self) -> Stricter {
        match self {
            Self::StagnationAction
            | Self::SignalEnabled(_)
            | Self::NotifyDesktop
            | Self::CallWindow
            | Self::TokenWindow
            | Self::MoneyWindow
            | Self::RetentionAge
            | Self::RetentionBytes
            | Self::Cooldown
            | Self::Longest => Stricter::Higher,
            _ => Stricter::Lower,
        }
    }

    /// Whether it is about keeping house, which no way of working has a say in.
    pub(super) fn keeps_house(self) -> bool {
        matches!(self, Self::RetentionAge | Self::RetentionBytes)
    }

    /// Whether a repository may set it. What starts a program, sends something
    /// somewhere or speaks for a person is never a repository's to say.
    pub(super) fn may_come_from_a_repository(self) -> bool {
        match self {
            Self::RequiredFiles => true,
            Self::Operator | Self::NotifyDesktop => false,
            other => !matches!(other.kind(), Kind::Text | Kind::List),
        }
    }

    /// The keys that hold words.
    pub(crate) fn with_words() -> impl Iterator<Item = Self> {
        Self::all().filter(|key| matches!(key.kind(), Kind::Text | Kind::List))
    }

    /// Whether what it holds is nobody's business who looks over a shoulder: a
    /// webhook's address is as good as a password.
    pub(crate) fn is_secret(self) -> bool {
        matches!(self, Self::NotifyWebhook | Self::NotifySecret)
    }

    /// The signal it is about.
    pub(super) fn signal(self) -> Option<Signal> {
        match self {
            Self::SignalWarn(signal) | Self::SignalTrip(signal) | Self::SignalEnabled(signal) => {
                Some(signal)
            }
            _ => None,
        }
    }
}

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
            Self::Number { .. } | Self::Switch | Self::List => None,
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
            Self::Preset | Self::Hash | Self::Number { .. } | Self::Text | Self::List => {
                amount.to_string()
            }
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
