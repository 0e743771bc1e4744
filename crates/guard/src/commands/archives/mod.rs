//! Archives: where they are unpacked, and what is in them as far as that is plain to see.

mod members;
pub(super) mod patches;

use std::path::PathBuf;

use super::{Options, touch_all};
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    match name {
        "tar" | "gtar" | "bsdtar" => tar(engine, words)?,
        "unzip" => {
            let options = Options::parse(words, &["-d", "-x", "-P"]);
            let harmless = ["-l", "-t", "-p", "-v", "-Z", "-n"];
            if !options.has(&harmless) {
                unzip(engine, &options)?;
            }
        }
        "zip" => {
            let options = Options::parse(words, &["-x", "-i", "-P", "-b"]);
            let mut operands = options.operands.iter();
            if let Some((archive, members)) = options.operands.split_first() {
                // What is in one already stays there.
                let is_new = is_absent(engine, archive)?;
                engine.touch(Action::Overwrite, archive)?;
                if is_new && !members.is_empty() && !options.has(&["-j", "-@"]) {
                    let members = engine.all_named(members)?;
                    engine.write_within(archive, members)?;
                }
                operands.next();
            }
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
        "patch" => patches::run(engine, words)?,
        "apply_patch" | "applypatch" => patches::of_an_agent(engine, words)?,
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
        "--transform",
        "--xform",
        "--strip-components",
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
            untar(engine, &options, directory)?;
        }
    } else if options.has(&["-c", "-r", "-u", "-A", "--create", "--append", "--update"]) {
        let files = options
            .values(&["-f", "--file"])
            .filter(|file| file.known().as_deref() != Some("-"));
        let files: Vec<Text> = files.cloned().collect();
        touch_all(engine, Action::Overwrite, &files)?;
        // Another archive may be named among the members, and brings its own.
        let is_archive = |word: &Text| word.known_start().starts_with('@');
        let is_whole = options.has(&["-c", "--create"])
            && !options.has(RENAMING)
            && !options.has(&["--add-file"])
            && !options.operands.iter().any(is_archive);
        if is_whole && !options.operands.is_empty() {
            let members = match directory {
                // Wildcards are matched from here, and not from there.
                Some(_) => options.operands.clone(),
                None => engine.all_named(&options.operands)?,
            };
            for file in &files {
                engine.write_within(file, members.clone())?;
            }
        }
        if options.has(&["--remove-files"]) {
            for operand in &options.operands {
                engine.take_away(Action::Delete, operand, true)?;
            }
        }
    }
    Ok(())
}

/// Options by which members arrive under other names than their own, or by which more of
/// them are meant than are named.
const RENAMING: &[&str] = &[
    "-s",
    "-P",
    "-T",
    "--transform",
    "--xform",
    "--strip-components",
    "--strip",
    "--one-top-level",
    "--absolute-names",
    "--files-from",
    "--wildcards",
];

/// Unpacks the members that are named, those that the archive has, or anything.
fn untar(engine: &mut Engine<'_>, options: &Options, directory: Option<&Text>) -> Result<(), Stop> {
    if options.has(RENAMING) {
        return unpack(engine, directory);
    }
    if !options.operands.is_empty() {
        return unpack_only(engine, directory, &options.operands);
    }
    let archive = options.value(&["-f", "--file"]);
    match archive.filter(|file| file.known().as_deref() != Some("-")) {
        Some(archive) => unpack_members(engine, directory, archive),
        None => match engine.input_within() {
            Some(within) => unpack_only(engine, directory, &within.paths),
            None => unpack(engine, directory),
        },
    }
}

