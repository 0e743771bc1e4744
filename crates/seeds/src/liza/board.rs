//! The blackboard, as far as the observer reads it: the anomalies, when the sprint
//! began, and its own section.

use fusebox_core::patterns::Anomaly;
use fusebox_edit::yaml::{Broken, Document, Node, Place, Wanted};

use super::{anomaly, moment};

const SECTION: &str = "circuit_breaker";
const ANOMALIES: &str = "anomalies";

/// The most anomalies that are read. Others may write as many as they like, and each is held
/// in memory for as long as patterns are looked for.
pub(super) const MOST_ANOMALIES: usize = 50_000;

/// What is read of a blackboard.
#[derive(Clone, Debug)]
pub struct Board {
    place: Place,
    /// The anomalies that patterns may count.
    pub anomalies: Vec<Anomaly>,
    /// Anomalies that no pattern counts, and why not.
    pub passed: Vec<Passed>,
    /// When the current sprint began, if the blackboard says so.
    pub sprint_ms: Option<i64>,
    /// What the section of the breaker says.
    pub status: BoardStatus,
    /// Why it was triggered, if it is.
    pub trigger: Option<Past>,
    /// What it was before.
    pub history: Vec<Past>,
}

/// An anomaly that no pattern counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The line it begins on.
    pub line: usize,
    /// Why not.
    pub why: String,
}

/// What the section of the breaker says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardStatus {
    /// There is no such section, or it does not say.
    Absent,
    /// All is well.
    Ok,
    /// Halted.
    Triggered,
    /// Something that nobody knows.
    Other(String),
}

/// A check of the past, in the words of the blackboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// When.
    pub timestamp: Option<String>,
    /// Which pattern, if one was there.
    pub pattern: Option<String>,
    /// How far up the problem lay.
    pub severity: Option<String>,
    /// What came of it.
    pub result: Option<String>,
    /// How a person corrected it.
    pub resolution: Option<String>,
    /// When they did.
    pub resolved_at: Option<String>,
}

impl Board {
    /// Reads a blackboard.
    ///
    /// # Errors
    /// [`Broken`] if it is not sound YAML, or what the observer reads has another
    /// shape than it must have.
    pub fn read(text: &str) -> Result<Self, Broken> {
        let mut found = Found::default();
        let document = Document::parse_parts(text, &wanted, &mut |node| found.take(&node))?;
        let root = document.root();
        if root.entries().is_none() && !root.is_null() {
            return Err(wrong(root, "the blackboard is not a list of sections"));
        }
        let sprint_ms = sprint(root)?;
        if let Some(list) = root.get(ANOMALIES)
            && list.items().is_none()
            && !list.is_null()
        {
            return Err(wrong(list, "`anomalies` is not a list"));
        }
        let (anomalies, passed) = found.dated(sprint_ms.unwrap_or(0));
        let section = root.get(SECTION);
        if let Some(section) = section
            && section.entries().is_none()
            && !section.is_null()
        {
            return Err(wrong(
                section,
                "`circuit_breaker` does not hold names and values",
            ));
        }
        let trigger = section.and_then(|section| section.get("current_trigger"));
        let trigger = trigger
            .filter(|trigger| trigger.entries().is_some())
            .map(Past::of);
        let history = history(section)?;
        Ok(Self {
            anomalies,
            passed,
            sprint_ms,
            status: BoardStatus::of(section.and_then(|section| section.get("status"))),
            trigger,
            history,
            place: document.place(SECTION)?,
        })
    }

    /// The section of the breaker in the text that was read, word for word.
    #[must_use]
    pub fn section<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.place.section(text)
    }

    /// The text that was read with another section of the breaker.
    #[must_use]
    pub fn with_section(&self, text: &str, section: &str) -> String {
        self.place.fill(text, section)
    }

    /// How a person said that the trigger of this moment was corrected. Whoever
    /// moved it with other tools may have left an entry without a result. If the breaker was
    /// opened once more since it was noted, its entry is older, and was resolved later.
    #[must_use]
    pub fn resolution(&self, at_ms: i64) -> Option<&str> {
        let at = moment::written(at_ms);
        let of_it = |past: &&Past| is_moment(past.timestamp.as_deref(), Some(&at));
        let mut said = self.history.iter().rev().filter(of_it);
        let exactly = said.find_map(|past| past.resolution.as_deref());
        exactly.or_else(|| {
            let last = self
                .history
                .iter()
                .rev()
                .find(|past| past.resolution.is_some())?;
            let resolved_at = last.resolved_at.as_deref().and_then(moment::read)?;
            (resolved_at >= at_ms)
                .then_some(last.resolution.as_deref())
                .flatten()
        })
    }
}

