//! Scripts that are run by their path.

use crate::shell::{Engine, Place, Status};
use crate::stop::Stop;
use crate::text::{Data, Text};

/// A script that cannot be read: harmless if it is not there, anything if it is.
pub(super) fn unreadable(engine: &mut Engine<'_>, file: &Text) -> Result<(), Stop> {
    for place in engine.places(file)? {
        let reached = match place {
            Place::At(path, _) => {
                let path = engine.resolver().beyond_links(&path);
                engine.tree.kind(&path).is_some() || engine.shell.files.contains_key(&path)
            }
            Place::Like(_) => false,
        };
        if reached {
            engine.could_do_anything();
        }
    }
    Ok(())
}

/// A file that is run by its path: a script says in its first line what it is.
pub(super) fn run(
    engine: &mut Engine<'_>,
    name: &Text,
    words: &[Text],
) -> Result<Option<Status>, Stop> {
    let (Data::Known(text) | Data::Lines(text)) = engine.content(name)? else {
        return Ok(None);
    };
    let first = text.lines().next().unwrap_or_default();
    let Some(interpreter) = first.strip_prefix("#!") else {
        engine.apart(|engine| {
            engine.shell.ends_on_failure = false;
            engine.shell.is_asked = false;
            engine.shell.start_script(name);
            engine.shell.arguments = words.to_vec();
            engine.script(&text)
        })?;
        return Ok(Some(None));
    };
    let mut command: Vec<Text> = interpreter.split_whitespace().map(Text::fixed).collect();
    // `#!/usr/bin/env -S deno run` and `#!/usr/bin/env bash` alike.
    if command
        .first()
        .is_some_and(|first| first.known_end().ends_with("/env"))
    {
        command.remove(0);
        command.retain(|word| word.known_start() != "-S");
    }
    if let Some(first) = command.first_mut() {
        let base = first
            .known_end()
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .to_owned();
        *first = Text::fixed(base);
    }
    command.push(name.clone());
    command.extend(words.iter().cloned());
    engine.call(&command)?;
    Ok(Some(None))
}

/// A name that is looked for in the directories of `PATH`. Only what lies in the project, or
/// was written on the way, can be read; answers whether there is something.
pub(super) fn run_from_path(
    engine: &mut Engine<'_>,
    name: &Text,
    words: &[Text],
) -> Result<bool, Stop> {
    let (Some(name), Some(searched)) = (name.known(), engine.shell.get("PATH")) else {
        return Ok(false);
    };
    if name.is_empty() || name.contains('/') {
        return Ok(false);
    }
    let searched = searched.first().known_start();
    for directory in searched
        .split(':')
        .filter(|directory| !directory.is_empty())
    {
        let file = Text::fixed(format!("{}/{name}", directory.trim_end_matches('/')));
        if is_own(engine, &file)? && run(engine, &file, words)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_own(engine: &mut Engine<'_>, file: &Text) -> Result<bool, Stop> {
    let places = engine.places(file)?;
    let root = engine.protected.root();
    Ok(places.iter().any(|place| match place {
        Place::At(path, _) => {
            let is_below = || {
                let real = engine.resolver().beyond_links(path);
                real.starts_with(root) && engine.tree.kind(&real).is_some()
            };
            engine.shell.files.contains_key(path) || is_below()
        }
        Place::Like(_) => false,
    }))
}
