//! The specification that features are made from.

use quick_xml::Reader;
use quick_xml::events::Event;

/// Why a specification is not sound, if it is not. It need not be XML, but what
/// begins as XML must be some.
#[must_use]
pub fn flaw(text: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Some("it is empty".into());
    }
    if !text.starts_with('<') {
        return None;
    }
    let mut reader = Reader::from_str(text);
    let mut open = 0_usize;
    loop {
        match reader.read_event() {
            Ok(Event::Start(_)) => open += 1,
            Ok(Event::End(_)) => open = open.saturating_sub(1),
            Ok(Event::Eof) if open > 0 => return Some("it ends within an element".into()),
            Ok(Event::Eof) => return None,
            Ok(_) => {}
            Err(error) => return Some(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn req_003_092_what_is_no_specification_is_told() {
        for (text, sound) in [
            ("", false),
            (" \n", false),
            ("Build a shop with a cart.", true),
            ("<app_spec><feature id=\"1\"/></app_spec>", true),
            ("<?xml version=\"1.0\"?>\n<a><!-- c --></a>\n", true),
            ("<a><b></a>", false),
            ("<a>", false),
            ("<a", false),
        ] {
            assert_eq!(flaw(text).is_none(), sound, "{text:?}: {:?}", flaw(text));
        }
    }
}
