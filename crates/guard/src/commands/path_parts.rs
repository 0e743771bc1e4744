//! Parts of paths, and where they lead: `basename`, `dirname`, `realpath`, `readlink`.

use std::path::Path;

use super::{Options, printing};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<Data, Stop> {
    // Behind the first operand there are no more options.
    let (options, at) = Options::parse_leading(words, &["-s", "--suffix"]);
    let suffix = options.value(&["-s", "--suffix"]).cloned();
    let is_for_all = suffix.is_some() || options.has(&["-a", "--multiple"]);
    let named = engine.all_named(&words[at..])?;
    let (paths, suffix) = match (name, named.as_slice()) {
        // Without options the second word is what is cut off.
        ("basename", [path, suffix]) if !is_for_all => {
            (std::slice::from_ref(path), Some(suffix.clone()))
        }
        (_, paths) => (paths, suffix),
    };
    if paths.is_empty() {
        return Ok(Data::Unknown);
    }
    let mut printed = Data::empty();
    for path in paths {
        printed.add(&match name {
            "basename" => match &suffix {
                None => changed(path, base_name),
                Some(suffix) => match suffix.known() {
                    Some(suffix) => changed(path, |path| without(&base_name(path), &suffix)),
                    None => Data::Unknown,
                },
            },
            "dirname" => changed(path, directory),
            _ => real(engine, path)?,
        });
    }
    Ok(match printed {
        Data::Known(text) | Data::Lines(text) if options.has(&["-z", "--zero"]) => {
            Data::Lines(text.replace('\n', "\0"))
        }
        printed => printed,
    })
}

fn changed(path: &Text, change: impl Fn(&str) -> String) -> Data {
    printing::line(&path.map(change))
}

fn base_name(path: &str) -> String {
    let name = Path::new(path.trim_end_matches('/'))
        .components()
        .next_back();
    let name = name.map(|name| name.as_os_str().to_string_lossy().into_owned());
    name.unwrap_or_else(|| if path.is_empty() { "" } else { "/" }.to_owned())
}

/// A name without its end, unless that is all of it.
fn without(name: &str, suffix: &str) -> String {
    let begins = name.strip_suffix(suffix).filter(|rest| !rest.is_empty());
    begins.unwrap_or(name).to_owned()
}

fn directory(path: &str) -> String {
    let trimmed = path.trim_end_matches('/');
    match (trimmed.rsplit_once('/'), path.is_empty()) {
        (_, false) if trimmed.is_empty() => "/".to_owned(),
        (Some((above, _)), _) if above.trim_end_matches('/').is_empty() => "/".to_owned(),
        (Some((above, _)), _) => above.trim_end_matches('/').to_owned(),
        (None, _) => ".".to_owned(),
    }
}

fn real(engine: &mut Engine<'_>, path: &Text) -> Result<Data, Stop> {
    Ok(match engine.places(path)?.first() {
        Some(Place::At(path, _)) => {
            let real = engine.resolver().beyond_links(path);
            Data::Known(real.to_string_lossy().into_owned() + "\n")
        }
        _ => Data::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_what_the_programs_print() {
        for (path, name, above) in [
            ("specs/a.md", "a.md", "specs"),
            ("specs/", "specs", "."),
            ("/a", "a", "/"),
            ("/", "/", "/"),
            ("a", "a", "."),
            ("", "", "."),
            ("a//b//", "b", "a"),
            ("a/..", "..", "a"),
        ] {
            assert_eq!(
                (base_name(path), directory(path)),
                (name.into(), above.into()),
                "{path}"
            );
        }
        assert_eq!(without("a.md", ".md"), "a");
        assert_eq!(without(".md", ".md"), ".md");
        assert_eq!(without("a.md", ".rs"), "a.md");
    }
}
