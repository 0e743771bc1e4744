//! Which notices go where.

use crate::notice::{Kind, Notice, Severity};
use crate::sink::Sink;

/// A sink, and which notices it is for.
#[derive(Debug)]
pub struct Route {
    pub(crate) sink: Sink,
    wanted: Wanted,
}

impl Route {
    /// Carries to `sink` what is `wanted` there.
    #[must_use]
    pub fn new(sink: Sink, wanted: Wanted) -> Self {
        Self { sink, wanted }
    }

    pub(crate) fn takes(&self, notice: &Notice) -> bool {
        self.wanted.includes(notice)
    }
}

/// What somebody wants to hear of; everything unless they said otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Of this urgency, and graver.
    from: Option<Severity>,
    events: Vec<Kind>,
}

impl Wanted {
    /// Read from words: a severity means that and graver, the name of an event that
    /// event. Without words it is everything.
    ///
    /// # Errors
    /// The word that is neither.
    pub fn of<'w>(words: impl IntoIterator<Item = &'w str>) -> Result<Self, String> {
        let mut wanted = Self::default();
        for word in words {
            let severity = Severity::ALL.into_iter().find(|one| one.word() == word);
            let event = Kind::ALL.into_iter().find(|kind| kind.event() == word);
            match (severity, event) {
                (Some(severity), _) => {
                    wanted.from = Some(wanted.from.map_or(severity, |from| from.min(severity)));
                }
                (None, Some(event)) => wanted.events.push(event),
                (None, None) => return Err(word.to_owned()),
            }
        }
        Ok(wanted)
    }

    /// Whoever tries whether notices arrive wants to see one everywhere.
    fn includes(&self, notice: &Notice) -> bool {
        *self == Self::default()
            || notice.kind == Kind::Test
            || self.from.is_some_and(|from| notice.severity >= from)
            || self.events.contains(&notice.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_by_severity_and_by_event() {
        for (words, kind, expected) in [
            (&[][..], Kind::Finished, true),
            (&["critical"], Kind::Tripped, true),
            (&["critical"], Kind::Warned, false),
            (&["warning"], Kind::Tripped, true),
            (&["critical", "run.finished"], Kind::Finished, true),
            (&["critical", "run.finished"], Kind::Ended, false),
            (&["circuit.opened"], Kind::Paused, false),
            (&["critical", "info"], Kind::Finished, true),
            (&["circuit.opened"], Kind::Test, true),
        ] {
            let wanted = Wanted::of(words.iter().copied()).unwrap();
            let notice = Notice::new(kind, "", 0);
            assert_eq!(wanted.includes(&notice), expected, "{words:?} {kind:?}");
        }
        assert_eq!(Wanted::of(["loud"]), Err("loud".into()));
    }
}
