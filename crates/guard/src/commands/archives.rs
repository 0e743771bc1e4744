//! Archives: what is in them is not looked at, where they are unpacked is.

use super::{Options, touch_all};
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    match name {
        "tar" | "gtar" | "bsdtar" => tar(engine, words)?,
        "unzip" => {
            let options = Options::parse(words, &["-d", "-x", "-P"]);
            let harmless = ["-l", "-t", "-p", "-v", "-Z", "-n"];
            if !options.has(&harmless) {
                unpack(engine, options.value(&["-d"]))?;
            }
        }
        "zip" => {
            let options = Options::parse(words, &["-x", "-i", "-P", "-b"]);
            let mut operands = options.operands.iter();
            touch_all(engine, Action::Overwrite, operands.next())?;
            if options.has(&["-m", "--move"]) {
                for operand in operands {
                    engine.take_away(Action::Delete, operand, true)?;
                }
            }
        }
        "cpio" | "pax" => {
            let options = Options::parse(words, &["-D", "-F", "-f", "-E", "-I", "-O"]);
            if options.has(&["-i", "--extract", "-r", "-p"]) && !options.has(&["-t", "--list"]) {
                unpack(engine, options.value(&["-D", "--directory"]))?;
            }
        }
        "7z" | "7za" | "7zr" | "unrar" | "unar" | "ar" | "bsdcpio" => {
            let verb = words.first().map(Text::known_start).unwrap_or_default();
            if verb.starts_with(['x', 'e']) || name == "unar" {
                let target = words.iter().find_map(|word| {
                    let start = word.known_start();
                    (start.starts_with("-o") && start.len() > 2).then(|| word.without_start(2))
                });
                unpack(engine, target.as_ref())?;
            } else {
                touch_all(engine, Action::Overwrite, words.get(1))?;
                let deletes = words
                    .iter()
                    .any(|word| word.known().as_deref() == Some("-sdel"));
                for word in words.iter().skip(2).filter(|_| deletes) {
                    engine.take_away(Action::Delete, word, true)?;
                }
            }
        }
        "patch" => {
            let options = Options::parse(
                words,
                &[
                    "-i",
                    "-d",
                    "-p",
                    "-o",
                    "-r",
                    "-D",
                    "-F",
                    "--input",
                    "--directory",
                    "--output",
                    "--reject-file",
                ],
            );
            let outputs = ["-o", "--output", "-r", "--reject-file"];
            if options.has(&["--dry-run"]) {
                return Ok(true);
            }
            touch_all(engine, Action::Overwrite, options.values(&outputs))?;
            if !options.has(&["-o", "--output"]) {
                let text = match options.value(&["-i", "--input"]) {
                    Some(file) => engine.content(file)?,
                    None => match options.operands.get(1) {
                        Some(file) => engine.content(file)?,
                        None => engine.stdin.clone(),
                    },
                };
                touch_all(engine, Action::Overwrite, options.operands.first())?;
                patched(engine, &text, options.value(&["-d", "--directory"]))?;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

fn tar(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    // The first word may be a cluster of letters without its dash.
    let mut words = words.to_vec();
    if let Some(first) = words.first_mut()
        && let Some(letters) = first.known()
        && !letters.starts_with('-')
    {
        *first = Text::fixed(format!("-{letters}"));
    }
    let valued = [
        "-f",
        "-C",
        "-T",
        "-X",
        "-I",
        "--file",
        "--directory",
        "--exclude",
        "--to-command",
        "--checkpoint-action",
        "--use-compress-program",
        "--files-from",
    ];
    let options = Options::parse(&words, &valued);
    for program in options.values(&[
        "--to-command",
        "--use-compress-program",
        "-I",
        "--checkpoint-action",
        "--info-script",
        "-F",
    ]) {
        let program = match program.known_start().starts_with("exec=") {
            true => program.without_start("exec=".len()),
            false => program.clone(),
        };
        engine.apart(|engine| engine.code(&program))?;
    }
    let directory = options.value(&["-C", "--directory"]);
    if options.has(&["-x", "--extract", "--get"]) {
        if !options.has(&[
            "-O",
            "--to-stdout",
            "-k",
            "--keep-old-files",
            "--skip-old-files",
        ]) {
            unpack(engine, directory)?;
        }
    } else if options.has(&["-c", "-r", "-u", "-A", "--create", "--append", "--update"]) {
        let files = options
            .values(&["-f", "--file"])
            .filter(|file| file.known().as_deref() != Some("-"));
        touch_all(engine, Action::Overwrite, files)?;
        if options.has(&["--remove-files"]) {
            for operand in &options.operands {
                engine.take_away(Action::Delete, operand, true)?;
            }
        }
    }
    Ok(())
}

/// Anything may be in the archive, and any file below the directory may be replaced.
pub(super) fn unpack(engine: &mut Engine<'_>, directory: Option<&Text>) -> Result<(), Stop> {
    let here = Text::fixed(".");
    for place in engine.places(directory.unwrap_or(&here))? {
        let target = match place {
            Place::At(path, _) => Target::Tree(engine.resolver().beyond_links(&path)),
            Place::Like(pattern) => Target::Like(pattern),
        };
        // An archive that spells out the way down to the root from far above was made for it.
        let far_above = matches!(&target, Target::Tree(path)
            if engine.protected.root() != path && engine.protected.root().starts_with(path));
        if far_above {
            continue;
        }
        engine.note(Action::Unknown, target);
    }
    Ok(())
}

/// The files that a patch names are replaced, or deleted where it says so.
pub(super) fn patched(
    engine: &mut Engine<'_>,
    patch: &Data,
    directory: Option<&Text>,
) -> Result<(), Stop> {
    let Some(text) = patch.text() else {
        return unpack(engine, directory);
    };
    let prefix = directory.and_then(Text::known);
    for line in text.lines() {
        let header = ["--- ", "+++ ", "rename from ", "rename to "];
        let Some(name) = header.iter().find_map(|start| line.strip_prefix(start)) else {
            continue;
        };
        let name = name.split('\t').next().unwrap_or(name).trim();
        for stripped in [name, name.split_once('/').map_or(name, |(_, rest)| rest)] {
            let path = match &prefix {
                Some(prefix) => format!("{prefix}/{stripped}"),
                None => stripped.to_owned(),
            };
            engine.touch(Action::Overwrite, &Text::fixed(path))?;
        }
    }
    Ok(())
}
