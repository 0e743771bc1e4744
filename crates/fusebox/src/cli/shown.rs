//! What the parser of the command line has to say, made safe to show.
//!
//! It colours its own words and repeats what was typed, both in one text. So what came from
//! outside is looked up among the facts of the error and escaped, and only then are colours
//! let through: by then none is left but the parser's own.

use std::error::Error as _;
use std::ffi::OsString;
use std::path::Path;

use clap::Error;
use clap::error::ContextValue;
use fusebox_view::escape::{self, Passthrough};

use crate::speech::shortened;

/// The widest that a word of the command line is shown: room for any real one.
const WIDTH: usize = 4096;

/// The error, or the page of help, in the parser's colours.
pub(crate) fn shown(error: &Error, args: &[OsString]) -> String {
    let mut page = error.render().ansi().to_string();
    for (_, value) in error.context() {
        if let ContextValue::String(typed) = value {
            page = page.replace(typed, &shortened(typed));
        }
    }
    for raw in from_outside(error, args) {
        let raw = shortened(&raw).into_owned();
        let safe = escape::line(&raw, WIDTH);
        if safe != raw {
            page = page.replace(&raw, &safe);
        }
    }
    let mut safe = Vec::with_capacity(page.len());
    let mut colours = Passthrough::default();
    // A vector takes everything.
    let _ = colours.write(page.as_bytes(), &mut safe);
    let _ = colours.finish(&mut safe);
    String::from_utf8_lossy(&safe).into_owned()
}

/// Everything in an error that this program did not write itself, the longest first: a
/// complaint about a word repeats it.
fn from_outside(error: &Error, args: &[OsString]) -> Vec<String> {
    let mut raw = Vec::new();
    for (_, value) in error.context() {
        match value {
            ContextValue::String(text) => raw.push(text.clone()),
            ContextValue::Strings(texts) => raw.extend(texts.iter().cloned()),
            _ => {}
        }
    }
    raw.extend(error.source().map(ToString::to_string));
    // Whoever started us chose the name that we are called by.
    let name = args.first().and_then(|name| Path::new(name).file_name());
    raw.extend(name.and_then(|name| name.to_str()).map(str::to_owned));
    raw.retain(|text| !text.is_empty());
    raw.sort_by_key(|text| std::cmp::Reverse(text.len()));
    raw
}

#[cfg(test)]
mod tests {
    use super::super::Cli;
    use super::*;

    fn page(args: &[&str]) -> String {
        let args: Vec<OsString> = args.iter().map(Into::into).collect();
        match Cli::read(&args) {
            Ok(_) => panic!("{args:?} makes sense"),
            Err(error) => shown(&error, &args),
        }
    }

    #[test]
    fn what_was_typed_is_escaped_and_what_the_parser_paints_is_not() {
        for hostile in [
            "\u{1b}[8mx\u{1b}[0m",
            "\u{202e}",
            "\u{9b}31m",
            "a\nfake: b",
            "\u{1b}]0;t\u{7}",
        ] {
            let option = format!("--{hostile}");
            let joined = format!("--max-time={hostile}");
            let program = format!("/bin/{hostile}");
            for args in [
                &["fusebox", hostile][..],
                &["fusebox", &option],
                &["fusebox", "check", &option],
                &["fusebox", "check", hostile],
                &["fusebox", "--preset", hostile, "check"],
                &["fusebox", "run", &joined, "--", "true"],
                &["fusebox", "run", "--max-usd", hostile, "--", "true"],
                &["fusebox", "hook", hostile, "pre-tool"],
                &[&program, "nonsense"],
            ] {
                let page = page(args);
                assert!(!page.contains(hostile), "{args:?}: {page:?}");
                assert!(page.contains("\u{1b}["), "no colour at all: {page:?}");
                assert!(
                    page.contains(escape::line(hostile, WIDTH).as_str()) || args[0] != "fusebox",
                    "{args:?}: {page:?}"
                );
                let acts =
                    |c: char| !matches!(c, '\n' | '\u{1b}') && (c.is_control() || c == '\u{202e}');
                assert!(!page.contains(acts), "{args:?}: {page:?}");
            }
        }
    }

    #[test]
    fn pages_of_help_are_as_the_parser_made_them() {
        for args in [
            &["fusebox", "--help"][..],
            &["fusebox", "run", "--help"],
            &["fusebox", "-V"],
            &["fusebox", "chekc"],
        ] {
            let words: Vec<OsString> = args.iter().map(Into::into).collect();
            let Err(error) = Cli::read(&words) else {
                panic!("{args:?} asks for a page");
            };
            assert_eq!(shown(&error, &words), error.render().ansi().to_string());
        }
    }
}