fn unzip(engine: &mut Engine<'_>, options: &Options) -> Result<(), Stop> {
    let directory = options.value(&["-d"]);
    // `-x` takes all the words behind it.
    let (Some((archive, members)), false) =
        (options.operands.split_first(), options.has(&["-j", "-:"]))
    else {
        return unpack(engine, directory);
    };
    if members.is_empty() || options.has(&["-x"]) {
        return unpack_members(engine, directory, archive);
    }
    // It matches wildcards itself, and its star goes beyond slashes.
    let wanted: Option<Vec<String>> = members.iter().map(Text::known).collect();
    match (members_of(engine, archive)?, wanted) {
        (Some(mut names), Some(wanted)) => {
            let fits = |name: &str| {
                let name = name.to_lowercase();
                let mut wanted = wanted.iter();
                wanted.any(|own| crate::glob::matches(&own.to_lowercase(), &name))
            };
            names.retain(|name| fits(name));
            arrive(engine, directory, &names)
        }
        _ => unpack_only(engine, directory, members),
    }
}

/// Whether nothing is there, so far as that can be told.
fn is_absent(engine: &mut Engine<'_>, file: &Text) -> Result<bool, Stop> {
    let places = engine.places(file)?;
    let is_absent = |place: &Place| match place {
        Place::At(path, _) => {
            let real = engine.resolver().beyond_links(path);
            engine.tree.kind(&real).is_none() && !engine.may_have_touched(&real)
        }
        Place::Like(_) => false,
    };
    Ok(places.iter().all(is_absent))
}

/// What goes through a pipe as an archive: the paths that it is about.
pub(super) fn carried(
    engine: &mut Engine<'_>,
    name: &str,
    words: &[Text],
) -> Result<Option<Vec<Text>>, Stop> {
    let ("cat" | "zcat", [file]) = (name, words) else {
        return Ok(None);
    };
    let end = file.known_end();
    if ![".tar", ".tgz", ".gz"].iter().any(|own| end.ends_with(own)) {
        return Ok(None);
    }
    let names = members_of(engine, file)?;
    Ok(names.map(|names| names.into_iter().map(Text::fixed).collect()))
}

/// Whatever is in an archive that can be read arrives; anything, if it cannot.
pub(super) fn unpack_members(
    engine: &mut Engine<'_>,
    directory: Option<&Text>,
    archive: &Text,
) -> Result<(), Stop> {
    if let Some(within) = engine.file_within(archive)? {
        return unpack_only(engine, directory, &within.paths);
    }
    match members_of(engine, archive)? {
        Some(names) => arrive(engine, directory, &names),
        None => unpack(engine, directory),
    }
}

/// Files arrive in a directory under their names.
fn arrive(engine: &mut Engine<'_>, directory: Option<&Text>, names: &[String]) -> Result<(), Stop> {
    let here = Text::fixed(".");
    for place in engine.places(directory.unwrap_or(&here))? {
        let Place::At(into, _) = place else {
            return unpack(engine, directory);
        };
        for name in names {
            engine.spend()?;
            let path = into.join(name);
            let resolver = engine.resolver();
            let mut ends = vec![resolver.up_to_link(&path), resolver.beyond_links(&path)];
            ends.dedup();
            for end in ends {
                engine.note(Action::Overwrite, Target::Path(end));
            }
        }
    }
    Ok(())
}

/// The files in an archive, if they can be told: one that was there before the command, in a
/// place that is known.
pub(super) fn members_of(
    engine: &mut Engine<'_>,
    archive: &Text,
) -> Result<Option<Vec<String>>, Stop> {
    let places = engine.places(archive)?;
    let [Place::At(path, _)] = places.as_slice() else {
        return Ok(None);
    };
    let path: PathBuf = engine.resolver().beyond_links(path);
    if engine.may_have_touched(&path) {
        return Ok(None);
    }
    Ok(members::of(engine.tree, &path))
}

/// Anything may be in the archive, but only what is named arrives.
fn unpack_only(
    engine: &mut Engine<'_>,
    directory: Option<&Text>,
    names: &[Text],
) -> Result<(), Stop> {
    for name in names {
        let known = name.known().unwrap_or_default();
        let is_plain = !known.is_empty()
            && !crate::glob::is_pattern(&known)
            && !known.starts_with(['/', ':'])
            && !known.split('/').any(|part| part == "..");
        if !is_plain {
            return unpack(engine, directory);
        }
        let mut path = directory.cloned().unwrap_or_else(|| Text::fixed("."));
        path.append(&Text::fixed(format!("/{known}")));
        unpack(engine, Some(&path))?;
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