/// Whether both name one moment. Tools that write the whole blackboard anew spell moments in
/// their own way.
pub(super) fn is_moment(one: Option<&str>, other: Option<&str>) -> bool {
    let second = |text: &str| moment::read(text).map(|ms| ms.div_euclid(1_000));
    one == other
        || one
            .and_then(second)
            .is_some_and(|one| other.and_then(second) == Some(one))
}

impl BoardStatus {
    fn of(node: Option<&Node<'_>>) -> Self {
        match node.and_then(Node::text) {
            None => Self::Absent,
            Some("OK") => Self::Ok,
            Some("TRIGGERED") => Self::Triggered,
            Some(other) => Self::Other(other.to_owned()),
        }
    }
}

impl Past {
    pub(super) fn of(node: &Node<'_>) -> Self {
        let word = |key: &str| Some(node.get(key)?.text()?.to_owned());
        Self {
            timestamp: word("timestamp"),
            pattern: word("pattern"),
            severity: word("severity"),
            result: word("result"),
            resolution: word("resolution"),
            resolved_at: word("resolved_at"),
        }
    }
}

fn sprint(root: &Node<'_>) -> Result<Option<i64>, Broken> {
    let started = root.get("sprint").and_then(|sprint| sprint.get("timeline"));
    let Some(started) = started
        .and_then(|timeline| timeline.get("started"))
        .filter(|s| !s.is_null())
    else {
        return Ok(None);
    };
    let read = started.text().and_then(moment::read);
    read.map(Some)
        .ok_or_else(|| wrong(started, "`sprint.timeline.started` is not a moment"))
}

/// What is read of each section. The work of all roles is on a blackboard, and only a part
/// of it is the observer's business.
fn wanted(section: &str) -> Wanted {
    match section {
        ANOMALIES => Wanted::Items,
        SECTION | "sprint" => Wanted::Whole,
        _ => Wanted::Nothing,
    }
}

/// The anomalies that were read so far.
#[derive(Default)]
struct Found {
    counted: Vec<Anomaly>,
    passed: Vec<Passed>,
}

impl Found {
    fn take(&mut self, node: &Node<'_>) -> Result<(), Broken> {
        if self.counted.len() + self.passed.len() >= MOST_ANOMALIES {
            let what = format!("there are more than {MOST_ANOMALIES} anomalies: archive old ones");
            return Err(wrong(node, &what));
        }
        match anomaly::read(node)? {
            Ok(anomaly) => self.counted.push(anomaly),
            Err(why) => self.passed.push(Passed {
                line: node.line,
                why,
            }),
        }
        Ok(())
    }

    /// All of them. One without a moment of its own is taken for one of `sprint_ms`: leaving
    /// the time out must not leave it out of the sprint.
    fn dated(mut self, sprint_ms: i64) -> (Vec<Anomaly>, Vec<Passed>) {
        for anomaly in self.counted.iter_mut().filter(|anomaly| anomaly.undated) {
            anomaly.at_ms = sprint_ms;
        }
        (self.counted, self.passed)
    }
}

fn history(section: Option<&Node<'_>>) -> Result<Vec<Past>, Broken> {
    let Some(list) = section
        .and_then(|s| s.get("history"))
        .filter(|list| !list.is_null())
    else {
        return Ok(Vec::new());
    };
    let items = list
        .items()
        .ok_or_else(|| wrong(list, "`circuit_breaker.history` is not a list"))?;
    Ok(items.iter().map(Past::of).collect())
}

fn wrong(node: &Node<'_>, what: &str) -> Broken {
    Broken {
        line: node.line,
        what: what.to_owned(),
    }
}
