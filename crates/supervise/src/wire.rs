//! What supervisor and keeper say to each other: one line per message.

use std::time::Duration;

use crate::report::{LeaderEnd, Survivor};
use crate::start_failure::StartFailure;

/// From supervisor to keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Take the tree down, politely first.
    Stop,
    /// Take the tree down at once.
    Kill,
}

impl Order {
    pub(crate) fn encode(self) -> &'static str {
        match self {
            Self::Stop => "stop\n",
            Self::Kill => "kill\n",
        }
    }

    pub(crate) fn parse(line: &str) -> Option<Self> {
        match line {
            "stop" => Some(Self::Stop),
            "kill" => Some(Self::Kill),
            _ => None,
        }
    }
}

/// The keeper's closing account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) stragglers: u32,
    pub(crate) killed: u32,
    pub(crate) cpu: Duration,
}

/// From keeper to supervisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// The command has ended.
    Leader(LeaderEnd),
    /// The command never ran.
    NotStarted(StartFailure),
    /// The overall limit passed and nobody said so.
    Overdue,
    /// The tree was made to stand still for this long, and goes on.
    Stood(Duration),
    /// This process could not be ended.
    Escaped(Survivor),
    /// The tree is gone, as far as it will go. The last message.
    Done(Tally),
    /// The keeper could not do its work. The last message.
    Failed(String),
}

impl News {
    pub(crate) fn encode(&self) -> String {
        match self {
            Self::Leader(LeaderEnd::Exited(code)) => format!("exited {code}\n"),
            Self::Leader(LeaderEnd::Signaled(signal)) => format!("signaled {signal}\n"),
            Self::NotStarted(failure) => format!("not-started {}\n", failure.encode()),
            Self::Overdue => "overdue -\n".to_owned(),
            Self::Stood(time) => format!("stood {}\n", time.as_millis()),
            Self::Escaped(Survivor { pid, start, name }) => {
                format!("escaped {pid} {start} {}\n", one_line(name))
            }
            Self::Done(Tally {
                stragglers,
                killed,
                cpu,
            }) => {
                format!("done {stragglers} {killed} {}\n", cpu.as_millis())
            }
            Self::Failed(why) => format!("failed {}\n", one_line(why)),
        }
    }

    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "exited" => Some(Self::Leader(LeaderEnd::Exited(rest.parse().ok()?))),
            "signaled" => Some(Self::Leader(LeaderEnd::Signaled(rest.parse().ok()?))),
            "not-started" => StartFailure::parse(rest).map(Self::NotStarted),
            "overdue" => Some(Self::Overdue),
            "stood" => Some(Self::Stood(Duration::from_millis(rest.parse().ok()?))),
            "escaped" => parse_survivor(rest).map(Self::Escaped),
            "done" => parse_tally(rest).map(Self::Done),
            "failed" => Some(Self::Failed(rest.to_owned())),
            _ => None,
        }
    }
}

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

fn parse_survivor(text: &str) -> Option<Survivor> {
    let mut fields = text.splitn(3, ' ');
    Some(Survivor {
        pid: fields.next()?.parse().ok()?,
        start: fields.next()?.parse().ok()?,
        name: fields.next()?.to_owned(),
    })
}

fn parse_tally(text: &str) -> Option<Tally> {
    let mut fields = text.split(' ');
    Some(Tally {
        stragglers: fields.next()?.parse().ok()?,
        killed: fields.next()?.parse().ok()?,
        cpu: Duration::from_millis(fields.next()?.parse().ok()?),
    })
}

/// A door for the fuzzer: what is understood of a line is understood of what is made of it.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_line(line: &str) {
    let _ = Order::parse(line);
    if let Some(news) = News::parse(line) {
        let again = news.encode();
        assert_eq!(again.matches('\n').count(), 1, "{again:?}");
        assert_eq!(News::parse(again.trim_end_matches('\n')), Some(news));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start_failure::StartFailureKind;

    #[test]
    fn every_message_reads_back() {
        let survivor = Survivor {
            pid: 7,
            start: 99,
            name: "a b".to_owned(),
        };
        let tally = Tally {
            stragglers: 1,
            killed: 2,
            cpu: Duration::from_millis(30),
        };
        let failure = StartFailure {
            kind: StartFailureKind::NotFound,
            errno: 2,
        };
        for news in [
            News::Leader(LeaderEnd::Exited(3)),
            News::Leader(LeaderEnd::Signaled(9)),
            News::NotStarted(failure),
            News::Overdue,
            News::Stood(Duration::from_millis(40)),
            News::Escaped(survivor),
            News::Done(tally),
            News::Failed("no room left".to_owned()),
        ] {
            let line = news.encode();
            assert_eq!(News::parse(line.strip_suffix('\n').unwrap()), Some(news));
        }
        for order in [Order::Stop, Order::Kill] {
            assert_eq!(Order::parse(order.encode().trim_end()), Some(order));
        }
    }

    #[test]
    fn nothing_breaks_a_message_into_two() {
        let news = News::Failed("first\nexited 0".to_owned());
        assert_eq!(news.encode().matches('\n').count(), 1);
    }

    #[test]
    fn nonsense_is_no_message() {
        for line in [
            "",
            "exited",
            "exited x",
            "done 1 2",
            "escaped 1",
            "hello you",
        ] {
            assert_eq!(News::parse(line), None, "{line:?}");
        }
    }
}
