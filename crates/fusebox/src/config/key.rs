//! Every key there is. Reading, suggesting, showing and the schema all walk
//! this one table, so none of them can know a key that another does not.

use fusebox_core::policy::{MOST_CALLS, Policy, THRESHOLD_RANGE};
use fusebox_core::signals::Signal;

use super::fleet_keys::FleetKey;
use super::kind::Kind;
use super::loop_key::{self, LoopKey};
use super::pattern_key::PatternKey;
use super::table::GENERAL;
use super::task_keys::TaskKey;

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
    Escalation,
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
    NotifyDesktopFor,
    NotifyWebhook,
    NotifySecret,
    NotifyWebhookFor,
    NotifyPrivate,
    NotifyCommand,
    NotifyCommandFor,
    Protect,
    ProtectTools,
    Task(TaskKey),
    Fleet(FleetKey),
    Pattern(PatternKey),
    Loop(LoopKey),
}

impl Key {
    /// All keys, in the order they are shown.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let general = GENERAL.into_iter().map(|(key, ..)| key);
        let tasks = TaskKey::ALL.into_iter().map(Self::Task);
        let fleet = FleetKey::ALL.into_iter().map(Self::Fleet);
        let signals = Signal::ALL.into_iter().flat_map(Self::of_signal);
        let patterns = PatternKey::all().map(Self::Pattern);
        let loops = LoopKey::all().map(Self::Loop);
        general
            .chain(tasks)
            .chain(fleet)
            .chain(patterns)
            .chain(signals)
            .chain(loops)
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
            Self::Task(key) => key.row().0.into(),
            Self::Fleet(key) => key.row().0.into(),
            Self::Pattern(key) => format!("patterns.{}", key.name()),
            Self::Loop(key) => key.path(),
            other => other.general().map_or_else(String::new, |row| row.1.into()),
        }
    }

    /// What it is for.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::SignalWarn(_) => "warns at this value",
            Self::SignalTrip(_) => "trips at this value",
            Self::SignalEnabled(_) => "whether the signal is read, where the preset leaves it open",
            Self::Task(key) => key.row().1,
            Self::Fleet(key) => key.row().1,
            Self::Pattern(key) => key.about(),
            Self::Loop(key) => key.about(),
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
            Self::Task(key) => key.kind(),
            // What was met once is no repetition.
            Self::Loop(_) => Kind::Number {
                least: 2,
                most: loop_key::MOST,
            },
            Self::Operator => Kind::Hash,
            Self::StagnationThreshold
            | Self::SignalWarn(_)
            | Self::SignalTrip(_)
            | Self::Pattern(PatternKey::Threshold(_)) => threshold,
            Self::StagnationAction => Kind::Action,
            Self::SignalEnabled(_)
            | Self::Pattern(_)
            | Self::Escalation
            | Self::Wait
            | Self::Observe
            | Self::NotifyPrivate
            | Self::NotifyDesktop => Kind::Switch,
            Self::Agent
            | Self::Permissions
            | Self::TestCommand
            | Self::BuildCommand
            | Self::CriteriaFile
            | Self::NotifyWebhook
            | Self::NotifySecret
            | Self::Fleet(_) => Kind::Text,
            Self::Models
            | Self::AgentArgs
            | Self::RequiredFiles
            | Self::NotifyDesktopFor
            | Self::NotifyWebhookFor
            | Self::NotifyCommand
            | Self::NotifyCommandFor
            | Self::ProtectTools => Kind::List,
            Self::Protect => Kind::Paths,
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

    /// Whether it is about what no way of working has a say in: budgets, how long
    /// the past is kept, and who is told.
    pub(super) fn is_outside_presets(self) -> bool {
        matches!(
            self,
            Self::RetentionAge
                | Self::RetentionBytes
                | Self::TokenLimit
                | Self::TokenWindow
                | Self::TokenWarnPercent
                | Self::MoneyLimit
                | Self::MoneyWindow
                | Self::MoneyWarnPercent
                | Self::NotifyDesktop
                | Self::NotifyPrivate
                | Self::Task(TaskKey::Recover | TaskKey::StaleSeconds | TaskKey::Reopens)
        )
    }

    /// Whether a repository may set it. What starts a program, sends something
    /// somewhere or speaks for a person is never a repository's to say.
    pub(super) fn may_come_from_a_repository(self) -> bool {
        match self {
            Self::RequiredFiles => true,
            Self::Operator | Self::NotifyDesktop | Self::NotifyPrivate => false,
            other => !matches!(other.kind(), Kind::Text | Kind::List),
        }
    }

    /// The keys that hold words.
    pub(crate) fn with_words() -> impl Iterator<Item = Self> {
        Self::all().filter(|key| matches!(key.kind(), Kind::Text | Kind::List))
    }

    /// Whether it holds several words.
    pub(crate) fn is_list(self) -> bool {
        self.kind() == Kind::List
    }

    /// Whether what it holds is nobody's business who looks over a shoulder: a
    /// webhook's address is as good as a password.
    pub(crate) fn is_secret(self) -> bool {
        matches!(
            self,
            Self::NotifyWebhook | Self::NotifySecret | Self::Fleet(FleetKey::Url)
        )
    }

    /// What it is about, where `policy` does not look at that at all.
    pub(super) fn unread_by(self, policy: &Policy) -> Option<&'static str> {
        match self {
            Self::Pattern(_) => policy.patterns.is_none().then_some("patterns"),
            Self::Loop(_) => (!policy.in_session.acts()).then_some("loops"),
            _ => None,
        }
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
