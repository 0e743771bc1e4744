//! Reading a ref's log: one line for each time it moved, with the reason.

use super::HeadMove;
use crate::gitdir::GitDir;

/// Some five hundred moves: more than an iteration makes.
const TAIL: u64 = 128 << 10;

/// The last moves of one ref, oldest first.
pub(super) struct Past(Vec<Step>);

struct Step {
    from: String,
    to: String,
    reason: Reason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The old commit is an ancestor of the new one.
    Forward,
    Amend,
    Rewrite,
    Unknown,
}

/// How many lines a ref's log has, as far as its tail tells.
pub(super) fn count(git_dir: &GitDir, name: &str) -> usize {
    let tail = read_tail(git_dir, name).unwrap_or_default();
    tail.split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .count()
}

fn read_tail(git_dir: &GitDir, name: &str) -> Option<Vec<u8>> {
    let log = format!("logs/{name}");
    // Each work tree has a HEAD of its own; everything else they share.
    if name == "HEAD" {
        git_dir.read_tail(&log, TAIL)
    } else {
        git_dir.read_shared_tail(&log, TAIL)
    }
}

impl Past {
    pub(super) fn read(git_dir: &GitDir, name: &str) -> Option<Self> {
        read_tail(git_dir, name).map(|tail| Self::parse(&tail))
    }

    fn parse(log: &[u8]) -> Self {
        let lines = log.split(|byte| *byte == b'\n');
        Self(lines.filter_map(Step::parse).collect())
    }

    /// How the ref came from one commit to another.
    ///
    /// The log has to lead to where the ref is now, step by step from where it was: a log
    /// that was cut, switched off or edited answers nothing.
    pub(super) fn between(&self, from: Option<&str>, to: &str) -> HeadMove {
        if self.0.last().is_none_or(|step| step.to != to) {
            return HeadMove::Unclear;
        }
        let begins = |step: &Step| match from {
            Some(from) => step.from == from,
            None => step.from.bytes().all(|digit| digit == b'0'),
        };
        let Some(first) = self.0.iter().rposition(begins) else {
            return HeadMove::Unclear;
        };
        let steps = &self.0[first..];
        if steps.windows(2).any(|pair| pair[0].to != pair[1].from) {
            return HeadMove::Unclear;
        }
        judge(steps)
    }
}

fn judge(steps: &[Step]) -> HeadMove {
    let mut commits = 0;
    let mut amended = false;
    for step in steps {
        match step.reason {
            Reason::Forward => commits += 1,
            // Amending a commit that was made just now takes nothing away.
            Reason::Amend => amended |= commits == 0,
            Reason::Rewrite => return HeadMove::Rewritten,
            Reason::Unknown => return HeadMove::Unclear,
        }
    }
    if amended {
        HeadMove::Amended
    } else {
        HeadMove::Committed { commits }
    }
}

impl Step {
    /// Reads `<old> <new> <who> <when>\t<reason>`.
    fn parse(line: &[u8]) -> Option<Self> {
        let line = String::from_utf8_lossy(line);
        let (facts, reason) = line.split_once('\t')?;
        let mut ids = facts.split(' ');
        Some(Self {
            from: ids.next()?.to_owned(),
            to: ids.next()?.to_owned(),
            reason: Reason::of(reason),
        })
    }
}

impl Reason {
    fn of(text: &str) -> Self {
        let action = text.split(':').next().unwrap_or_default();
        let word = action.split(' ').next().unwrap_or_default();
        match (word, action) {
            (_, "commit (amend)") => Self::Amend,
            _ if action.contains("rebase") => Self::Rewrite,
            ("reset" | "branch", _) => Self::Rewrite,
            ("commit" | "merge" | "cherry-pick" | "revert" | "pull" | "am", _) => Self::Forward,
            _ => Self::Unknown,
        }
    }
}

/// A door for the fuzzer: a log says nothing of where it does not begin or does not lead, and
/// counts no more commits than it has lines.
#[cfg(feature = "fuzzing")]
pub(crate) fn read_log(log: &[u8]) {
    const ELSEWHERE: &str = "no id";
    let past = Past::parse(log);
    let (Some(first), Some(last)) = (past.0.first(), past.0.last()) else {
        return;
    };
    for from in [None, Some(ELSEWHERE), Some(first.from.as_str())] {
        assert_eq!(past.between(from, ELSEWHERE), HeadMove::Unclear);
        let moved = past.between(from, &last.to);
        assert!(from != Some(ELSEWHERE) || moved == HeadMove::Unclear);
        if let HeadMove::Committed { commits } = moved {
            assert!((1..=past.0.len()).contains(&commits));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A log of one-letter ids; `0` stands for "nothing before".
    fn past(lines: &[(&str, &str, &str)]) -> Past {
        let line = |(from, to, reason): &(&str, &str, &str)| {
            format!("{from} {to} A <a@b> 1 +0000\t{reason}")
        };
        Past(
            lines
                .iter()
                .filter_map(|it| Step::parse(line(it).as_bytes()))
                .collect(),
        )
    }

    #[test]
    fn logs_tell_how_a_branch_moved() {
        use HeadMove::{Amended, Rewritten, Unclear};
        let committed = |commits| HeadMove::Committed { commits };
        let c = "commit: words: with colons";
        for (lines, from, to, expected) in [
            (&[("a", "b", c)][..], Some("a"), "b", committed(1)),
            (
                &[("0", "a", "commit (initial): x")],
                None,
                "a",
                committed(1),
            ),
            (
                &[("a", "b", c), ("b", "c", c)],
                Some("a"),
                "c",
                committed(2),
            ),
            (
                &[("a", "b", "commit (merge): x")],
                Some("a"),
                "b",
                committed(1),
            ),
            (
                &[("a", "b", "pull: Fast-forward")],
                Some("a"),
                "b",
                committed(1),
            ),
            (&[("a", "b", "commit (amend): x")], Some("a"), "b", Amended),
            (
                &[("a", "b", c), ("b", "c", "commit (amend): x")],
                Some("a"),
                "c",
                committed(1),
            ),
            (
                &[("b", "a", "reset: moving to HEAD~1")],
                Some("b"),
                "a",
                Rewritten,
            ),
            (
                &[("a", "b", "pull --rebase (finish): x")],
                Some("a"),
                "b",
                Rewritten,
            ),
            (
                &[("a", "b", "rebase (finish): refs/heads/main onto c")],
                Some("a"),
                "b",
                Rewritten,
            ),
            // The log does not lead here, has a hole, or says what nobody knows.
            (&[("a", "b", c)], Some("a"), "x", Unclear),
            (&[("a", "b", c), ("x", "c", c)], Some("a"), "c", Unclear),
            (&[("b", "c", c)], Some("a"), "c", Unclear),
            (&[("a", "b", "magic: trick")], Some("a"), "b", Unclear),
            (&[("a", "b", "")], Some("a"), "b", Unclear),
            (&[], Some("a"), "b", Unclear),
        ] {
            assert_eq!(past(lines).between(from, to), expected, "{lines:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_skipped(line in proptest::collection::vec(any::<u8>(), 0..80)) {
            Step::parse(&line);
        }
    }
}
