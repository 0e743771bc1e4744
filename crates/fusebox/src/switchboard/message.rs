//! What is said over the socket: one line of JSON each way.
//!
//! A hook sends no text of the agent's, only what the detector makes of it: identities, and
//! a few words for people. That keeps a message small and leaves nothing to parse twice.

use fusebox_core::calls::reading::WORDS_BYTES;
use fusebox_core::calls::{Call, CallResult, CallVerdict, Digest, Said};
use serde::{Deserialize, Serialize};

/// The largest message, in either direction.
pub(super) const MOST_BYTES: usize = 16 * 1024;
/// The version of what is said. Both sides are the same program, unless it was replaced
/// while a loop was running.
const VERSION: u16 = 1;
/// The most pieces of text before a call.
const MOST_SAID: usize = 64;

/// What a hook reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Report {
    version: u16,
    pub(crate) whose: Whose,
    /// Whether the agent would hear a word of advice at this point.
    pub(crate) listens: bool,
    pub(crate) about: About,
}

/// Whose call it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Whose {
    /// The session, as the agent names it.
    pub(crate) session: Digest,
    /// The sub-agent, if it is one's.
    pub(crate) part: Option<Digest>,
    /// Whether the agent names its calls to hooks at all.
    pub(crate) named: bool,
    /// Whether it names them, and its tools, as it does in its stream.
    pub(crate) as_in_stream: bool,
}

/// What it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum About {
    /// A call is about to be made.
    Before {
        /// What the agent wrote before it.
        said: Vec<Said>,
        call: Call,
        /// The hook does not let it run, whatever is said of it.
        refused: bool,
    },
    /// A call was answered.
    After(CallResult),
}

/// What a hook is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// There is nothing to say.
    Nothing,
    /// What is said of the session at this point.
    Verdict(CallVerdict),
    /// No account is kept of this conversation: the hook is to keep its own.
    Elsewhere,
}

impl Report {
    pub(crate) fn new(whose: Whose, listens: bool, mut about: About) -> Self {
        if let About::Before { said, .. } = &mut about {
            said.drain(..said.len().saturating_sub(MOST_SAID));
        }
        Self {
            version: VERSION,
            whose,
            listens,
            about,
        }
    }

    /// Reads what somebody sent; nothing, unless a hook of ours could have sent it.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let report: Self = serde_json::from_slice(bytes).ok()?;
        let (said, words) = match &report.about {
            About::Before { said, call, .. } => (said.len(), &call.words),
            About::After(result) => (0, &result.words),
        };
        let plain = words.len() <= WORDS_BYTES && !words.contains(char::is_control);
        (report.version == VERSION && said <= MOST_SAID && plain).then_some(report)
    }
}

/// One line; nothing, if it would be too long to be read.
pub(super) fn line(message: &impl Serialize) -> Option<Vec<u8>> {
    let mut line = serde_json::to_vec(message).ok()?;
    line.push(b'\n');
    (line.len() <= MOST_BYTES).then_some(line)
}

/// A door for the fuzzer: what is taken for a hook's report is one that a hook could have sent.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_report(bytes: &[u8]) {
    let Some(report) = Report::read(bytes) else {
        return;
    };
    let again = serde_json::to_vec(&report).expect("a report can be written");
    assert_eq!(Report::read(&again), Some(report));
}

#[cfg(test)]
pub(super) mod tests {
    use fusebox_core::calls::{Arguments, reading};

    use super::*;

    /// A report of a call that is about to be made.
    pub(in super::super) fn report(words: &str) -> Report {
        let mut call = reading::call("t-1", "Bash", &Arguments::read(r#"{"command":"ls"}"#));
        call.words = words.into();
        let whose = Whose {
            session: Digest::of(b"s"),
            part: None,
            named: true,
            as_in_stream: true,
        };
        let about = About::Before {
            said: vec![reading::said("Now.")],
            call,
            refused: false,
        };
        Report::new(whose, true, about)
    }

    #[test]
    fn what_a_hook_sends_is_read_back() {
        let sent = report("Bash ls");
        assert_eq!(Report::read(&line(&sent).unwrap()), Some(sent));
    }

    /// Or the fuzzer would begin with nothing but refusals.
    #[test]
    fn what_the_fuzzer_begins_with_is_read() {
        for seed in [
            include_bytes!("../../../../fuzz/seeds/switchboard/before.json").as_slice(),
            include_bytes!("../../../../fuzz/seeds/switchboard/after.json"),
        ] {
            assert!(Report::read(seed).is_some());
        }
    }

    #[test]
    fn what_no_hook_sends_is_not_read() {
        let sent = String::from_utf8(line(&report("Bash ls")).unwrap()).unwrap();
        let said = r#"{"digest":1,"bytes":1,"claims_done":false,"outage":false},"#;
        let many = format!(r#""said":[{}"#, said.repeat(MOST_SAID));
        for (what, text) in [
            ("nothing", String::new()),
            ("a list", "[]".into()),
            ("half of one", sent[..sent.len() / 2].into()),
            (
                "another version",
                sent.replace(r#""version":1"#, r#""version":2"#),
            ),
            (
                "one word more",
                sent.replace(r#"{"version""#, r#"{"reset":true,"version""#),
            ),
            ("another event", sent.replace("before", "user")),
            ("a control character", sent.replace("Bash ls", r"\u001b[2J")),
            (
                "a long name",
                sent.replace("Bash ls", &"x".repeat(WORDS_BYTES + 1)),
            ),
            ("too much said", sent.replace(r#""said":["#, &many)),
        ] {
            assert_eq!(Report::read(text.as_bytes()), None, "{what}");
        }
    }

    #[test]
    fn only_the_last_words_before_a_call_are_sent() {
        let About::Before { call, .. } = report("Bash ls").about else {
            panic!("it is about to be made");
        };
        let said: Vec<Said> = (0..200).map(|n| reading::said(&n.to_string())).collect();
        let newest = said.last().cloned();
        let about = About::Before {
            said,
            call,
            refused: false,
        };
        let sent = Report::new(report("").whose, true, about);
        let read = Report::read(&line(&sent).unwrap()).unwrap();
        let About::Before { said, .. } = read.about else {
            panic!("it is about to be made");
        };
        assert_eq!((said.len(), said.last().cloned()), (MOST_SAID, newest));
    }
}
