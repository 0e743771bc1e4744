//! `ls`: the names in directories, as it prints them.

use super::Options;
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

/// What it prints.
pub(super) fn run(engine: &mut Engine<'_>, words: &[Text]) -> Result<Data, Stop> {
    let options = Options::parse(words, &["-I", "-w"]);
    if options.has(&["-l", "-i", "-s", "-Q", "-m", "-n", "-o", "-g"]) {
        return Ok(Data::Unknown);
    }
    let hidden = options.has(&["-a", "-A", "--all", "--almost-all"]);
    let mut operands = options.operands.clone();
    if operands.is_empty() {
        operands.push(Text::fixed("."));
    }
    let mut names = Vec::new();
    for operand in &operands {
        let ends_with_slash = operand.known_end().ends_with('/');
        for word in engine.all_named(std::slice::from_ref(operand))? {
            for place in engine.places(&word)? {
                let Place::At(path, _) = place else {
                    return Ok(Data::Unknown);
                };
                let real = engine.resolver().beyond_links(&path);
                if options.has(&["-d", "--directory"]) || !engine.is_directory(&real) {
                    let shown = word.known();
                    let mut shown = shown.unwrap_or_else(|| path.to_string_lossy().into_owned());
                    if ends_with_slash && !shown.ends_with('/') {
                        shown.push('/');
                    }
                    names.push(shown);
                    continue;
                }
                let listed = engine.tree.list(&real).into_iter();
                let listed = listed.map(|name| name.to_string_lossy().into_owned());
                names.extend(listed.filter(|name| hidden || !name.starts_with('.')));
            }
        }
    }
    // Marks behind names say what kind of file it is.
    if options.has(&["-F", "-p", "--classify", "--file-type", "--indicator-style"]) {
        let marked = |name: &String| ["", "/", "*", "@"].map(|mark| format!("{name}{mark}"));
        return Ok(Data::list(names.iter().flat_map(marked)));
    }
    let lines = names.into_iter().map(|name| name + "\n");
    Ok(Data::Known(lines.collect()))
}
