//! `${a:1:2}` and `${a%b}`: a part of a text, or some of the elements of a list.

use brush_parser::ast::UnexpandedArithmeticExpr;
use brush_parser::word::Parameter;

use super::parameter::is_several;
use super::{Engine, Variable};
use crate::glob;
use crate::stop::Stop;
use crate::text::Text;

impl Engine<'_> {
    /// `${a:1:2}`.
    pub(super) fn slice(
        &mut self,
        parameter: &Parameter,
        indirect: bool,
        offset: &UnexpandedArithmeticExpr,
        length: Option<&UnexpandedArithmeticExpr>,
    ) -> Result<Vec<Text>, Stop> {
        let offset = self.arithmetic(offset)?;
        let length = length.map(|length| self.arithmetic(length)).transpose()?;
        let values = self.values(parameter, indirect)?;
        let number = |text: &Text| text.known().and_then(|text| text.parse().ok());
        let length = length.as_ref().map_or(Some(i64::MAX), number);
        let (Some(offset), Some(length)) = (number(&offset), length) else {
            return Ok(vec![Text::unknown()]);
        };
        let is_arguments = matches!(parameter, Parameter::Special(_));
        Ok(if is_several(parameter) && is_arguments {
            // Before the first of the arguments comes the name of the shell.
            let mut all = vec![self.shell.name.clone()];
            all.extend(values);
            of_list(&all, offset, length)
        } else if is_several(parameter) {
            of_list(&values, offset, length)
        } else {
            of_each(&values, offset, length)
        })
    }

    /// `${a[1]}`, and `${a[-1]}` from the end.
    pub(super) fn element(&mut self, name: &str, index: &str) -> Result<Text, Stop> {
        let index = self.text(index)?.known();
        let index = index.and_then(|index| index.trim().parse::<i64>().ok());
        let from_start = |index: i64, length: usize| match usize::try_from(index) {
            Ok(index) => Some(index),
            Err(_) => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
        };
        Ok(match (self.shell.get(name), index) {
            (Some(Variable::Array(items)), Some(index)) => from_start(index, items.len())
                .and_then(|index| items.get(index).cloned())
                .unwrap_or_default(),
            (Some(Variable::Scalar(text)), Some(0 | -1)) => text.clone(),
            (Some(Variable::Array(items)), None) => items
                .iter()
                .fold(Text::default(), |either, item| either.or(item)),
            _ => Text::unknown(),
        })
    }
}

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

/// Where a text can be cut, from its start on.
fn cuts(text: &str) -> impl DoubleEndedIterator<Item = usize> {
    (0..=text.len()).filter(|at| text.is_char_boundary(*at))
}

pub(super) fn without_short_end<'t>(text: &'t str, pattern: &str) -> &'t str {
    let at = cuts(text)
        .rev()
        .find(|at| glob::matches(pattern, &text[*at..]));
    at.map_or(text, |at| &text[..at])
}

pub(super) fn without_long_end<'t>(text: &'t str, pattern: &str) -> &'t str {
    let at = cuts(text).find(|at| glob::matches(pattern, &text[*at..]));
    at.map_or(text, |at| &text[..at])
}

pub(super) fn without_short_start<'t>(text: &'t str, pattern: &str) -> &'t str {
    let at = cuts(text).find(|at| glob::matches(pattern, &text[..*at]));
    at.map_or(text, |at| &text[at..])
}

pub(super) fn without_long_start<'t>(text: &'t str, pattern: &str) -> &'t str {
    let at = cuts(text)
        .rev()
        .find(|at| glob::matches(pattern, &text[..*at]));
    at.map_or(text, |at| &text[at..])
}
