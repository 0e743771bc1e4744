//! What one rule found.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use super::anomaly::{Anomaly, EntryHash};
use super::pattern::{Factor, Pattern};
use super::rules::{Matching, PatternRules};
use super::similarity::{resemble, similar};

/// Among how many groups those that look alike are searched for.
const GROUPS_SEARCHED: usize = 512;
/// Among how many of them in a flood of different texts, which then costs no more than time
/// in proportion.
const GROUPS_COMPARED: usize = 32;
/// How many comparisons make a flood.
const FLOOD: usize = 500_000;
/// How many anomalies that look alike are listed: enough to judge by.
const NEAR_MISSES: usize = 64;

/// What one rule found among the anomalies.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding<'a> {
    /// The rule.
    pub pattern: Pattern,
    /// How many it takes.
    pub threshold: u32,
    /// The anomalies it counts, by what they have in common; the first to
    /// appear first.
    pub groups: Vec<Group<'a>>,
    /// Anomalies said to point to this pattern that its condition does not
    /// name: shown, not counted.
    pub related: Vec<Cited<'a>>,
    /// How many texts were not compared with all others, because there are too many.
    pub uncompared: usize,
}

/// Anomalies that have something in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<'a> {
    /// What that is, in the words of the first of them; `None` where being there
    /// is enough.
    pub factor: Option<&'a str>,
    /// What was counted.
    pub count: u32,
    /// The tasks they were met in.
    pub tasks: BTreeSet<&'a str>,
    /// The anomalies, oldest first.
    pub rows: Vec<Cited<'a>>,
    /// Anomalies that look much like these and were not counted with them.
    pub near_misses: Vec<Cited<'a>>,
}

/// An anomaly, by its hash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cited<'a> {
    /// Its identity.
    pub hash: EntryHash,
    /// The anomaly.
    pub anomaly: &'a Anomaly,
}

impl<'a> Cited<'a> {
    pub(super) fn new(anomaly: &'a Anomaly) -> Self {
        Self {
            hash: EntryHash::of(anomaly),
            anomaly,
        }
    }
}

impl<'a> Finding<'a> {
    pub(super) fn of(pattern: Pattern, fresh: &[Cited<'a>], rules: &PatternRules) -> Self {
        let (mut counted, mut related) = (Vec::new(), Vec::new());
        for cited in fresh {
            let kind = cited.anomaly.kind;
            if pattern.counts(kind) || (rules.count_related && pattern.relates_to(kind)) {
                counted.push(*cited);
            } else if pattern.relates_to(kind) {
                related.push(*cited);
            }
        }
        let (mut groups, uncompared) = group(pattern, &counted, rules);
        for group in &mut groups {
            group.count = if rules.distinct_tasks {
                number(group.tasks.len())
            } else {
                number(group.rows.len())
            };
        }
        list_near_misses(&mut groups);
        Self {
            pattern,
            threshold: rules.threshold(pattern),
            groups,
            related,
            uncompared,
        }
    }

    /// The groups that are large enough.
    pub fn enough(&self) -> impl Iterator<Item = &Group<'a>> {
        self.groups
            .iter()
            .filter(|group| group.count >= self.threshold)
    }
}

/// The groups, and how many texts were not compared with all of them.
fn group<'a>(
    pattern: Pattern,
    counted: &[Cited<'a>],
    rules: &PatternRules,
) -> (Vec<Group<'a>>, usize) {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut search = Search::default();
    let mut places: HashMap<Option<String>, usize> = HashMap::new();
    for cited in counted {
        let factor = match pattern.factor(cited.anomaly) {
            Factor::Presence => None,
            Factor::Text(text) => Some(text),
            Factor::Missing => continue,
        };
        let key = factor.map(|text| key(text, pattern, rules.matching));
        let place = *places.entry(key).or_insert_with(|| {
            let likeness = rules.matching == Matching::Similar && pattern.groups_alike();
            let text = factor.filter(|_| likeness);
            let alike = text.and_then(|text| search.alike(&groups, text));
            alike.unwrap_or_else(|| {
                groups.push(Group::beginning_with(factor));
                groups.len() - 1
            })
        });
        groups[place].rows.push(*cited);
        groups[place].tasks.insert(&cited.anomaly.task);
    }
    (groups, search.incomplete)
}

/// What two texts must share to be the same without being compared.
fn key(text: &str, pattern: Pattern, matching: Matching) -> String {
    if matching == Matching::Similar && !pattern.groups_alike() {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        words.join(" ")
    } else {
        text.to_owned()
    }
}

/// The search for groups that are alike.
#[derive(Default)]
struct Search {
    comparisons: usize,
    incomplete: usize,
}

impl Search {
    /// The first of the newest groups whose first member `text` is similar to.
    fn alike(&mut self, groups: &[Group<'_>], text: &str) -> Option<usize> {
        let reach = match self.comparisons < FLOOD {
            true => GROUPS_SEARCHED,
            false => GROUPS_COMPARED,
        };
        let older = groups.len().saturating_sub(reach);
        let found = groups[older..]
            .iter()
            .position(|group| group.factor.is_some_and(|first| similar(first, text)));
        self.comparisons += found.unwrap_or(reach);
        self.incomplete += usize::from(found.is_none() && older > 0);
        found.map(|place| older + place)
    }
}

/// Lists beside the largest groups what looks much like them. They come first
/// because they are the closest to being a pattern.
fn list_near_misses(groups: &mut [Group<'_>]) {
    let mut largest: Vec<usize> = (0..groups.len()).collect();
    largest.sort_by_key(|place| Reverse(groups[*place].rows.len()));
    largest.truncate(GROUPS_SEARCHED);
    for one in largest.iter().take(GROUPS_COMPARED) {
        let Some(text) = groups[*one].factor else {
            continue;
        };
        let near = largest
            .iter()
            .filter(|other| *other != one)
            .map(|other| &groups[*other])
            .filter(|group| group.factor.is_some_and(|other| resemble(text, other)))
            .flat_map(|group| group.rows.iter().copied())
            .take(NEAR_MISSES)
            .collect();
        groups[*one].near_misses = near;
    }
}

impl<'a> Group<'a> {
    fn beginning_with(factor: Option<&'a str>) -> Self {
        Self {
            factor,
            count: 0,
            tasks: BTreeSet::new(),
            rows: Vec::new(),
            near_misses: Vec::new(),
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
