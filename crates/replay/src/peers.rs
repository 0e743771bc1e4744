//! What other projects publish for finding loops in a session, at the thresholds they ship.
//!
//! A share of caught loops means little on its own: it has to be held against what
//! others would have caught, and harmed, on the very same sessions. These are the rules
//! as their projects describe them, in our words and over our events. What they look at
//! beside calls, answers and messages (chanting text, a second model's opinion, counts
//! of mistakes) is left out. Answers are compared without what changes from run to
//! run, which can only make a rule find more.

use std::collections::HashMap;

use fusebox_core::calls::{CallEvent, Digest, Status};

use crate::score::{Case, Found};

/// The calls that Gemini CLI looks back on, and how often a cycle has to come.
const GEMINI: (usize, usize, usize) = (25, 5, 5);
/// The longest cycle that is looked for among all calls.
const LONGEST: usize = 12;
/// How many events OpenHands looks back on.
const LOOKED_AT: usize = 20;

/// A rule that another project ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// opencode, as if its rule reached beyond one message.
    OpenCode,
    /// Roo Code.
    RooCode,
    /// Cline, where it stops.
    Cline,
    /// Gemini CLI, its rule about calls.
    GeminiCli,
    /// OpenHands.
    OpenHands,
    /// ForgeCode, which only reminds.
    ForgeCode,
}

impl Peer {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::OpenHands,
        Self::ForgeCode,
        Self::OpenCode,
        Self::RooCode,
        Self::Cline,
        Self::GeminiCli,
    ];

    /// The project, and its rule in a few words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenCode => "opencode: 3 equal calls",
            Self::RooCode => "Roo Code: 4 equal calls",
            Self::Cline => "Cline: 5 equal calls",
            Self::GeminiCli => "Gemini CLI: a cycle of up to 5, 5 times",
            Self::OpenHands => "OpenHands: 4 equal steps, 3 pairs, 3 messages",
            Self::ForgeCode => "ForgeCode: any cycle, 3 times",
        }
    }

    /// The call after which it would have spoken up.
    #[must_use]
    pub fn speaks_up_in(self, case: &Case) -> Found {
        let steps = steps(&case.events);
        let at = (1..=steps.len()).find(|seen| self.finds_a_loop(&steps[..*seen]));
        let calls = at.map(|seen| steps[..seen].iter().filter(|step| step.is_call()).count());
        let at = calls.and_then(|calls| u32::try_from(calls).ok());
        Found { warn: at, trip: at }
    }

    fn finds_a_loop(self, steps: &[Step]) -> bool {
        match self {
            Self::OpenCode => repeats(&since_user(steps), 1, 3),
            Self::RooCode => repeats(&since_user(steps), 1, 4),
            Self::Cline => repeats(&since_user(steps), 1, 5),
            Self::GeminiCli => {
                let (window, longest, times) = GEMINI;
                let calls = since_user(steps);
                let calls = &calls[calls.len().saturating_sub(window)..];
                (1..=longest).any(|period| repeats(calls, period, times))
            }
            Self::ForgeCode => {
                let calls = calls(steps);
                (1..=LONGEST).any(|period| repeats(&calls, period, 3))
            }
            Self::OpenHands => is_stuck(after_user(steps)),
        }
    }
}

/// What a rule sees of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Call {
        call: Digest,
        /// What was said before it.
        thought: Option<Digest>,
        answer: Option<(Digest, bool)>,
    },
    /// A turn that ended without a call.
    Message,
    User,
}

impl Step {
    fn is_call(&self) -> bool {
        matches!(self, Self::Call { .. })
    }
}

fn steps(events: &[CallEvent]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut asked = HashMap::new();
    let mut said = None;
    for event in events {
        match event {
            CallEvent::Said(words) => said = Some(words.digest),
            CallEvent::Call(call) => {
                asked.insert(call.id, steps.len());
                steps.push(Step::Call {
                    call: call.digest,
                    thought: said.take(),
                    answer: None,
                });
            }
            CallEvent::Result(result) => {
                let at = asked.get(&result.id).copied();
                if let Some(Step::Call { answer, .. }) = at.and_then(|at| steps.get_mut(at)) {
                    *answer = Some((result.digest, result.status == Status::Failed));
                }
            }
            CallEvent::TurnEnded => {
                said = None;
                steps.push(Step::Message);
            }
            CallEvent::User { .. } => steps.push(Step::User),
            CallEvent::Ours | CallEvent::Woken | CallEvent::Compacted | CallEvent::Spent { .. } => {
            }
        }
    }
    complete(&mut steps);
    steps
}

