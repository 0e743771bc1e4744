//! `${a:1:2}`: a part of a text, or some of the elements of a list.

use crate::text::Text;

/// The same part of each text.
pub(super) fn of_each(texts: &[Text], offset: i64, length: i64) -> Vec<Text> {
    let cut = |text: &str| {
        let (skip, take) = bounds(text.chars().count(), offset, length);
        text.chars().skip(skip).take(take).collect()
    };
    texts.iter().map(|text| text.map(cut)).collect()
}

/// Some of the elements. Where one of them may be nothing they may all have moved up.
pub(super) fn of_list(texts: &[Text], offset: i64, length: i64) -> Vec<Text> {
    if texts.iter().any(Text::may_be_nothing) {
        return texts.to_vec();
    }
    let (skip, take) = bounds(texts.len(), offset, length);
    texts.iter().skip(skip).take(take).cloned().collect()
}

/// How many of `count` are skipped, and how many are then taken.
fn bounds(count: usize, offset: i64, length: i64) -> (usize, usize) {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let from = if offset < 0 { count + offset } else { offset };
    // Whoever asks for more than there is, from the end, gets nothing.
    if from < 0 {
        return (0, 0);
    }
    let from = from.min(count);
    let until = if length < 0 {
        count + length
    } else {
        from.saturating_add(length)
    };
    let skip = usize::try_from(from).unwrap_or(0);
    let take = usize::try_from(until - from).unwrap_or(0);
    (skip, take)
}
