//! Boxes that were reworded.
//!
//! A plan in Markdown gives most boxes no name, so one that an agent words anew, or splits in two,
//! looks like one that is gone and another that has come. What has come takes the place of what is
//! gone, as far as it goes round, and is judged as that would have been.

use std::collections::{BTreeMap, HashSet};

use fusebox_tasks::Item;

use super::Stood;

/// The tasks that are gone from the list, each with the one that stands in its place.
pub(super) fn of<'a>(
    before: &'a BTreeMap<String, Stood>,
    items: &'a [Item],
) -> BTreeMap<&'a str, &'a Item> {
    let listed: HashSet<&str> = items.iter().map(|item| item.task.id.as_str()).collect();
    let mut gone: Vec<_> = before
        .iter()
        .filter(|(id, stood)| stood.named_by_words && !stood.over && !listed.contains(id.as_str()))
        .collect();
    if gone.is_empty() {
        return BTreeMap::new();
    }
    gone.sort_by_key(|(_, stood)| stood.place);
    let mut come: Vec<_> = items
        .iter()
        .enumerate()
        .filter(|(_, item)| item.task.named_by_words && !before.contains_key(&item.task.id))
        .collect();
    // Where more have come than are gone, those that are ticked or put off are looked at first: a
    // new box beside them must not hide them.
    come.sort_by_key(|(_, item)| item.task.status.is_to_be_done());
    come.truncate(gone.len());
    come.sort_by_key(|(place, _)| *place);
    let pairs = gone.into_iter().zip(come);
    pairs
        .map(|((id, _), (_, item))| (id.as_str(), item))
        .collect()
}
