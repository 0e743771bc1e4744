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
