//! `rsync`: copies as others do, and takes away what is not copied if it is told to.

use std::path::Path;

use super::copies::{Links, arrive};
use super::{Options, hosts, remote};
use crate::effect::{Action, Target};
use crate::shell::{Engine, Place};
use crate::stop::Stop;
use crate::text::Text;

pub(super) fn run(engine: &mut Engine<'_>, words: &[Text]) -> Result<(), Stop> {
    let valued = [
        "-e",
        "--exclude",
        "--include",
        "--filter",
        "-f",
        "--rsh",
        "--backup-dir",
        "--suffix",
        "-T",
        "--log-file",
        "--files-from",
    ];
    let options = Options::parse(words, &valued);
    if options.has(&["-n", "--dry-run", "--list-only"]) {
        return Ok(());
    }
    let Some((target, sources)) = options.operands.split_last() else {
        return Ok(());
    };
    let is_sent = options
        .operands
        .iter()
        .any(|word| remote::host_and_file(word).is_some());
    for shell in options.values(&["-e", "--rsh"]).filter(|_| is_sent) {
        engine.apart(|engine| engine.code(shell))?;
    }
    let removes_sources = options.has(&["--remove-source-files"]);
    let target = &match remote::host_and_file(target) {
        None => target.clone(),
        Some((host, file)) if hosts::is_here(engine, &host, None)? => file,
        Some(_) if removes_sources => return take_sources(engine, sources),
        Some(_) => return Ok(()),
    };
    let deletes = options.has(&[
        "--delete",
        "--del",
        "--delete-before",
        "--delete-after",
        "--delete-during",
        "--delete-excluded",
        "--delete-delay",
    ]);
    if deletes && !is_itself(engine, sources, target)? {
        engine.take_away(Action::Delete, target, true)?;
    }
    if removes_sources {
        take_sources(engine, sources)?;
    }
    if options.has(&["--ignore-existing", "--existing"]) && !deletes {
        return Ok(());
    }
    let with_path = options.has(&["-R", "--relative"]);
    for source in sources {
        let contents_only = source.known().is_some_and(|source| source.ends_with('/'));
        // `a/./b` keeps no more than what is behind the dot.
        let kept = source.known().filter(|_| with_path);
        let kept = kept
            .as_deref()
            .map(|path| path.split_once("/./").map_or(path, |(_, kept)| kept));
        let kept = kept.map(|path| Path::new(path.trim_start_matches('/')));
        for from in engine.places(source)? {
            for onto in engine.places(target)? {
                match onto {
                    Place::Like(pattern) => engine.note(Action::Unknown, Target::Like(pattern)),
                    Place::At(onto, _) => {
                        let within = !contents_only || kept.is_some();
                        let directory = within && engine.is_directory(&onto);
                        arrive(engine, &from, &onto, directory, kept, Links::Replaced)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// What was sent goes from where it was, wherever it went.
fn take_sources(engine: &mut Engine<'_>, sources: &[Text]) -> Result<(), Stop> {
    sources
        .iter()
        .try_for_each(|source| engine.take_away(Action::Delete, source, true))
}

/// Whether what is copied is what it is copied to, as it is seen from here.
fn is_itself(engine: &mut Engine<'_>, sources: &[Text], target: &Text) -> Result<bool, Stop> {
    let [source] = sources else {
        return Ok(false);
    };
    let contents_only = source.known().is_some_and(|source| source.ends_with('/'));
    let (from, onto) = (engine.places(source)?, engine.places(target)?);
    Ok(match (from.as_slice(), onto.as_slice()) {
        ([Place::At(from, _)], [Place::At(onto, _)]) if contents_only => {
            let resolver = engine.resolver();
            resolver.beyond_links(from) == resolver.beyond_links(onto)
        }
        _ => false,
    })
}
