//! When a limit resets, read from what an agent tells people.
//!
//! The last resort: an epoch in an event is exact, a sentence is not. The public
//! history of such parsers is one of waits that were a day too long, so a time
//! that has just passed is *now*, one that lies further away than its window can
//! reach is unknown, and so is one in a zone that is not known.

mod day;

use std::time::Duration;

use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use crate::event::{EpochMs, Window};
use crate::excerpt::normalised;
use crate::moment::Moment;

use day::{CalendarDay, Day};

/// How long ago a reset may lie to be taken for one that has just happened.
const JUST_NOW_MS: i64 = 3_600_000;
const CUES: [&str; 12] = [
    "resets at ",
    "resets on ",
    "resets ",
    "reset at ",
    "reset on ",
    "try again at ",
    "automatically at ",
    "available again at ",
    "regain access on ",
    "regain access at ",
    "wait until ",
    "until ",
];
/// What stands before the time that a limit still lasts.
const REMAINING_CUES: [&str; 7] = [
    "reset after ",
    "resets in ",
    "reset in ",
    "again in ",
    "retry in ",
    "retry after ",
    "wait ",
];
/// What stands before the wait that an agent announces for itself.
const RETRYING_CUES: [&str; 2] = ["retrying after ", "retrying in "];
/// Names of zones that are not unique, or not known to be: a time in one of them is not
/// the local time, and not known either.
const UNSURE_ZONES: [&str; 27] = [
    "pst", "pdt", "pt", "mst", "mdt", "mt", "cst", "cdt", "ct", "est", "edt", "et", "akst", "hst",
    "bst", "wet", "west", "cet", "cest", "eet", "eest", "msk", "ist", "jst", "kst", "aest", "aedt",
];

/// The time of which a text says that a limit resets then.
pub(crate) fn reset_in_text(
    text: &str,
    now: EpochMs,
    local: &TimeZone,
    window: Window,
) -> Option<EpochMs> {
    let text = normalised(text);
    let found = epoch(&text)
        .or_else(|| instant(&text))
        .or_else(|| clock(&text, now, local))
        .or_else(|| Some(now.saturating_add(millis(remaining(&text)?))))?;
    plausible(found, now, window)
}

/// A reset time that can be true, or nothing.
pub(crate) fn plausible(at: EpochMs, now: EpochMs, window: Window) -> Option<EpochMs> {
    let ahead = at.saturating_sub(now);
    (ahead <= millis(window.longest()) && ahead >= -millis(window.longest())).then_some(at)
}

/// The wait that a text announces, such as `Retrying after 5964ms` or
/// `Please try again in 2 hours`.
pub(crate) fn duration_in_text(text: &str) -> Option<Duration> {
    let text = normalised(text);
    remaining(&text).or_else(|| after_cues(&RETRYING_CUES, &text, duration))
}

/// The window that a text speaks of. It is named before the time: the hours of `try
/// again in 15 hours` are no five-hour window.
pub(crate) fn window_in_text(text: &str) -> Window {
    let text = normalised(text);
    let cues = CUES.iter().chain(&REMAINING_CUES);
    let named = cues.filter_map(|cue| text.find(cue)).min();
    let text = &text[..named.unwrap_or(text.len())];
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["week", "7-day", "seven-day"]) {
        Window::Week
    } else if says(&["hour", "session"]) {
        Window::Hours
    } else if says(&["daily", "per day"]) {
        Window::Day
    } else {
        Window::Other
    }
}

/// How long a limit still lasts.
fn remaining(text: &str) -> Option<Duration> {
    let field = text.split_once(r#""resets_in_seconds":"#);
    field
        .and_then(|(_, rest)| Some(Duration::from_secs(number(rest.trim_start())?.0.into())))
        .or_else(|| after_cues(&REMAINING_CUES, text, duration))
}

/// What can be read behind one of the cues, wherever it stands.
fn after_cues<T>(cues: &[&str], text: &str, read: impl Fn(&str) -> Option<T>) -> Option<T> {
    cues.iter().find_map(|cue| {
        let mut found = text.match_indices(cue);
        found.find_map(|(at, _)| read(&text[at + cue.len()..]))
    })
}

pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// `…|1794782215`, as builds of 2025 wrote it, and `"resets_at":1794782215` in the answer
/// of a service that is quoted.
fn epoch(text: &str) -> Option<EpochMs> {
    ["|", r#""resets_at":"#].iter().find_map(|cue| {
        let digits = leading_digits(text.split_once(cue)?.1.trim_start());
        let plausible = matches!(digits.len(), 10 | 13);
        let moment = Moment::of_number(digits.parse().ok().filter(|_| plausible)?)?;
        Some(moment.0)
    })
}

fn instant(text: &str) -> Option<EpochMs> {
    text.split([' ', '(', ')', ',', '"'])
        .filter(|word| word.len() >= 17 && word.contains('t'))
        .find_map(|word| word.trim_end_matches('.').parse::<Timestamp>().ok())
        .map(Timestamp::as_millisecond)
}

fn clock(text: &str, now: EpochMs, local: &TimeZone) -> Option<EpochMs> {
    after_cues(&CUES, text, |rest| {
        let (day, rest) = day::day(rest);
        let (time, rest) = time_of_day(rest)?;
        let (day, rest) = match (&day, rest.strip_prefix(" on ")) {
            (Day::Unsaid, Some(rest)) => day::day_behind(rest)?,
            _ => (day, rest),
        };
        // Programs that write a date like this write it in a zone of their own.
        if matches!(day, Day::Written(_)) && !names_zone(rest) {
            return None;
        }
        let zone = named_zone(rest, local)?;
        let here = Timestamp::from_millisecond(now).ok()?.to_zoned(zone);
        match day {
            Day::Unsaid => next_time(time, &here),
            Day::Tomorrow => at(here.date().tomorrow().ok()?, time, &here),
            Day::OfWeek(ahead) => next_weekday(ahead, time, &here),
            Day::Written(date) => at(date, time, &here),
            Day::OfYear(day) => day.nearest(time, &here),
        }
    })
}

