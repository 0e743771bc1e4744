//! Programs that put files somewhere else: `mv`, `cp`, `ln`, `install`, `rsync`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Options, rsync};
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::{Data, Text};
use crate::tree::Kind;

/// How many entries of a copied directory are compared with what is there already.
const MOST_ENTRIES: usize = 2_000;

const TARGET: [&str; 2] = ["-t", "--target-directory"];

pub(super) fn run(engine: &mut Engine<'_>, name: &str, words: &[Text]) -> Result<bool, Stop> {
    match name {
        "mv" | "gmv" => {
            let options = Options::parse(words, &["-t", "--target-directory", "-S", "--suffix"]);
            let (sources, target) = sources_and_target(&options);
            // What is exchanged takes the other's place, and leaves its own.
            let swapped = target.filter(|_| options.has(&["--exchange"]));
            for source in sources.iter().chain(swapped) {
                engine.take_away(Action::Rename, source, true)?;
            }
            if !options.has(&["-n", "--no-clobber"]) {
                deliver(engine, &options, Links::Replaced)?;
            }
        }
        "cp" | "gcp" => {
            let options = Options::parse(words, &["-t", "--target-directory", "-S", "--suffix"]);
            let linked = options.has(&["-l", "-s", "--link", "--symbolic-link"]);
            if !options.has(&["-n", "--no-clobber"]) {
                let arriving = if linked {
                    Links::Replaced
                } else {
                    Links::Followed
                };
                deliver(engine, &options, arriving)?;
            }
            if linked {
                links(engine, &options)?;
            }
        }
        "install" | "ginstall" => {
            let valued = [
                "-m",
                "-o",
                "-g",
                "-t",
                "-S",
                "--mode",
                "--owner",
                "--group",
                "--target-directory",
            ];
            let options = Options::parse(words, &valued);
            if !options.has(&["-d", "--directory"]) {
                deliver(engine, &options, Links::Replaced)?;
            }
        }
        "ln" | "gln" => {
            let options = Options::parse(words, &["-t", "--target-directory", "-S", "--suffix"]);
            if options.has(&["-f", "--force", "-i", "-b", "--backup"]) {
                replaced_by_links(engine, &options)?;
            }
            links(engine, &options)?;
        }
        "rsync" => rsync::run(engine, words)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// What happens to a link that stands where a file is delivered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Links {
    Followed,
    Replaced,
}

fn sources_and_target(options: &Options) -> (&[Text], Option<&Text>) {
    match options.value(&TARGET) {
        Some(target) => (&options.operands, Some(target)),
        None => match options.operands.split_last() {
            Some((target, sources)) => (sources, Some(target)),
            None => (&[], None),
        },
    }
}

/// Sources arrive at a target: under its name, or in it if it is a directory.
fn deliver(engine: &mut Engine<'_>, options: &Options, links: Links) -> Result<(), Stop> {
    let into = !options.has(&["-T", "--no-target-directory"]);
    let (sources, target) = sources_and_target(options);
    let Some(target) = target else { return Ok(()) };
    let with_path = options.has(&["--parents"]);
    let with_directories = options.has(&["-r", "-R", "-a", "--recursive", "--archive"]);
    let mut places = Vec::new();
    for source in sources {
        let name = source.known().unwrap_or_default();
        // `cp -r a/. b` puts what is in the one into the other.
        let contents_only = name == "." || name.ends_with("/.");
        let kept = with_path.then(|| kept_path(engine, &name));
        let found = engine.places(source)?;
        places.extend(
            found
                .into_iter()
                .map(|place| (place, contents_only, kept.clone())),
        );
    }
    for place in engine.places(target)? {
        match place {
            Place::Like(pattern) => engine.note(Action::Overwrite, Target::Like(pattern)),
            Place::At(path, _) => {
                let directory = into && engine.is_directory(&path);
                for (source, contents_only, kept) in &places {
                    let within = directory && (!contents_only || kept.is_some());
                    arrive(engine, source, &path, within, kept.as_deref(), links)?;
                }
                let is_one = places.len() == 1 && with_directories;
                if let Some((Place::At(from, _), ..)) = places.first().filter(|_| is_one) {
                    remember_copy(engine, from, &path);
                }
            }
        }
    }
    Ok(())
}

/// What `--parents` keeps of a path: all of it. What was found is told from the top, but was
/// named from here.
fn kept_path(engine: &Engine<'_>, name: &str) -> PathBuf {
    let path = Path::new(name);
    let mut directories = engine.shell.directories.iter().flatten();
    let below = directories.find_map(|here| path.strip_prefix(here).ok());
    below.map_or_else(
        || PathBuf::from(name.trim_start_matches('/')),
        Path::to_owned,
    )
}

/// A directory that is copied to where nothing is yet is there from now on.
fn remember_copy(engine: &mut Engine<'_>, from: &Path, target: &Path) {
    let made = engine.resolver().made(target);
    let may_be_made = made
        .parent()
        .is_some_and(|above| engine.is_directory(above));
    let is_new = engine.tree.kind(&made).is_none() && engine.is_directory(from);
    if is_new && may_be_made {
        engine.shell.made.insert(made);
    }
}

/// Something arrives at a target, or in it: by its name, or by as much of its path as is kept.
pub(super) fn arrive(
    engine: &mut Engine<'_>,
    source: &Place,
    target: &Path,
    directory: bool,
    kept: Option<&Path>,
    links: Links,
) -> Result<(), Stop> {
    let Place::At(from, _) = source else {
        let tree = engine.resolver().beyond_links(target);
        let target = if directory {
            Target::Tree(tree)
        } else {
            Target::Path(tree)
        };
        engine.note(Action::Unknown, target);
        return Ok(());
    };
    let name = kept.or_else(|| from.file_name().map(Path::new));
    let named = name.map(|name| target.join(name));
    let is_filled = is_filled(engine, from);
    // A wildcard that could match anything brings anything.
    let is_any = is_filled && crate::glob::is_pattern(&from.to_string_lossy());
    let path = match named {
        Some(named) if directory && !is_any => named,
        _ => target.to_owned(),
    };
    let real = match links {
        Links::Followed => engine.resolver().beyond_links(&path),
        Links::Replaced => engine.resolver().up_to_link(&path),
    };
    if is_filled {
        engine.note(Action::Unknown, Target::Tree(real));
        return Ok(());
    }
    let from = engine.resolver().beyond_links(from);
    // Nothing is copied onto itself.
    if from == real {
        return Ok(());
    }
    // Whatever a copy holds is now at its new place, for those who run it from there.
    let written = engine.shell.files.get(&from).cloned();
    let is_file = engine.tree.kind(&from) == Some(Kind::File);
    let on_disk = || engine.tree.read(&from).map_or(Data::Unknown, Data::Known);
    if let Some(content) = written.or_else(|| is_file.then(on_disk)) {
        engine.shell.files.insert(real.clone(), content);
    }
    overlay(engine, &from, &real)
}

/// Whether a path lies in a directory that was filled on the way with what is not known.
fn is_filled(engine: &Engine<'_>, path: &Path) -> bool {
    let path = engine.resolver().beyond_links(path);
    let mut filled = engine.shell.filled.iter();
    filled.any(|above| path.starts_with(above))
}

/// The names in a directory that were put there on the way.
fn put_in(engine: &Engine<'_>, directory: &Path) -> BTreeSet<OsString> {
    let below = engine.shell.put_below(directory);
    let names = below.filter_map(|path| path.strip_prefix(directory).ok()?.iter().next());
    names.map(OsString::from).collect()
}

/// Files of a directory land on those of the same names.
fn overlay(engine: &mut Engine<'_>, from: &Path, onto: &Path) -> Result<(), Stop> {
    let mut pending: Vec<(PathBuf, PathBuf)> = vec![(from.to_owned(), onto.to_owned())];
    let mut left = MOST_ENTRIES;
    while let Some((from, onto)) = pending.pop() {
        engine.spend()?;
        let put = put_in(engine, &from);
        let is_directory = engine.tree.kind(&from) == Some(Kind::Directory) || !put.is_empty();
        if !is_directory && !engine.shell.made.contains(&from) {
            engine.note(Action::Overwrite, Target::Path(onto));
            continue;
        }
        if engine.tree.kind(&onto).is_none() {
            continue;
        }
        for name in engine.tree.list(&from).into_iter().chain(put) {
            if left == 0 {
                engine.note(Action::Unknown, Target::Tree(onto));
                return Ok(());
            }
            left -= 1;
            pending.push((from.join(&name), onto.join(&name)));
        }
    }
    Ok(())
}

/// What stands where a link is put goes, whatever the link leads to.
fn replaced_by_links(engine: &mut Engine<'_>, options: &Options) -> Result<(), Stop> {
    let itself = options.has(&["-n", "--no-dereference", "-T", "--no-target-directory"]);
    let (sources, target) = match sources_and_target(options) {
        // One word alone is what a link here leads to.
        ([], Some(only)) => (std::slice::from_ref(only), Text::fixed(".")),
        (sources, Some(target)) => (sources, target.clone()),
        (_, None) => return Ok(()),
    };
    for place in engine.places(&target)? {
        let Place::At(path, _) = place else {
            engine.touch(Action::Overwrite, &target)?;
            continue;
        };
        let is_link = engine.tree.kind(&engine.resolver().up_to_link(&path)) == Some(Kind::Link);
        let within = engine.is_directory(&path) && !(itself && is_link);
        for source in sources {
            let name = source.known().unwrap_or_default();
            let name = Path::new(&name).file_name();
            let at = match name {
                Some(name) if within => path.join(name),
                _ => path.clone(),
            };
            let at = engine.resolver().up_to_link(&at);
            engine.note(Action::Overwrite, Target::Path(at));
        }
    }
    Ok(())
}

/// New links are remembered: what is later written to them goes where they lead.
fn links(engine: &mut Engine<'_>, options: &Options) -> Result<(), Stop> {
    let (sources, target) = sources_and_target(options);
    let symbolic = options.has(&["-s", "--symbolic", "--symbolic-link"]);
    let target = match (sources, target) {
        ([], Some(only)) => return link(engine, only, &Text::fixed("."), symbolic),
        (_, Some(target)) => target.clone(),
        (_, None) => return Ok(()),
    };
    sources
        .iter()
        .try_for_each(|source| link(engine, source, &target, symbolic))
}

fn link(engine: &mut Engine<'_>, to: &Text, at: &Text, symbolic: bool) -> Result<(), Stop> {
    for place in engine.places(at)? {
        let Place::At(path, _) = place else { continue };
        let Some(leads_to) = to.known() else { continue };
        let name = Path::new(&leads_to).file_name();
        let path = match name {
            Some(name) if engine.is_directory(&path) => path.join(name),
            _ => path,
        };
        let path = engine.resolver().up_to_link(&path);
        // A hard link is followed by name as well, from where the command stands.
        let leads_to = match engine.shell.directories.first() {
            Some(Some(directory)) if !symbolic => directory.join(leads_to),
            _ => PathBuf::from(leads_to),
        };
        engine.shell.links.insert(path, leads_to);
    }
    Ok(())
}
