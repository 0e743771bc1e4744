//! Days, as agents and services write them.

use jiff::civil::Date;

use super::number;

const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Which day a time is on.
pub(super) enum Day {
    Unsaid,
    Tomorrow,
    /// Of the week, counted from Monday.
    OfWeek(i8),
    OfYear(CalendarDay),
    /// `2026-12-01`
    Written(Date),
}

pub(super) struct CalendarDay {
    pub(super) month: i8,
    pub(super) day: i8,
    pub(super) year: Option<i16>,
}

/// The day that a text begins with, and what follows it: `tomorrow at `, `Mon `,
/// `Friday, November 20 at `, `2026-12-01 `.
pub(super) fn day(text: &str) -> (Day, &str) {
    let past_at = |rest: &str| {
        let rest = rest.trim_start_matches([',', ' ']);
        let length = rest.strip_prefix("at ").map_or(rest.len(), str::len);
        text.len() - length
    };
    if let Some(rest) = text.strip_prefix("tomorrow") {
        return (Day::Tomorrow, &text[past_at(rest)..]);
    }
    if let Some(date) = text.get(..10).and_then(|date| date.parse::<Date>().ok()) {
        return (Day::Written(date), &text[past_at(&text[10..])..]);
    }
    let weekday = WEEKDAYS.iter().position(|name| text.starts_with(name));
    let after = weekday.map_or(text, |_| {
        let rest = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        &text[past_at(rest)..]
    });
    let (calendar, rest) = calendar_day(after);
    match (calendar, weekday.and_then(|day| i8::try_from(day).ok())) {
        (Some(calendar), _) => (Day::OfYear(calendar), rest),
        (None, Some(weekday)) => (Day::OfWeek(weekday), rest),
        (None, None) => (Day::Unsaid, rest),
    }
}

/// The day that stands behind a time, as in `1:03 am on nov 21st`. A date in figures could be
/// anybody's, so nothing is known then.
pub(super) fn day_behind(text: &str) -> Option<(Day, &str)> {
    match day(text) {
        (Day::Unsaid, _) if text.starts_with(|c: char| c.is_ascii_digit()) => None,
        found => Some(found),
    }
}

/// `nov 18, `, `nov 18th, 2026 `, `21 nov 2026, ` or `10 de jul. de 2027, `.
fn calendar_day(text: &str) -> (Option<CalendarDay>, &str) {
    let parsed = || {
        let (month, day, rest) = month_and_day(text).or_else(|| day_and_month(text))?;
        let rest = rest.trim_start_matches([',', ' ', '.']);
        let rest = rest.strip_prefix("de ").unwrap_or(rest);
        let (year, rest) = match number(rest) {
            Some((year, rest)) if year > 2000 => (Some(year), rest),
            _ => (None, rest),
        };
        let rest = rest.trim_start_matches([',', ' ']);
        let day = CalendarDay {
            month: i8::try_from(month + 1).ok()?,
            day: i8::try_from(day).ok()?,
            year: year.and_then(|year| i16::try_from(year).ok()),
        };
        Some((day, rest.strip_prefix("at ").unwrap_or(rest)))
    };
    match parsed() {
        Some((day, rest)) => (Some(day), rest),
        None => (None, text),
    }
}

fn month_and_day(text: &str) -> Option<(usize, u32, &str)> {
    let (month, rest) = month(text)?;
    let (day, rest) = number(rest.trim_start())?;
    let ending = rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    Some((month, day, ending))
}

fn day_and_month(text: &str) -> Option<(usize, u32, &str)> {
    let (day, rest) = number(text)?;
    let rest = ["st ", "nd ", "rd ", "th ", " "]
        .iter()
        .find_map(|ending| rest.strip_prefix(ending))?;
    let rest = ["de ", "of "]
        .iter()
        .find_map(|word| rest.strip_prefix(word))
        .unwrap_or(rest);
    let (month, rest) = month(rest)?;
    Some((month, day, rest))
}

/// The month that a text begins with, and what follows its name.
fn month(text: &str) -> Option<(usize, &str)> {
    let month = MONTHS.iter().position(|month| text.starts_with(month))?;
    Some((
        month,
        text.trim_start_matches(|c: char| c.is_ascii_alphabetic()),
    ))
}