/// The first of yesterday's, today's and tomorrow's that is not over for long.
fn next_time(time: Time, here: &Zoned) -> Option<EpochMs> {
    let today = here.date();
    [today.yesterday(), Ok(today), today.tomorrow()]
        .into_iter()
        .flatten()
        .filter_map(|date| at(date, time, here))
        .find(|&reset| not_long_over(reset, here))
}

/// The first such day of the week, counted from Monday, that is not over for long.
fn next_weekday(weekday: i8, time: Time, here: &Zoned) -> Option<EpochMs> {
    let today = here.date();
    let ahead = (weekday - today.weekday().to_monday_zero_offset()).rem_euclid(7);
    [ahead, ahead + 7].into_iter().find_map(|days| {
        let date = today.checked_add(jiff::Span::new().days(days)).ok()?;
        at(date, time, here).filter(|&reset| not_long_over(reset, here))
    })
}

fn not_long_over(reset: EpochMs, here: &Zoned) -> bool {
    reset > here.timestamp().as_millisecond() - JUST_NOW_MS
}

fn at(date: Date, time: Time, here: &Zoned) -> Option<EpochMs> {
    let zoned = date.to_datetime(time).to_zoned(here.time_zone().clone());
    Some(zoned.ok()?.timestamp().as_millisecond())
}

impl CalendarDay {
    /// Without a year it is this one, or at the turn of the year the next.
    fn nearest(&self, time: Time, here: &Zoned) -> Option<EpochMs> {
        let this_year = here.year();
        let years = match self.year {
            Some(year) => [year, year],
            None => [this_year, this_year.saturating_add(1)],
        };
        years
            .into_iter()
            .filter_map(|year| at(Date::new(year, self.month, self.day).ok()?, time, here))
            .find(|&reset| not_long_over(reset, here) || self.year.is_some())
    }
}

/// `10:36pm`, `3 pm`, `21:41`, `06:35:41`.
fn time_of_day(text: &str) -> Option<(Time, &str)> {
    let (hour, rest) = number(text)?;
    let minutes = rest.strip_prefix(':');
    let (minute, rest) = match minutes {
        Some(rest) => number(rest)?,
        None => (0, rest),
    };
    let seconds = rest.strip_prefix(':').and_then(number);
    let rest = seconds.map_or(rest, |(_, rest)| rest);
    let spaced = rest.trim_start();
    let (hour, rest) = if let Some(rest) = spaced.strip_prefix("am") {
        (hour % 12, rest)
    } else if let Some(rest) = spaced.strip_prefix("pm") {
        (hour % 12 + 12, rest)
    } else if minutes.is_some() {
        (hour, rest)
    } else {
        return None;
    };
    let time = Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0);
    Some((time.ok()?, rest))
}

/// `(America/Toronto)` or `UTC`; without one the local zone is meant.
fn named_zone(text: &str, local: &TimeZone) -> Option<TimeZone> {
    let text = text.trim_start();
    let (name, in_brackets) = match text.strip_prefix('(') {
        Some(rest) => (rest.split_once(')')?.0, true),
        None => (leading_word(text), false),
    };
    match name {
        "utc" | "gmt" => Some(TimeZone::UTC),
        _ if in_brackets || name.contains(['/', '+']) => TimeZone::get(name).ok(),
        _ if UNSURE_ZONES.contains(&name) => None,
        _ => Some(local.clone()),
    }
}

/// Whether a text begins with what can only be a zone.
fn names_zone(text: &str) -> bool {
    let text = text.trim_start();
    let name = leading_word(text);
    text.starts_with('(') || matches!(name, "utc" | "gmt") || name.contains('/')
}

/// The word that a text begins with, with what belongs to the name of a zone.
fn leading_word(text: &str) -> &str {
    let belongs = |c: char| c.is_ascii_alphanumeric() || ['/', '_', '+', '-'].contains(&c);
    let end = text.find(|c: char| !belongs(c)).unwrap_or(text.len());
    &text[..end]
}

/// `3h20m30s`, `5964ms`, `0.5s`, `2 hours and 5 minutes`, `less than a minute`.
fn duration(mut text: &str) -> Option<Duration> {
    for vague in ["less than ", "under ", "about "] {
        text = text.strip_prefix(vague).unwrap_or(text);
    }
    let mut seconds = 0.0;
    let mut any = false;
    while let Some((count, rest)) = count(text) {
        let unit_end = rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let Some(unit) = unit_seconds(&rest[..unit_end]) else {
            break;
        };
        seconds += count * unit;
        any = true;
        let rest = rest[unit_end..].trim_start_matches([',', ' ']);
        text = rest.strip_prefix("and ").unwrap_or(rest);
    }
    any.then(|| Duration::try_from_secs_f64(seconds).ok())?
}

/// `3`, `0.5`, `a`, `an`, and what follows.
fn count(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix("a ").or_else(|| text.strip_prefix("an ")) {
        return Some((1.0, rest));
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    Some((text[..end].parse().ok()?, text[end..].trim_start()))
}

fn unit_seconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ms" => 0.001,
        "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
        "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        _ => return None,
    })
}

fn number(text: &str) -> Option<(u32, &str)> {
    let digits = leading_digits(text);
    Some((digits.parse().ok()?, &text[digits.len()..]))
}

fn leading_digits(text: &str) -> &str {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
#[path = "reset_time_tests.rs"]
mod tests;