/// A session that was cut off has a last call without an answer. It is taken to have had
/// the one that the same call had before.
fn complete(steps: &mut [Step]) {
    let mut known: HashMap<Digest, (Digest, bool)> = HashMap::new();
    for step in steps {
        if let Step::Call { call, answer, .. } = step {
            match *answer {
                Some(answer) => drop(known.insert(*call, answer)),
                None => *answer = known.get(call).copied(),
            }
        }
    }
}

fn after_user(steps: &[Step]) -> &[Step] {
    let user = steps.iter().rposition(|step| *step == Step::User);
    &steps[user.map_or(0, |at| at + 1)..]
}

fn since_user(steps: &[Step]) -> Vec<Digest> {
    calls(after_user(steps))
}

fn calls(steps: &[Step]) -> Vec<Digest> {
    let calls = steps.iter().filter_map(|step| match step {
        Step::Call { call, .. } => Some(*call),
        Step::Message | Step::User => None,
    });
    calls.collect()
}

/// Whether the last `period` of them came `times` times in a row.
fn repeats(calls: &[Digest], period: usize, times: usize) -> bool {
    let Some(start) = calls.len().checked_sub(period * times) else {
        return false;
    };
    let tail = &calls[start..];
    tail.iter()
        .zip(&tail[period..])
        .all(|(one, next)| one == next)
}

fn is_stuck(steps: &[Step]) -> bool {
    let messages = steps
        .iter()
        .rev()
        .take_while(|step| **step == Step::Message);
    if messages.count() >= 3 {
        return true;
    }
    // A call and its answer are two events there.
    let weight = |step: &Step| if step.is_call() { 2 } else { 1 };
    let mut seen = 0;
    let recent: Vec<&Step> = steps
        .iter()
        .rev()
        .take_while(|step| {
            seen += weight(step);
            seen <= LOOKED_AT
        })
        .filter(|step| step.is_call())
        .collect();
    let same_action = |one: &Step, other: &Step| match (one, other) {
        (
            Step::Call { call, thought, .. },
            Step::Call {
                call: also,
                thought: again,
                ..
            },
        ) => call == also && thought == again,
        _ => false,
    };
    let failed = |step: &Step| {
        matches!(
            step,
            Step::Call {
                answer: Some((_, true)),
                ..
            }
        )
    };
    let equal = |count: usize, test: &dyn Fn(&Step) -> bool| {
        recent.len() >= count && recent[..count].iter().all(|step| test(step))
    };
    recent.first().is_some_and(|last| {
        equal(4, &|step| step == *last) || equal(4, &|step| same_action(step, last) && failed(step))
    }) || (recent.len() >= 6 && (0..4).all(|at| recent[at] == recent[at + 2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session in letters: a call and its answer, upper case if that failed, `.` for a
    /// turn without a call, `!` for a person.
    fn steps_of(text: &str) -> Vec<Step> {
        let digest = |letter: char| Digest::of(letter.to_string().as_bytes());
        let step = |letter: char| match letter {
            '.' => Step::Message,
            '!' => Step::User,
            letter => Step::Call {
                call: digest(letter.to_ascii_lowercase()),
                thought: None,
                answer: Some((digest(letter), letter.is_ascii_uppercase())),
            },
        };
        text.chars().map(step).collect()
    }

    #[test]
    fn each_rule_speaks_up_where_its_project_says() {
        let table = [
            (Peer::OpenCode, "aaa", "aabaa"),
            (Peer::RooCode, "aaaa", "aaa!a"),
            (Peer::Cline, "baaaaa", "aaaa"),
            (Peer::GeminiCli, "ababababab", "abababab"),
            (Peer::GeminiCli, "aaaaa", "aaa!aa"),
            (Peer::ForgeCode, "xabcabcabc", "abcabc"),
            (Peer::ForgeCode, "aa!a", "aa!b"),
            (Peer::OpenHands, "aaaa", "aaa"),
            (Peer::OpenHands, "AAAA", "AAA"),
            (Peer::OpenHands, "ababab", "ababa"),
            (Peer::OpenHands, "a...", "a..!."),
        ];
        for (peer, a_loop, none) in table {
            assert!(peer.finds_a_loop(&steps_of(a_loop)), "{peer:?} {a_loop}");
            assert!(!peer.finds_a_loop(&steps_of(none)), "{peer:?} {none}");
        }
    }

    #[test]
    fn other_words_hide_a_loop_from_who_compares_them() {
        let mut steps = steps_of("aaaa");
        if let Step::Call { thought, .. } = &mut steps[1] {
            *thought = Some(Digest::of(b"another idea"));
        }
        assert!(!Peer::OpenHands.finds_a_loop(&steps));
        assert!(Peer::RooCode.finds_a_loop(&steps));
    }
}
