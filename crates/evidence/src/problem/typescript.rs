//! `tsc`: `file(line,column): error TS2322: message`, or `file:line:column - error …`.

use super::{Problem, Stage};
use crate::plain_text::location;

pub(super) fn find(text: &str, add: &mut dyn FnMut(Problem)) {
    for line in text.lines() {
        let Some((place, rest)) = line.split_once("error TS") else {
            continue;
        };
        let Some((number, message)) = rest.split_once(": ") else {
            continue;
        };
        let place = match place.strip_suffix(" - ") {
            Some(pretty) => location(pretty),
            None => place.strip_suffix(": ").and_then(bracketed),
        };
        if place.is_some() && number.parse::<u32>().is_ok() {
            let code = format!("TS{number}");
            add(Problem::new(Stage::Building, Some(&code), message, place));
        }
    }
}

fn bracketed(place: &str) -> Option<(&str, u32)> {
    let (file, numbers) = place.strip_suffix(')')?.rsplit_once('(')?;
    let line = numbers.split(',').next()?.parse().ok()?;
    Some((file, line))
}
