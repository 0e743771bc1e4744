//! Temporary files: `mktemp`, and what other languages have for it.

use super::Options;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

/// Stands for whatever is made under a name that nobody has used before.
pub(crate) const MADE: &str = "/tmp/made-by-mktemp";

/// Stands for the letters that are put into a name.
const LETTERS: &str = "made-by-mktemp";

/// `mktemp` prints the name of what it makes. Where that is a directory, going there is known
/// to succeed, and nothing is in it yet.
pub(super) fn make(engine: &mut Engine<'_>, words: &[Text]) -> Result<Data, Stop> {
    let options = Options::parse(words, &["-p", "--suffix"]);
    let usual = match engine.shell.get("TMPDIR") {
        Some(value) => value.first().known(),
        None => Some("/tmp".to_owned()),
    };
    let Some(name) = usual.and_then(|usual| name(&options, &usual)) else {
        return Ok(Data::Unknown);
    };
    if options.has(&["-d", "--directory"]) {
        for place in engine.places(&Text::fixed(name.as_str()))? {
            if let Place::At(path, _) = place {
                let path = engine.resolver().beyond_links(&path);
                engine.shell.made.insert(path);
            }
        }
    }
    Ok(Data::Known(name + "\n"))
}

/// The name that is made of a template: in the directory that is asked for, or where the
/// template says.
fn name(options: &Options, usual: &str) -> Option<String> {
    let above = options.value(&["-p", "--tmpdir"]).map(Text::known);
    let template = match options.operands.first() {
        None if above.is_none() => return Some(format!("{usual}/{LETTERS}")),
        None => LETTERS.to_owned(),
        Some(template) => template.known()?.replace("XXX", LETTERS),
    };
    Some(match above {
        Some(above) => format!("{}/{template}", above?),
        None if options.has(&["-t", "--tmpdir"]) => format!("{usual}/{template}"),
        None => template,
    })
}
